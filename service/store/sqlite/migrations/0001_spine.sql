-- Instances, their failures, the log, queues, terminal hooks and the identities of mutations.
-- Instants are microseconds since 1970 (UTC); payloads are JSON text.

CREATE TABLE instances (
    id               TEXT PRIMARY KEY NOT NULL,
    name             TEXT NOT NULL,
    queue            TEXT NOT NULL,
    status           TEXT NOT NULL,
    priority         INTEGER NOT NULL,
    ready            INTEGER NOT NULL,             -- may be claimed now
    blocked          INTEGER NOT NULL DEFAULT 0,   -- stands behind the holder of its singleton key
    run_after        INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    started_at       INTEGER,
    finished_at      INTEGER,
    attempts         INTEGER NOT NULL DEFAULT 0,
    max_attempts     INTEGER NOT NULL,
    losses           INTEGER NOT NULL DEFAULT 0,
    max_lost         INTEGER NOT NULL,
    visit            INTEGER NOT NULL DEFAULT 1,
    fence            INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    hooked           INTEGER NOT NULL DEFAULT 0,   -- its workflow has an on_terminal hook
    worker           TEXT,
    lease_until      INTEGER,
    idempotency_key  TEXT,
    params_digest    TEXT,
    singleton_key    TEXT,
    request          TEXT,                         -- the latest mutation that changed this row
    action           TEXT NOT NULL,
    input            TEXT NOT NULL,
    params           TEXT,                         -- of `action`; NULL: the input
    state            TEXT,
    output           TEXT,
    last_error       TEXT
) STRICT;

-- What can be claimed, in the order in which it is: grows with what is ready, not with what is later or ended.
CREATE INDEX instances_ready ON instances (queue, name, priority DESC, run_after, id)
    WHERE status = 'PENDING' AND ready = 1;
CREATE INDEX instances_due ON instances (run_after, queue)
    WHERE status = 'PENDING' AND ready = 0 AND blocked = 0;
CREATE INDEX instances_running ON instances (queue, lease_until)
    WHERE status = 'RUNNING';

-- Lists. Live and badly ended rows have an index of their own size; the rest is paged by creation.
-- SQLite rewrites a partial index's entry whenever a column of its condition is set, so the condition of
-- instances_live is not the status, which every move sets, but one that only an ending sets.
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
-- Of the living instances of a key at most one can be claimed.
CREATE UNIQUE INDEX instances_singleton_holder ON instances (singleton_key, name)
    WHERE singleton_key IS NOT NULL AND blocked = 0 AND finished_at IS NULL;

CREATE TABLE failures (
    instance_id TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    fence       INTEGER NOT NULL,
    visit       INTEGER NOT NULL,
    action      TEXT NOT NULL,
    attempt     INTEGER NOT NULL,
    error_type  TEXT NOT NULL,
    message     TEXT NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (instance_id, fence)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    position    INTEGER PRIMARY KEY,
    type        TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    queue       TEXT NOT NULL,
    status      TEXT NOT NULL,
    action      TEXT,
    step        TEXT,
    attempt     INTEGER,
    error       TEXT,
    data        TEXT,
    at          INTEGER NOT NULL
) STRICT;
CREATE INDEX events_instance ON events (instance_id, position);

-- One row: where the log stands. `pruned` is the last position that is gone; `origin` names this history.
CREATE TABLE log (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    head      INTEGER NOT NULL,
    head_mark INTEGER NOT NULL,
    pruned    INTEGER NOT NULL,
    origin    INTEGER NOT NULL
) STRICT;
INSERT INTO log SELECT 1, 0, origin, 0, origin FROM (SELECT abs(random()) % 4294967296 AS origin);

CREATE TABLE queues (
    name        TEXT PRIMARY KEY NOT NULL,
    concurrency INTEGER,
    rate_count  INTEGER,
    rate_per    INTEGER,
    rate_burst  INTEGER,
    arrival     INTEGER NOT NULL DEFAULT 0,        -- theoretical arrival time of the next claim
    paused      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- An id is never given twice: who lost a hook's lease must not finish another one.
CREATE TABLE hooks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    instance_id TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    error       TEXT,
    attempts    INTEGER NOT NULL DEFAULT 0,
    fence       INTEGER NOT NULL DEFAULT 0,
    due         INTEGER NOT NULL              -- while it is held: when its lease ends
) STRICT;
CREATE INDEX hooks_due ON hooks (due);
CREATE INDEX hooks_instance ON hooks (instance_id);

CREATE TABLE requests (
    id          TEXT PRIMARY KEY NOT NULL,
    fingerprint TEXT NOT NULL,
    answer      TEXT NOT NULL,
    at          INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_at ON requests (at);
