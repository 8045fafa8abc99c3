-- What revision 0019 had besides. Never edited.
INSERT INTO tournaments
    (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms, secret, commitment, format,
    batch, every_s, created_at)
VALUES
    ('night', 'owner', 'callbreak', 3, '{"deals": "5"}', 1, 2, 250, 10000, 3, 10000, sha256('night'), sha256(sha256('night')),
        'ladder', 7, 900, '2026-02-07 00:00:00+00');
INSERT INTO tournaments
    (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms, secret, commitment, format,
    ladder, period, engine, created_at, started_at)
VALUES
    ('night.1', 'owner', 'callbreak', 3, '{"deals": "5"}', 1, 2, 250, 10000, 3, 10000, sha256('night.1'),
        sha256(sha256('night.1')), 'ladder', 'night', 1, '1', '2026-02-07 01:00:00+00', '2026-02-07 01:00:00+00');
INSERT INTO ladder_draws (tournament, candidates, run, position, drawn_at) VALUES
    ('night.1', '{ann,bob,cyd}', 1, 0, '2026-02-07 01:00:00+00');
