"""Why there is no copy."""

from service.domain.errors import InvalidState


class CannotCopy(InvalidState):
    """The source, or the target, is not such that it can be copied, or be copied to."""


EMPTY_IT = "empty the target (drop it and make it anew), and copy again."
