-- A whole database goes into another. Keys come first in each row; what is true or false travels as 1 or 0.

-- name: page_instances
-- A stretch of `instances`. Params: the key before it, limit.
SELECT id, name, queue, status, priority, ready::int, blocked::int, run_after, created_at, updated_at, started_at,
       finished_at, attempts, max_attempts, losses, max_lost, visit, fence, cancel_requested::int, hooked::int,
       worker, lease_until, idempotency_key, params_digest, singleton_key, request, action, input, params, state,
       output, last_error
  FROM instances WHERE id > $1 ORDER BY id LIMIT $2::bigint;

-- name: weigh_instances
-- How many bytes each row of a stretch of `instances` takes, about. Params: the key before it, limit.
SELECT octet_length(input) + coalesce(octet_length(params), 0) + coalesce(octet_length(state), 0) +
       coalesce(octet_length(output), 0) + coalesce(octet_length(last_error), 0)
  FROM instances WHERE id > $1 ORDER BY id LIMIT $2::bigint;

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

-- name: page_failures
-- A stretch of `failures`. Params: the key before it, limit.
SELECT instance_id, fence, visit, action, attempt, error_type, message, at
  FROM failures WHERE (instance_id, fence) > ($1, $2::bigint) ORDER BY instance_id, fence LIMIT $3::bigint;

-- name: weigh_failures
-- How many bytes each row of a stretch of `failures` takes, about. Params: the key before it, limit.
SELECT octet_length(message)
  FROM failures WHERE (instance_id, fence) > ($1, $2::bigint) ORDER BY instance_id, fence LIMIT $3::bigint;

-- name: copy_failures
-- Rows of `failures`. Params: its columns.
INSERT INTO failures (instance_id, fence, visit, action, attempt, error_type, message, at)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[],
                     $8::bigint[]);

-- name: page_events
-- A stretch of `events`. Params: the key before it, limit.
SELECT position, type, instance_id, name, queue, status, action, step, attempt, error, data, at
  FROM events WHERE position > $1::bigint ORDER BY position LIMIT $2::bigint;

-- name: weigh_events
-- How many bytes each row of a stretch of `events` takes, about. Params: the key before it, limit.
SELECT coalesce(octet_length(error), 0) + coalesce(octet_length(data), 0)
  FROM events WHERE position > $1::bigint ORDER BY position LIMIT $2::bigint;

-- name: copy_events
-- Rows of `events`. Params: its columns.
INSERT INTO events (position, type, instance_id, name, queue, status, action, step, attempt, error, data, at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                     $9::bigint[], $10::text[], $11::text[], $12::bigint[]);

-- name: page_queues
-- A stretch of `queues`. Params: the key before it, limit.
SELECT name, concurrency, rate_count, rate_per, rate_burst, arrival, paused::int
  FROM queues WHERE name > $1 ORDER BY name LIMIT $2::bigint;

-- name: copy_queues
-- Rows of `queues`. Params: its columns.
INSERT INTO queues (name, concurrency, rate_count, rate_per, rate_burst, arrival, paused)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[]);

-- name: page_hooks
-- A stretch of `hooks`. Params: the key before it, limit.
SELECT id, instance_id, name, status, error, attempts, fence, due
  FROM hooks WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint;

-- name: weigh_hooks
-- How many bytes each row of a stretch of `hooks` takes, about. Params: the key before it, limit.
SELECT coalesce(octet_length(error), 0)
  FROM hooks WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint;

-- name: copy_hooks
-- Rows of `hooks`. Params: its columns.
INSERT INTO hooks (id, instance_id, name, status, error, attempts, fence, due) OVERRIDING SYSTEM VALUE
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::bigint[]);

-- name: page_requests
-- A stretch of `requests`. Params: the key before it, limit.
SELECT id, fingerprint, answer, at
  FROM requests WHERE id > $1 ORDER BY id LIMIT $2::bigint;

-- name: weigh_requests
-- How many bytes each row of a stretch of `requests` takes, about. Params: the key before it, limit.
SELECT octet_length(answer)
  FROM requests WHERE id > $1 ORDER BY id LIMIT $2::bigint;

-- name: copy_requests
-- Rows of `requests`. Params: its columns.
INSERT INTO requests (id, fingerprint, answer, at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]);

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
SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('hooks', 'id')::regclass), 0);

-- name: copy_set_hook_ids
-- From where on they are given. Params: the last id that was given.
SELECT setval(pg_get_serial_sequence('hooks', 'id'), given) FROM unnest($1::bigint[]) AS p (given) WHERE given > 0;

-- name: copy_set_log
-- The log's end. Params: head, head_mark, pruned, origin.
UPDATE log SET head = p.head, head_mark = p.head_mark, pruned = p.pruned, origin = p.origin
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS p (head, head_mark, pruned, origin);

-- name: copy_under_way
-- Whether a copy into this database has begun and not ended. The catalogue is asked as of now, since to_regclass may
-- answer from a cache.
SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relname = 'copying' AND c.relkind = 'r' AND n.nspname = ANY (current_schemas(FALSE)));

-- name: copy_held
-- How many instances run under a lease that has not ended.
SELECT count(*) FROM instances WHERE status = 'RUNNING' AND lease_until > workflow_now();

-- fragment: copy_begin
-- From here on what is copied can't be served: nobody opens it, and nobody who has it open can append to the log.
CREATE FUNCTION copying() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'A copy into this database has not ended.'; END $$;
CREATE TRIGGER copying BEFORE UPDATE ON log FOR EACH ROW EXECUTE FUNCTION copying();
CREATE TABLE copying (head bigint NOT NULL, head_mark bigint NOT NULL,
                      pruned bigint NOT NULL, origin bigint NOT NULL);

-- fragment: copy_end
-- From here on it can.
DROP TRIGGER copying ON log;
DROP FUNCTION copying();
DROP TABLE copying;

-- name: copy_note
-- Of which log, and of which state of it. Params: head, head_mark, pruned, origin.
INSERT INTO copying SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]);

-- name: copy_noted
SELECT head, head_mark, pruned, origin FROM copying;

-- name: copy_strangers
-- Whether somebody else's tables are here, and none of ours.
SELECT count(*) > 0 AND count(*) FILTER (WHERE c.relname = 'migrations') = 0
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'f', 'm') AND n.nspname = ANY (current_schemas(FALSE));
