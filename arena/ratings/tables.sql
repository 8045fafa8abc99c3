-- tables: every version that a table shows: of the rules played last, and of every bot the newest version
WITH newest AS (
    SELECT DISTINCT ON (p.seats, p.options, p.unit_kind) p.id, p.seats, p.options, p.unit_kind, p.rules
    FROM pools p
    WHERE p.game = %(game)s AND %(seats)s IN (0, p.seats) AND EXISTS (SELECT FROM ratings r WHERE r.pool = p.id)
    ORDER BY p.seats, p.options, p.unit_kind, (
        SELECT max(t.started_at) FROM rating_periods o JOIN tournaments t ON t.name = o.tournament WHERE o.pool = p.id
    ) DESC
),
lines AS (
    SELECT DISTINCT ON (n.id, v.bot)
        n.id AS pool, n.seats, n.options, n.unit_kind, n.rules, v.bot, v.number AS version,
        r.micro_elo, r.units, r.matches, r.points, r.faults, v.id
    FROM newest n JOIN ratings r ON r.pool = n.id JOIN versions v ON v.id = r.version
    ORDER BY n.id, v.bot, v.number DESC
)
SELECT
    l.*, f.micro_elo AS fitted_micro_elo, f.micro_margin, f.first_rank, f.last_rank, f.deals, f.milli_points_margin
FROM lines l
LEFT JOIN LATERAL (
    SELECT max(position) AS position FROM fits WHERE run = (SELECT run FROM current_runs WHERE pool = l.pool)
) AS last ON true
LEFT JOIN fits f
    ON f.run = (SELECT run FROM current_runs WHERE pool = l.pool) AND f.position = last.position AND f.version = l.id
ORDER BY l.seats, l.unit_kind, l.pool, coalesce(f.micro_elo, l.micro_elo) DESC, l.bot;
