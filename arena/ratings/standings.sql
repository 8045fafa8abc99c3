-- scored: what was played in a tournament, but for what a correction says does not count
SELECT r.unit, ARRAY(SELECT b.entries[i + 1] FROM unnest(r.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat) AS bots,
    r.scores, r.places
FROM results r JOIN blocks b ON b.id = r.block
WHERE r.tournament = %(tournament)s AND b.state = 'done' AND NOT EXISTS (
    SELECT FROM corrections c
    WHERE c.tournament = b.tournament
        AND ((c.bot = ANY (b.entries) AND array_position(b.entries, c.bot) - 1 = ANY (r.seats)) OR (c.orbit = b.orbit AND (c.what = 'orbit' OR c.unit = r.unit)))
)
ORDER BY r.unit, r.rotation
LIMIT %(most)s;
