-- steps: what every period of every run of a pool did to the versions of a bot, and their official ratings then
SELECT
    r.id AS run, r.reason, r.id = (SELECT run FROM current_runs WHERE pool = r.pool) AS shown,
    e.position, p.tournament, p.orbit, d.rated_at, v.number AS version,
    e.micro_elo, e.delta_micro, e.units,
    f.micro_elo AS fitted_micro_elo, f.micro_margin AS fitted_micro_margin, f.first_rank, f.last_rank
FROM rating_runs r
JOIN rating_events e ON e.run = r.id
JOIN versions v ON v.id = e.version
JOIN rated_periods d ON d.run = e.run AND d.position = e.position
JOIN rating_periods p ON p.pool = r.pool AND p.position = e.position
LEFT JOIN fits f ON f.run = e.run AND f.position = e.position AND f.version = e.version
WHERE r.pool = %(pool)s AND v.bot = %(bot)s
    AND (r.id, e.position, v.number) > (%(run)s::bigint, %(position)s::bigint, %(version)s::bigint)
ORDER BY r.id, e.position, v.number LIMIT %(limit)s;

-- latest: the same of the run that is shown, the last periods first
SELECT
    r.id AS run, r.reason, true AS shown,
    e.position, p.tournament, p.orbit, d.rated_at, v.number AS version,
    e.micro_elo, e.delta_micro, e.units,
    f.micro_elo AS fitted_micro_elo, f.micro_margin AS fitted_micro_margin, f.first_rank, f.last_rank
FROM rating_runs r
JOIN rating_events e ON e.run = r.id
JOIN versions v ON v.id = e.version
JOIN rated_periods d ON d.run = e.run AND d.position = e.position
JOIN rating_periods p ON p.pool = r.pool AND p.position = e.position
LEFT JOIN fits f ON f.run = e.run AND f.position = e.position AND f.version = e.version
WHERE r.id = (SELECT run FROM current_runs WHERE pool = %(pool)s) AND v.bot = %(bot)s
    AND (e.position, v.number) < (%(position)s::bigint, %(version)s::bigint)
ORDER BY e.position DESC, v.number DESC LIMIT %(limit)s;

-- anchors: what was fitted of the newest versions of the house's anchors, in the fits of some runs and periods
SELECT DISTINCT ON (f.run, f.position, v.bot) f.run, f.position, p.unit_kind, v.bot, f.micro_elo, f.deals
FROM rating_runs r JOIN pools p ON p.id = r.pool JOIN fits f ON f.run = r.id AND f.position = ANY(%(positions)s)
JOIN versions v ON v.id = f.version JOIN bots b ON b.name = v.bot
WHERE r.id = ANY(%(runs)s) AND b.owner = %(house)s AND b.name = ANY(%(anchors)s)
ORDER BY f.run, f.position, v.bot, v.number DESC;
