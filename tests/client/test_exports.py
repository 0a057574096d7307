import inspect

from service import client


def test_the_public_names_are_these() -> None:
    assert client.__all__ == sorted(client.__all__)
    assert set(client.__all__) == {
        "CancelOutcome",
        "Cancelled",
        "Client",
        "ClientError",
        "ConnectionFailed",
        "Enqueue",
        "Event",
        "EventType",
        "Failure",
        "Handle",
        "Instance",
        "OnConflict",
        "Order",
        "Queue",
        "RequestRefused",
        "Status",
        "UnexpectedAnswer",
        "WorkflowCancelled",
        "WorkflowEnded",
        "WorkflowFailed",
    }


def test_each_says_what_it_is() -> None:
    assert [name for name in client.__all__ if not inspect.getdoc(getattr(client, name))] == []
