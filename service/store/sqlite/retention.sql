-- name: ended_before
-- Ended instances that are old enough to go and have no hook left to run. Params: before, limit.
SELECT id FROM instances i WHERE finished_at < ?1 AND NOT EXISTS (SELECT 1 FROM hooks h WHERE h.instance_id = i.id)
 ORDER BY finished_at LIMIT ?2;

-- name: delete_instance
-- One ended instance, with its failures. Params: id.
DELETE FROM instances WHERE id = ?1 AND finished_at IS NOT NULL;

-- name: prunable_event
-- The last event of a stretch at the log's old end that is old enough to go, never the head. Params: pruned, limit,
-- before.
SELECT max(position) FROM (SELECT position, at FROM events WHERE position > ?1 AND position < (SELECT head FROM log)
                            ORDER BY position LIMIT ?2)
 WHERE at < ?3;

-- name: delete_events
-- The log's old end. Params: pruned, up to.
DELETE FROM events WHERE position > ?1 AND position <= ?2;

-- name: mark_pruned
-- Where the log begins now. Params: up to.
UPDATE log SET pruned = ?1;

-- name: delete_requests
-- Old identities of mutations. Params: before, limit.
DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < ?1 ORDER BY at LIMIT ?2)
RETURNING 1;
