-- Bots of an owner are counted whenever one is made.
CREATE INDEX bots_by_owner ON bots (owner);
