-- Fields: one deal at many tables at once, each with other bots. The rotations of its results are its tables, and tables
-- that came to no result through nobody's fault have none.
ALTER TABLE blocks
    DROP CONSTRAINT blocks_kind_check,
    -- rotation: every unit is played once per rotation of the seats. single: once, by bots that cannot be made to
    -- forget, so its cards are spent as soon as they were dealt and it is never played again. field: the same, at as many
    -- tables as the entries fill; a block is one unit.
    ADD CONSTRAINT blocks_kind_check CHECK (kind IN ('rotation', 'single', 'field')),
    ADD CONSTRAINT blocks_field_is_one_unit CHECK (kind <> 'field' OR units = 1);

ALTER TABLE pools
    DROP CONSTRAINT pools_unit_kind_check,
    ADD CONSTRAINT pools_unit_kind_check CHECK (unit_kind IN ('rotation', 'single', 'field'));

-- In a pool of fields: how many points a bot made more than the others who held its cards, in thousandths of a score
-- unit, and half the width of the 95 % interval, which fewer than two deals do not have.
ALTER TABLE fits
    ADD COLUMN milli_datum bigint,
    ADD COLUMN milli_datum_margin bigint CHECK (milli_datum_margin >= 0);
