-- fragment: instance
-- What a caller may see of an instance, in the order of `Instance`, but for its cursor.
i.id, i.name, i.queue, i.status, i.priority, i.attempts, i.max_attempts, i.last_error, i.input, i.output,
i.idempotency_key, i.singleton_key, i.cancel_requested, i.run_after, i.created_at, i.updated_at,
i.started_at, i.finished_at

-- name: get_instance
-- One instance with the log's head, as of one moment. Params: id.
SELECT {instance}, log.head, log.head_mark FROM instances i, log WHERE i.id = ?1;

-- name: insert_instance
-- A new instance. Params: id, name, queue, priority, ready, blocked, now, max_attempts, max_lost, hooked,
-- idempotency_key, params_digest, singleton_key, request, action, input.
INSERT INTO instances (id, name, queue, status, priority, ready, blocked, run_after, created_at, updated_at,
                       max_attempts, max_lost, hooked, idempotency_key, params_digest, singleton_key,
                       request, action, input)
VALUES (?1, ?2, ?3, 'PENDING', ?4, ?5, ?6, ?7, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16);

-- name: find_idempotent
-- The instance of an idempotency key. Params: name, idempotency_key.
SELECT {instance}, i.params_digest FROM instances i WHERE i.idempotency_key = ?2 AND i.name = ?1;

-- name: living_of_key
-- Every living instance of a singleton key, the newest first. Params: name, singleton_key.
SELECT {instance} FROM instances i
 WHERE i.singleton_key = ?2 AND i.name = ?1 AND i.finished_at IS NULL
 ORDER BY i.created_at DESC, i.id DESC;

-- name: singleton_of
-- The singleton key that an instance stands under, which never changes. Params: id.
SELECT name, singleton_key FROM instances WHERE id = ?1 AND singleton_key IS NOT NULL;

-- name: unblock
-- The holder of the key has ended: the one that stands behind it may go. Params: name, singleton_key, now.
UPDATE instances SET blocked = 0, ready = (run_after <= ?3)
 WHERE singleton_key = ?2 AND name = ?1 AND blocked = 1 AND status = 'PENDING'
   AND NOT EXISTS (SELECT 1 FROM instances h
                    WHERE h.singleton_key = ?2 AND h.name = ?1 AND h.blocked = 0
                      AND h.finished_at IS NULL)
RETURNING id;

-- name: list_failures
-- An instance's failed attempts, the first ones first. Params: id, after this fence, limit.
SELECT instance_id, fence, visit, action, attempt, error_type, message, at FROM failures
 WHERE instance_id = ?1 AND fence > ?2 ORDER BY fence LIMIT ?3;
