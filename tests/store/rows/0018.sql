-- What revision 0018 had besides. Never edited.
UPDATE tournaments SET private = true WHERE name = 'cup';
