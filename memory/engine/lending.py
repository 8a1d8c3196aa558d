"""What neighbours in a source lend each other.

In a conversation or a document the answer often stands beside the words that were asked for; in a log or a list of
notes what stands beside it is about something else. Neighbours therefore lend by how much alike they are.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.engine.types import Link, Neighbour

RADIUS: Final = 2
Alike = tuple[float, float] | None
"""The cosine up to which neighbours lend nothing, and from which they lend in full: it is the embedder's, since with
one model unrelated texts have about 0, with another 0.75. None where it is not known: then all lend in full."""


def links(neighbours: Sequence[Neighbour]) -> list[Link]:
    """Every pair at most RADIUS places apart that the windows around the anchors tell of, each once."""
    windows: dict[UUID, list[tuple[int, UUID]]] = defaultdict(list)
    for near in neighbours:
        windows[near.anchor].append((near.distance, near.version))
    found: dict[tuple[UUID, UUID], int] = {}
    for anchor, window in windows.items():
        for (here, left), (there, right) in combinations(sorted([(0, anchor), *window]), 2):
            if 0 < there - here <= RADIUS:
                found[left, right] = there - here
    return [Link(left, right, distance) for (left, right), distance in found.items()]


def share(link: Link, alike: Alike) -> float:
    """How much the two have to do with each other, 0 to 1; 1 where that cannot be told."""
    if link.likeness is None or alike is None:
        return 1.0
    low, high = alike
    return min(1.0, max(0.0, (link.likeness - low) / (high - low)))


def lent(
    versions: Sequence[UUID], own: NDArray[np.float64], links: Sequence[Link], alike: Alike
) -> NDArray[np.float64]:
    """What each version's neighbours lend it: their own score, halved per place of distance, times their share."""
    place = {version: at for at, version in enumerate(versions)}
    total = np.zeros(len(versions))
    for link in links:
        if link.left in place and link.right in place:
            left, right, part = place[link.left], place[link.right], share(link, alike) * 0.5**link.distance
            total[left] += own[right] * part
            total[right] += own[left] * part
    return total


def coherence(versions: Sequence[UUID], links: Sequence[Link], alike: Alike) -> list[float]:
    """The mean share between each version and its neighbours; 0 without any."""
    shares: dict[UUID, list[float]] = defaultdict(list)
    for link in links:
        part = share(link, alike)
        shares[link.left].append(part)
        shares[link.right].append(part)
    return [sum(parts) / len(parts) if (parts := shares.get(version)) else 0.0 for version in versions]
