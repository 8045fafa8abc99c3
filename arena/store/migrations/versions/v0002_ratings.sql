-- Ratings: a function of finished units, kept so that it can be read quickly and computed again to the last bit.
-- Every row is written once. A correction is a new run over the same periods, never an edit.

-- Bots that can be compared: the same game at the same table size under the same options and rules, rated on the same
-- kind of unit.
CREATE TABLE pools (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game text NOT NULL,
    seats int NOT NULL CHECK (seats >= 2),
    -- All options as text, defaults too.
    options jsonb NOT NULL CHECK (jsonb_typeof(options) = 'object'),
    unit_kind text NOT NULL CHECK (unit_kind IN ('rotation', 'single')),
    -- Version of the engine's rules.
    rules text NOT NULL,
    UNIQUE (game, seats, options, unit_kind, rules)
);

-- The periods of a pool in the order in which they closed. The order is a fact that every run follows.
CREATE TABLE rating_periods (
    pool int NOT NULL REFERENCES pools,
    position int NOT NULL CHECK (position >= 0),
    tournament text NOT NULL REFERENCES tournaments,
    orbit int NOT NULL CHECK (orbit >= 0),
    PRIMARY KEY (pool, position),
    UNIQUE (pool, tournament, orbit)
);

-- One computation of a pool from its first period on. The newest one is shown.
CREATE TABLE rating_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool int NOT NULL REFERENCES pools,
    -- Why it was begun.
    reason text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, pool)
);

CREATE INDEX rating_runs_of_pool ON rating_runs (pool, id);

-- A period as a run has applied it.
CREATE TABLE rated_periods (
    run bigint NOT NULL,
    pool int NOT NULL,
    position int NOT NULL,
    -- Blocks of the period that were done. Others may be done later, when a void block is played again.
    blocks int NOT NULL CHECK (blocks >= 0),
    -- Units that counted.
    units int NOT NULL CHECK (units >= 0),
    -- Hash of all that the computation read.
    input_sha256 bytea NOT NULL CHECK (octet_length(input_sha256) = 32),
    rated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, pool) REFERENCES rating_runs (id, pool),
    FOREIGN KEY (pool, position) REFERENCES rating_periods
);

-- What a period did to a bot's version, and where it left it.
CREATE TABLE rating_events (
    run bigint NOT NULL,
    position int NOT NULL,
    version bigint NOT NULL REFERENCES versions,
    -- Millionths of an Elo.
    delta_micro bigint NOT NULL,
    micro_elo bigint NOT NULL,
    units int NOT NULL CHECK (units >= 1),
    matches int NOT NULL CHECK (matches >= units),
    -- Sum of the scores of these matches.
    points bigint NOT NULL,
    faults bigint NOT NULL CHECK (faults >= 0),
    PRIMARY KEY (run, version, position),
    FOREIGN KEY (run, position) REFERENCES rated_periods
);

CREATE TRIGGER pools_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON pools
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rating_periods_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON rating_periods
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rating_runs_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON rating_runs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rated_periods_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON rated_periods
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rating_events_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON rating_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE VIEW current_runs AS
    SELECT pool, max(id) AS run FROM rating_runs GROUP BY pool;

-- The newest event of every version in the run that is shown.
CREATE VIEW ratings AS
    SELECT DISTINCT ON (c.pool, e.version)
        c.pool, c.run, e.version, e.micro_elo, e.units, e.matches, e.points, e.faults
    FROM current_runs c JOIN rating_events e ON e.run = c.run
    ORDER BY c.pool, e.version, e.position DESC;

-- Every orbit of every tournament in the pool that it is rated in, and how far it is.
CREATE VIEW rating_orbits AS
    SELECT
        p.id AS pool, b.tournament, b.orbit,
        count(*) FILTER (WHERE b.state = 'done')::int AS blocks,
        bool_and(b.state IN ('done', 'void')) AS ended
    FROM pools p
    JOIN tournaments t
        ON t.game = p.game AND t.seats = p.seats AND t.options = p.options AND t.engine = p.rules
    JOIN blocks b ON b.tournament = t.name AND b.kind = p.unit_kind
    GROUP BY p.id, b.tournament, b.orbit;
