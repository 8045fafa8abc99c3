-- tournament_of_block: what a tournament says about how its blocks are played
SELECT t.name, t.game, t.seats, t.options, t.move_ms, t.bank_ms, t.max_faults, t.startup_ms, t.increment_ms,
    t.phase_ms, t.secret, t.commitment, t.engine, b.entries, b.kind, b.first_unit, b.units
FROM blocks b JOIN tournaments t ON t.name = b.tournament
WHERE b.id = %(block)s;

-- frozen_entries: the versions that play in a tournament
SELECT e.bot, v.number AS version, coalesce(v.content_hash, '') AS content_hash, b.kind, b.house,
    coalesce((v.manifest ->> 'batch')::int, 1) AS batch
FROM entries e JOIN versions v ON v.id = e.version JOIN bots b ON b.name = e.bot
WHERE e.tournament = %(tournament)s;

-- archive: the bytes of an archive
SELECT data FROM archives WHERE content_hash = %(content_hash)s;
