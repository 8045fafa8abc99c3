-- What revision 0009 had besides. Never edited.
INSERT INTO fits
    (run, position, version, micro_elo, micro_margin, first_rank, last_rank, deals, milli_points_margin)
VALUES (1, 0, 1, 1512345678, 87654321, 1, 2, 2, 1500), (1, 0, 3, 1487654322, NULL, NULL, NULL, 1, NULL);
