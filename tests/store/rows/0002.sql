-- What revision 0002 had besides. Never edited.
INSERT INTO pools (game, seats, options, unit_kind, rules) VALUES ('callbreak', 3, '{"deals": "5"}', 'rotation', '1');
INSERT INTO rating_periods (pool, position, tournament, orbit) VALUES (1, 0, 'cup', 0);
INSERT INTO rating_runs (pool, reason, created_at) VALUES (1, 'The first one.', '2026-01-05 01:31:00+00');
INSERT INTO rated_periods (run, pool, position, blocks, units, input_sha256, rated_at) VALUES
    (1, 1, 0, 1, 2, sha256('input'), '2026-01-05 01:31:00+00');
INSERT INTO rating_events (run, position, version, delta_micro, micro_elo, units, matches, points, faults)
SELECT 1, 0, id, 1234567 * id, 1500000000 + 1234567 * id, 2, 6, -7, 3 FROM versions WHERE number = 1;
