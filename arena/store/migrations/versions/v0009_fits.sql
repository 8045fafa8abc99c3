-- The official rating of every version of a pool after one of its periods: a fit over all units that were rated by then.
-- It follows from them, up to the last digits of floating point, and every row is written once.
CREATE TABLE fits (
    run bigint NOT NULL,
    position int NOT NULL,
    version bigint NOT NULL REFERENCES versions,
    -- Millionths of an Elo; the margin is half the width of the 95 % interval, which fewer than two deals do not have.
    micro_elo bigint NOT NULL,
    micro_margin bigint CHECK (micro_margin >= 0),
    -- Between these ranks it is with 95 %, among the newest versions; older ones have none.
    first_rank int CHECK (first_rank >= 1),
    last_rank int CHECK (last_rank >= first_rank),
    -- Deals that it played.
    deals int NOT NULL CHECK (deals >= 1),
    -- Half the width of the 95 % interval of its mean points, in thousandths of a score unit.
    milli_points_margin bigint CHECK (milli_points_margin >= 0),
    PRIMARY KEY (run, position, version),
    FOREIGN KEY (run, position) REFERENCES rated_periods
);

CREATE TRIGGER fits_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON fits
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
