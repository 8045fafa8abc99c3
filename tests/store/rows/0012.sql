-- What revision 0012 had besides. Never edited.
INSERT INTO referees (address, secret, heartbeat_at, tls_address, bots) VALUES
    ('10.0.0.2:7000', decode(repeat('22', 32), 'hex'), '2026-02-04 00:00:00+00', 'arena.example:7443', '{ann,bob}');
UPDATE attempts SET referee = '10.0.0.2:7000' WHERE lease = '00000000-0000-0000-0000-000000000005';
