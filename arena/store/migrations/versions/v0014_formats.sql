-- Formats beside the round-robin, rounds that are drawn from results, and tournaments that are not rated.

ALTER TABLE tournaments
    -- Who meets whom.
    ADD COLUMN format text NOT NULL DEFAULT 'round-robin'
        CHECK (format IN ('round-robin', 'gauntlet', 'swiss', 'challenge')),
    -- No rating, pool or period ever sees it.
    ADD COLUMN unrated boolean NOT NULL DEFAULT false,
    ADD CHECK (format <> 'challenge' OR unrated);

ALTER TABLE entries
    -- In a gauntlet: one of those by which the others are measured.
    ADD COLUMN known boolean NOT NULL DEFAULT false;

-- Orbits that were drawn from the results of those before. A tournament of such a format closes when its last one was
-- drawn and has ended.
CREATE TABLE draws (
    tournament text NOT NULL REFERENCES tournaments,
    orbit int NOT NULL CHECK (orbit >= 0),
    -- Of the orbits before, results count of blocks up to this one: what is played again later changes no draw.
    last_block bigint NOT NULL CHECK (last_block >= 0),
    -- Bots that were disqualified by then.
    left_out text[] NOT NULL,
    drawn_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- An orbit is drawn once.
    PRIMARY KEY (tournament, orbit)
);

CREATE TRIGGER draws_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON draws
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE VIEW rating_orbits AS
    SELECT
        p.id AS pool, b.tournament, b.orbit,
        count(*) FILTER (WHERE b.state = 'done')::int AS blocks,
        bool_and(b.state IN ('done', 'void')) AS ended,
        (
            SELECT count(*)::int FROM corrections c
            WHERE c.tournament = b.tournament AND (c.bot IS NOT NULL OR c.orbit = b.orbit)
        ) AS corrections
    FROM pools p
    JOIN tournaments t
        ON t.game = p.game AND t.seats = p.seats AND t.options = p.options AND t.engine = p.rules AND NOT t.unrated
    JOIN blocks b ON b.tournament = t.name AND b.kind = p.unit_kind
    GROUP BY p.id, b.tournament, b.orbit;
