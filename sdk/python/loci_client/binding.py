"""Makes methods of `Loci` and `AsyncLoci` from the operations, with their signatures and their documentation."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from loci_client.operations import Pages
from loci_client.steps import Flow
from loci_client.transport import Awaiting, Blocking

P = ParamSpec("P")
T = TypeVar("T")


class HasBlocking(Protocol):
    """What drives flows in the calling thread."""

    _transport: Blocking


class HasAwaiting(Protocol):
    """What drives flows in an event loop."""

    _transport: Awaiting


def blocking(operation: Callable[P, Flow[T]]) -> Callable[Concatenate[HasBlocking, P], T]:
    """A method that carries the operation out and returns its answer."""

    def method(self: HasBlocking, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._transport.run(operation(*args, **kwargs))

    return _named_like(method, operation)


def awaiting(operation: Callable[P, Flow[T]]) -> Callable[Concatenate[HasAwaiting, P], Awaitable[T]]:
    """A coroutine method that carries the operation out."""

    async def method(self: HasAwaiting, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._transport.run(operation(*args, **kwargs))

    return _named_like(method, operation)


def iterating(operation: Callable[P, Pages[T]]) -> Callable[Concatenate[HasBlocking, P], Iterator[T]]:
    """A method that returns an iterator over all pages."""

    def method(self: HasBlocking, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        pages = operation(*args, **kwargs)
        while pages.more:
            yield from self._transport.run(pages.next())

    return _named_like(method, operation)


def iterating_async(operation: Callable[P, Pages[T]]) -> Callable[Concatenate[HasAwaiting, P], AsyncIterator[T]]:
    """A method that returns an asynchronous iterator over all pages."""

    async def method(self: HasAwaiting, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        pages = operation(*args, **kwargs)
        while pages.more:
            for entry in await self._transport.run(pages.next()):
                yield entry

    return _named_like(method, operation)


M = TypeVar("M", bound=Callable[..., Any])


def _named_like(method: M, operation: Callable[..., Any]) -> M:
    signature = inspect.signature(operation)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__name__ = method.__qualname__ = operation.__name__
    method.__doc__ = operation.__doc__
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[itself, *signature.parameters.values()], return_annotation=inspect.Signature.empty
    )
    return method
