-- fragment: instance
-- What a caller may see of an instance, in the order of `Instance`, but for its cursor.
i.id, i.name, i.queue, i.status, i.priority, i.attempts, i.max_attempts, i.last_error, i.input, i.output,
i.idempotency_key, i.singleton_key, i.cancel_requested, i.run_after, i.created_at, i.updated_at,
i.started_at, i.finished_at

-- name: get_instance
-- Instances with the log's head, as of one moment. Params: id.
SELECT p.n, {instance}, log.head, log.head_mark
  FROM unnest($1::text[]) WITH ORDINALITY AS p (id, n) JOIN instances i ON i.id = p.id, log;

-- name: insert_instance
-- New instances. Params: id, name, queue, priority, ready, blocked, now, max_attempts, max_lost, hooked,
-- idempotency_key, params_digest, singleton_key, request, action, input.
INSERT INTO instances (id, name, queue, status, priority, ready, blocked, run_after, created_at, updated_at,
                       max_attempts, max_lost, hooked, idempotency_key, params_digest, singleton_key,
                       request, action, input)
SELECT p.id, p.name, p.queue, 'PENDING', p.priority, p.ready, p.blocked, p.now, p.now, p.now,
       p.max_attempts, p.max_lost, p.hooked, p.idempotency_key, p.params_digest, p.singleton_key,
       p.request, p.action, p.input
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::boolean[], $7::bigint[],
              $8::bigint[], $9::bigint[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::text[],
              $15::text[], $16::text[])
       AS p (id, name, queue, priority, ready, blocked, now, max_attempts, max_lost, hooked, idempotency_key,
             params_digest, singleton_key, request, action, input);

-- name: find_idempotent
-- The instances of idempotency keys. Params: name, idempotency_key.
SELECT p.n, {instance}, i.params_digest
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p (name, key, n)
  JOIN instances i ON i.idempotency_key = p.key AND i.name = p.name;

-- name: living_of_key
-- Every living instance of singleton keys, the newest first. Params: name, singleton_key.
SELECT p.n, living.*
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p (name, key, n),
       LATERAL (SELECT {instance} FROM instances i
                 WHERE i.singleton_key = p.key AND i.name = p.name
                   AND i.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')
                 ORDER BY i.created_at DESC, i.id DESC) living;

-- name: singleton_of
-- The singleton keys that instances stand under, which never change. Params: id.
SELECT p.n, i.name, i.singleton_key
  FROM unnest($1::text[]) WITH ORDINALITY AS p (id, n)
  JOIN instances i ON i.id = p.id AND (i.singleton_key IS NOT NULL) = (p.n > 0);

-- name: unblock
-- The holders of the keys have ended: those that stand behind them may go. Params: name, singleton_key, now.
UPDATE instances i SET blocked = FALSE, ready = (i.run_after <= free.now)
  FROM (SELECT p.n, p.now, behind.id
          FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS p (name, key, now, n),
               LATERAL (SELECT b.id FROM instances b
                         WHERE b.singleton_key = p.key AND b.name = p.name AND b.blocked AND b.status = 'PENDING'
                           AND NOT EXISTS (SELECT 1 FROM instances h
                                            WHERE h.singleton_key = p.key AND h.name = p.name AND NOT h.blocked
                                              AND h.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED'))
                        OFFSET 0) behind) free
 WHERE i.id = free.id
RETURNING free.n, i.id;

-- name: list_failures
-- An instance's failed attempts, the first ones first. Params: id, after this fence, limit.
SELECT instance_id, fence, visit, action, attempt, error_type, message, at FROM failures
 WHERE instance_id = $1 AND fence > $2::bigint ORDER BY fence LIMIT $3::bigint;
