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
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[], $7::boolean[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                     $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::boolean[],
                     $20::boolean[], $21::text[], $22::bigint[], $23::text[], $24::text[], $25::text[], $26::text[],
                     $27::text[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[]);

-- name: copy_failures
-- Rows of `failures`. Params: its columns.
INSERT INTO failures (instance_id, fence, visit, action, attempt, error_type, message, at)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[],
                     $8::bigint[]);

-- name: copy_events
-- Rows of `events`. Params: its columns.
INSERT INTO events (position, type, instance_id, name, queue, status, action, step, attempt, error, data, at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                     $8::text[], $9::bigint[], $10::text[], $11::text[], $12::bigint[]);

-- name: copy_queues
-- Rows of `queues`. Params: its columns.
INSERT INTO queues (name, concurrency, rate_count, rate_per, rate_burst, arrival, paused)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[]);

-- name: copy_hooks
-- Rows of `hooks`. Params: its columns.
INSERT INTO hooks (id, instance_id, name, status, error, attempts, fence, due) OVERRIDING SYSTEM VALUE
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::bigint[]);

-- name: copy_requests
-- Rows of `requests`. Params: its columns.
INSERT INTO requests (id, fingerprint, answer, at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]);

-- name: copy_hook_ids
-- How far the ids of hooks have come.
SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('hooks', 'id')::regclass), 0);

-- name: copy_set_hook_ids
-- From where on they are given. Params: the last id that was given.
SELECT setval(pg_get_serial_sequence('hooks', 'id'), given) FROM unnest($1::bigint[]) AS p (given) WHERE given > 0;

-- name: copy_set_log
-- The log's end. Params: head, head_mark, pruned, origin.
UPDATE log SET head = p.head, head_mark = p.head_mark, pruned = p.pruned, origin = p.origin
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS p (head, head_mark, pruned, origin);

-- name: copy_under_way
-- Whether a copy into this database has begun and not ended.
SELECT to_regclass('copying') IS NOT NULL;

-- name: copy_held
-- How many instances run under a lease that has not ended.
SELECT count(*) FROM instances WHERE status = 'RUNNING' AND lease_until > workflow_now();

-- fragment: copy_begin
CREATE TABLE copying (head bigint NOT NULL, origin bigint NOT NULL)

-- fragment: copy_end
DROP TABLE copying

-- name: copy_note
-- What is copied. Params: head, origin.
INSERT INTO copying SELECT * FROM unnest($1::bigint[], $2::bigint[]);

-- name: copy_noted
SELECT head, origin FROM copying;
