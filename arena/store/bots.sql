-- bot: one bot
SELECT name, owner, kind, house, retired_at IS NOT NULL FROM bots WHERE name = %(name)s;

-- add_bot: makes a bot; nothing if the name is taken or its owner has as many as one may
INSERT INTO bots (name, owner, kind, house)
SELECT %(name)s, %(owner)s, %(kind)s, %(house)s
WHERE (SELECT count(*) FROM bots WHERE owner = %(owner)s) < %(most)s
ON CONFLICT (name) DO NOTHING;

-- lock_bot: keeps others from making versions of a bot until the transaction ends
SELECT name FROM bots WHERE name = %(name)s FOR UPDATE;

-- retire_bot: takes a bot out of tournaments to come
UPDATE bots SET retired_at = coalesce(retired_at, now()) WHERE name = %(name)s;

-- bots: a page of bots by name, of one game if it is given
SELECT name, owner, kind, house, retired_at IS NOT NULL
FROM bots
WHERE name > %(after)s
  AND (%(game)s::text IS NULL OR EXISTS (
      SELECT FROM versions WHERE versions.bot = bots.name AND versions.manifest -> 'games' ? %(game)s
  ))
ORDER BY name
LIMIT %(limit)s;

-- keep_archive: stores an archive under the hash of its content
INSERT INTO archives (content_hash, data) VALUES (%(content_hash)s, %(data)s) ON CONFLICT DO NOTHING;

-- add_version: makes the next version of a hosted bot
INSERT INTO versions (bot, number, content_hash, manifest, request_id)
SELECT %(bot)s, coalesce(max(number), 0) + 1, %(content_hash)s, %(manifest)s, %(request_id)s
FROM versions WHERE bot = %(bot)s
RETURNING id;

-- version_of_content: the version that an archive already is
SELECT id FROM versions WHERE bot = %(bot)s AND content_hash = %(content_hash)s;

-- version_of_request: the version that a request already made
SELECT id FROM versions WHERE bot = %(bot)s AND request_id = %(request_id)s;

-- version_by_id: one version
SELECT id, bot, number, coalesce(content_hash, ''), manifest, state, reason, log, runs, created_at
FROM versions WHERE id = %(id)s;

-- version: one version by number
SELECT id, bot, number, coalesce(content_hash, ''), manifest, state, reason, log, runs, created_at
FROM versions WHERE bot = %(bot)s AND number = %(number)s;

-- latest_version: the newest version of a bot
SELECT id, bot, number, coalesce(content_hash, ''), manifest, state, reason, log, runs, created_at
FROM versions WHERE bot = %(bot)s ORDER BY number DESC LIMIT 1;

-- active_version: the version of a bot that plays in tournaments to come
SELECT id, bot, number, coalesce(content_hash, ''), manifest, state, reason, log, runs, created_at
FROM versions WHERE bot = %(bot)s AND state = 'active';

-- replace_active: makes room for another active version
UPDATE versions SET state = 'replaced' WHERE bot = %(bot)s AND state = 'active' AND id <> %(id)s;

-- declare_version: makes, or finds again, the version that a remote bot says it is
INSERT INTO versions (bot, number, declared, manifest, state)
SELECT %(bot)s, coalesce(max(number), 0) + 1, %(declared)s, %(manifest)s, 'replaced'
FROM versions WHERE bot = %(bot)s
ON CONFLICT (bot, declared) DO UPDATE SET manifest = excluded.manifest
RETURNING id;

-- activate: makes a version the active one
UPDATE versions SET state = 'active' WHERE id = %(id)s AND state <> 'active';

-- active_bots: names of all bots that can enter a tournament of a game
SELECT bots.name
FROM bots JOIN versions ON versions.bot = bots.name AND versions.state = 'active'
WHERE bots.retired_at IS NULL AND bots.kind = 'hosted' AND versions.manifest -> 'games' ? %(game)s
ORDER BY bots.name;
