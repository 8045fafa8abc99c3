-- add_result: one match
INSERT INTO results (block, tournament, unit, rotation, seats, scores, places, faults, forfeited, decisions, digest)
VALUES (%(block)s, %(tournament)s, %(unit)s, %(rotation)s, %(seats)s, %(scores)s, %(places)s, %(faults)s,
    %(forfeited)s, %(decisions)s, %(digest)s);

-- add_records: the records of a block
INSERT INTO records (block, data) VALUES (%(block)s, %(data)s);

-- add_bot_log: what a bot did and wrote in one rotation
INSERT INTO bot_logs (block, bot, rotation, run, parts, matches)
VALUES (%(block)s, %(bot)s, %(rotation)s, %(run)s, %(parts)s, %(matches)s)
ON CONFLICT (block, bot, rotation) DO NOTHING;
