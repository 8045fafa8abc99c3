-- What revision 0005 had besides. Never edited.
INSERT INTO notices (bot, noted_at, what, match, seat, kind, reason, count) VALUES
    ('cyd', '2026-02-02 00:00:00+00', 'forfeit', 'cup, unit 0, rotation 0', 1, 'LATE', 'No answer within 2 s.', 1);
INSERT INTO conduct (bot, forfeits, forfeited_at, disabled_at) VALUES
    ('cyd', 3, '2026-02-02 00:00:00+00', '2026-02-02 00:00:01+00');
INSERT INTO webhooks (bot, url, told, tries, error, due_at) VALUES
    ('cyd', 'https://example.org/cyd', 1, 2, 'It answered 500.', '2026-02-02 00:02:00+00');
