"""Arguments that several fields take."""

from typing import Annotated

import strawberry

InstanceID = Annotated[
    strawberry.ID, strawberry.argument(name="instanceID", description="What names the instance.")
]
First = Annotated[
    int | None,
    strawberry.argument(description="How many entries from the start, 50 by default, 500 at most."),
]
After = Annotated[
    str | None, strawberry.argument(description="Only entries after this one: an edge's `cursor`.")
]
Last = Annotated[
    int | None,
    strawberry.argument(description="How many entries from the end, instead of `first`."),
]
Before = Annotated[
    str | None, strawberry.argument(description="Only entries before this one: an edge's `cursor`.")
]
AfterEvent = Annotated[
    str | None,
    strawberry.argument(description="Only events after this cursor of the log."),
]
