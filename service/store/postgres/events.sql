-- fragment: event
-- One event, in the order of `Event`.
type, instance_id, name, queue, status, action, step, attempt, error, data, at, position

-- name: clock
-- What the judging clock says.
SELECT workflow_now();

-- name: writable
-- Whether this database takes writes.
SELECT NOT (pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean);

-- name: head
-- Where the log stands.
SELECT head, head_mark, pruned, origin FROM log;

-- name: append
-- Events at the end of the log: the row lock that it takes is kept to the commit, so that positions follow each other
-- in commit order. The others are told of the position before them, and are given them where they are few. Params:
-- those of events but for the position; how many they are; the last one's mark; the channel; what to give.
WITH moved AS (
    UPDATE log SET head = head + $12::bigint, head_mark = $13::bigint RETURNING head - $12::bigint AS before
), written AS (
    INSERT INTO events ({event})
    SELECT p.type, p.instance_id, p.name, p.queue, p.status, p.action, p.step, p.attempt, p.error, p.data, p.at,
           moved.before + p.n
      FROM moved,
           unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                  $9::text[], $10::text[], $11::bigint[])
           WITH ORDINALITY AS p (type, instance_id, name, queue, status, action, step, attempt, error, data, at, n)
)
SELECT before, pg_notify($14, before::text || ' ' || (before + $12::bigint)::text || ' ' || $15) FROM moved;

-- name: hold_log
-- Wait until whoever appends has ended.
SELECT head FROM log FOR UPDATE;

-- name: appended
-- Whether these very events were written, and where. Params: instance_id, type, at.
SELECT p.n, e.position
  FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS p (instance_id, type, at, n)
  JOIN events e ON e.instance_id = p.instance_id AND e.type = p.type AND e.at = p.at;

-- name: event_at
-- What a cursor's mark is compared with. Params: position.
SELECT instance_id, type, at FROM events WHERE position = $1::bigint;

-- name: events_after
-- A stretch of the log. Params: after, up to.
SELECT {event} FROM events WHERE position > $1::bigint AND position <= $2::bigint ORDER BY position;

-- name: events_of_instance
-- A stretch of one instance's events. Params: instance_id, after, limit.
SELECT {event} FROM events WHERE instance_id = $1 AND position > $2::bigint ORDER BY position LIMIT $3::bigint;
