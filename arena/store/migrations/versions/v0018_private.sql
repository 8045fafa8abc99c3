-- Tournaments that only those see who have to do with them.

ALTER TABLE tournaments
    -- Whoever may not see it is told of no such tournament. A rating would tell everybody of it.
    ADD COLUMN private boolean NOT NULL DEFAULT false,
    ADD CHECK (unrated OR NOT private);

-- Whether a user may know of a tournament: of a private one its owner, admins and the owners of its bots. Every question
-- that somebody asks about tournaments goes through here.
CREATE FUNCTION may_see(viewer text, one tournaments) RETURNS boolean LANGUAGE sql STABLE
    RETURN NOT one.private
        OR one.owner = viewer
        OR EXISTS (SELECT FROM users u WHERE u.name = viewer AND u.admin)
        OR EXISTS (SELECT FROM entries e JOIN bots b ON b.name = e.bot WHERE e.tournament = one.name AND b.owner = viewer);
