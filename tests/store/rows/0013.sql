-- What revision 0013 had besides. Never edited.
INSERT INTO likelihoods (run, position, version, stronger) VALUES (1, 0, 1, '\x0000003f0000803e');
