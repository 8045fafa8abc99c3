-- What owners are told when their bots go wrong, and which bots are disabled for it.

CREATE TABLE notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot text NOT NULL REFERENCES bots,
    noted_at timestamptz NOT NULL DEFAULT now(),
    -- faults     several faults in one match
    -- forfeit    so many that its seat was forfeited
    -- disabled   forfeited too often in a row
    what text NOT NULL CHECK (what IN ('faults', 'forfeit', 'disabled')),
    -- The match in words.
    match text NOT NULL,
    seat int NOT NULL CHECK (seat >= 0),
    -- Kind and reason of its last fault in the match.
    kind text NOT NULL,
    reason text NOT NULL,
    -- faults: how many in the match; else matches forfeited in a row.
    count int NOT NULL CHECK (count >= 1)
);

CREATE INDEX notices_of_bot ON notices (bot, id);

-- Bots that forfeited a match; those that never did have no row.
CREATE TABLE conduct (
    bot text PRIMARY KEY REFERENCES bots,
    -- Matches forfeited in a row, and the time of the last one.
    forfeits int NOT NULL DEFAULT 0 CHECK (forfeits >= 0),
    forfeited_at timestamptz,
    -- Since then nobody is seated with it; NULL if it may play.
    disabled_at timestamptz
);

CREATE TABLE webhooks (
    bot text PRIMARY KEY REFERENCES bots,
    url text NOT NULL CHECK (length(url) <= 2048),
    -- The newest notice that was told, or was given up.
    told bigint NOT NULL DEFAULT 0,
    -- Attempts at the one after it that failed, with the last reason.
    tries int NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    -- Nothing is sent before.
    due_at timestamptz NOT NULL DEFAULT now()
);
