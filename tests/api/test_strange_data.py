"""Strange but rightful things are only data: in every place, found again by every filter."""

import random
from urllib.parse import quote

import pytest

from tests.api.answers import problem, stored_rows
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")

STRANGE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE memory_memory; --",
    "%s %(tenant)s %d %%",
    "{tenant} {0} }",
    "a:b",
    "*",
    "OR",
    "a AND b OR NOT c",
    "\\",
    "$1 $$ E'\\x00'",
    "e\u0301\u202eabc\u2028\ufeff",
    "😀" * 32,
    "\U0010ffff",
    "null",
]


@pytest.mark.parametrize("strange", STRANGE)
def test_strange_text_is_only_data_in_every_place(alice: Caller, strange: str) -> None:
    fields = {
        "source": strange.replace("|", ""),
        "tags": [strange],
        "subject": strange,
        "agent": strange,
        "namespace": strange.replace("*", "star"),
        "metadata": {strange: strange, "list": [strange, {strange: 1}]},
    }
    (stored,) = alice.remember(f"Strange {strange}", **fields)
    assert alice.remember("Plain.", source="plain")
    memory = alice.get(f"memories/{stored}").json()
    assert memory["text"] == f"Strange {strange}"
    assert {name: memory[name] for name in fields} == fields
    for name in ("source", "subject", "agent", "namespace", "tags"):
        wanted = strange if name == "tags" else fields[name]
        assert [hit["id"] for hit in alice.recall("strange", filters={name: wanted})["results"]] == [stored], name
        assert stored in [hit["id"] for hit in alice.recall(strange, filters={name: {"prefix": wanted}})["results"]]
    found = alice.recall(strange, filters={f"metadata.{strange}": {"any": [strange]}})
    assert ([hit["id"] for hit in found["results"]], found["notes"]) == ([stored], [])
    assert alice.post("invalidate", {"source": fields["source"]}).json()["invalidated"] == 1


def test_a_subject_of_256_characters_of_any_script_is_kept(alice: Caller) -> None:
    subject = "".join(random.Random(1).choices("日本語ñ😀ß", k=256))
    (stored,) = alice.remember("About someone.", subject=subject)
    assert alice.get(f"memories/{stored}").json()["subject"] == subject
    assert alice.found("someone", filters={"subject": subject}) == ["About someone."]


def incompressible(characters: int, seed: int = 1) -> str:
    """Characters of four bytes in UTF-8 that no index row can be made smaller of."""
    chosen = random.Random(seed)
    return "".join(chr(chosen.randrange(0x20000, 0x2A000)) for _ in range(characters))


def test_metadata_of_long_keys_and_values_in_four_byte_characters_is_stored(alice: Caller) -> None:
    metadata = {incompressible(280): incompressible(600), incompressible(100, 2): incompressible(500, 3)}
    (stored,) = alice.remember("Long.", metadata=metadata)
    assert alice.get(f"memories/{stored}").json()["metadata"] == metadata
    key = incompressible(100, 2)
    assert alice.found("long", filters={key: metadata[key]}) == ["Long."]


def test_a_source_too_long_in_bytes_is_refused_by_name(alice: Caller) -> None:
    answer = problem(
        alice.post("memories", {"items": [{"text": "x", "source": incompressible(1024)}]}), 400, "rule_broken"
    )
    assert answer["detail"].startswith("items[0]: source")
    assert stored_rows(alice.tenant) == {}
    assert alice.remember("Fits.", source=incompressible(600), namespace="n")


@pytest.mark.parametrize(
    ("letter", "fits"), [("a", 1024), ("я", 1024), ("ب", 1024), ("記", 830), ("क", 830), ("🦜", 620)]
)
def test_a_source_in_any_script_is_stored_and_found_or_its_bytes_are_told(
    alice: Caller, letter: str, fits: int
) -> None:
    namespace, chosen = "n" * 10, random.Random(1)
    source = "".join(chr(ord(letter) + chosen.randrange(16)) for _ in range(fits))
    (memory,) = alice.remember("The parrot sings.", source=source, namespace=namespace)
    assert alice.found("parrot", filters={"source": source}) == ["The parrot sings."]
    listed = alice.get(f"memories?source={quote(source)}").json()["items"]
    assert [item["id"] for item in listed] == [memory]
    if fits < 1024:
        answer = alice.post("memories", {"items": [{"text": "x", "source": letter * 1024, "namespace": namespace}]})
        size = len(letter.encode()) * 1024 + 10
        told = problem(answer, 400, "rule_broken")["detail"]
        assert f"have {size} bytes in UTF-8, 2500 are the most" in told and f"by {size - 2500} bytes" in told
