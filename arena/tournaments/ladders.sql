-- due: ladders, or the one that is named if it is one, whose newest period has closed and started long enough ago
SELECT t.name FROM tournaments t
WHERE t.every_s IS NOT NULL AND t.closed_at IS NULL AND (%(ladder)s::text IS NULL OR t.name = %(ladder)s)
    AND NOT EXISTS (
        SELECT FROM tournaments p
        WHERE p.ladder = t.name
            AND (p.closed_at IS NULL OR p.started_at > clock_timestamp() - make_interval(secs => t.every_s))
    )
ORDER BY t.name;

-- newest: names of the newest periods of a ladder, all or those of which a block was played, newest first
SELECT p.name FROM tournaments p
WHERE p.ladder = %(ladder)s
    AND (NOT %(played)s OR EXISTS (SELECT FROM blocks b WHERE b.tournament = p.name AND b.state = 'done'))
ORDER BY p.period DESC
LIMIT %(limit)s;

-- close: no period follows
UPDATE tournaments SET closed_at = clock_timestamp() WHERE name = %(ladder)s;

-- candidates: who is in a ladder and can play, in order of entry, with the versions that play
SELECT b.name AS bot, b.owner, b.house, v.id AS version, v.number, v.content_hash
FROM tournaments t JOIN entries e ON e.tournament = t.name JOIN bots b ON b.name = e.bot
JOIN versions v ON v.bot = b.name AND v.state = 'active'
WHERE t.name = %(ladder)s AND b.retired_at IS NULL AND v.manifest -> 'games' ? t.game
ORDER BY e.position;

-- barred: who is in a ladder, in order of entry, and why he cannot play in the next period
SELECT b.name, CASE
    WHEN b.retired_at IS NOT NULL THEN 'It is retired.'
    WHEN NOT EXISTS (SELECT FROM versions v WHERE v.bot = b.name AND v.state = 'active')
        THEN 'It has no version that plays; ''arena bot log ' || b.name || ''' says why.'
    ELSE 'Its newest version does not play ' || t.game || '.'
END
FROM tournaments t JOIN entries e ON e.tournament = t.name JOIN bots b ON b.name = e.bot
WHERE t.name = %(ladder)s
ORDER BY e.position;

-- candidates_then: bots that could play in a period, in order of entry
SELECT b.name AS bot, b.owner, b.house, 0 AS version, 0 AS number, '' AS content_hash
FROM unnest(%(bots)s::text[]) WITH ORDINALITY AS candidate (bot, at) JOIN bots b ON b.name = candidate.bot
ORDER BY candidate.at;

-- frozen: who plays in a period, in order of entry, with the versions that play
SELECT b.name AS bot, b.owner, b.house, v.id AS version, v.number, v.content_hash
FROM entries e JOIN bots b ON b.name = e.bot JOIN versions v ON v.id = e.version
WHERE e.tournament = %(period)s
ORDER BY e.position;

-- waited: the newest of the periods before one in which each bot plays, and in how many it does
SELECT e.bot, max(p.period), count(*)::int
FROM tournaments p JOIN entries e ON e.tournament = p.name
WHERE p.ladder = %(ladder)s AND p.period < %(period)s
GROUP BY e.bot;

-- met: who sat together in periods not long before one
SELECT b.entries
FROM tournaments p JOIN blocks b ON b.tournament = p.name
WHERE p.ladder = %(ladder)s AND p.period < %(period)s AND p.period >= %(period)s - %(memory)s AND b.replaces IS NULL;

-- newest_fit: the newest official ratings of the pool in which a period is rated, or would be
SELECT f.run, f.position
FROM tournaments t
JOIN pools p ON p.game = t.game AND p.seats = t.seats AND p.options = t.options AND p.rules = t.engine
    AND p.unit_kind = 'rotation'
JOIN current_runs c ON c.pool = p.id
JOIN fits f ON f.run = c.run
WHERE t.name = %(period)s
ORDER BY f.position DESC
LIMIT 1;

-- strengths: what official ratings say of who plays in a period, in whole Elo; of one whose version is not there what they
-- say of the newest version before it, but not how sure that is
SELECT DISTINCT ON (e.bot) e.bot, round(f.micro_elo / 1e6)::int,
    CASE WHEN f.version = e.version AND f.micro_margin IS NOT NULL THEN least(round(f.micro_margin / 1e6), %(unknown)s)
        ELSE %(unknown)s END::int
FROM entries e JOIN versions v ON v.bot = e.bot JOIN versions playing ON playing.id = e.version AND v.number <= playing.number
JOIN fits f ON f.version = v.id AND f.run = %(run)s AND f.position = %(position)s
WHERE e.tournament = %(period)s
ORDER BY e.bot, v.number DESC;

-- draw: what a period was drawn from
SELECT candidates, run, position FROM ladder_draws WHERE tournament = %(period)s;

-- add_draw: what a period was drawn from
INSERT INTO ladder_draws (tournament, candidates, run, position)
VALUES (%(period)s, %(candidates)s, %(run)s, %(position)s);

-- add_period: the next period of a ladder, with its secret; it is played from now on
INSERT INTO tournaments (
    name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms, increment_ms, phase_ms,
    secret, commitment, format, unrated, private, ladder, period, engine, started_at
)
SELECT
    name || '.' || %(number)s::int, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, startup_ms,
    increment_ms, phase_ms, secret, commitment, format, unrated, private, name, %(number)s::int, %(engine)s, now()
FROM tournaments WHERE name = %(ladder)s
RETURNING name;

-- add_entry: a bot that plays in a period
INSERT INTO entries (tournament, bot, position, version) VALUES (%(period)s, %(bot)s, %(position)s, %(version)s);

-- renew_secret: the secret of the period after
UPDATE tournaments SET secret = %(secret)s, commitment = sha256(%(secret)s) WHERE name = %(ladder)s;
