-- beat: a referee is there
INSERT INTO referees (address, tls_address, secret, bots)
VALUES (%(address)s, %(tls_address)s, %(secret)s, %(bots)s::text[])
ON CONFLICT (address) DO UPDATE SET tls_address = excluded.tls_address, secret = excluded.secret, bots = excluded.bots,
    heartbeat_at = now();

-- leave: a referee goes
DELETE FROM referees WHERE address = %(address)s;

-- others: the other referees that were heard of not long ago
SELECT address, tls_address FROM referees
WHERE address <> %(address)s AND heartbeat_at > now() - make_interval(secs => %(within_s)s)
ORDER BY address;
