"""One object for one configuration in one process, whichever threads ask."""

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

C = TypeVar("C", bound=Hashable)
T = TypeVar("T")


class Kept(Generic[C, T]):
    """What `build` makes of configurations, `size` of them at most: the least recently used goes first.

    A forked child starts with none. It does not close the parent's: their sockets are the parent's.
    """

    def __init__(self, build: Callable[[C], T], size: int = 64) -> None:
        self.size = size
        self._build = build
        self._lock = threading.Lock()
        self._found: OrderedDict[C, T] = OrderedDict()
        self._inherited: list[OrderedDict[C, T]] = []
        _all.add(self)

    def __len__(self) -> int:
        return len(self._found)

    def get(self, config: C) -> T:
        """The object for `config`, built when first asked for. Raises what building raises."""
        with self._lock:
            if config not in self._found:
                self._found[config] = self._build(config)
                while len(self._found) > self.size:
                    self._found.popitem(last=False)
            self._found.move_to_end(config)
            return self._found[config]

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._found.clear()

    def start_anew(self) -> None:
        """In a forked child: forget the parent's without closing them; the lock may be held by a thread that does not
        exist here."""
        self._inherited.append(self._found)
        self._lock, self._found = threading.Lock(), OrderedDict()


_all: "weakref.WeakSet[Kept[Any, Any]]" = weakref.WeakSet()


def _start_anew() -> None:
    for kept in _all:
        kept.start_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)
