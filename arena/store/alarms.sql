-- alarms: a page of alarms, newest first, of everybody or of one organiser's tournaments
SELECT id, raised_at, kind, sentence, coalesce(tournament, ''), coalesce(block, 0), settled_at, coalesce(settled_by, '')
FROM alarms
WHERE (%(settled)s OR settled_at IS NULL)
    AND (%(before)s::bigint IS NULL OR id < %(before)s)
    AND (%(tournament)s::text IS NULL OR tournament = %(tournament)s)
    AND (%(organiser)s::text IS NULL OR tournament IN (SELECT name FROM tournaments WHERE owner = %(organiser)s))
ORDER BY id DESC
LIMIT %(limit)s;

-- alarm: one alarm
SELECT id, raised_at, kind, sentence, coalesce(tournament, ''), coalesce(block, 0), settled_at, coalesce(settled_by, '')
FROM alarms WHERE id = %(alarm)s;

-- lock_alarm: whose tournament an alarm is about, which one, and whether it is open
SELECT t.owner, a.tournament, a.settled_at IS NULL
FROM alarms a LEFT JOIN tournaments t ON t.name = a.tournament
WHERE a.id = %(alarm)s
FOR UPDATE OF a;

-- settle: a person has dealt with an alarm
UPDATE alarms SET settled_at = clock_timestamp(), settled_by = %(who)s WHERE id = %(alarm)s;

-- settle_blocks: a person has decided about blocks
UPDATE alarms SET settled_at = clock_timestamp(), settled_by = %(who)s
WHERE block = ANY (%(blocks)s) AND settled_at IS NULL;

-- open_alarms: how many alarms nobody has dealt with
SELECT count(*) FROM alarms WHERE settled_at IS NULL;
