-- What revision 0003 had besides. Never edited.
INSERT INTO tokens (sha256, owner, label, created_at, scopes, expires_at, revoked_at, used_on) VALUES
    (sha256('third'), 'owner', 'a bot', '2026-02-01 00:00:00+00', '{play}', '2026-05-01 00:00:00+00',
        '2026-03-01 00:00:00+00', '2026-02-28');
