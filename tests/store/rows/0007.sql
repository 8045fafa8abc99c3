-- What revision 0007 had besides. Never edited.
INSERT INTO workers (name, tier, least_tier, strangers, heartbeat_at) VALUES
    ('host:7', 'userns', 'userns-bare', true, '2026-02-03 00:00:00+00');
INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units, strangers) VALUES
    ('cup', 1, 1, '{bob,cyd,ann}', 'rotation', 8, 2, false);
INSERT INTO attempts (lease, block, worker, outcome, ended_at, tier) VALUES
    ('00000000-0000-0000-0000-000000000005', 3, 'host:7', 'expired', '2026-02-03 00:01:00+00', 'userns');
