-- next_closed: the closed tournament that comes next by name of those that the viewer may see, of one game if it is given
SELECT name, game, seats, options, engine, closed_at
FROM tournaments AS t
WHERE may_see(%(viewer)s, t) AND closed_at IS NOT NULL AND started_at IS NOT NULL AND name > %(after)s
    AND (%(game)s::text IS NULL OR game = %(game)s)
ORDER BY name
LIMIT 1;

-- closed: one tournament, if it is closed
SELECT name, game, seats, options, engine, closed_at
FROM tournaments
WHERE name = %(name)s AND closed_at IS NOT NULL AND started_at IS NOT NULL;

-- exported_matches: a page of results in order of unit and rotation, and whether they count for ratings
SELECT r.unit, r.rotation, b.orbit, b.kind,
    ARRAY(SELECT b.entries[i + 1] FROM unnest(r.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat) AS bots,
    r.scores, r.places, r.faults, r.forfeited, r.decisions, r.digest,
    NOT t.unrated
        -- By lists that are made once: results times corrections may be very many.
        AND b.orbit NOT IN (SELECT orbit FROM corrections WHERE tournament = %(tournament)s AND what = 'orbit')
        AND r.unit NOT IN (SELECT unit FROM corrections WHERE tournament = %(tournament)s AND what = 'unit')
        AND NOT EXISTS (
            SELECT FROM corrections c
            WHERE c.tournament = %(tournament)s AND c.what = 'bot' AND c.bot = ANY (b.entries)
                -- Of a field the tables at which the bot sat.
                AND array_position(b.entries, c.bot) - 1 = ANY (r.seats)
        ) AS counts,
    b.ended_at
FROM results r JOIN blocks b ON b.id = r.block JOIN tournaments t ON t.name = r.tournament
WHERE r.tournament = %(tournament)s AND (r.unit, r.rotation) > (%(unit)s, %(rotation)s)
ORDER BY r.unit, r.rotation
LIMIT %(limit)s;

-- next_records: the records of the block of a tournament that comes next by its first unit
SELECT b.first_unit, r.data
FROM blocks b JOIN records r ON r.block = b.id
WHERE b.tournament = %(tournament)s AND b.state = 'done' AND b.first_unit > %(first_unit)s
ORDER BY b.first_unit
LIMIT 1;
