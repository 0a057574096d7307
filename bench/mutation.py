"""The mutation that both servers are asked: the same text, variables and selection."""

ENQUEUE = """
mutation Enqueue($input: EnqueueInput!) {
  enqueue(input: $input) {
    created
    cursor
    instance { instanceID name queue status createdAt }
  }
}
"""

PARAMS = {"number": 1, "text": "0123456789"}


def enqueue_body(name: str) -> dict[str, object]:
    """Return the body of a request that enqueues the workflow."""
    return {"query": ENQUEUE, "variables": {"input": {"name": name, "params": PARAMS}}}
