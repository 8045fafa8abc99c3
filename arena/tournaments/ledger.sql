-- add_block: a block that waits, and whether a hosted bot in it is neither the house's nor an admin's own
INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units, deaths, replaces, strangers)
VALUES (%(tournament)s, %(orbit)s, %(table_index)s, %(entries)s, %(kind)s, %(first_unit)s, %(units)s, %(deaths)s,
    %(replaces)s, EXISTS (
        SELECT FROM bots AS b JOIN users AS u ON u.name = b.owner
        WHERE b.name = ANY(%(entries)s) AND b.kind = 'hosted' AND NOT b.house AND NOT u.admin
    ))
RETURNING id;

-- lock_block: a block with the facts of its tournament, locked until the transaction ends
SELECT b.id, b.tournament, b.orbit, b.table_index, b.entries, b.kind, b.first_unit, b.units, b.state, b.lease,
    coalesce(b.lease_expires_at <= clock_timestamp(), false) AS expired, b.deaths, b.strangers, t.seats, t.engine,
    -- No bot makes more than 1000 decisions in a match of any game that is usual, and each may add to its bank.
    greatest(
        -- A host starts no more bots at once than a table has seats; a field may have more.
        t.startup_ms * greatest(1, ceil((
            SELECT count(*) FROM bots AS h WHERE h.name = ANY(b.entries) AND h.kind = 'hosted'
        )::numeric / t.seats))::int,
        greatest(t.move_ms, (SELECT max(ms) FROM unnest(t.phase_ms) AS ms)) + t.bank_ms + 1000 * t.increment_ms
    ) AS longest_silence_ms
FROM blocks b JOIN tournaments t ON t.name = b.tournament
WHERE b.id = %(block)s
FOR UPDATE OF b;

-- lease_block: gives a locked block to a new attempt
UPDATE blocks
SET state = 'leased', lease = %(lease)s, lease_expires_at = clock_timestamp() + %(duration_ms)s * interval '1 ms'
WHERE id = %(block)s;

-- add_attempt: the attempt of a new lease
INSERT INTO attempts (lease, block, worker) VALUES (%(lease)s, %(block)s, %(worker)s);

-- extend_lease: extends a lease that is still the block's if its attempt has got further than it was
UPDATE blocks b
SET lease_expires_at = clock_timestamp() + %(duration_ms)s * interval '1 ms'
FROM attempts a
WHERE a.lease = %(lease)s AND b.id = a.block AND b.lease = a.lease AND b.state = 'leased'
    AND (a.matches < %(matches)s OR a.decisions < %(decisions)s)
RETURNING b.id;

-- note_progress: how far an attempt got
UPDATE attempts
SET matches = greatest(matches, %(matches)s), decisions = greatest(decisions, %(decisions)s),
    progress_at = clock_timestamp()
WHERE lease = %(lease)s;

-- holds: whether a lease is still its block's
SELECT 1 FROM blocks b JOIN attempts a ON a.block = b.id AND a.lease = b.lease
WHERE a.lease = %(lease)s AND b.state = 'leased';

-- end_attempt: how an attempt ended; the first word stands, but late results of an attempt given up before are noted. What
-- could be seen of it goes
WITH closed AS (DELETE FROM open_matches WHERE lease = %(lease)s)
UPDATE attempts
SET outcome = %(outcome)s, reason = %(reason)s, digest = %(digest)s, ended_at = clock_timestamp()
WHERE lease = %(lease)s AND (outcome IS NULL OR (%(outcome)s = 'superseded' AND outcome IN ('expired', 'abandoned', 'died')));

-- note_tier: in which cells an attempt was played
UPDATE attempts SET tier = %(tier)s WHERE lease = %(lease)s;

-- attempt_digest: the results that an attempt handed in
SELECT digest FROM attempts WHERE lease = %(lease)s;

-- fruitless_attempts: attempts of a block, and of those in whose place it was drawn, that ended without a result through
-- nobody's fault at the table
WITH RECURSIVE line (block, older) AS (
    SELECT id, replaces FROM blocks WHERE id = %(block)s
    UNION ALL
    SELECT b.id, b.replaces FROM line JOIN blocks b ON b.id = line.older
)
SELECT count(*) FROM line JOIN attempts USING (block) WHERE outcome IN ('expired', 'abandoned');

-- replacement: the block in the place of another one
SELECT id FROM blocks WHERE replaces = %(block)s;

-- requeue_block: a block waits again
UPDATE blocks SET state = 'queued', lease = NULL, lease_expires_at = NULL, deaths = %(deaths)s
WHERE id = %(block)s;

-- void_block: a block is given up
UPDATE blocks SET state = 'void', lease = NULL, lease_expires_at = NULL, deaths = %(deaths)s,
    ended_at = clock_timestamp()
WHERE id = %(block)s;

-- finish_block: a block is done by the lease it has
UPDATE blocks SET state = 'done', lease_expires_at = NULL, ended_at = clock_timestamp() WHERE id = %(block)s;

-- lock_tournament: so that the last two blocks of a tournament do not end unseen by each other
SELECT closed_at IS NOT NULL AS closed FROM tournaments WHERE name = %(tournament)s FOR NO KEY UPDATE;

-- next_unit: the first unit number of a tournament that no block has
SELECT coalesce(max(first_unit + units), 0) FROM blocks WHERE tournament = %(tournament)s;

-- close_ended: closes every tournament, or the one that is named if it is one, whose every block is done, or void and
-- decided about, and whose last orbit is drawn
UPDATE tournaments t SET closed_at = clock_timestamp()
WHERE t.started_at IS NOT NULL AND t.closed_at IS NULL
    AND (%(tournament)s::text IS NULL OR t.name = %(tournament)s)
    AND NOT EXISTS (SELECT FROM blocks b WHERE b.tournament = t.name AND b.state IN ('queued', 'leased'))
    AND NOT EXISTS (SELECT FROM undecided_blocks u WHERE u.tournament = t.name)
    AND (t.format <> 'swiss' OR EXISTS (SELECT FROM draws d WHERE d.tournament = t.name AND d.orbit = t.orbits - 1));

-- orbit_ended: whether every block of a block's orbit is done or void
SELECT NOT EXISTS (
    SELECT FROM blocks b JOIN blocks other ON other.tournament = b.tournament AND other.orbit = b.orbit
    WHERE b.id = %(block)s AND other.state IN ('queued', 'leased')
);

-- pending: blocks to be played, those longest unsent first
SELECT id FROM blocks
WHERE (state = 'queued' OR (state = 'leased' AND lease_expires_at <= clock_timestamp()))
    AND strangers = coalesce(%(strangers)s, strangers)
    AND (sent_at IS NULL OR sent_at <= clock_timestamp() - %(resend_after_s)s * interval '1 s')
ORDER BY sent_at NULLS FIRST, id
LIMIT %(limit)s;

-- mark_sent: when blocks were last sent to the broker
UPDATE blocks SET sent_at = clock_timestamp() WHERE id = ANY(%(blocks)s);

-- add_alarm: something that a person should see
INSERT INTO alarms (kind, sentence, tournament, block) VALUES (%(kind)s, %(sentence)s, %(tournament)s, %(block)s);
