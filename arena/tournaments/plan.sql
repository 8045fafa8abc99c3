-- seconds_a_match: how long matches of a game took in the blocks that were played last
SELECT avg(taken) FROM (
    SELECT extract(epoch FROM a.ended_at - a.leased_at) / (
        b.units * CASE b.kind WHEN 'rotation' THEN t.seats WHEN 'field' THEN cardinality(b.entries) / t.seats ELSE 1 END
    )
        AS taken
    FROM tournaments t JOIN blocks b ON b.tournament = t.name JOIN attempts a ON a.lease = b.lease
    WHERE t.game = %(game)s AND t.seats = %(seats)s AND b.kind = %(kind)s AND b.state = 'done'
    ORDER BY b.id DESC
    LIMIT 50
) AS last;

-- entries: who plays in a tournament and whose that is, in order of entry
SELECT e.bot, b.owner, b.house, e.known FROM entries AS e JOIN bots AS b ON b.name = e.bot
WHERE e.tournament = %(tournament)s
ORDER BY e.position;
