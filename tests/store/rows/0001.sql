-- Rows of every table as revision 0001 had them. Never edited: what a database of that time held does not change.
INSERT INTO users (name, admin, created_at) VALUES
    ('owner', false, '2026-01-02 03:04:05+00'), ('boss', true, '2026-01-01 00:00:00+00');
INSERT INTO tokens (sha256, owner, label, created_at) VALUES
    (sha256('first'), 'owner', 'laptop', '2026-01-02 03:04:06+00'), (sha256('second'), 'boss', '', '2026-01-01 00:00:01+00');
INSERT INTO bots (name, owner, kind, house, created_at, retired_at) VALUES
    ('ann', 'owner', 'hosted', false, '2026-01-03 00:00:00+00', NULL),
    ('bob', 'owner', 'hosted', true, '2026-01-03 00:00:01+00', '2026-02-01 00:00:00+00'),
    ('cyd', 'boss', 'remote', false, '2026-01-03 00:00:02+00', NULL);
INSERT INTO archives (content_hash, data, created_at) VALUES
    (repeat('ab', 32), '\x504b0304', '2026-01-03 01:00:00+00'), (repeat('cd', 32), '\x504b0506', '2026-01-03 02:00:00+00');
INSERT INTO versions
    (bot, number, content_hash, declared, manifest, state, reason, log, lease, lease_expires_at, deaths, sent_at, request_id)
VALUES
    ('ann', 1, repeat('ab', 32), NULL, '{"name": "ann", "games": ["callbreak"], "batch": 1}', 'active', '', 'hello', NULL,
        NULL, 1, '2026-01-03 01:00:01+00', 'request-1'),
    ('ann', 2, repeat('cd', 32), NULL, '{"name": "ann", "games": ["minus"], "batch": 4}', 'validating', '', '',
        '00000000-0000-0000-0000-000000000001', '2026-01-03 02:01:00+00', 0, NULL, NULL),
    ('bob', 1, repeat('cd', 32), NULL, '{"name": "bob", "games": ["callbreak"]}', 'rejected', 'it did not play', 'oh',
        NULL, NULL, 3, NULL, NULL),
    ('cyd', 1, NULL, '2.0', '{"name": "cyd", "games": ["callbreak"], "batch": 9}', 'active', '', '', NULL, NULL, 0, NULL,
        NULL);
INSERT INTO referees (address, secret, heartbeat_at) VALUES
    ('127.0.0.1:7000', sha256('referee'), '2026-01-04 00:00:00+00');
INSERT INTO tournaments
    (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms, secret, commitment, engine,
    request_id, created_at, started_at, closed_at)
VALUES
    ('cup', 'owner', 'callbreak', 3, '{"deals": "5"}', 1, 2, 250, 10000, 3, 10000, sha256('cup'), sha256(sha256('cup')), '1',
        'request-2', '2026-01-05 00:00:00+00', '2026-01-05 01:00:00+00', '2026-01-05 02:00:00+00'),
    ('next', 'boss', 'minus', 4, '{}', 3, 1, 2000, 30000, 3, 10000, sha256('next'), sha256(sha256('next')), NULL, NULL,
        '2026-01-06 00:00:00+00', NULL, NULL);
INSERT INTO entries (tournament, bot, position, version)
SELECT 'cup', bot, (row_number() OVER (ORDER BY bot))::int - 1, id FROM versions WHERE number = 1;
INSERT INTO entries (tournament, bot, position, version) VALUES ('next', 'ann', 0, NULL);
INSERT INTO blocks
    (tournament, orbit, table_index, entries, kind, first_unit, units, state, lease, lease_expires_at, deaths, sent_at,
    ended_at)
VALUES
    ('cup', 0, 0, '{ann,bob,cyd}', 'rotation', 0, 2, 'done', '00000000-0000-0000-0000-000000000002', NULL, 1,
        '2026-01-05 01:00:00+00', '2026-01-05 01:30:00+00'),
    ('cup', 0, 1, '{ann,cyd,bob}', 'single', 2, 2, 'void', NULL, NULL, 3, NULL, '2026-01-05 01:40:00+00'),
    ('cup', 1, 0, '{cyd,ann,bob}', 'rotation', 4, 2, 'leased', '00000000-0000-0000-0000-000000000003',
        '2026-01-05 01:50:00+00', 0, NULL, NULL);
INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units, replaces)
SELECT 'cup', 0, 1, entries, kind, 6, 2, id FROM blocks WHERE state = 'void';
INSERT INTO attempts
    (lease, block, worker, leased_at, matches, decisions, progress_at, outcome, reason, digest, ended_at)
VALUES
    ('00000000-0000-0000-0000-000000000002', 1, 'host:7', '2026-01-05 01:00:00+00', 6, 312, '2026-01-05 01:20:00+00',
        'done', '', sha256('attempt'), '2026-01-05 01:30:00+00'),
    ('00000000-0000-0000-0000-000000000004', 2, 'host:8', '2026-01-05 01:00:00+00', 0, 0, NULL, 'died', 'It was killed.',
        NULL, '2026-01-05 01:10:00+00'),
    ('00000000-0000-0000-0000-000000000003', 3, 'host:9', '2026-01-05 01:40:00+00', 0, 0, NULL, NULL, '', NULL, NULL);
INSERT INTO results (block, tournament, unit, rotation, seats, scores, places, faults, forfeited, decisions, digest)
SELECT 1, 'cup', unit, rotation, ARRAY[rotation % 3, (rotation + 1) % 3, (rotation + 2) % 3], ARRAY[30, -20, unit],
    ARRAY[1, 3, 2], ARRAY[0, 3, 1], '{1}', 52, sha256(convert_to(unit || ' ' || rotation, 'UTF8'))
FROM generate_series(0, 1) AS unit, generate_series(0, 2) AS rotation;
INSERT INTO records (block, data) VALUES (1, '\x789c8b8e05000113012e');
INSERT INTO bot_logs (block, bot, rotation, text, exit) VALUES
    (1, 'ann', 0, 'what ann wrote', 'ended by itself with code 0'), (1, 'bob', 2, '', 'was killed');
INSERT INTO alarms (raised_at, kind, sentence, tournament, block, settled_at) VALUES
    ('2026-01-05 01:40:00+00', 'void', 'Block 2 died three times.', 'cup', 2, '2026-01-06 00:00:00+00');
