-- behaved: a bot ended a match without a forfeit
UPDATE conduct SET forfeits = 0 WHERE bot = %(bot)s AND forfeits > 0;

-- add_conduct: makes the row of a bot if it has none
INSERT INTO conduct (bot) VALUES (%(bot)s) ON CONFLICT DO NOTHING;

-- lock_conduct: the forfeits in a row of a bot, as far as they are not long ago, and whether it is disabled
SELECT CASE WHEN forfeited_at > clock_timestamp() - make_interval(secs => %(window_s)s) THEN forfeits ELSE 0 END,
    disabled_at IS NOT NULL
FROM conduct WHERE bot = %(bot)s FOR UPDATE;

-- keep_conduct: the forfeits in a row of a bot, and whether it is disabled
UPDATE conduct
SET forfeits = %(forfeits)s, disabled_at = CASE WHEN %(disabled)s THEN clock_timestamp() END,
    forfeited_at = CASE WHEN %(forfeited)s THEN clock_timestamp() ELSE forfeited_at END
WHERE bot = %(bot)s;

-- add_notice: one line for the owner
INSERT INTO notices (bot, what, match, seat, kind, reason, count)
VALUES (%(bot)s, %(what)s, %(match)s, %(seat)s, %(kind)s, %(reason)s, %(count)s);

-- prune: keeps the newest lines of a bot
DELETE FROM notices WHERE bot = %(bot)s AND id <= (
    SELECT id FROM notices WHERE bot = %(bot)s ORDER BY id DESC OFFSET %(kept)s LIMIT 1
);

-- notices: the lines of a bot, oldest first
SELECT noted_at, what, match, seat, kind, reason, count FROM notices WHERE bot = %(bot)s ORDER BY id;

-- disabled: which of the bots are disabled
SELECT bot FROM conduct WHERE bot = ANY(%(bots)s) AND disabled_at IS NOT NULL;

-- enable: lets a disabled bot play again
UPDATE conduct SET forfeits = 0, disabled_at = NULL WHERE bot = %(bot)s AND disabled_at IS NOT NULL RETURNING bot;
