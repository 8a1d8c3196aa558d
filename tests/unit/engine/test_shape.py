"""The shape of a query: what looks like an identifier, a person, a time."""

import pytest

from memory.engine.shape import identifiers, shape_of


@pytest.mark.parametrize(
    ("query", "shape"),
    [
        ("what does ERR_CONN_42 mean?", "exact_token"),
        ("who rebooted 10.0.0.17?", "exact_token"),
        ("deploy.py in src/web/deploy.py", "exact_token"),
        ("ticket #4711", "exact_token"),
        ("commit deadbeef1", "exact_token"),
        ("release v2.10.3", "exact_token"),
        ("PO-2231 delivery", "exact_token"),
        ("who told me about the boat?", "person"),
        ("what did @mira say", "person"),
        ("Wer hat angerufen?", "person"),
        ("when did Caroline go to the parade?", "temporal"),
        ("什么时候搬家", "temporal"),
        ("what happened in 2023?", "general"),
        ("a well-known song", "general"),
        ("the decade of the defaced facade", "general"),
        ("whole wheat, whoever", "general"),
        ("", "general"),
    ],
)
def test_the_shape_of_a_query(query: str, shape: str) -> None:
    assert shape_of(query) == shape


def test_a_year_alone_is_no_identifier() -> None:
    assert identifiers("what did we decide in 2024 about the 2025 budget?") == []


def test_identifiers_come_folded_in_order_and_once() -> None:
    assert identifiers("ERR_42 or err_42 on 10.0.0.1, see src/a.py") == ["err_42", "10.0.0.1", "src/a.py"]


@pytest.mark.parametrize("piece", ["a-", "1.", "_", "a/", "ab12", "@", "1--", "_-", "1a--"])
def test_nothing_so_long_without_a_space_is_an_identifier(piece: str) -> None:
    """Looking for one costs the square of its length."""
    assert identifiers(piece * 16_000) == []
    assert shape_of(piece * 16_000) in ("person", "temporal", "general")


def test_an_identifier_at_the_limit_is_still_one() -> None:
    token = "a1-" * 42 + "b2"
    assert identifiers(f"what is {token} ?") == [token]
