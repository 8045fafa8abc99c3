-- What the processes of bots did and wrote, with the times of it and of the matches that ran meanwhile.

-- A run has the members of arena.tournaments.runs.Run.
CREATE FUNCTION is_run(run jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN run ?& ARRAY['game', 'exit', 'last_line', 'cpu_ms', 'peak_mib', 'written', 'hello_ms', 'answer_ms', 'faults',
            'thinking']
        AND jsonb_typeof(run -> 'faults') = 'object' AND jsonb_typeof(run -> 'thinking') = 'array';

-- The runs of its validation matches.
ALTER TABLE versions ADD COLUMN runs jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(runs) = 'array');

ALTER TABLE bot_logs
    ADD COLUMN run jsonb CHECK (is_run(run)),
    -- Members of each: since_ms, until_ms, text; in order of time.
    ADD COLUMN parts jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(parts) = 'array'),
    -- Members of each: unit, match_id, begun_ms, ended_ms; one for every match of the rotation.
    ADD COLUMN matches jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(matches) = 'array');

UPDATE bot_logs l
SET run = jsonb_build_object('game', t.game, 'exit', l.exit, 'last_line', '', 'cpu_ms', 0, 'peak_mib', 0,
        'written', octet_length(l.text), 'hello_ms', NULL, 'answer_ms', NULL, 'faults', jsonb_build_object(),
        'thinking', jsonb_build_array()),
    parts = jsonb_build_array(jsonb_build_object('since_ms', 0, 'until_ms', 0, 'text', l.text))
FROM blocks b JOIN tournaments t ON t.name = b.tournament
WHERE b.id = l.block;

ALTER TABLE bot_logs ALTER COLUMN run SET NOT NULL, DROP COLUMN text, DROP COLUMN exit;

CREATE INDEX bot_logs_of_bot ON bot_logs (bot, block);
