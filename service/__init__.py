"""What an author of workflows imports, and nothing else."""

from service.domain.context import Context
from service.domain.definition import Ended
from service.domain.errors import DefinitionError
from service.domain.outcome import End, Next
from service.domain.queue import Rate
from service.domain.registry import Workflows
from service.domain.retry import Retry

__all__ = ["Context", "DefinitionError", "End", "Ended", "Next", "Rate", "Retry", "Workflows"]
