-- fragment: claimed
-- What a worker needs of an instance it holds, in the order of `Claimed`.
id, name, queue, priority, action, input, coalesce(params, input), state, attempts, max_attempts, losses, max_lost,
visit, fence, hooked, singleton_key, cancel_requested, lease_until

-- name: ready_lanes
-- Every (queue, workflow) that has something ready, with its queue's rules: a few index probes a lane. A comparison
-- of pairs, (queue, name) > (…), would walk through all that a lane has ready.
WITH RECURSIVE lanes (queue, name) AS (
    SELECT * FROM (SELECT queue, name FROM instances WHERE status = 'PENDING' AND ready = 1
                    ORDER BY queue, name LIMIT 1)
     UNION ALL
    SELECT coalesce((SELECT queue FROM instances WHERE status = 'PENDING' AND ready = 1
                        AND queue = l.queue AND name > l.name ORDER BY name LIMIT 1),
                    (SELECT queue FROM instances WHERE status = 'PENDING' AND ready = 1
                        AND queue > l.queue ORDER BY queue LIMIT 1)),
           coalesce((SELECT name FROM instances WHERE status = 'PENDING' AND ready = 1
                        AND queue = l.queue AND name > l.name ORDER BY name LIMIT 1),
                    (SELECT name FROM instances WHERE status = 'PENDING' AND ready = 1
                        AND queue > l.queue ORDER BY queue, name LIMIT 1))
      FROM lanes l WHERE l.queue IS NOT NULL
)
SELECT l.queue, l.name, coalesce(q.paused, 0), q.concurrency, q.rate_count, q.rate_per, q.rate_burst,
       coalesce(q.arrival, 0)
  FROM lanes l LEFT JOIN queues q ON q.name = l.queue WHERE l.queue IS NOT NULL;

-- name: ready_in_lane
-- What is claimed next in a lane: higher priority, then due earlier, then older. Params: queue, name, limit.
SELECT priority, run_after, id FROM instances
 WHERE queue = ?1 AND name = ?2 AND status = 'PENDING' AND ready = 1
 ORDER BY priority DESC, run_after, id LIMIT ?3;

-- name: count_running
-- How many of a queue run. Params: queue.
SELECT count(*) FROM instances WHERE queue = ?1 AND status = 'RUNNING';

-- name: claim
-- The fence: a claim raises it, and every write by a worker must carry it. Params: id, source, target, worker,
-- lease_until, now.
UPDATE instances
   SET status = ?3, ready = 0, fence = fence + 1, worker = ?4, lease_until = ?5, updated_at = ?6,
       started_at = coalesce(started_at, ?6)
 WHERE id = ?1 AND status = ?2 AND ready = 1
RETURNING {claimed};

-- name: queue_rules
-- A queue's rules, once it is held. Params: name.
SELECT name, paused, concurrency, rate_count, rate_per, rate_burst, arrival FROM queues WHERE name = ?1;

-- name: spend_tokens
-- A claim on a limited queue was counted. Params: queue, arrival.
UPDATE queues SET arrival = ?2 WHERE name = ?1;

-- name: renew
-- A heartbeat: the lease of one held instance. Params: id, fence, lease_until.
UPDATE instances SET lease_until = ?3 WHERE id = ?1 AND fence = ?2 AND status = 'RUNNING'
RETURNING cancel_requested;

-- name: expired
-- What workers that are gone left behind. Params: now, limit.
SELECT {claimed} FROM instances WHERE status = 'RUNNING' AND lease_until <= ?1 LIMIT ?2;

-- name: still_expired
-- One of them, once it is held: unless its worker was quicker. Params: id, now.
SELECT {claimed} FROM instances WHERE id = ?1 AND status = 'RUNNING' AND lease_until <= ?2;

-- name: cut_leases
-- After the judging clock was set back: no lease ends more than one lease ahead. Params: latest end.
UPDATE instances SET lease_until = ?1 WHERE status = 'RUNNING' AND lease_until > ?1;

-- name: promote
-- What has come due becomes ready. Params: now, limit.
UPDATE instances SET ready = 1
 WHERE id IN (SELECT id FROM instances WHERE status = 'PENDING' AND ready = 0 AND blocked = 0
                 AND run_after <= ?1 ORDER BY run_after LIMIT ?2)
RETURNING id;

-- name: upkeep
-- What the tick looks at: the judging clock, the next due time, the first lease to end, whether anything is ready, the next hook.
SELECT workflow_now(),
       (SELECT min(run_after) FROM instances WHERE status = 'PENDING' AND ready = 0 AND blocked = 0),
       (SELECT min(lease_until) FROM instances WHERE status = 'RUNNING'),
       EXISTS (SELECT 1 FROM instances WHERE status = 'PENDING' AND ready = 1),
       (SELECT min(due) FROM hooks);
