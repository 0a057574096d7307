-- Instances, their failures, the log, queues, terminal hooks and the identities of mutations.
-- Instants are microseconds since 1970 (UTC); payloads are JSON text. Text is compared by its bytes, whatever the
-- locale of the database.

-- The clock that judges leases and due times. It is STABLE, or it would force scans.
CREATE FUNCTION workflow_now() RETURNS bigint LANGUAGE sql STABLE
    AS $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint $$;

CREATE TABLE instances (
    id               text COLLATE "C" PRIMARY KEY,
    name             text COLLATE "C" NOT NULL,
    queue            text COLLATE "C" NOT NULL,
    status           text COLLATE "C" NOT NULL,
    priority         bigint NOT NULL,
    ready            boolean NOT NULL,                  -- may be claimed now
    blocked          boolean NOT NULL DEFAULT FALSE,    -- stands behind the holder of its singleton key
    run_after        bigint NOT NULL,
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL,
    started_at       bigint,
    finished_at      bigint,
    attempts         bigint NOT NULL DEFAULT 0,
    max_attempts     bigint NOT NULL,
    losses           bigint NOT NULL DEFAULT 0,
    max_lost         bigint NOT NULL,
    visit            bigint NOT NULL DEFAULT 1,
    fence            bigint NOT NULL DEFAULT 0,
    cancel_requested boolean NOT NULL DEFAULT FALSE,
    hooked           boolean NOT NULL DEFAULT FALSE,    -- its workflow has an on_terminal hook
    worker           text COLLATE "C",
    lease_until      bigint,
    idempotency_key  text COLLATE "C",
    params_digest    text COLLATE "C",
    singleton_key    text COLLATE "C",
    request          text COLLATE "C",                  -- the latest mutation that changed this row
    action           text COLLATE "C" NOT NULL,
    input            text COLLATE "C" NOT NULL,
    params           text COLLATE "C",                  -- of `action`; NULL: the input
    state            text COLLATE "C",
    output           text COLLATE "C",
    last_error       text COLLATE "C"
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
        autovacuum_vacuum_insert_scale_factor = 0.05);

-- What can be claimed, in the order in which it is: grows with what is ready, not with what is later or ended.
CREATE INDEX instances_ready ON instances (queue, name, priority DESC, run_after, id)
    WHERE status = 'PENDING' AND ready;
CREATE INDEX instances_due ON instances (run_after, queue)
    WHERE status = 'PENDING' AND NOT ready AND NOT blocked;
CREATE INDEX instances_running ON instances (queue, lease_until)
    WHERE status = 'RUNNING';

-- Lists. Live and badly ended rows have an index of their own size; the rest is paged by creation.
CREATE INDEX instances_created ON instances (created_at, id);
CREATE INDEX instances_name ON instances (name, created_at, id);
CREATE INDEX instances_live ON instances (created_at, id)
    WHERE finished_at IS NULL;
CREATE INDEX instances_unwell ON instances (status, created_at, id)
    WHERE status IN ('FAILED', 'CANCELLED');
CREATE INDEX instances_other_queue ON instances (queue, created_at, id)
    WHERE queue <> name;
CREATE INDEX instances_finished ON instances (finished_at, id)
    WHERE finished_at IS NOT NULL;

CREATE UNIQUE INDEX instances_idempotency ON instances (idempotency_key, name)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX instances_singleton ON instances (singleton_key, name, created_at, id)
    WHERE singleton_key IS NOT NULL;
-- Of the living instances of a key at most one can be claimed. They are not told by their finished_at, or the index of
-- live rows would seem as good while it is empty.
CREATE UNIQUE INDEX instances_singleton_holder ON instances (singleton_key, name)
    WHERE singleton_key IS NOT NULL AND NOT blocked AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');

CREATE TABLE failures (
    instance_id text COLLATE "C" NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    fence       bigint NOT NULL,
    visit       bigint NOT NULL,
    action      text COLLATE "C" NOT NULL,
    attempt     bigint NOT NULL,
    error_type  text COLLATE "C" NOT NULL,
    message     text COLLATE "C" NOT NULL,
    at          bigint NOT NULL,
    PRIMARY KEY (instance_id, fence)
);

CREATE TABLE events (
    position    bigint PRIMARY KEY,
    type        text COLLATE "C" NOT NULL,
    instance_id text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    queue       text COLLATE "C" NOT NULL,
    status      text COLLATE "C" NOT NULL,
    action      text COLLATE "C",
    step        text COLLATE "C",
    attempt     bigint,
    error       text COLLATE "C",
    data        text COLLATE "C",
    at          bigint NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX events_instance ON events (instance_id, position);

-- One row: where the log stands. `pruned` is the last position that is gone; `origin` names this history.
CREATE TABLE log (
    id        integer PRIMARY KEY CHECK (id = 1),
    head      bigint NOT NULL,
    head_mark bigint NOT NULL,
    pruned    bigint NOT NULL,
    origin    bigint NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
INSERT INTO log SELECT 1, 0, origin, 0, origin FROM (SELECT floor(random() * 4294967296)::bigint AS origin) AS chance;

CREATE TABLE queues (
    name        text COLLATE "C" PRIMARY KEY,
    concurrency bigint,
    rate_count  bigint,
    rate_per    bigint,
    rate_burst  bigint,
    arrival     bigint NOT NULL DEFAULT 0,              -- theoretical arrival time of the next claim
    paused      boolean NOT NULL DEFAULT FALSE
) WITH (fillfactor = 50);

-- An id is never given twice: who lost a hook's lease must not finish another one.
CREATE TABLE hooks (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    instance_id text COLLATE "C" NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    name        text COLLATE "C" NOT NULL,
    status      text COLLATE "C" NOT NULL,
    error       text COLLATE "C",
    attempts    bigint NOT NULL DEFAULT 0,
    fence       bigint NOT NULL DEFAULT 0,
    due         bigint NOT NULL                         -- while it is held: when its lease ends
);
CREATE INDEX hooks_due ON hooks (due);
CREATE INDEX hooks_instance ON hooks (instance_id);

CREATE TABLE requests (
    id          text COLLATE "C" PRIMARY KEY,
    fingerprint text COLLATE "C" NOT NULL,
    answer      text COLLATE "C" NOT NULL,
    at          bigint NOT NULL
);
CREATE INDEX requests_at ON requests (at);
