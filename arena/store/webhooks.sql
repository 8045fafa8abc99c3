-- set_webhook: tells the owner of a bot at this address from now on
INSERT INTO webhooks (bot, url, told)
VALUES (%(bot)s, %(url)s, (SELECT coalesce(max(id), 0) FROM notices WHERE bot = %(bot)s))
ON CONFLICT (bot) DO UPDATE SET url = excluded.url, told = excluded.told, tries = 0, error = '', due_at = now();

-- end_webhook: tells nobody any more
DELETE FROM webhooks WHERE bot = %(bot)s;

-- webhook: where the owner of a bot is told, and what went wrong there last
SELECT url, error FROM webhooks WHERE bot = %(bot)s;

-- take: one webhook with something to tell, which nobody else takes for a minute
UPDATE webhooks SET due_at = clock_timestamp() + make_interval(secs => %(pause_s)s), tries = tries + 1
WHERE bot = (
    SELECT w.bot FROM webhooks w
    WHERE w.due_at <= clock_timestamp() AND EXISTS (SELECT FROM notices n WHERE n.bot = w.bot AND n.id > w.told)
    ORDER BY w.due_at LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING bot, url, tries, told;

-- newest: the newest line that was not told, and how many there are
SELECT id, noted_at, what, match, seat, kind, reason, count, count(*) OVER () FROM notices
WHERE bot = %(bot)s AND id > %(told)s ORDER BY id DESC LIMIT 1;

-- told: everything up to a line was told
UPDATE webhooks SET told = %(id)s, tries = 0, error = %(error)s WHERE bot = %(bot)s AND url = %(url)s;

-- failed: it is tried again after a while
UPDATE webhooks SET error = %(error)s, due_at = clock_timestamp() + make_interval(secs => %(pause_s)s)
WHERE bot = %(bot)s AND url = %(url)s;
