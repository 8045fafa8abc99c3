-- claim_version: gives a version that waits for its validation match to a worker
UPDATE versions v
SET lease = %(lease)s, lease_expires_at = clock_timestamp() + %(duration_ms)s * interval '1 ms'
FROM bots b JOIN users u ON u.name = b.owner
WHERE v.id = %(version)s AND v.state = 'validating' AND b.name = v.bot
    AND (v.lease IS NULL OR v.lease_expires_at <= clock_timestamp())
    AND (%(strangers)s OR b.house OR u.admin)
RETURNING v.bot, NOT (b.house OR u.admin);

-- extend_version: extends a lease that is still the version's
UPDATE versions SET lease_expires_at = clock_timestamp() + %(duration_ms)s * interval '1 ms'
WHERE id = %(version)s AND lease = %(lease)s
RETURNING id;

-- lock_version: locks a version that a lease still holds
SELECT bot, number, deaths FROM versions WHERE id = %(version)s AND lease = %(lease)s AND state = 'validating' FOR UPDATE;

-- candidate: a version as a player, and what it says it plays
SELECT v.bot, v.number AS version, coalesce(v.content_hash, '') AS content_hash, b.kind, b.house,
    coalesce((v.manifest ->> 'batch')::int, 1) AS batch, v.manifest -> 'games' AS games
FROM versions v JOIN bots b ON b.name = v.bot
WHERE v.id = %(version)s;

-- house_players: active versions of the house bots that play a game, by name
SELECT v.bot, v.number AS version, coalesce(v.content_hash, '') AS content_hash, b.kind, b.house,
    coalesce((v.manifest ->> 'batch')::int, 1) AS batch
FROM versions v JOIN bots b ON b.name = v.bot
WHERE v.state = 'active' AND b.house AND b.kind = 'hosted' AND b.retired_at IS NULL AND b.name <> %(bot)s
    AND v.manifest -> 'games' ? %(game)s
ORDER BY v.bot;

-- replace_older: makes room for a version that becomes active
UPDATE versions SET state = 'replaced' WHERE bot = %(bot)s AND number < %(number)s AND state = 'active';

-- admit: a version plays from now on, unless a newer one does already
UPDATE versions v
SET state = CASE WHEN EXISTS (SELECT FROM versions a WHERE a.bot = v.bot AND a.state = 'active') THEN 'replaced'
        ELSE 'active' END,
    log = %(log)s, runs = %(runs)s, lease = NULL, lease_expires_at = NULL
WHERE id = %(version)s;

-- reject: a version does not play
UPDATE versions SET state = 'rejected', reason = %(reason)s, log = %(log)s, runs = %(runs)s, lease = NULL, lease_expires_at = NULL
WHERE id = %(version)s;

-- give_back: a version waits again for its validation match
UPDATE versions SET lease = NULL, lease_expires_at = NULL, deaths = %(deaths)s WHERE id = %(version)s;

-- pending_versions: versions that wait for their validation match, those longest unsent to the broker first; where the
-- process died too often they are tried from time to time, until somebody has mended the cause
SELECT v.id FROM versions v JOIN bots b ON b.name = v.bot JOIN users u ON u.name = b.owner
WHERE v.state = 'validating' AND (v.lease IS NULL OR v.lease_expires_at <= clock_timestamp())
    AND (v.sent_at IS NULL OR v.sent_at <= clock_timestamp() - %(resend_after_s)s * interval '1 s')
    AND (v.deaths < %(deaths)s OR coalesce(v.sent_at, v.created_at) <= clock_timestamp() - %(pause_s)s * interval '1 s')
    AND NOT (b.house OR u.admin) = coalesce(%(strangers)s, NOT (b.house OR u.admin))
ORDER BY v.sent_at NULLS FIRST, v.id
LIMIT %(limit)s;

-- mark_versions_sent: when versions were last sent to the broker
UPDATE versions SET sent_at = clock_timestamp() WHERE id = ANY(%(versions)s);

-- add_alarm: something that a person should see
INSERT INTO alarms (kind, sentence) VALUES (%(kind)s, %(sentence)s);
