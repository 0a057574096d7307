-- name: insert_hook
-- Instances ended whose workflows have a hook. Params: instance_id, name, status, error, now.
INSERT INTO hooks (instance_id, name, status, error, due)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]);

-- name: due_hooks
-- Hooks to run now, but for what others take at this moment. Params: now, limit, names as a JSON list.
SELECT id, name FROM hooks
 WHERE due <= $1::bigint AND name IN (SELECT json_array_elements_text($3::json) COLLATE "C")
 ORDER BY due LIMIT $2::bigint FOR UPDATE SKIP LOCKED;

-- name: claim_hook
-- Hooks are held for a lease. Params: id, now, lease_until.
UPDATE hooks h SET fence = h.fence + 1, attempts = h.attempts + 1, due = p.lease_until
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS p (id, now, lease_until, n)
 WHERE h.id = p.id AND h.due <= p.now
RETURNING p.n, h.id, h.instance_id, h.name, h.status, h.error, h.attempts, h.fence;

-- name: delete_hook
-- They have run, or are given up. Params: id, fence.
DELETE FROM hooks h USING unnest($1::bigint[], $2::bigint[]) AS p (id, fence) WHERE h.id = p.id AND h.fence = p.fence;

-- name: postpone_hook
-- They failed and are tried again. Params: id, fence, due.
UPDATE hooks h SET due = p.due FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS p (id, fence, due)
 WHERE h.id = p.id AND h.fence = p.fence;
