-- A whole database goes into another. Keys come first in each row; what is true or false travels as 1 or 0.

-- name: page_instances
-- A stretch of `instances`. Params: the key before it, limit.
SELECT id, name, queue, status, priority, ready, blocked, run_after, created_at, updated_at, started_at, finished_at,
       attempts, max_attempts, losses, max_lost, visit, fence, cancel_requested, hooked, worker, lease_until,
       idempotency_key, params_digest, singleton_key, request, action, input, params, state, output, last_error
  FROM instances WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: weigh_instances
-- How many bytes each row of a stretch of `instances` takes, about. Params: the key before it, limit.
SELECT length(CAST(input AS BLOB)) + coalesce(length(CAST(params AS BLOB)), 0) + coalesce(length(CAST(state AS BLOB)),
       0) + coalesce(length(CAST(output AS BLOB)), 0) + coalesce(length(CAST(last_error AS BLOB)), 0)
  FROM instances WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: copy_instances
-- Rows of `instances`. Params: its columns.
INSERT INTO instances (id, name, queue, status, priority, ready, blocked, run_after, created_at, updated_at,
                       started_at, finished_at, attempts, max_attempts, losses, max_lost, visit, fence,
                       cancel_requested, hooked, worker, lease_until, idempotency_key, params_digest, singleton_key,
                       request, action, input, params, state, output, last_error)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
        ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32);

-- name: page_failures
-- A stretch of `failures`. Params: the key before it, limit.
SELECT instance_id, fence, visit, action, attempt, error_type, message, at
  FROM failures WHERE (instance_id, fence) > (?1, ?2) ORDER BY instance_id, fence LIMIT ?3;

-- name: weigh_failures
-- How many bytes each row of a stretch of `failures` takes, about. Params: the key before it, limit.
SELECT length(CAST(message AS BLOB))
  FROM failures WHERE (instance_id, fence) > (?1, ?2) ORDER BY instance_id, fence LIMIT ?3;

-- name: copy_failures
-- Rows of `failures`. Params: its columns.
INSERT INTO failures (instance_id, fence, visit, action, attempt, error_type, message, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: page_events
-- A stretch of `events`. Params: the key before it, limit.
SELECT position, type, instance_id, name, queue, status, action, step, attempt, error, data, at
  FROM events WHERE position > ?1 ORDER BY position LIMIT ?2;

-- name: weigh_events
-- How many bytes each row of a stretch of `events` takes, about. Params: the key before it, limit.
SELECT coalesce(length(CAST(error AS BLOB)), 0) + coalesce(length(CAST(data AS BLOB)), 0)
  FROM events WHERE position > ?1 ORDER BY position LIMIT ?2;

-- name: copy_events
-- Rows of `events`. Params: its columns.
INSERT INTO events (position, type, instance_id, name, queue, status, action, step, attempt, error, data, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);

-- name: page_queues
-- A stretch of `queues`. Params: the key before it, limit.
SELECT name, concurrency, rate_count, rate_per, rate_burst, arrival, paused
  FROM queues WHERE name > ?1 ORDER BY name LIMIT ?2;

-- name: copy_queues
-- Rows of `queues`. Params: its columns.
INSERT INTO queues (name, concurrency, rate_count, rate_per, rate_burst, arrival, paused)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: page_hooks
-- A stretch of `hooks`. Params: the key before it, limit.
SELECT id, instance_id, name, status, error, attempts, fence, due
  FROM hooks WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: weigh_hooks
-- How many bytes each row of a stretch of `hooks` takes, about. Params: the key before it, limit.
SELECT coalesce(length(CAST(error AS BLOB)), 0)
  FROM hooks WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: copy_hooks
-- Rows of `hooks`. Params: its columns.
INSERT INTO hooks (id, instance_id, name, status, error, attempts, fence, due)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: page_requests
-- A stretch of `requests`. Params: the key before it, limit.
SELECT id, fingerprint, answer, at
  FROM requests WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: weigh_requests
-- How many bytes each row of a stretch of `requests` takes, about. Params: the key before it, limit.
SELECT length(CAST(answer AS BLOB))
  FROM requests WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: copy_requests
-- Rows of `requests`. Params: its columns.
INSERT INTO requests (id, fingerprint, answer, at)
VALUES (?1, ?2, ?3, ?4);

-- name: copy_counts
-- How many rows there are, table by table.
SELECT (SELECT count(*) FROM instances),
       (SELECT count(*) FROM failures),
       (SELECT count(*) FROM events),
       (SELECT count(*) FROM queues),
       (SELECT count(*) FROM hooks),
       (SELECT count(*) FROM requests);

-- name: copy_filled
-- The tables that are not empty.
SELECT 'instances' WHERE EXISTS (SELECT 1 FROM instances) UNION ALL
SELECT 'failures' WHERE EXISTS (SELECT 1 FROM failures) UNION ALL
SELECT 'events' WHERE EXISTS (SELECT 1 FROM events) UNION ALL
SELECT 'queues' WHERE EXISTS (SELECT 1 FROM queues) UNION ALL
SELECT 'hooks' WHERE EXISTS (SELECT 1 FROM hooks) UNION ALL
SELECT 'requests' WHERE EXISTS (SELECT 1 FROM requests);

-- name: copy_reached
-- The last key of each table.
SELECT (SELECT max(id) FROM instances),
       (SELECT max(instance_id) FROM failures),
       (SELECT max(fence) FROM failures WHERE instance_id = (SELECT max(instance_id) FROM failures)),
       (SELECT max(position) FROM events),
       (SELECT max(name) FROM queues),
       (SELECT max(id) FROM hooks),
       (SELECT max(id) FROM requests);

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
-- From here on what is copied can't be served: nobody opens it, and nobody who has it open can append to the log.
CREATE TRIGGER copying BEFORE UPDATE ON log
BEGIN
    SELECT RAISE(ABORT, 'A copy into this database has not ended.');
END;
CREATE TABLE copying (head INTEGER NOT NULL, head_mark INTEGER NOT NULL,
                      pruned INTEGER NOT NULL, origin INTEGER NOT NULL) STRICT;

-- fragment: copy_end
-- From here on it can.
DROP TRIGGER copying;
DROP TABLE copying;

-- name: copy_note
-- Of which log, and of which state of it. Params: head, head_mark, pruned, origin.
INSERT INTO copying VALUES (?1, ?2, ?3, ?4);

-- name: copy_noted
SELECT head, head_mark, pruned, origin FROM copying;

-- name: copy_strangers
-- Whether somebody else's tables are here, and none of ours.
SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table')
   AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations');
