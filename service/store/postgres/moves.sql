-- The guarded UPDATEs. Each guard reads only columns of the row it updates, which is held by then.

-- name: progress
-- On to the next action, under the same lease or back to the queue. What goes on to run keeps every column that an
-- index has, so that no index is written. Params: id, fence, visit, source, target, action, params, state,
-- max_attempts, run_after (NULL: as it was), ready, now.
UPDATE instances i
   SET status = p.target, visit = i.visit + 1, action = p.action, params = p.params, state = p.state, attempts = 0,
       losses = 0, max_attempts = p.max_attempts, run_after = coalesce(p.run_after, i.run_after), ready = p.ready,
       updated_at = p.now,
       worker = CASE p.target WHEN 'RUNNING' THEN i.worker END,
       lease_until = CASE p.target WHEN 'RUNNING' THEN i.lease_until END
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
              $9::bigint[], $10::bigint[], $11::boolean[], $12::bigint[])
       WITH ORDINALITY
       AS p (id, fence, visit, source, target, action, params, state, max_attempts, run_after, ready, now, n)
 WHERE i.id = p.id AND i.fence = p.fence AND i.visit = p.visit AND i.status = p.source AND NOT i.cancel_requested
RETURNING p.n, i.id;

-- name: progressed
-- Whether these very progresses were written before: under one fence a visit is left once. Params: id, fence, visit,
-- target.
SELECT p.n
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) WITH ORDINALITY AS p (id, fence, visit, target, n)
  JOIN instances i ON i.id = p.id AND i.fence = p.fence AND i.visit = p.visit + 1 AND i.status = p.target;

-- name: settle
-- Out of RUNNING. Params: id, fence, visit, source, least and most of cancel_requested that it takes, target,
-- attempts, losses, run_after (NULL: as it was), ready, output, last_error (NULL: as it was), now, finished_at.
UPDATE instances i
   SET status = p.target, attempts = p.attempts, losses = p.losses, run_after = coalesce(p.run_after, i.run_after),
       ready = p.ready, output = p.output, last_error = coalesce(p.last_error, i.last_error), updated_at = p.now,
       finished_at = p.finished_at, worker = NULL, lease_until = NULL
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::integer[], $6::integer[], $7::text[],
              $8::bigint[], $9::bigint[], $10::bigint[], $11::boolean[], $12::text[], $13::text[], $14::bigint[],
              $15::bigint[])
       WITH ORDINALITY
       AS p (id, fence, visit, source, least, most, target, attempts, losses, run_after, ready, output, last_error,
             now, finished_at, n)
 WHERE i.id = p.id AND i.fence = p.fence AND i.visit = p.visit AND i.status = p.source
   AND i.cancel_requested::integer BETWEEN p.least AND p.most
RETURNING p.n, i.id;

-- name: insert_failure
-- Failed attempts. Params: instance_id, fence, visit, action, attempt, error_type, message, at.
INSERT INTO failures (instance_id, fence, visit, action, attempt, error_type, message, at)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[],
                     $8::bigint[]);

-- name: cancel
-- What doesn't run ends at once. Params: id, source, other source, target, now, request.
UPDATE instances i
   SET status = p.target, ready = FALSE, updated_at = p.now, finished_at = p.now, request = p.request
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
       WITH ORDINALITY AS p (id, source, other, target, now, request, n)
 WHERE i.id = p.id AND i.status IN (p.source, p.other)
RETURNING p.n, i.name, i.queue, i.action, i.attempts, i.singleton_key, i.hooked;

-- name: ask_to_cancel
-- What runs is asked to stop, once. Params: id, source, now, request.
UPDATE instances i
   SET cancel_requested = TRUE, updated_at = p.now, request = p.request
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS p (id, source, now, request, n)
 WHERE i.id = p.id AND i.status = p.source AND NOT i.cancel_requested
RETURNING p.n, i.name, i.queue, i.action, i.attempts;

-- name: requeue
-- Back from a bad end, at its last checkpoint. Params: id, source, other source, target, now, request.
UPDATE instances
   SET status = $4, attempts = 0, losses = 0, cancel_requested = FALSE, ready = TRUE, blocked = FALSE,
       run_after = $5::bigint, updated_at = $5::bigint, finished_at = NULL, request = $6
 WHERE id = $1 AND status IN ($2, $3)
RETURNING name, queue, action, attempts;

-- name: status_of
-- Where instances stand. Params: id.
SELECT p.n, i.status FROM unnest($1::text[]) WITH ORDINALITY AS p (id, n) JOIN instances i ON i.id = p.id;
