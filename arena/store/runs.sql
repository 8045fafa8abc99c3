-- runs: the newest runs of a bot in blocks that are done
SELECT b.tournament, b.first_unit, b.units, l.rotation, b.ended_at, l.run
FROM bot_logs l JOIN blocks b ON b.id = l.block
WHERE l.bot = %(bot)s AND b.state = 'done'
ORDER BY l.block DESC, l.rotation DESC
LIMIT %(limit)s;

-- log: the run of a bot that played a match of a block that is done
SELECT b.tournament, b.first_unit, b.units, l.rotation, b.ended_at, l.run, l.parts, l.matches
FROM bot_logs l JOIN blocks b ON b.id = l.block
WHERE l.bot = %(bot)s AND l.rotation = %(rotation)s AND b.tournament = %(tournament)s AND b.state = 'done'
    AND b.first_unit <= %(unit)s AND %(unit)s < b.first_unit + b.units;

-- prune_runs: deletes runs that are too old, and of every bot those beyond the newest
DELETE FROM bot_logs l
USING (
    SELECT k.block, k.bot, k.rotation, b.ended_at,
        row_number() OVER (PARTITION BY k.bot ORDER BY k.block DESC, k.rotation DESC) AS place
    FROM bot_logs k JOIN blocks b ON b.id = k.block
) old
WHERE l.block = old.block AND l.bot = old.bot AND l.rotation = old.rotation
    AND (old.place > %(runs)s OR old.ended_at < clock_timestamp() - make_interval(days => %(days)s));
