-- correct: one correction; nothing if it was made before
INSERT INTO corrections (tournament, what, block, unit, bot, orbit, reason, who)
VALUES (%(tournament)s, %(what)s, %(block)s, %(unit)s, %(bot)s, %(orbit)s, %(reason)s, %(who)s)
ON CONFLICT DO NOTHING
RETURNING id;

-- lock_blocks: the named blocks of a tournament in ascending order, locked until the transaction ends
SELECT id, orbit, first_unit, units, state FROM blocks
WHERE tournament = %(tournament)s AND id = ANY (%(blocks)s)
ORDER BY id
FOR UPDATE;

-- lock_open: blocks of a tournament that wait or are played, all or those at whose table a bot sits, in ascending order,
-- locked until the transaction ends; of a field the bot's table alone does not count
SELECT id, orbit, first_unit, units, state FROM blocks
WHERE tournament = %(tournament)s AND state IN ('queued', 'leased')
    AND (%(bot)s::text IS NULL OR (kind <> 'field' AND %(bot)s = ANY (entries)))
ORDER BY id
FOR UPDATE;

-- block_of_unit: the block that a unit belongs to
SELECT id, orbit, first_unit, units, state FROM blocks
WHERE tournament = %(tournament)s AND first_unit <= %(unit)s AND %(unit)s < first_unit + units;

-- undecided: blocks that were given up and about which nobody has decided
SELECT id FROM undecided_blocks WHERE tournament = %(tournament)s ORDER BY id;

-- disqualified: the bots of a tournament that are
SELECT bot FROM corrections WHERE tournament = %(tournament)s AND what = 'bot' ORDER BY bot;

-- seated: the bots at the table of a block; a field has several, of which each counts alone
SELECT unnest(entries) FROM blocks WHERE id = %(block)s AND kind <> 'field';

-- cancel: a tournament is closed for good
UPDATE tournaments
SET cancelled_at = clock_timestamp(), closed_at = clock_timestamp()
WHERE name = %(tournament)s;

-- corrections: what was corrected in a tournament, oldest first
SELECT what, block, unit, bot, orbit, reason, who, made_at FROM corrections
WHERE tournament = %(tournament)s
ORDER BY id
LIMIT %(limit)s;
