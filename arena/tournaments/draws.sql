-- due: tournaments, or the one that is named if it is one, whose last orbit has ended and whose next one is not drawn
SELECT t.name FROM tournaments t
WHERE t.format = 'swiss' AND t.started_at IS NOT NULL AND t.closed_at IS NULL
    AND (%(tournament)s::text IS NULL OR t.name = %(tournament)s)
    AND NOT EXISTS (SELECT FROM draws d WHERE d.tournament = t.name AND d.orbit = t.orbits - 1)
    AND NOT EXISTS (SELECT FROM blocks b WHERE b.tournament = t.name AND b.state IN ('queued', 'leased'))
    AND NOT EXISTS (SELECT FROM undecided_blocks u WHERE u.tournament = t.name)
ORDER BY t.name;

-- next_draw: what the next orbit of a tournament is drawn from
SELECT
    (SELECT count(*)::int FROM draws d WHERE d.tournament = t.name) AS orbit,
    (SELECT coalesce(max(b.id), 0) FROM blocks b WHERE b.tournament = t.name) AS last_block,
    ARRAY(SELECT c.bot FROM corrections c WHERE c.tournament = t.name AND c.bot IS NOT NULL ORDER BY c.bot) AS left_out
FROM tournaments t WHERE t.name = %(tournament)s;

-- add_draw: an orbit that was drawn
INSERT INTO draws (tournament, orbit, last_block, left_out)
VALUES (%(tournament)s, %(orbit)s, %(last_block)s, %(left_out)s);

-- draws: the orbits of a tournament that were drawn and have tables
SELECT d.orbit, d.last_block, d.left_out FROM draws d
WHERE d.tournament = %(tournament)s
    AND EXISTS (SELECT FROM blocks b WHERE b.tournament = d.tournament AND b.orbit = d.orbit)
ORDER BY d.orbit;

-- frozen: the entries of a tournament with the versions that play
SELECT e.bot, b.owner, b.house, e.known, b.kind, v.number AS version, coalesce(v.content_hash, '') AS content_hash
FROM entries e JOIN bots b ON b.name = e.bot JOIN versions v ON v.id = e.version
WHERE e.tournament = %(tournament)s
ORDER BY e.position;

-- tables: who sat together in the orbits before one
SELECT DISTINCT orbit, table_index, entries FROM blocks
WHERE tournament = %(tournament)s AND orbit < %(orbit)s
ORDER BY orbit, table_index;

-- matches: what was played in the orbits before one, up to a block
SELECT r.unit, ARRAY(SELECT b.entries[i + 1] FROM unnest(r.seats) WITH ORDINALITY AS s (i, seat) ORDER BY seat) AS bots,
    r.places
FROM blocks b JOIN results r ON r.block = b.id
WHERE b.tournament = %(tournament)s AND b.orbit < %(orbit)s AND b.id <= %(last_block)s AND b.state = 'done'
ORDER BY r.unit, r.rotation;

-- add_alarm: something that a person should see
INSERT INTO alarms (kind, sentence, tournament) VALUES ('rounds-ended', %(sentence)s, %(tournament)s);
