"""Who wrote what, and where it lies: on a memory's page, in the list, and when one adds it."""

import re
from uuid import UUID

import pytest
from django.utils import translation

from console.templatetags.console import coded
from memory.services.correct import correct
from tenants.authentication import operator_scope
from tenants.services.keys import issue_key
from tests.cast import Caller
from tests.console.staff import Member
from tests.console.test_overview import plain


@pytest.fixture
def cursor(mira: Member) -> Caller:
    """A program with a key of its own."""
    return Caller(mira.scope.tenant, issue_key(mira.scope, scopes=["read", "write"], name="Cursor").secret)


def test_a_memory_says_who_wrote_it_first_and_who_wrote_each_version(mira: Member, cursor: Caller) -> None:
    (memory,) = cursor.remember("Mira prefers npm.")
    correct(mira.scope, UUID(memory), text="Mira prefers pnpm.")
    page = plain(mira.get(f"memories/{memory}").content.decode())
    assert "Written by Key “Cursor”" in page and "Last changed by You" in page
    first, second = page.rindex("Version 1: written"), page.rindex("Version 2: text corrected")
    assert first < page.index("· Key “Cursor”", first) < second < page.index("· You", second)


def test_a_memory_that_nobody_changed_has_one_author(mira: Member, cursor: Caller) -> None:
    (memory,) = cursor.remember("Mira prefers pnpm.")
    assert "Last changed by" not in mira.get(f"memories/{memory}").content.decode()


def test_the_change_shown_first_is_the_last_that_changed_something(mira: Member) -> None:
    memory = mira.stores("Mira prefers npm.")[0]
    correct(mira.scope, memory, text="Mira prefers pnpm.")
    mira.post(f"memories/{memory}/retract")
    mira.post(f"memories/{memory}/restore")
    page = mira.get(f"memories/{memory}").content.decode()
    assert "Nothing differs" not in page and "<ins>pnpm</ins>" in page
    assert "Nothing differs" in mira.get(f"memories/{memory}?from=2&to=3").content.decode()


def test_the_list_says_who_wrote_each_and_where_it_lies(mira: Member, cursor: Caller) -> None:
    cursor.remember("Loci has a console.", namespace="loci-docs")
    mira.stores("Mira prefers pnpm.")
    own, other = re.findall(r'<li class="hit".*?</li>', mira.get("memories").content.decode(), re.DOTALL)
    assert "You" in own and "Namespace" not in own, "default goes without saying"
    assert "Key “Cursor”" in other and '<span class="clip">loci-docs</span>' in other


def test_what_an_operator_stored_is_said_to_come_from_their_command(mira: Member) -> None:
    from memory.engine.items import Item
    from memory.services.remember import remember

    remember(operator_scope(mira.scope.tenant, "ingest"), items=[Item(0, "Loci has a console.")])
    assert "The command “ingest”" in mira.get("memories").content.decode()
    assert "The command “ingest” stored 1 memory" in plain(mira.get("activity").content.decode())


def test_a_memory_is_added_to_the_namespace_that_one_names(mira: Member) -> None:
    assert 'name="namespace" value="default"' in mira.get("memories/new").content.decode()
    for given, namespace in (("work", "work"), ("", "default")):
        there = mira.post("memories/new", text=f"Mira prefers pnpm at {namespace}.", namespace=given)["Location"]
        memory = UUID(there.rsplit("/", 1)[1])
        assert mira.versions(memory)[0].payload["namespace"] == namespace
    refused = mira.post("memories/new", text="Mira prefers pnpm.", namespace="a|b")
    assert refused.status_code == 422 and "“a|b” is no namespace" in refused.content.decode()


def test_code_within_a_sentence_is_code_and_nothing_else_is_markup() -> None:
    assert coded("Run `a <b>` & wait.") == "Run <code>a &lt;b&gt;</code> &amp; wait."


def test_german_says_what_was_done_in_whole_sentences(mira: Member, cursor: Caller) -> None:
    cursor.remember("Mira mag pnpm.")
    client = mira.client
    client.post("/preferences", {"language": "de", "next": "/"})
    page = plain(client.get(mira.at("activity")).content.decode())
    assert "Schlüssel „Cursor“ hat 1 Erinnerung gespeichert" in page
    assert "Sie haben den Dienstschlüssel „ Cursor “ erstellt" in page
    with translation.override("de"):
        assert ">lesen</span>" in client.get(mira.at("keys")).content.decode()
