"""What the client asks, in GraphQL. Aliases give the names of the dataclasses in `models`."""

_FACTS = """
fragment Facts on WorkflowInstance {
  id name queue status priority attempts max_attempts: maxAttempts last_error: lastError
  input output idempotency_key: idempotencyKey singleton_key: singletonKey
  created_at: createdAt updated_at: updatedAt started_at: startedAt finished_at: finishedAt
  run_after: runAfter cursor
}"""

_TOLD = """
fragment Told on WorkflowEvent {
  cursor type at instance_id: instanceID name queue status action step attempt error data
}"""

_LANE = """
fragment Lane on Queue {
  name pending running waiting oldest_wait_seconds: oldestWaitSeconds concurrency
  tokens_left: tokensLeft paused
}"""

PING = "query Ping { __typename }"

HEAD = "query Head { workflowInstances(first: 1) { cursor } }"

GET = "query Get($id: ID!) { workflowInstance(instanceID: $id) { ...Facts } }" + _FACTS

LIST = (
    """query List($filter: WorkflowInstanceFilter, $order: WorkflowInstanceOrder, $after: String) {
  page: workflowInstances(filter: $filter, orderBy: $order, first: 100, after: $after) {
    edges { node { ...Facts } }
    pageInfo { hasNextPage endCursor }
  }
}"""
    + _FACTS
)

HISTORY = (
    """query History($id: ID!, $after: String) {
  owner: workflowInstance(instanceID: $id) {
    page: events(first: 100, after: $after) {
      edges { node { ...Told } }
      pageInfo { hasNextPage endCursor }
    }
  }
}"""
    + _TOLD
)

FAILURES = """query Failures($id: ID!, $after: String) {
  owner: workflowInstance(instanceID: $id) {
    page: failures(first: 100, after: $after) {
      edges { node { action attempt error_type: errorType message at } }
      pageInfo { hasNextPage endCursor }
    }
  }
}"""

QUEUES = "query Queues { queues { ...Lane } }" + _LANE

ENQUEUE = (
    """mutation Enqueue($input: EnqueueInput!) {
  answer: enqueue(input: $input) { instance { ...Facts } created cursor }
}"""
    + _FACTS
)

ENQUEUE_MANY = (
    """mutation EnqueueMany($input: EnqueueManyInput!) {
  answer: enqueueMany(input: $input) { results { instance { ...Facts } created cursor } }
}"""
    + _FACTS
)

CANCEL = (
    """mutation Cancel($input: CancelInput!) {
  answer: cancel(input: $input) { instance { ...Facts } outcome }
}"""
    + _FACTS
)

RETRY = (
    """mutation Retry($input: RetryInput!) {
  answer: retry(input: $input) { instance { ...Facts } cursor }
}"""
    + _FACTS
)

PAUSE_QUEUE = (
    """mutation PauseQueue($input: PauseQueueInput!) {
  answer: pauseQueue(input: $input) { queue { ...Lane } }
}"""
    + _LANE
)

RESUME_QUEUE = (
    """mutation ResumeQueue($input: ResumeQueueInput!) {
  answer: resumeQueue(input: $input) { queue { ...Lane } }
}"""
    + _LANE
)

WATCH = (
    """subscription Watch(
  $id: ID, $name: String, $queue: String, $types: [WorkflowEventType!], $after: String
) {
  event: workflowEvents(instanceID: $id, name: $name, queue: $queue, types: $types, after: $after) {
    ...Told
  }
}"""
    + _TOLD
)
