-- name: declare_queue
-- What the code says of queues; whether they are paused and their tokens stay. Params: name, concurrency, rate_count,
-- rate_per, rate_burst.
INSERT INTO queues (name, concurrency, rate_count, rate_per, rate_burst)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (name) DO UPDATE
   SET concurrency = excluded.concurrency, rate_count = excluded.rate_count, rate_per = excluded.rate_per,
       rate_burst = excluded.rate_burst;

-- name: pause_queue
-- Pause or resume. Params: name, paused.
INSERT INTO queues (name, paused) SELECT * FROM unnest($1::text[], $2::boolean[])
    ON CONFLICT (name) DO UPDATE SET paused = excluded.paused;

-- name: queue_exists
-- Whether a queue was ever declared, paused or used by an instance that is kept. Params: name.
SELECT EXISTS (SELECT 1 FROM queues WHERE name = $1)
    OR EXISTS (SELECT 1 FROM instances WHERE name = $1 AND queue = $1)
    OR EXISTS (SELECT 1 FROM instances WHERE queue = $1 AND queue <> name);

-- name: list_queues
-- Every queue that is declared or paused.
SELECT name, concurrency, rate_count, rate_per, rate_burst, arrival, paused FROM queues ORDER BY name;

-- name: ready_depths
-- What could be claimed, by queue, and since when the oldest waits.
SELECT queue, count(*), min(run_after) FROM instances WHERE status = 'PENDING' AND ready GROUP BY queue;

-- name: later_depths
-- What is not due yet, by queue.
SELECT queue, count(*) FROM instances WHERE status = 'PENDING' AND NOT ready AND NOT blocked GROUP BY queue;

-- name: blocked_depths
-- What stands behind the holder of its singleton key, by queue.
SELECT queue, count(*) FROM instances
 WHERE singleton_key IS NOT NULL AND status = 'PENDING' AND blocked GROUP BY queue;

-- name: running_depths
-- What runs, by queue.
SELECT queue, count(*) FROM instances WHERE status = 'RUNNING' GROUP BY queue;
