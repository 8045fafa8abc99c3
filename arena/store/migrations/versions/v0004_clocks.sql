-- Clocks that gain time and know phases.
ALTER TABLE tournaments
    -- What an answer in time adds to the spare time.
    ADD COLUMN increment_ms int NOT NULL DEFAULT 0 CHECK (increment_ms >= 0),
    -- Time per decision by phase of the game; empty where it is move_ms in all of them.
    ADD COLUMN phase_ms int[] NOT NULL DEFAULT '{}' CHECK (0 < ALL (phase_ms));
