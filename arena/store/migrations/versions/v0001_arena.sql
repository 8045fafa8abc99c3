-- Users, bots, tournaments and the ledger of what is played. Ratings have tables of their own.
-- One truth each: whatever can be computed from these rows is not stored.

CREATE FUNCTION all_different(items text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT count(*) = count(DISTINCT item) FROM unnest(items) AS item);

-- People ----------------------------------------------------------------------------------------------------------

CREATE TABLE users (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    -- May manage people, and tournaments and bots of others.
    admin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
    -- The token itself is shown once, when it is made, and is never stored.
    sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    owner text NOT NULL REFERENCES users ON DELETE CASCADE,
    label text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Bots ------------------------------------------------------------------------------------------------------------

CREATE TABLE bots (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    owner text NOT NULL REFERENCES users,
    kind text NOT NULL CHECK (kind IN ('hosted', 'remote')),
    -- One of the platform's own: an anchor of the ratings, exempt from the owner cap.
    house boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Set once; a retired bot enters no tournament any more and finishes those it is in.
    retired_at timestamptz
);

CREATE TABLE archives (
    content_hash text PRIMARY KEY CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    data bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE versions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot text NOT NULL REFERENCES bots,
    -- Counted from 1 for every bot.
    number int NOT NULL CHECK (number >= 1),
    -- What a hosted bot's version is; NULL for a version that a remote bot declared.
    content_hash text REFERENCES archives,
    -- What a remote bot calls its version; NULL for a hosted one.
    declared text CHECK (length(declared) <= 64),
    -- Members: name, entry, games (list of game ids), batch.
    manifest jsonb NOT NULL CHECK (jsonb_typeof(manifest -> 'games') = 'array'),
    -- validating → active     its validation match ended without a forfeit
    -- validating → rejected   it did not, or the version cannot be played; reason and log say why
    -- active     → replaced   a newer version of the bot became active
    state text NOT NULL DEFAULT 'validating' CHECK (state IN ('validating', 'active', 'rejected', 'replaced')),
    reason text NOT NULL DEFAULT '',
    log text NOT NULL DEFAULT '',
    -- Who plays its validation match now, and until when without progress.
    lease uuid,
    lease_expires_at timestamptz,
    -- Validation matches whose block process died. From the third on it is tried only now and then.
    deaths int NOT NULL DEFAULT 0 CHECK (deaths BETWEEN 0 AND 3),
    -- When it was last sent to the broker; a hint for the sweeper.
    sent_at timestamptz,
    request_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (bot, number),
    -- The same archive of the same bot is the same version.
    UNIQUE (bot, content_hash),
    UNIQUE (bot, declared),
    -- A repeated request makes nothing new.
    UNIQUE (bot, request_id),
    CHECK ((content_hash IS NULL) <> (declared IS NULL)),
    CHECK ((lease IS NULL) = (lease_expires_at IS NULL)),
    CHECK (state = 'validating' OR lease IS NULL),
    CHECK (state <> 'rejected' OR reason <> '')
);

-- A bot has at most one version that plays in tournaments to come.
CREATE UNIQUE INDEX versions_one_active ON versions (bot) WHERE state = 'active';
CREATE INDEX versions_validating ON versions (id) WHERE state = 'validating';

-- Referees --------------------------------------------------------------------------------------------------------

CREATE TABLE referees (
    -- Where remote bots and workers reach it.
    address text PRIMARY KEY,
    -- What workers show it.
    secret bytea NOT NULL CHECK (octet_length(secret) = 32),
    heartbeat_at timestamptz NOT NULL DEFAULT now()
);

-- Tournaments -----------------------------------------------------------------------------------------------------

CREATE TABLE tournaments (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
    owner text NOT NULL REFERENCES users,
    game text NOT NULL,
    seats int NOT NULL CHECK (seats BETWEEN 2 AND 10),
    -- All options as text, defaults too.
    options jsonb NOT NULL CHECK (jsonb_typeof(options) = 'object'),
    -- Passes of the schedule.
    orbits int NOT NULL CHECK (orbits >= 1),
    -- Units of every table of a pass.
    units int NOT NULL CHECK (units >= 1),
    -- The clock: per decision, spare time per match, faults until a forfeit, and the start of a bot's process.
    move_ms int NOT NULL CHECK (move_ms > 0),
    bank_ms int NOT NULL CHECK (bank_ms >= 0),
    max_faults int NOT NULL CHECK (max_faults > 0),
    startup_ms int NOT NULL CHECK (startup_ms > 0),
    -- 32 bytes from the system, told to nobody until the tournament is closed; its hash is told from the start.
    secret bytea NOT NULL CHECK (octet_length(secret) = 32),
    commitment bytea NOT NULL CHECK (commitment = sha256(secret)),
    -- Version of the engine that its blocks are played with; frozen at the start.
    engine text,
    request_id text,
    -- open → running (started_at) → done (closed_at)
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    closed_at timestamptz,
    UNIQUE (owner, request_id),
    CHECK (closed_at IS NULL OR started_at IS NOT NULL),
    CHECK ((started_at IS NULL) = (engine IS NULL))
);

CREATE TABLE entries (
    tournament text NOT NULL REFERENCES tournaments,
    bot text NOT NULL REFERENCES bots,
    -- Order of entry, from 0.
    position int NOT NULL CHECK (position >= 0),
    -- The version that plays, frozen when the tournament starts; NULL before.
    version bigint REFERENCES versions,
    PRIMARY KEY (tournament, bot),
    UNIQUE (tournament, position)
);

-- The ledger ------------------------------------------------------------------------------------------------------

CREATE TABLE blocks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id < 2199023255552), -- match ids stay below 2^53
    tournament text NOT NULL REFERENCES tournaments,
    orbit int NOT NULL CHECK (orbit >= 0),
    -- Number of the table in its orbit.
    table_index int NOT NULL CHECK (table_index >= 0),
    -- Bots at the table.
    entries text[] NOT NULL CHECK (all_different(entries) AND cardinality(entries) >= 2),
    -- rotation: every unit is played once per rotation of the seats. single: once, by bots that cannot be made to
    -- forget, so its cards are spent as soon as they were dealt and it is never played again.
    kind text NOT NULL CHECK (kind IN ('rotation', 'single')),
    -- Numbers of its units in the tournament: first_unit … first_unit + units - 1.
    first_unit int NOT NULL CHECK (first_unit >= 0),
    units int NOT NULL CHECK (units >= 1),
    -- queued → leased   a worker claimed it
    -- leased → leased   the lease ran out and another worker claimed it
    -- leased → queued   the attempt was abandoned
    -- leased → done     the results of its lease were written, all at once
    -- queued, leased → void   three block processes died on it, a person gave it up, or its cards were spent
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'leased', 'done', 'void')),
    -- The attempt that plays now; of a block that is done, the one whose results count.
    lease uuid,
    lease_expires_at timestamptz,
    -- Attempts in which the block process itself died; a lost worker, broker or database does not count.
    deaths int NOT NULL DEFAULT 0 CHECK (deaths BETWEEN 0 AND 3),
    -- The block in whose place this one was drawn, with new cards for the same table.
    replaces bigint UNIQUE REFERENCES blocks,
    -- When it was last sent to the broker; a hint for the sweeper.
    sent_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    -- For the foreign key of results.
    UNIQUE (id, tournament),
    UNIQUE (tournament, first_unit),
    CHECK ((state IN ('leased', 'done')) = (lease IS NOT NULL)),
    CHECK ((state = 'leased') = (lease_expires_at IS NOT NULL)),
    CHECK ((state IN ('done', 'void')) = (ended_at IS NOT NULL))
);

-- A table of an orbit counts once: whatever replaces a block needs it void.
CREATE UNIQUE INDEX blocks_one_per_table ON blocks (tournament, orbit, table_index) WHERE state <> 'void';
CREATE INDEX blocks_pending ON blocks (id) WHERE state IN ('queued', 'leased');

CREATE TABLE attempts (
    lease uuid PRIMARY KEY,
    block bigint NOT NULL REFERENCES blocks,
    worker text NOT NULL,
    leased_at timestamptz NOT NULL DEFAULT now(),
    -- How far it got; the lease is extended only when these grow.
    matches int NOT NULL DEFAULT 0 CHECK (matches >= 0),
    decisions bigint NOT NULL DEFAULT 0 CHECK (decisions >= 0),
    progress_at timestamptz,
    -- done        its results count
    -- died        the block process itself died: one of the three
    -- abandoned   the attempt was given up through nobody's fault
    -- expired     the lease ran out and another attempt was started, or the block was given up
    -- superseded  results came after that and were refused
    outcome text CHECK (outcome IN ('done', 'died', 'abandoned', 'expired', 'superseded')),
    reason text NOT NULL DEFAULT '',
    -- Hash of all its results, also of refused ones.
    digest bytea CHECK (octet_length(digest) = 32),
    ended_at timestamptz,
    CHECK ((outcome IS NULL) = (ended_at IS NULL)),
    CHECK (outcome NOT IN ('done', 'superseded') OR digest IS NOT NULL)
);

CREATE INDEX attempts_of_block ON attempts (block);
-- A block is done by one attempt.
CREATE UNIQUE INDEX attempts_one_done ON attempts (block) WHERE outcome = 'done';

CREATE TABLE results (
    block bigint NOT NULL,
    tournament text NOT NULL,
    unit int NOT NULL CHECK (unit >= 0),
    rotation int NOT NULL CHECK (rotation >= 0),
    -- By seat: which of the block's entries sat there, from 0.
    seats int[] NOT NULL,
    scores int[] NOT NULL,
    places int[] NOT NULL,
    -- Faults by seat, counted.
    faults int[] NOT NULL,
    -- Seats that were forfeited.
    forfeited int[] NOT NULL,
    decisions int NOT NULL CHECK (decisions >= 0),
    -- Hash of actions, faults, scores, places and forfeits; never of times.
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    PRIMARY KEY (block, unit, rotation),
    -- A match of a tournament counts once, whatever happens to blocks.
    UNIQUE (tournament, unit, rotation),
    FOREIGN KEY (block, tournament) REFERENCES blocks (id, tournament),
    CHECK (
        cardinality(seats) = cardinality(scores)
        AND cardinality(seats) = cardinality(places)
        AND cardinality(seats) = cardinality(faults)
    )
);

-- Results are written once. A correction is a new rating run over other blocks, never an edit here.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are written once and never changed', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER results_write_once BEFORE UPDATE OR DELETE OR TRUNCATE ON results
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE records (
    block bigint PRIMARY KEY REFERENCES blocks,
    -- zlib of a JSON list of [unit, rotation, record].
    data bytea NOT NULL
);

CREATE TABLE bot_logs (
    block bigint NOT NULL REFERENCES blocks,
    bot text NOT NULL REFERENCES bots,
    rotation int NOT NULL CHECK (rotation >= 0),
    text text NOT NULL,
    -- How its process ended.
    exit text NOT NULL,
    PRIMARY KEY (block, bot, rotation)
);

CREATE TABLE alarms (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    raised_at timestamptz NOT NULL DEFAULT now(),
    -- What happened, as a word for programs.
    kind text NOT NULL,
    -- What happened, as a sentence that says what to do.
    sentence text NOT NULL,
    tournament text REFERENCES tournaments,
    block bigint REFERENCES blocks,
    -- When a person dealt with it.
    settled_at timestamptz
);
