-- name: ended_before
-- Ended instances that are old enough to go and have no hook left to run, but for what others hold at this moment.
-- Params: before, limit.
SELECT id FROM instances i
 WHERE finished_at < $1::bigint AND NOT EXISTS (SELECT 1 FROM hooks h WHERE h.instance_id = i.id)
 ORDER BY finished_at LIMIT $2::bigint FOR UPDATE SKIP LOCKED;

-- name: delete_instance
-- Ended instances, with their failures. Params: id.
DELETE FROM instances i USING unnest($1::text[]) AS p (id) WHERE i.id = p.id AND i.finished_at IS NOT NULL;

-- name: prunable_event
-- The last event of a stretch at the log's old end that is old enough to go, never the head. Params: pruned, limit,
-- before.
SELECT max(position)
  FROM (SELECT position, at FROM events WHERE position > $1::bigint AND position < (SELECT head FROM log)
         ORDER BY position LIMIT $2::bigint) AS oldest
 WHERE at < $3::bigint;

-- name: delete_events
-- The log's old end. Params: pruned, up to.
DELETE FROM events e USING unnest($1::bigint[], $2::bigint[]) AS p (pruned, upto)
 WHERE e.position > p.pruned AND e.position <= p.upto;

-- name: mark_pruned
-- Where the log begins now. Params: up to.
UPDATE log SET pruned = greatest(log.pruned, p.upto) FROM unnest($1::bigint[]) AS p (upto);

-- name: delete_requests
-- Old identities of mutations. Params: before, limit.
DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < $1::bigint ORDER BY at
                                    LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
RETURNING 1;
