CREATE TABLE workers (
    name text PRIMARY KEY,
    -- The tier of its cells, and the least one in which it runs bots of strangers.
    tier text NOT NULL,
    least_tier text NOT NULL,
    -- Whether it runs them.
    strangers boolean NOT NULL,
    heartbeat_at timestamptz NOT NULL DEFAULT now()
);

-- Whether a hosted bot at the table is neither the house's nor an admin's own.
ALTER TABLE blocks ADD COLUMN strangers boolean NOT NULL DEFAULT true;

-- The tier of the cells in which it was played to its end.
ALTER TABLE attempts ADD COLUMN tier text;
