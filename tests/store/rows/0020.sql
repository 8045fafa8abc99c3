-- What revision 0020 had besides. Never edited.
INSERT INTO open_matches (block, lease, unit, rotation, seats, record) VALUES
    (3, '00000000-0000-0000-0000-000000000003', 4, 2, '{2,0,1}', '{"record":1}');
