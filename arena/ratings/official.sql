-- behind: pools whose newest rated period has no fit yet, with that period
SELECT p.id AS pool, c.run, newest.position
FROM pools p JOIN current_runs c ON c.pool = p.id
CROSS JOIN LATERAL (SELECT max(position) AS position FROM rated_periods r WHERE r.run = c.run) AS newest
WHERE EXISTS (SELECT FROM rating_events e WHERE e.run = c.run AND e.position <= newest.position)
    AND NOT EXISTS (SELECT FROM fits f WHERE f.run = c.run AND f.position = newest.position)
ORDER BY p.id;

-- shown: the versions that a table of the pool shows
SELECT DISTINCT ON (v.bot) v.id
FROM rating_events e JOIN versions v ON v.id = e.version
WHERE e.run = %(run)s AND e.position <= %(position)s
ORDER BY v.bot, v.number DESC;

-- try_lock: whether nobody else fits the pool, until the transaction ends
SELECT pg_try_advisory_xact_lock(hashtext('card-arena fits'), %(pool)s);

-- add_fit: the official rating of one version
INSERT INTO fits (run, position, version, micro_elo, micro_margin, first_rank, last_rank, deals, milli_points_margin,
    milli_datum, milli_datum_margin)
VALUES (%(run)s, %(position)s, %(version)s, %(micro_elo)s, %(micro_margin)s, %(first_rank)s, %(last_rank)s, %(deals)s,
    %(milli_points_margin)s, %(milli_datum)s, %(milli_datum_margin)s)
ON CONFLICT DO NOTHING;

-- fitted: the newest fit of every pool in the run that is shown
SELECT p.id AS pool, c.run, max(f.position) AS position
FROM pools p JOIN current_runs c ON c.pool = p.id JOIN fits f ON f.run = c.run
GROUP BY p.id, c.run
ORDER BY p.id;

-- stored: a fit, by version
SELECT version, micro_elo, micro_margin, first_rank, last_rank, deals, milli_points_margin, milli_datum,
    milli_datum_margin
FROM fits WHERE run = %(run)s AND position = %(position)s
ORDER BY version;
