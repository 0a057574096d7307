-- name: insert_hook
-- An instance ended whose workflow has a hook. Params: instance_id, name, status, error, now.
INSERT INTO hooks (instance_id, name, status, error, due) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: due_hooks
-- Hooks to run now, of any workflow. Params: now, limit.
SELECT id, name FROM hooks WHERE due <= ?1 AND name IN (SELECT value FROM json_each(?3)) ORDER BY due LIMIT ?2;

-- name: claim_hook
-- A hook is held for a lease. Params: id, now, lease_until.
UPDATE hooks SET fence = fence + 1, attempts = attempts + 1, due = ?3 WHERE id = ?1 AND due <= ?2
RETURNING id, instance_id, name, status, error, attempts, fence;

-- name: delete_hook
-- It has run, or is given up. Params: id, fence.
DELETE FROM hooks WHERE id = ?1 AND fence = ?2;

-- name: postpone_hook
-- It failed and is tried again. Params: id, fence, due.
UPDATE hooks SET due = ?3 WHERE id = ?1 AND fence = ?2;
