-- fitted: the newest fit of the run that is shown, with whose each version is
SELECT f.version, f.micro_elo, f.position, b.name AS bot, b.owner
FROM fits f JOIN versions v ON v.id = f.version JOIN bots b ON b.name = v.bot
WHERE f.run = (SELECT run FROM current_runs WHERE pool = %(pool)s)
    AND f.position = (
        SELECT max(position) FROM fits WHERE run = (SELECT run FROM current_runs WHERE pool = %(pool)s)
    )
ORDER BY f.version;
