-- beat: a worker is there
INSERT INTO workers (name, tier, least_tier, strangers)
VALUES (%(name)s, %(tier)s, %(least_tier)s, %(strangers)s)
ON CONFLICT (name) DO UPDATE SET tier = excluded.tier, least_tier = excluded.least_tier,
    strangers = excluded.strangers, heartbeat_at = now();

-- leave: a worker goes
DELETE FROM workers WHERE name = %(name)s;

-- living: the workers that were heard of not long ago
SELECT name, tier, least_tier, strangers FROM workers
WHERE heartbeat_at > now() - make_interval(secs => %(within_s)s)
ORDER BY name;

-- waiting: how many blocks of a tournament wait to be played, and how many of them have bots of strangers
SELECT count(*), count(*) FILTER (WHERE strangers) FROM blocks WHERE tournament = %(tournament)s AND state = 'queued';
