-- What may be seen of the blocks that are being played.
--
-- It is lost with the server's memory, without harm: the next deal that closes brings it back, and no result is made of it.

CREATE UNLOGGED TABLE open_matches (
    block bigint PRIMARY KEY REFERENCES blocks,
    -- The attempt that plays; the row ends with it.
    lease uuid NOT NULL REFERENCES attempts,
    unit int NOT NULL CHECK (unit >= 0),
    rotation int NOT NULL CHECK (rotation >= 0),
    -- By seat: which of the block's entries sits there, from 0.
    seats int[] NOT NULL,
    -- The match's record up to the end of the last deal that no table will play again.
    record text NOT NULL
);
