-- Everything is locked in one order: queues by name, keys by value, instances by id; the log comes last.

-- name: lock_queues
-- Params: names, in order.
SELECT FROM queues WHERE name = ANY ($1::text[]) ORDER BY name FOR UPDATE;

-- name: lock_keys
-- A key need not be in any row to be held. Params: numbers made from the keys, in order.
SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS key;

-- name: lock_instances
-- Params: ids.
SELECT FROM instances WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE;
