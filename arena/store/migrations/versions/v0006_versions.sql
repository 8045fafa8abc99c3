-- Versions and archives never change: results, ratings and records name them.

CREATE TRIGGER archives_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON archives
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER versions_stay BEFORE DELETE OR TRUNCATE ON versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What a version is; its state, lease and log say what became of it. What a remote bot says that it plays is its own word
-- and may change under the name that it gives its version.
CREATE TRIGGER versions_write_once BEFORE UPDATE ON versions
    FOR EACH ROW WHEN (
        (OLD.bot, OLD.number, OLD.content_hash, OLD.declared)
            IS DISTINCT FROM (NEW.bot, NEW.number, NEW.content_hash, NEW.declared)
        OR (OLD.content_hash IS NOT NULL AND OLD.manifest IS DISTINCT FROM NEW.manifest)
    ) EXECUTE FUNCTION refuse_change();
