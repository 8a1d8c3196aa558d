"""Exceptions as faults that a caller may be shown."""

from django.db import InterfaceError, OperationalError

from loci.ground.errors import LociError, Unavailable
from memory.engine.embedding import EmbedderError


def known(error: Exception) -> LociError:
    """Any exception as a fault that may be shown; an unexpected one shows nothing of itself."""
    if isinstance(error, LociError):
        return error
    if isinstance(error, EmbedderError):
        return Unavailable("The embedder does not answer: try again in a moment.", headers={"Retry-After": "10"})
    if isinstance(error, OperationalError | InterfaceError):
        return Unavailable("The database does not answer: try again in a moment.", headers={"Retry-After": "2"})
    return LociError("Something failed on our side; the request id names it in our logs.", code="internal_error")
