-- What revision 0004 had besides. Never edited.
INSERT INTO tournaments
    (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms, increment_ms, phase_ms,
    secret, commitment)
VALUES
    ('clocks', 'boss', 'minus_one', 4, '{}', 1, 1, 20000, 0, 3, 10000, 100, '{60000,20000}', sha256('clocks'),
        sha256(sha256('clocks')));
