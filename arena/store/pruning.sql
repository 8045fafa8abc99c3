-- prunable: tournaments that closed long ago and still have records or runs of bots, with how many and their bytes
SELECT t.name, count(r.block)::int AS blocks, coalesce(sum(octet_length(r.data)), 0)::bigint AS bytes,
    coalesce(sum(l.runs), 0)::int AS runs
FROM tournaments t JOIN blocks b ON b.tournament = t.name
LEFT JOIN records r ON r.block = b.id
CROSS JOIN LATERAL (SELECT count(*) AS runs FROM bot_logs WHERE bot_logs.block = b.id) AS l
WHERE t.closed_at < clock_timestamp() - make_interval(days => %(days)s)
GROUP BY t.name, t.closed_at
HAVING count(r.block) > 0 OR sum(l.runs) > 0
ORDER BY t.closed_at, t.name;

-- prune_records: deletes the records of a tournament
DELETE FROM records r USING blocks b WHERE b.id = r.block AND b.tournament = %(tournament)s;

-- prune_runs_of: deletes what the bots of a tournament did and wrote
DELETE FROM bot_logs l USING blocks b WHERE b.id = l.block AND b.tournament = %(tournament)s;
