-- fragment: list_instances
-- One strand of a list: rows that equal in every column asked for. `conditions` and `order` are pieces below.
SELECT {instance} FROM instances i WHERE {conditions} ORDER BY {order} LIMIT ?

-- fragment: list_name
i.name = ?

-- fragment: list_status
i.status = ?

-- fragment: list_unended
i.finished_at IS NULL

-- fragment: list_unwell
i.status IN ('FAILED', 'CANCELLED')

-- fragment: list_queue
i.queue = ?

-- fragment: list_queue_other
i.queue <> i.name

-- fragment: list_idempotency_key
i.idempotency_key = ?

-- fragment: list_singleton_key
i.singleton_key = ?

-- fragment: list_created_after
i.created_at >= ?

-- fragment: list_created_before
i.created_at < ?

-- fragment: list_older
(i.created_at, i.id) < (?, ?)

-- fragment: list_newer
(i.created_at, i.id) > (?, ?)

-- fragment: list_newest_first
i.created_at DESC, i.id DESC

-- fragment: list_oldest_first
i.created_at, i.id
