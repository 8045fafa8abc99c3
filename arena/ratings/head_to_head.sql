-- rated: what a pool is of, and how many matches of a bot are rated in it; nothing if none are
SELECT p.game, p.seats, sum(last.matches)::int
FROM pools p JOIN current_runs c ON c.pool = p.id JOIN versions v ON v.bot = %(bot)s
CROSS JOIN LATERAL (
    SELECT matches FROM rating_events WHERE run = c.run AND version = v.id ORDER BY position DESC LIMIT 1
) AS last
WHERE p.id = %(pool)s GROUP BY p.id;

-- meetings: what a bot did beside each other at the tables of a pool, deal by deal. Of the newest periods, of which no more
-- are looked through than have so many blocks, and of these no more than have so many meetings; what a correction says does
-- not count is left out
WITH shown AS (SELECT run FROM current_runs WHERE pool = %(pool)s),
periods AS (
    SELECT
        p.tournament, p.orbit, p.position,
        sum(r.blocks) OVER (ORDER BY p.position DESC) - r.blocks AS before
    FROM (
        SELECT DISTINCT e.position
        FROM versions v JOIN rating_events e ON e.run = (SELECT run FROM shown) AND e.version = v.id
        WHERE v.bot = %(bot)s
    ) AS sat
    JOIN rated_periods r ON r.run = (SELECT run FROM shown) AND r.position = sat.position
    JOIN rating_periods p ON p.pool = %(pool)s AND p.position = sat.position
),
sat AS (
    SELECT
        b.id, n.position, (o.seats - 1) * b.units * CASE b.kind WHEN 'rotation' THEN o.seats ELSE 1 END AS meetings
    FROM periods n
    JOIN pools o ON o.id = %(pool)s
    JOIN blocks b ON b.tournament = n.tournament AND b.orbit = n.orbit AND b.kind = o.unit_kind
    WHERE n.before < %(most_blocks)s AND b.state = 'done' AND %(bot)s = ANY (b.entries)
        -- By lists that are made once: blocks times corrections may be very many.
        AND (b.tournament, b.orbit) NOT IN (SELECT tournament, orbit FROM corrections WHERE what = 'orbit')
    -- A block has a meeting at least.
    ORDER BY n.position DESC, b.id DESC LIMIT %(most_meetings)s
),
taken AS MATERIALIZED (
    SELECT
        b.id, b.tournament, b.entries, array_position(b.entries, %(bot)s) - 1 AS me,
        ARRAY(
            SELECT array_position(b.entries, c.bot) - 1 FROM corrections c
            WHERE c.tournament = b.tournament AND c.what = 'bot' AND c.bot = ANY (b.entries)
        ) AS disqualified
    FROM (SELECT id, sum(meetings) OVER (ORDER BY position DESC, id DESC) - meetings AS before FROM sat) AS found
    JOIN blocks b USING (id)
    WHERE found.before < %(most_meetings)s
),
deals AS (
    SELECT
        b.id, r.unit, r.seats[o.seat] AS at, count(*) AS matches,
        count(*) FILTER (WHERE r.places[m.seat] < r.places[o.seat]) AS above,
        count(*) FILTER (WHERE r.places[m.seat] = r.places[o.seat]) AS level,
        sum(r.scores[m.seat] - r.scores[o.seat]) AS ahead
    FROM taken b
    JOIN results r ON r.block = b.id
    CROSS JOIN LATERAL (SELECT array_position(r.seats, b.me) AS seat) AS m
    CROSS JOIN LATERAL generate_subscripts(r.seats, 1) AS o (seat)
    WHERE m.seat <> o.seat AND NOT b.disqualified && r.seats
        AND (b.tournament, r.unit) NOT IN (SELECT tournament, unit FROM corrections WHERE what = 'unit')
    GROUP BY b.id, r.unit, r.seats[o.seat]
)
SELECT
    b.entries[d.at + 1] AS other,
    (SELECT sum(matches) / (SELECT seats - 1 FROM pools WHERE id = %(pool)s) FROM deals)::int AS played,
    array_agg(d.matches)::int[] AS matches, array_agg(d.above)::int[] AS above, array_agg(d.level)::int[] AS level,
    array_agg(d.ahead)::int[] AS ahead
FROM deals d JOIN taken b USING (id)
GROUP BY other ORDER BY other;
