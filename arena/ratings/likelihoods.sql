-- forget: removes what was kept of a pool
DELETE FROM likelihoods WHERE run IN (SELECT id FROM rating_runs WHERE pool = %(pool)s);

-- add: how likely a version is stronger than each
INSERT INTO likelihoods (run, position, version, stronger)
VALUES (%(run)s, %(position)s, %(version)s, %(stronger)s);

-- newest: the fit of the run that is shown of which likelihoods are kept
SELECT run, position FROM likelihoods WHERE run = (SELECT run FROM current_runs WHERE pool = %(pool)s) LIMIT 1;

-- next: every bot beside the next one, best first
WITH lines AS (
    SELECT v.bot, v.number AS version, f.micro_elo, l.stronger, row_number() OVER (ORDER BY l.version)::int AS place
    FROM likelihoods l JOIN fits f USING (run, position, version) JOIN versions v ON v.id = l.version
    WHERE l.run = %(run)s AND l.position = %(position)s
),
beside AS (
    SELECT
        bot, version, micro_elo, stronger, lead(bot) OVER best AS other, lead(version) OVER best AS other_version,
        lead(place) OVER best AS place
    FROM lines WINDOW best AS (ORDER BY micro_elo DESC, bot)
)
SELECT bot, version, other, other_version, substring(stronger FROM 4 * place - 3 FOR 4) AS stronger
FROM beside WHERE other IS NOT NULL
ORDER BY micro_elo DESC, bot LIMIT %(limit)s OFFSET %(offset)s;

-- against: every bot beside one, best first
WITH lines AS (
    SELECT v.bot, v.number AS version, f.micro_elo, l.stronger, row_number() OVER (ORDER BY l.version)::int AS place
    FROM likelihoods l JOIN fits f USING (run, position, version) JOIN versions v ON v.id = l.version
    WHERE l.run = %(run)s AND l.position = %(position)s
)
SELECT
    one.bot, one.version, other.bot AS other, other.version AS other_version,
    substring(one.stronger FROM 4 * other.place - 3 FOR 4) AS stronger
FROM lines one JOIN lines other ON other.bot = %(against)s AND one.bot <> other.bot
ORDER BY one.micro_elo DESC, one.bot LIMIT %(limit)s OFFSET %(offset)s;

-- matrix: some lines of a table, best first, with all that is kept of them, the place of each in that, and how many there are
SELECT
    v.bot, row_number() OVER (ORDER BY l.version)::int - 1 AS place, l.stronger, count(*) OVER ()::int AS bots
FROM likelihoods l JOIN fits f USING (run, position, version) JOIN versions v ON v.id = l.version
WHERE l.run = %(run)s AND l.position = %(position)s
ORDER BY f.micro_elo DESC, v.bot LIMIT %(limit)s OFFSET %(offset)s;
