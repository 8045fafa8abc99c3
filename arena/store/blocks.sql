-- blocks: a page of the blocks of a tournament in the order in which they were drawn
SELECT b.id, b.orbit, b.table_index, b.entries, b.first_unit, b.units, s.state, b.replaces, b.ended_at
FROM blocks AS b CROSS JOIN LATERAL (
    SELECT CASE b.state
        WHEN 'queued' THEN 'waiting'
        WHEN 'leased' THEN 'playing'
        WHEN 'done' THEN 'done'
        ELSE CASE WHEN EXISTS (SELECT FROM blocks AS newer WHERE newer.replaces = b.id) THEN 'replaced' ELSE 'void' END
    END AS state
) AS s
WHERE b.tournament = %(tournament)s AND b.first_unit > %(after)s
    AND (%(bot)s::text IS NULL OR %(bot)s = ANY (b.entries))
    AND (%(states)s::text[] = '{}' OR s.state = ANY (%(states)s))
ORDER BY b.first_unit
LIMIT %(limit)s;

-- seated: the tables of a tournament, but for those that were given up
SELECT orbit, table_index, entries, units FROM blocks
WHERE tournament = %(tournament)s AND state <> 'void'
ORDER BY first_unit;

-- drawn: how many tables of a tournament were not given up, and the number of its newest block
SELECT count(*) FILTER (WHERE state <> 'void'), coalesce(max(id), 0) FROM blocks WHERE tournament = %(tournament)s;
