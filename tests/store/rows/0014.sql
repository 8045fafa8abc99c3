-- What revision 0014 had besides. Never edited.
UPDATE tournaments SET format = 'gauntlet', unrated = true WHERE name = 'cup';
UPDATE entries SET known = true WHERE tournament = 'cup' AND bot = 'ann';
INSERT INTO draws (tournament, orbit, last_block, left_out, drawn_at) VALUES
    ('cup', 1, 2, '{cyd}', '2026-02-05 00:00:00+00');
