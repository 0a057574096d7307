-- fragment: event
-- One event, in the order of `Event`.
type, instance_id, name, queue, status, action, step, attempt, error, data, at, position

-- name: writable
-- Whether this database takes writes.
SELECT TRUE;

-- name: head
-- Where the log stands.
SELECT head, head_mark, pruned, origin FROM log;

-- name: advance_head
-- The last write of a transaction that tells of something. Params: head, head_mark.
UPDATE log SET head = ?1, head_mark = ?2;

-- name: insert_event
-- One event at its position. Params: those of an event.
INSERT INTO events ({event}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);

-- name: event_at
-- What a cursor's mark is compared with. Params: position.
SELECT instance_id, type, at FROM events WHERE position = ?1;

-- name: events_after
-- A stretch of the log. Params: after, up to.
SELECT {event} FROM events WHERE position > ?1 AND position <= ?2 ORDER BY position;

-- name: events_of_instance
-- A stretch of one instance's events. Params: instance_id, after, limit.
SELECT {event} FROM events WHERE instance_id = ?1 AND position > ?2 ORDER BY position LIMIT ?3;
