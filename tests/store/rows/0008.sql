-- What revision 0008 had besides. Never edited.
INSERT INTO bot_logs (block, bot, rotation, run, parts, matches) VALUES
    (1, 'bob', 1,
        '{"game": "callbreak", "exit": "was killed", "last_line": "", "cpu_ms": 120, "peak_mib": 41, "written": 5,
          "hello_ms": 200, "answer_ms": null, "faults": {"LATE": 3}, "thinking": []}',
        '[{"since_ms": 300, "until_ms": 350, "text": "hello"}]',
        '[{"unit": 0, "match_id": 4096, "begun_ms": 250, "ended_ms": 900}]');
UPDATE versions SET runs = '[{"game": "callbreak"}]' WHERE id = 1;
