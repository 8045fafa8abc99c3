-- state: what the tables of a game are made of: they are the same while this is
SELECT p.id, c.run, (SELECT max(position) FROM rated_periods WHERE run = c.run),
    (SELECT max(position) FROM fits WHERE run = c.run)
FROM pools p JOIN current_runs c ON c.pool = p.id
WHERE p.game = %(game)s AND %(seats)s IN (0, p.seats)
ORDER BY p.id;

-- tables: every version that a table shows: of the rules played last, and of every bot the newest version. The versions of
-- a run are found by skipping through the key of its events, so that it does not matter how many periods there were
WITH RECURSIVE newest AS MATERIALIZED (
    SELECT DISTINCT ON (p.seats, p.options, p.unit_kind)
        p.id, p.seats, p.options, p.unit_kind, p.rules, c.run,
        (SELECT max(position) FROM fits WHERE run = c.run) AS fitted
    FROM pools p JOIN current_runs c ON c.pool = p.id
    WHERE p.game = %(game)s AND %(seats)s IN (0, p.seats) AND EXISTS (SELECT FROM rating_events e WHERE e.run = c.run)
    ORDER BY p.seats, p.options, p.unit_kind, (
        SELECT max(t.started_at) FROM rating_periods o JOIN tournaments t ON t.name = o.tournament WHERE o.pool = p.id
    ) DESC
),
rated (run, version) AS (
    SELECT run, (SELECT min(version) FROM rating_events e WHERE e.run = newest.run) FROM newest
    UNION ALL
    SELECT run, (SELECT min(version) FROM rating_events e WHERE e.run = rated.run AND e.version > rated.version)
    FROM rated WHERE version IS NOT NULL
),
shown AS (
    SELECT DISTINCT ON (r.run, v.bot) r.run, v.id, v.bot, v.number
    FROM rated r JOIN versions v ON v.id = r.version
    ORDER BY r.run, v.bot, v.number DESC
)
SELECT
    n.id AS pool, n.seats, n.options, n.unit_kind, n.rules, s.bot, b.owner, s.number AS version,
    e.micro_elo, e.units, e.matches, e.points, e.faults,
    f.micro_elo AS fitted_micro_elo, f.micro_margin, f.first_rank, f.last_rank, f.deals, f.milli_points_margin,
    f.milli_datum, f.milli_datum_margin
FROM newest n JOIN shown s ON s.run = n.run JOIN bots b ON b.name = s.bot
CROSS JOIN LATERAL (
    SELECT * FROM rating_events WHERE run = s.run AND version = s.id ORDER BY position DESC LIMIT 1
) AS e
LEFT JOIN LATERAL (
    -- One line by its key: as a plain join it is planned for few lines, and compares all of a pool's with each.
    SELECT * FROM fits WHERE run = n.run AND position = n.fitted AND version = s.id LIMIT 1
) AS f ON true
ORDER BY n.seats, n.unit_kind, n.id, coalesce(f.micro_elo, e.micro_elo) DESC, s.bot;
