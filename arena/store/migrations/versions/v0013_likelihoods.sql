-- How likely each version that a table shows is the stronger one beside each of the others, by a pool's newest fit. It
-- grows with the square of the bots and follows from the results: so it is no history, and the next fit replaces it.
CREATE TABLE likelihoods (
    run bigint NOT NULL,
    position int NOT NULL,
    version bigint NOT NULL,
    -- For each version of this fit that has a row here, by id, a float of four bytes, the least significant first.
    stronger bytea NOT NULL CHECK (octet_length(stronger) % 4 = 0),
    PRIMARY KEY (run, position, version),
    FOREIGN KEY (run, position, version) REFERENCES fits
);
