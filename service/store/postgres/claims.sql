-- Instances are found by what is given of each, never by what they have in common: `p.n > 0`, which is always so, hides
-- that from the planner, who would begin with all that runs, say, while he believes that to be little.

-- fragment: claimed
-- What a worker needs of an instance it holds, in the order of `Claimed`.
i.id, i.name, i.queue, i.priority, i.action, i.input, coalesce(i.params, i.input), i.state, i.attempts, i.max_attempts,
i.losses, i.max_lost, i.visit, i.fence, i.hooked, i.singleton_key, i.cancel_requested, i.lease_until

-- name: ready_lanes
-- Every (queue, workflow) that has something ready, with its queue's rules: a few index probes a lane. A comparison
-- of pairs, (queue, name) > (…), would walk through all that a lane has ready.
WITH RECURSIVE lanes (queue, name) AS (
    (SELECT queue, name FROM instances WHERE status = 'PENDING' AND ready ORDER BY queue, name LIMIT 1)
     UNION ALL
    SELECT coalesce(n.queue, q.queue), coalesce(n.name, q.name)
      FROM lanes l
      LEFT JOIN LATERAL (SELECT queue, name FROM instances
                          WHERE status = 'PENDING' AND ready AND queue = l.queue AND name > l.name
                          ORDER BY queue, name LIMIT 1) n ON TRUE
      LEFT JOIN LATERAL (SELECT queue, name FROM instances
                          WHERE status = 'PENDING' AND ready AND queue > l.queue AND n.queue IS NULL
                          ORDER BY queue, name LIMIT 1) q ON TRUE
     WHERE l.queue IS NOT NULL
)
SELECT l.queue, l.name, coalesce(q.paused, FALSE), q.concurrency, q.rate_count, q.rate_per, q.rate_burst,
       coalesce(q.arrival, 0)
  FROM lanes l LEFT JOIN queues q ON q.name = l.queue WHERE l.queue IS NOT NULL;

-- name: ready_in_lane
-- What is claimed next in lanes, but for what others claim at this moment: higher priority, then due earlier, then
-- older. Params: queue, name, limit.
SELECT p.n, r.priority, r.run_after, r.id
  FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS p (queue, name, most, n),
       LATERAL (SELECT i.priority, i.run_after, i.id FROM instances i
                 WHERE i.queue = p.queue AND i.name = p.name AND i.status = 'PENDING' AND i.ready
                 ORDER BY i.priority DESC, i.run_after, i.id LIMIT p.most
                   FOR NO KEY UPDATE SKIP LOCKED) r;

-- name: count_running
-- How many of queues run. Params: queue.
SELECT p.n, (SELECT count(*) FROM instances i WHERE i.queue = p.queue AND i.status = 'RUNNING')
  FROM unnest($1::text[]) WITH ORDINALITY AS p (queue, n);

-- name: claim
-- The fence: a claim raises it, and every write by a worker must carry it. Params: id, source, target, worker,
-- lease_until, now.
UPDATE instances i
   SET status = p.target, ready = FALSE, fence = i.fence + 1, worker = p.worker, lease_until = p.lease_until,
       updated_at = p.now, started_at = coalesce(i.started_at, p.now)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
       WITH ORDINALITY AS p (id, source, target, worker, lease_until, now, n)
 WHERE i.id = p.id AND i.status = p.source AND i.ready = (p.n > 0)
RETURNING p.n, {claimed};

-- name: queue_rules
-- Queues' rules, once they are held. Params: name.
SELECT p.n, q.name, q.paused, q.concurrency, q.rate_count, q.rate_per, q.rate_burst, q.arrival
  FROM unnest($1::text[]) WITH ORDINALITY AS p (name, n) JOIN queues q ON q.name = p.name;

-- name: spend_tokens
-- Claims on limited queues were counted. Params: queue, arrival.
UPDATE queues q SET arrival = p.arrival FROM unnest($1::text[], $2::bigint[]) AS p (name, arrival)
 WHERE q.name = p.name;

-- name: renew
-- A heartbeat: the leases of held instances. Params: id, fence, lease_until.
UPDATE instances i SET lease_until = p.lease_until
  FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS p (id, fence, lease_until, n)
 WHERE i.id = p.id AND i.fence = p.fence AND (i.status = 'RUNNING') = (p.n > 0)
RETURNING p.n, i.cancel_requested;

-- name: expired
-- What workers that are gone left behind. Params: now, limit.
SELECT {claimed} FROM instances i WHERE i.status = 'RUNNING' AND i.lease_until <= $1::bigint LIMIT $2::bigint;

-- name: still_expired
-- Of those, once they are held: unless their workers were quicker. Params: id, now.
SELECT p.n, {claimed} FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS p (id, now, n)
  JOIN instances i ON i.id = p.id AND i.lease_until <= p.now AND (i.status = 'RUNNING') = (p.n > 0);

-- name: cut_leases
-- After the judging clock was set back: no lease ends more than one lease ahead. What somebody holds at this moment
-- gets its lease from them. Params: latest end.
WITH far AS MATERIALIZED (
    SELECT i.id, p.latest FROM unnest($1::bigint[]) AS p (latest), instances i
     WHERE i.status = 'RUNNING' AND i.lease_until > p.latest FOR NO KEY UPDATE OF i SKIP LOCKED
)
UPDATE instances i SET lease_until = far.latest FROM far WHERE i.id = far.id;

-- name: promote
-- What has come due becomes ready. Params: now, limit.
WITH due AS MATERIALIZED (
    SELECT id FROM instances
     WHERE status = 'PENDING' AND NOT ready AND NOT blocked AND run_after <= $1::bigint
     ORDER BY run_after LIMIT $2::bigint FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE instances i SET ready = TRUE FROM due WHERE i.id = due.id
RETURNING i.id;

-- name: upkeep
-- What the tick looks at: the judging clock, the next due time, the first lease to end, whether anything is ready,
-- the next hook.
SELECT workflow_now(),
       (SELECT min(run_after) FROM instances WHERE status = 'PENDING' AND NOT ready AND NOT blocked),
       (SELECT min(lease_until) FROM instances WHERE status = 'RUNNING'),
       EXISTS (SELECT 1 FROM instances WHERE status = 'PENDING' AND ready),
       (SELECT min(due) FROM hooks);
