-- note: one line
INSERT INTO audit (who, act, subject, tournament, reason)
VALUES (%(who)s, %(act)s, %(subject)s, %(tournament)s, %(reason)s);

-- acts: a page of lines, newest first, of everybody or of one organiser's tournaments
SELECT id, acted_at, who, act, subject, coalesce(tournament, ''), reason FROM audit
WHERE (%(before)s::bigint IS NULL OR id < %(before)s)
    AND (%(organiser)s::text IS NULL OR tournament IN (SELECT name FROM tournaments WHERE owner = %(organiser)s))
ORDER BY id DESC
LIMIT %(limit)s;
