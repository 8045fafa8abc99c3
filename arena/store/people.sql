-- add_user: makes a user; nothing if the name is taken
INSERT INTO users (name, admin) VALUES (%(name)s, %(admin)s) ON CONFLICT (name) DO NOTHING RETURNING name;

-- add_token: gives a user one more token
INSERT INTO tokens (sha256, owner, label, scopes, expires_at)
VALUES (%(sha256)s, %(owner)s, %(label)s, %(scopes)s, now() + make_interval(days => %(days)s))
ON CONFLICT DO NOTHING
RETURNING left(encode(sha256, 'hex'), 12);

-- holder: who has a token, what it is, whether it still stands, and whether it was used today already
SELECT
    users.name, users.admin,
    left(encode(sha256, 'hex'), 12), label, scopes, tokens.created_at, expires_at, used_on,
    revoked_at, coalesce(expires_at <= now(), false), coalesce(used_on = (now() AT TIME ZONE 'UTC')::date, false)
FROM tokens JOIN users ON users.name = tokens.owner
WHERE sha256 = %(sha256)s;

-- use_token: notes that a token was used today
UPDATE tokens SET used_on = (now() AT TIME ZONE 'UTC')::date WHERE sha256 = %(sha256)s;

-- tokens: the tokens of a user that were not revoked, oldest first
SELECT left(encode(sha256, 'hex'), 12), label, scopes, created_at, expires_at, used_on
FROM tokens WHERE owner = %(owner)s AND revoked_at IS NULL
ORDER BY created_at, sha256;

-- revoke_token: ends a token of a user
UPDATE tokens SET revoked_at = now()
WHERE owner = %(owner)s AND left(encode(sha256, 'hex'), 12) = %(id)s AND revoked_at IS NULL
RETURNING sha256;

-- is_revoked: whether somebody ended a token
SELECT revoked_at IS NOT NULL FROM tokens WHERE sha256 = %(sha256)s;

-- user: one user
SELECT name, admin FROM users WHERE name = %(name)s;

-- users: all users by name
SELECT name, admin FROM users ORDER BY name;
