-- scored: what was played in a tournament, all or in the blocks of a bot, but for what a correction says does not count
SELECT r.unit, ARRAY(SELECT b.entries[i + 1] FROM unnest(r.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat) AS bots,
    r.scores, r.places
FROM results r JOIN blocks b ON b.id = r.block
WHERE r.tournament = %(tournament)s AND b.state = 'done'
    AND (%(bot)s::text IS NULL OR %(bot)s = ANY (b.entries))
    -- By lists that are made once: results times corrections may be very many.
    AND b.orbit NOT IN (SELECT orbit FROM corrections WHERE tournament = %(tournament)s AND what = 'orbit')
    AND r.unit NOT IN (SELECT unit FROM corrections WHERE tournament = %(tournament)s AND what = 'unit')
    AND NOT EXISTS (
        SELECT FROM corrections c
        WHERE c.tournament = %(tournament)s AND c.what = 'bot' AND c.bot = ANY (b.entries)
            -- Of a field the tables at which the bot sat.
            AND array_position(b.entries, c.bot) - 1 = ANY (r.seats)
    )
ORDER BY r.unit, r.rotation
LIMIT %(most)s;

-- extent: how many matches of a tournament were played, and how many corrections were made
SELECT (
    SELECT coalesce(sum(
        b.units * CASE b.kind WHEN 'rotation' THEN t.seats WHEN 'field' THEN cardinality(b.entries) / t.seats ELSE 1 END
    ), 0)::bigint
    FROM blocks b JOIN tournaments t ON t.name = b.tournament
    WHERE b.tournament = %(tournament)s AND b.state = 'done'
), (SELECT count(*) FROM corrections WHERE tournament = %(tournament)s);
