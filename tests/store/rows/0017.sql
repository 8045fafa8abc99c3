-- What revision 0017 had besides. Never edited.
UPDATE tournaments SET open_until = '2026-02-06 00:00:00+00' WHERE name = 'cup';
