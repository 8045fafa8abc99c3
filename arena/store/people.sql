-- add_user: makes a user; nothing if the name is taken
INSERT INTO users (name, admin) VALUES (%(name)s, %(admin)s) ON CONFLICT (name) DO NOTHING RETURNING name;

-- add_token: gives a user one more token
INSERT INTO tokens (sha256, owner, label) VALUES (%(sha256)s, %(owner)s, %(label)s) ON CONFLICT DO NOTHING;

-- user_of_token: who a token belongs to
SELECT users.name, users.admin FROM tokens JOIN users ON users.name = tokens.owner WHERE sha256 = %(sha256)s;

-- user: one user
SELECT name, admin FROM users WHERE name = %(name)s;

-- users: all users by name
SELECT name, admin FROM users ORDER BY name;
