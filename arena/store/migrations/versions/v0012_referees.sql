ALTER TABLE referees
    -- Where bots that speak TLS reach it; empty if nowhere.
    ADD COLUMN tls_address text NOT NULL DEFAULT '',
    -- The remote bots that were connected to it when it was last heard of.
    ADD COLUMN bots text[] NOT NULL DEFAULT '{}';

ALTER TABLE attempts
    -- The referee that was asked to play it; NULL while none is, and of a block without remote bots.
    ADD COLUMN referee text;

-- What a referee plays, whether it failed of late, and when it was last done with something.
CREATE INDEX attempts_of_referee ON attempts (referee, ended_at) WHERE referee IS NOT NULL;
