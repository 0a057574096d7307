-- A whole database goes into another: `copy_` statements for the copy, whose pieces both dialects put together alike.

-- fragment: copy_page
-- A stretch of a table in the order of its key, after the last row of the one before.
SELECT {columns} FROM {table} WHERE ({key}) > ({marks}) ORDER BY {key} LIMIT ?

-- fragment: copy_first_page
-- The beginning of a table.
SELECT {columns} FROM {table} ORDER BY {key} LIMIT ?

-- fragment: copy_last_key
-- How far a copy has come.
SELECT {key} FROM {table} ORDER BY {backward} LIMIT 1

-- fragment: copy_count
SELECT count(*) FROM {table}

-- name: copy_instances
-- Rows of `instances`. Params: its columns.
INSERT INTO instances (id, name, queue, status, priority, ready, blocked, run_after, created_at, updated_at,
                       started_at, finished_at, attempts, max_attempts, losses, max_lost, visit, fence,
                       cancel_requested, hooked, worker, lease_until, idempotency_key, params_digest, singleton_key,
                       request, action, input, params, state, output, last_error)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
        ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32);

-- name: copy_failures
-- Rows of `failures`. Params: its columns.
INSERT INTO failures (instance_id, fence, visit, action, attempt, error_type, message, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: copy_events
-- Rows of `events`. Params: its columns.
INSERT INTO events (position, type, instance_id, name, queue, status, action, step, attempt, error, data, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);

-- name: copy_queues
-- Rows of `queues`. Params: its columns.
INSERT INTO queues (name, concurrency, rate_count, rate_per, rate_burst, arrival, paused)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: copy_hooks
-- Rows of `hooks`. Params: its columns.
INSERT INTO hooks (id, instance_id, name, status, error, attempts, fence, due)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: copy_requests
-- Rows of `requests`. Params: its columns.
INSERT INTO requests (id, fingerprint, answer, at)
VALUES (?1, ?2, ?3, ?4);

-- name: copy_hook_ids
-- How far the ids of hooks have come.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'hooks'), 0);

-- name: copy_set_hook_ids
-- From where on they are given: a hook that comes and goes leaves its number. Params: the last id that was given.
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
SELECT (SELECT rowid FROM sqlite_sequence WHERE name = 'hooks'), 'hooks', ?1 WHERE ?1 > 0;

-- name: copy_set_log
-- The log's end. Params: head, head_mark, pruned, origin.
UPDATE log SET head = ?1, head_mark = ?2, pruned = ?3, origin = ?4;

-- name: copy_under_way
-- Whether a copy into this database has begun and not ended.
SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copying');

-- name: copy_held
-- How many instances run under a lease that has not ended.
SELECT count(*) FROM instances WHERE status = 'RUNNING' AND lease_until > workflow_now();

-- fragment: copy_begin
CREATE TABLE copying (head INTEGER NOT NULL, origin INTEGER NOT NULL) STRICT

-- fragment: copy_end
DROP TABLE copying

-- name: copy_note
-- What is copied. Params: head, origin.
INSERT INTO copying VALUES (?1, ?2);

-- name: copy_noted
SELECT head, origin FROM copying;
