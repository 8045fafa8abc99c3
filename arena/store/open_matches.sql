-- show: what may be seen of a block whose lease this is. The lock waits for whoever ends the block, and sees then that it
-- has ended
INSERT INTO open_matches (block, lease, unit, rotation, seats, record)
SELECT id, lease, %(unit)s, %(rotation)s, %(seats)s, %(record)s
FROM blocks WHERE id = %(block)s AND lease = %(lease)s AND state = 'leased'
FOR SHARE
ON CONFLICT (block) DO UPDATE
SET lease = excluded.lease, unit = excluded.unit, rotation = excluded.rotation, seats = excluded.seats,
    record = excluded.record;

-- open_matches: what may be seen of a tournament's blocks that are being played
SELECT o.unit, o.rotation, ARRAY(SELECT b.entries[i + 1] FROM unnest(o.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat),
       o.record
FROM open_matches AS o JOIN blocks AS b ON b.id = o.block AND b.lease = o.lease
WHERE b.tournament = %(tournament)s AND b.state = 'leased' AND o.unit > %(after)s
ORDER BY o.unit
LIMIT %(limit)s;
