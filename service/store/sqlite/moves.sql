-- The guarded UPDATEs. Each guard reads only columns of the row it updates.

-- name: progress
-- On to the next action, under the same lease or back to the queue. Params: id, fence, visit, source, target,
-- action, params, state, max_attempts, run_after (NULL: as it was), ready, now.
UPDATE instances
   SET status = ?5, visit = visit + 1, action = ?6, params = ?7, state = ?8, attempts = 0, losses = 0,
       max_attempts = ?9, run_after = coalesce(?10, run_after), ready = ?11, updated_at = ?12,
       worker = CASE ?5 WHEN 'RUNNING' THEN worker END,
       lease_until = CASE ?5 WHEN 'RUNNING' THEN lease_until END
 WHERE id = ?1 AND fence = ?2 AND visit = ?3 AND status = ?4 AND cancel_requested = 0
RETURNING id;

-- name: progressed
-- Whether this very progress was written before: under one fence a visit is left once. Params: id, fence, visit, target.
SELECT 1 FROM instances WHERE id = ?1 AND fence = ?2 AND visit = ?3 + 1 AND status = ?4;

-- name: settle
-- Out of RUNNING. Params: id, fence, visit, source, least and most of cancel_requested that it takes, target,
-- attempts, losses, run_after (NULL: as it was), ready, output, last_error (NULL: as it was), now, finished_at.
UPDATE instances
   SET status = ?7, attempts = ?8, losses = ?9, run_after = coalesce(?10, run_after), ready = ?11,
       output = ?12, last_error = coalesce(?13, last_error), updated_at = ?14, finished_at = ?15,
       worker = NULL, lease_until = NULL
 WHERE id = ?1 AND fence = ?2 AND visit = ?3 AND status = ?4 AND cancel_requested BETWEEN ?5 AND ?6
RETURNING id;

-- name: insert_failure
-- One failed attempt. Params: instance_id, fence, visit, action, attempt, error_type, message, at.
INSERT INTO failures (instance_id, fence, visit, action, attempt, error_type, message, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: cancel
-- What doesn't run ends at once. Params: id, source, other source, target, now, request.
UPDATE instances
   SET status = ?4, ready = 0, updated_at = ?5, finished_at = ?5, request = ?6
 WHERE id = ?1 AND status IN (?2, ?3)
RETURNING name, queue, action, attempts, singleton_key, hooked;

-- name: ask_to_cancel
-- What runs is asked to stop, once. Params: id, source, now, request.
UPDATE instances
   SET cancel_requested = 1, updated_at = ?3, request = ?4
 WHERE id = ?1 AND status = ?2 AND cancel_requested = 0
RETURNING name, queue, action, attempts;

-- name: requeue
-- Back from a bad end, at its last checkpoint. Params: id, source, other source, target, now, request.
UPDATE instances
   SET status = ?4, attempts = 0, losses = 0, cancel_requested = 0, ready = 1, blocked = 0, run_after = ?5,
       updated_at = ?5, finished_at = NULL, request = ?6
 WHERE id = ?1 AND status IN (?2, ?3)
RETURNING name, queue, action, attempts;

-- name: status_of
-- Where an instance stands. Params: id.
SELECT status FROM instances WHERE id = ?1;
