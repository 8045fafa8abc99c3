-- A field with a disqualified bot goes on: only the bot's own table does not count, so somebody has to decide about it as
-- about any other block that was given up.
CREATE OR REPLACE VIEW undecided_blocks AS
    SELECT b.id, b.tournament, b.entries
    FROM blocks b
    WHERE b.state = 'void' AND b.deaths = 3
        AND NOT EXISTS (SELECT FROM blocks newer WHERE newer.replaces = b.id)
        AND NOT EXISTS (SELECT FROM corrections c WHERE c.block = b.id)
        AND (
            b.kind = 'field'
            OR NOT EXISTS (SELECT FROM corrections c WHERE c.tournament = b.tournament AND c.bot = ANY (b.entries))
        );
