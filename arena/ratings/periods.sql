-- add_pools: every pool that a started tournament is rated in, unless it is unrated, and that is not there yet
INSERT INTO pools (game, seats, options, unit_kind, rules)
SELECT DISTINCT t.game, t.seats, t.options, kinds.kind, t.engine
FROM tournaments t CROSS JOIN (VALUES ('rotation'), ('single'), ('field')) AS kinds (kind)
WHERE t.started_at IS NOT NULL AND NOT t.unrated
    AND EXISTS (SELECT FROM blocks b WHERE b.tournament = t.name AND b.kind = kinds.kind)
    AND NOT EXISTS (
        SELECT FROM pools p
        WHERE p.game = t.game AND p.seats = t.seats AND p.options = t.options
            AND p.unit_kind = kinds.kind AND p.rules = t.engine
    )
ON CONFLICT DO NOTHING;

-- pools: every pool
SELECT id FROM pools ORDER BY id;

-- lock_pool: one computation of a pool at a time, until the transaction ends
SELECT pg_advisory_xact_lock(hashtext('card-arena ratings'), %(pool)s);

-- current_run: the run of a pool that is shown
SELECT run FROM current_runs WHERE pool = %(pool)s;

-- stale: a period of a run of which other blocks are done by now than were rated, or which was corrected since
SELECT r.position FROM rated_periods r
JOIN rating_periods p ON p.pool = r.pool AND p.position = r.position
JOIN rating_orbits o ON o.pool = p.pool AND o.tournament = p.tournament AND o.orbit = p.orbit
WHERE r.run = %(run)s AND (o.blocks, o.corrections) <> (r.blocks, r.corrections)
LIMIT 1;

-- add_run: a new run of a pool
INSERT INTO rating_runs (pool, reason) VALUES (%(pool)s, %(reason)s) RETURNING id;

-- recorded: the periods of a pool in order
SELECT position, tournament, orbit FROM rating_periods WHERE pool = %(pool)s ORDER BY position;

-- take_due: writes down the period that comes next in a pool: of every tournament its first orbit that was not applied, if it
-- has ended; between tournaments the one that closed first, and those that still run after all that are closed
WITH waiting AS (
    SELECT DISTINCT ON (o.tournament) o.tournament, o.orbit, o.ended
    FROM rating_orbits o
    WHERE o.pool = %(pool)s AND NOT EXISTS (
        SELECT FROM rating_periods p
        WHERE p.pool = o.pool AND p.tournament = o.tournament AND p.orbit = o.orbit
    )
    ORDER BY o.tournament, o.orbit
)
INSERT INTO rating_periods (pool, position, tournament, orbit)
SELECT %(pool)s, (SELECT count(*) FROM rating_periods WHERE pool = %(pool)s), w.tournament, w.orbit
FROM waiting w JOIN tournaments t ON t.name = w.tournament
WHERE w.ended
ORDER BY t.closed_at NULLS LAST, t.started_at, t.name
LIMIT 1
RETURNING position, tournament, orbit;

-- extent: how many blocks of a period are done, and how many corrections concern it
SELECT blocks, corrections FROM rating_orbits WHERE pool = %(pool)s AND tournament = %(tournament)s AND orbit = %(orbit)s;

-- matches: the results of a period, unit by unit, but for those that a correction says do not count
SELECT
    r.unit, r.rotation, r.seats, r.scores, r.places, r.faults, r.forfeited,
    ARRAY(
        SELECT e.version FROM unnest(b.entries) WITH ORDINALITY AS seated (bot, at)
        JOIN entries e ON e.tournament = b.tournament AND e.bot = seated.bot
        ORDER BY seated.at
    ) AS versions
FROM pools p
JOIN blocks b ON b.tournament = %(tournament)s AND b.orbit = %(orbit)s AND b.kind = p.unit_kind AND b.state = 'done'
JOIN results r ON r.block = b.id
WHERE p.id = %(pool)s
    -- By lists that are made once: results times corrections may be very many.
    AND b.orbit NOT IN (SELECT orbit FROM corrections WHERE tournament = %(tournament)s AND what = 'orbit')
    AND r.unit NOT IN (SELECT unit FROM corrections WHERE tournament = %(tournament)s AND what = 'unit')
    AND NOT EXISTS (
        SELECT FROM corrections c
        WHERE c.tournament = %(tournament)s AND c.what = 'bot' AND c.bot = ANY (b.entries)
            -- Of a field the tables at which the bot sat.
            AND array_position(b.entries, c.bot) - 1 = ANY (r.seats)
    )
ORDER BY r.unit, r.rotation;

-- unit_kind: what the units of the pool are
SELECT unit_kind FROM pools WHERE id = %(pool)s;

-- last_events: where every version of a pool stands in the run that is shown
SELECT version, 0::bigint AS delta_micro, micro_elo, units, matches, points, faults
FROM ratings WHERE pool = %(pool)s;

-- add_rated_period: a period as a run has applied it
INSERT INTO rated_periods (run, pool, position, blocks, corrections, units, input_sha256, unit_hashes)
VALUES (%(run)s, %(pool)s, %(position)s, %(blocks)s, %(corrections)s, %(units)s, %(digest)s, %(traces)s);

-- add_event: what a period did to a version
INSERT INTO rating_events (run, position, version, delta_micro, micro_elo, units, matches, points, faults)
VALUES (%(run)s, %(position)s, %(version)s, %(delta_micro)s, %(micro_elo)s, %(units)s, %(matches)s, %(points)s,
    %(faults)s);

-- rated: the periods of a run
SELECT r.position, p.tournament, r.blocks, r.corrections, r.units, r.input_sha256, r.unit_hashes
FROM rated_periods r JOIN rating_periods p ON p.pool = r.pool AND p.position = r.position
WHERE r.run = %(run)s
ORDER BY r.position;

-- events: what every period of a run did
SELECT position, version, delta_micro, micro_elo, units, matches, points, faults
FROM rating_events WHERE run = %(run)s ORDER BY position, version;
