-- lock_choice: one chooses after the other
SELECT pg_advisory_xact_lock(hashtext('card-arena seating'));

-- living: the referees that were heard of not long ago, with those of the bots that are connected to each
SELECT r.address, encode(r.secret, 'hex') AS secret,
    ARRAY(SELECT unnest(r.bots) INTERSECT SELECT unnest(%(bots)s::text[])) AS bots,
    (SELECT count(*) FROM blocks b JOIN attempts a ON a.lease = b.lease
        WHERE b.state = 'leased' AND a.referee = r.address) AS blocks,
    EXISTS (SELECT FROM attempts a
        WHERE a.referee = r.address AND a.ended_at > r.heartbeat_at AND a.outcome IN ('abandoned', 'died')) AS failed,
    (SELECT max(a.ended_at) FROM attempts a WHERE a.referee = r.address) AS ended_at
FROM referees r
WHERE r.heartbeat_at > now() - make_interval(secs => %(within_s)s);

-- note_referee: which referee was asked to play an attempt
UPDATE attempts SET referee = %(address)s WHERE lease = %(lease)s;
