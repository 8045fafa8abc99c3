-- What revision 0011 had besides. Never edited.
INSERT INTO corrections (tournament, what, block, unit, bot, orbit, reason, who, made_at) VALUES
    ('cup', 'block', 2, NULL, NULL, NULL, 'It hangs.', 'boss', '2026-02-04 00:00:00+00'),
    ('cup', 'unit', NULL, 1, NULL, 0, 'The power went.', 'owner', '2026-02-04 00:01:00+00'),
    ('cup', 'bot', NULL, NULL, 'cyd', NULL, 'It cheats.', 'boss', '2026-02-04 00:02:00+00');
INSERT INTO audit (acted_at, who, act, subject, tournament, reason) VALUES
    ('2026-02-04 00:02:00+00', 'boss', 'disqualify', 'cyd', 'cup', 'It cheats.');
INSERT INTO alarms (raised_at, kind, sentence, settled_at, settled_by) VALUES
    ('2026-02-04 00:03:00+00', 'void', 'Look.', '2026-02-04 00:04:00+00', 'boss');
UPDATE tournaments SET cancelled_at = '2026-02-04 00:05:00+00', closed_at = '2026-02-04 00:05:00+00' WHERE name = 'clocks';
INSERT INTO rating_runs (pool, reason, created_at) VALUES (1, 'A correction.', '2026-02-04 00:06:00+00');
INSERT INTO rated_periods (run, pool, position, blocks, units, input_sha256, rated_at, corrections, unit_hashes) VALUES
    (2, 1, 0, 1, 1, sha256('other'), '2026-02-04 00:06:00+00', 2, '\x0000000001020304');
