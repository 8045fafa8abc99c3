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

-- hindered: of the blocks of a tournament that wait after a try that was given up through nobody's fault, the one whose try
-- ended last, and why it did
SELECT b.id, a.reason
FROM blocks AS b CROSS JOIN LATERAL (
    SELECT outcome, reason, ended_at FROM attempts WHERE block = b.id ORDER BY leased_at DESC LIMIT 1
) AS a
WHERE b.tournament = %(tournament)s AND b.state = 'queued' AND a.outcome = 'abandoned'
ORDER BY a.ended_at DESC
LIMIT 1;

-- waiting_version: whether a version that waits for its validation and that nobody plays is a stranger's
SELECT NOT (b.house OR u.admin)
FROM versions AS v JOIN bots AS b ON b.name = v.bot JOIN users AS u ON u.name = b.owner
WHERE v.bot = %(bot)s AND v.number = %(number)s AND v.state = 'validating'
  AND (v.lease IS NULL OR v.lease_expires_at <= clock_timestamp());
