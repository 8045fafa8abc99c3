-- beat: a referee is there
INSERT INTO referees (address, secret) VALUES (%(address)s, %(secret)s)
ON CONFLICT (address) DO UPDATE SET secret = excluded.secret, heartbeat_at = now();

-- leave: a referee goes
DELETE FROM referees WHERE address = %(address)s;

-- living: the referee that was heard of last, if that is not long ago
SELECT address, secret FROM referees
WHERE heartbeat_at > now() - make_interval(secs => %(within_s)s)
ORDER BY heartbeat_at DESC LIMIT 1;
