-- What revision 0015 had besides. Never edited.
INSERT INTO fits (run, position, version, micro_elo, deals, milli_datum, milli_datum_margin)
VALUES (2, 0, 1, 1500000001, 2, -750, 1200);
