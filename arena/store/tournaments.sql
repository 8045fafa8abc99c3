-- add_tournament: makes a tournament that is open for entries
INSERT INTO tournaments (
    name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms, increment_ms, phase_ms,
    secret, commitment, request_id, format, unrated, private,
    open_until, batch, every_s
) VALUES (
    %(name)s, %(owner)s, %(game)s, %(seats)s, %(options)s, %(orbits)s, %(units)s, %(move_ms)s, %(bank_ms)s,
    %(max_faults)s, %(startup_ms)s, %(increment_ms)s, %(phase_ms)s, %(secret)s, sha256(%(secret)s), %(request_id)s,
    %(format)s, %(unrated)s, %(private)s, %(open_until)s, %(batch)s, %(every_s)s
)
ON CONFLICT (name) DO NOTHING
RETURNING name;

-- lock_names: one tournament is named at a time, until the transaction ends
SELECT pg_advisory_xact_lock(hashtext('card-arena tournament names'));

-- tournament_of_request: the tournament that a request already made
SELECT name FROM tournaments WHERE owner = %(owner)s AND request_id = %(request_id)s;

-- open_unrated: how many unrated tournaments of an owner have not ended; a ladder is one
SELECT count(*) FROM tournaments WHERE owner = %(owner)s AND unrated AND closed_at IS NULL AND ladder IS NULL;

-- names_like: names of tournaments that begin alike
SELECT name FROM tournaments WHERE starts_with(name, %(prefix)s);

-- tournament: one tournament, if the viewer may see it or there is none, with its blocks counted, and whether every orbit
-- of it is rated
SELECT t.name, t.owner, t.game, t.seats, t.options, t.orbits, t.units, t.move_ms, t.bank_ms, t.max_faults,
       t.startup_ms, t.increment_ms, t.phase_ms, t.secret, t.commitment, t.created_at, t.started_at, t.closed_at,
       t.cancelled_at, t.format, t.unrated, t.private, t.open_until, t.batch, t.every_s, t.ladder, t.period,
       ARRAY(SELECT bot FROM entries WHERE tournament = t.name ORDER BY position),
       t.unrated OR NOT EXISTS (
           SELECT orbit FROM blocks WHERE tournament = t.name
           EXCEPT
           SELECT p.orbit FROM rating_periods AS p
           JOIN rated_periods AS r USING (pool, position)
           JOIN current_runs AS c ON c.run = r.run
           WHERE p.tournament = t.name
       ),
       -- What was replaced is void, and what replaces it is of the same tournament.
       count(b.id) - count(b.replaces),
       count(b.id) FILTER (WHERE b.state = 'done'),
       count(b.id) FILTER (WHERE b.state = 'void') - count(b.replaces),
       ARRAY(SELECT u.id FROM undecided_blocks AS u WHERE u.tournament = t.name AND t.closed_at IS NULL ORDER BY u.id),
       -- All units of a tournament are of one kind.
       coalesce(max(b.kind), '')
FROM tournaments AS t LEFT JOIN blocks AS b ON b.tournament = t.name
WHERE t.name = %(name)s AND (%(viewer)s::text IS NULL OR may_see(%(viewer)s, t))
GROUP BY t.name;

-- tournaments: names of a page of tournaments that the viewer may see, newest first, without the periods of ladders; none
-- behind one that they may not see
SELECT name FROM tournaments AS t
WHERE ladder IS NULL AND may_see(%(viewer)s, t)
AND (%(game)s::text IS NULL OR game = %(game)s) AND (%(owner)s::text IS NULL OR owner = %(owner)s)
AND (%(bot)s::text IS NULL OR EXISTS (SELECT FROM entries e WHERE e.tournament = t.name AND e.bot = %(bot)s))
AND (%(states)s::text[] = '{}' OR CASE
    WHEN cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN closed_at IS NOT NULL THEN 'done'
    WHEN started_at IS NOT NULL THEN 'running'
    ELSE 'open'
END = ANY (%(states)s))
AND (
    %(before)s::text IS NULL
    OR (created_at, name) < (
        SELECT created_at, name FROM tournaments AS last WHERE name = %(before)s AND may_see(%(viewer)s, last)
    )
)
ORDER BY created_at DESC, name DESC
LIMIT %(limit)s;

-- lock_tournament: keeps others from changing a tournament until the transaction ends
SELECT name FROM tournaments WHERE name = %(name)s FOR UPDATE;

-- add_entry: enters a bot behind the others; nothing if it is in
INSERT INTO entries (tournament, bot, position, known)
SELECT %(tournament)s, %(bot)s, coalesce(max(position), -1) + 1, %(known)s FROM entries WHERE tournament = %(tournament)s
ON CONFLICT (tournament, bot) DO NOTHING;

-- remove_entry: takes a bot out
DELETE FROM entries WHERE tournament = %(tournament)s AND bot = %(bot)s RETURNING bot;

-- disqualification: why a bot is disqualified from a tournament
SELECT reason FROM corrections WHERE tournament = %(tournament)s AND bot = %(bot)s;

-- entries: the bots of a tournament in order of entry, with the versions that are frozen
SELECT e.bot, coalesce(v.number, 0), coalesce(v.content_hash, ''), e.known
FROM entries AS e LEFT JOIN versions AS v ON v.id = e.version
WHERE e.tournament = %(tournament)s
ORDER BY e.position;

-- freeze_entry: notes which version plays
UPDATE entries SET version = %(version)s WHERE tournament = %(tournament)s AND bot = %(bot)s;

-- overdue: tournaments whose entries are to be closed by now
SELECT name FROM tournaments
WHERE open_until <= clock_timestamp() AND started_at IS NULL AND closed_at IS NULL
ORDER BY open_until, name;

-- stay_open: a tournament that could not start waits for its organiser
WITH waiting AS (
    UPDATE tournaments SET open_until = NULL
    WHERE name = %(name)s AND started_at IS NULL AND closed_at IS NULL AND open_until <= clock_timestamp()
    RETURNING name
)
INSERT INTO alarms (kind, sentence, tournament) SELECT 'not-started', %(sentence)s, name FROM waiting;

-- start_tournament: from now on its blocks are played
UPDATE tournaments SET started_at = now(), engine = %(engine)s WHERE name = %(name)s;

-- matches: a page of results of a tournament in order of unit and rotation
SELECT r.unit, r.rotation, ARRAY(SELECT b.entries[i + 1] FROM unnest(r.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat),
       r.scores, r.places, r.faults
FROM results AS r JOIN blocks AS b ON b.id = r.block
WHERE r.tournament = %(tournament)s AND (r.unit, r.rotation) > (%(unit)s, %(rotation)s)
ORDER BY r.unit, r.rotation
LIMIT %(limit)s;

-- latest_matches: the results of the block of a tournament that closed last
SELECT r.unit, r.rotation, ARRAY(SELECT b.entries[i + 1] FROM unnest(r.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat),
       r.scores, r.places, r.faults
FROM results AS r JOIN blocks AS b ON b.id = r.block
WHERE b.id = (
    SELECT id FROM blocks
    WHERE tournament = %(tournament)s AND state = 'done'
    ORDER BY ended_at DESC, id DESC
    LIMIT 1
)
ORDER BY r.unit, r.rotation
LIMIT %(limit)s;

-- records_of_unit: the stored records of the block that has a unit
SELECT records.data
FROM blocks JOIN records ON records.block = blocks.id
WHERE blocks.tournament = %(tournament)s AND blocks.state = 'done'
  AND blocks.first_unit <= %(unit)s AND %(unit)s < blocks.first_unit + blocks.units;

-- digest_of_match: the digest of a result
SELECT encode(digest, 'hex') FROM results
WHERE tournament = %(tournament)s AND unit = %(unit)s AND rotation = %(rotation)s;
