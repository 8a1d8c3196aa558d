"""Listing the memories of a source."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.answers import remember_lines
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def pages(caller: Caller, address: str) -> list[list[str]]:
    """The ids on every page, from the first to the one that says it is the last."""
    found: list[list[str]] = []
    after = ""
    while True:
        page = caller.get(address + after).json()
        found.append([item["id"] for item in page["items"]])
        if page["complete"]:
            return found
        after = f"&after={found[-1][-1]}"


def test_501_memories_fill_two_pages_each_of_them_once(alice: Caller, settings: Any) -> None:
    settings.EMBEDDER = "none"
    remember_lines(alice, [f"Line {n}" for n in range(501)])
    remember_lines(alice, ["Another."], source="log2")
    listed = pages(alice, "memories?source=log")
    assert [len(page) for page in listed] == [500, 1]
    assert len({memory for page in listed for memory in page}) == 501
    assert [len(page) for page in pages(alice, "memories?source=log&limit=167")] == [167, 167, 167]


def test_an_item_shows_ids_and_integrity_but_no_text(alice: Caller) -> None:
    (stored,) = alice.remember("One.", source="s", timestamp="2026-01-01T00:00:00+02:00")
    page = alice.get("memories?source=s").json()
    assert set(page) == {"items", "complete"}
    (item,) = page["items"]
    assert set(item) == {"id", "content_hash", "timestamp", "indexed_at"}
    assert (item["id"], item["content_hash"], item["timestamp"]) == (stored, None, "2025-12-31T22:00:00Z")
    assert item["indexed_at"]


def test_what_is_retracted_or_foreign_is_not_listed(alice: Caller, charlie: Caller) -> None:
    gone, kept = alice.remember("One.", "Two.", source="s")
    charlie.remember("Three.", source="s")
    alice.post("invalidate", {"ids": [gone]})
    assert pages(alice, "memories?source=s") == [[kept]]
    assert pages(alice, "memories?source=nothing") == [[]]
    assert pages(alice, f"memories?source=s&after={uuid4()}")[0] in ([], [kept])
