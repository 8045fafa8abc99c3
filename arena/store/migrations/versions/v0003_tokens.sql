-- Tokens that may do a part of what their owner may, end on a day, and can be ended before.

ALTER TABLE tokens
    -- What it may be used for. Those that were made before may do everything, and never expire.
    ADD scopes text[] NOT NULL DEFAULT '{read,play,submit,organise}'
        CHECK (scopes <@ '{read,play,submit,organise}' AND cardinality(scopes) >= 1 AND all_different(scopes)),
    -- From then on nobody is let in with it; NULL for never.
    ADD expires_at timestamptz,
    -- When its owner or the organiser ended it. The row stays, so that whoever shows it is told why.
    ADD revoked_at timestamptz,
    -- The last day on which somebody was let in with it, in UTC.
    ADD used_on date;

ALTER TABLE tokens ALTER scopes DROP DEFAULT;
CREATE INDEX tokens_of_owner ON tokens (owner);
