ALTER TABLE tournaments
    -- When the entries close and it starts by itself; NULL if it is started by hand.
    ADD COLUMN open_until timestamptz;
