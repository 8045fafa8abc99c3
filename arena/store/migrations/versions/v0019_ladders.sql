-- Ladders: tournaments that stand, and whose periods are tournaments of their own.
--
-- A ladder is never started. Its secret and commitment are those of its next period; who is entered is in until he leaves.

ALTER TABLE tournaments
    DROP CONSTRAINT tournaments_format_check,
    DROP CONSTRAINT tournaments_name_check,
    DROP CONSTRAINT tournaments_check1,
    -- Of a ladder: tables of a period at most; NULL for as many as can be made.
    ADD COLUMN batch int CHECK (batch >= 1),
    -- Of a ladder: seconds from the start of a period to that of the next one at least.
    ADD COLUMN every_s int CHECK (every_s >= 1),
    -- Of a period: the ladder that it is of, and its number from 1. Its name is made of both; no user can choose such a one.
    ADD COLUMN ladder text REFERENCES tournaments,
    ADD COLUMN period int CHECK (period >= 1),
    ADD CONSTRAINT tournaments_format_check
        CHECK (format IN ('round-robin', 'gauntlet', 'swiss', 'challenge', 'ladder')),
    ADD CONSTRAINT tournaments_name_check CHECK (
        CASE WHEN ladder IS NULL THEN name ~ '^[a-z0-9][a-z0-9-]{0,63}$' ELSE name = ladder || '.' || period END
    ),
    ADD CONSTRAINT tournaments_ended
        CHECK (closed_at IS NULL OR started_at IS NOT NULL OR cancelled_at IS NOT NULL OR format = 'ladder'),
    ADD CONSTRAINT tournaments_ladder CHECK (
        (ladder IS NULL) = (period IS NULL) AND (format = 'ladder') = (every_s IS NOT NULL OR ladder IS NOT NULL)
        AND (every_s IS NULL OR (ladder IS NULL AND started_at IS NULL)) AND (batch IS NULL OR every_s IS NOT NULL)
    ),
    -- A period is drawn once.
    ADD UNIQUE (ladder, period);

-- What a period was drawn from, besides the periods before it.
CREATE TABLE ladder_draws (
    tournament text PRIMARY KEY REFERENCES tournaments,
    -- Who was in and could play, in order of entry.
    candidates text[] NOT NULL,
    -- The official ratings that the tables followed; NULL where there were none.
    run bigint,
    position int,
    drawn_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (run, position) REFERENCES rated_periods,
    CHECK ((run IS NULL) = (position IS NULL))
);

CREATE TRIGGER ladder_draws_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ladder_draws
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
