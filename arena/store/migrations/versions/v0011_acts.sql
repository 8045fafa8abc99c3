-- What organisers and admins do to a tournament that goes wrong, and the traces of it. Nothing that was played is edited:
-- a correction is a row beside it.

CREATE TABLE corrections (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tournament text NOT NULL REFERENCES tournaments,
    -- block       it is given up, and nothing is drawn in its place
    -- unit        it was played and does not count
    -- bot         it is disqualified: no unit counts in which it sat
    -- orbit       it was not complete when the tournament was cancelled: none of its units counts
    -- tournament  it is cancelled
    what text NOT NULL CHECK (what IN ('block', 'unit', 'bot', 'orbit', 'tournament')),
    block bigint REFERENCES blocks,
    unit int,
    bot text REFERENCES bots,
    -- Of a unit, the one that it was played in.
    orbit int,
    reason text NOT NULL CHECK (reason <> ''),
    who text NOT NULL REFERENCES users,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((what = 'block') = (block IS NOT NULL)),
    CHECK ((what = 'unit') = (unit IS NOT NULL)),
    CHECK ((what = 'bot') = (bot IS NOT NULL)),
    CHECK ((what IN ('unit', 'orbit')) = (orbit IS NOT NULL))
);

-- Nothing is corrected twice.
CREATE UNIQUE INDEX corrections_once ON corrections
    (tournament, what, coalesce(block, unit, orbit, 0), coalesce(bot, ''));
CREATE INDEX corrections_of_block ON corrections (block) WHERE block IS NOT NULL;

CREATE TRIGGER corrections_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Acts of admins, organisers and owners; every row is written in the transaction of the act.
CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    acted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- A user; with an @, somebody with a shell on a host of the platform; with a blank, the platform itself.
    who text NOT NULL CHECK (who <> ''),
    -- What was done, in a word or two, and on what.
    act text NOT NULL CHECK (act <> ''),
    subject text NOT NULL,
    tournament text REFERENCES tournaments,
    reason text NOT NULL
);

CREATE INDEX audit_of_tournament ON audit (tournament, id) WHERE tournament IS NOT NULL;

CREATE TRIGGER audit_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE alarms ADD COLUMN settled_by text;
CREATE INDEX alarms_open ON alarms (id) WHERE settled_at IS NULL;

-- A tournament that is cancelled ends, even if it has not started.
ALTER TABLE tournaments
    DROP CONSTRAINT tournaments_check1,
    ADD COLUMN cancelled_at timestamptz,
    ADD CHECK (closed_at IS NULL OR started_at IS NOT NULL OR cancelled_at IS NOT NULL),
    ADD CHECK (cancelled_at IS NULL OR closed_at IS NOT NULL);

-- Blocks that were given up because what plays them died three times, which nobody has decided about yet: neither is
-- another one in their place, nor has a person accepted it. Until then their tournament does not close.
CREATE VIEW undecided_blocks AS
    SELECT b.id, b.tournament, b.entries
    FROM blocks b
    WHERE b.state = 'void' AND b.deaths = 3
        AND NOT EXISTS (SELECT FROM blocks newer WHERE newer.replaces = b.id)
        AND NOT EXISTS (SELECT FROM corrections c WHERE c.block = b.id)
        AND NOT EXISTS (SELECT FROM corrections c WHERE c.tournament = b.tournament AND c.bot = ANY (b.entries));

CREATE INDEX blocks_given_up ON blocks (tournament) WHERE state = 'void' AND deaths = 3;

ALTER TABLE rated_periods
    -- Corrections that there were of its orbit and of bots of its tournament. Others may come later.
    ADD COLUMN corrections int NOT NULL DEFAULT 0 CHECK (corrections >= 0),
    -- Of every unit that counted, in ascending order, its number and the first bytes of the hash of what was read of it,
    -- four bytes each; NULL for a period that was rated before they were kept.
    ADD COLUMN unit_hashes bytea CHECK (octet_length(unit_hashes) = 8 * units);

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
        ON t.game = p.game AND t.seats = p.seats AND t.options = p.options AND t.engine = p.rules
    JOIN blocks b ON b.tournament = t.name AND b.kind = p.unit_kind
    GROUP BY p.id, b.tournament, b.orbit;
