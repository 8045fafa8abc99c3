-- What revision 0013 had besides. Never edited.
INSERT INTO likelihoods (run, position, version, stronger) VALUES (1, 0, 1, '\x0000003f6666663f'), (1, 0, 3, '\xcdcccc3d0000003f');
