"""Adding, correcting, retracting, restoring, erasing; and what each refuses."""

import json
import re
from typing import Any
from uuid import UUID

import pytest

from memory.engine.items import Item
from memory.services.correct import correct
from memory.services.recall import recall
from memory.services.remember import remember
from tenants.authentication import operator_scope, scope_of_key
from tenants.services.keys import issue_key
from tests.console.staff import FACTS, Member


@pytest.fixture
def memory(mira: Member) -> UUID:
    return mira.stores(FACTS[0], source="call", tags=("discharge",), metadata={"ticket": 1, "old": True})[0]


def added(mira: Member, **form: Any) -> UUID:
    """The id of a memory added by form."""
    response = mira.post("memories/new", **form)
    assert response.status_code == 302, response.content.decode()
    return UUID(response["Location"].rsplit("/", 1)[1])


def sent(mira: Member, memory: UUID, **changes: Any) -> Any:
    """The response to the form for correcting, filled in as it is shown but for `changes`."""
    record = mira.versions(memory)[0]
    form = {
        "text": record.text,
        "tags": ", ".join(record.payload["tags"]),
        "metadata": json.dumps(record.payload["metadata"]),
        "version": record.version,
    }
    return mira.post(f"memories/{memory}/correct", **{**form, **changes})


def test_everything_said_in_the_form_is_stored(mira: Member) -> None:
    memory = added(
        mira, text="Line one\r\nline two", kind="fact", tags=" a, #b,a,, ", source="call", subject="Dana",
        happened="2026-11-12T14:02", metadata='{"ticket": 2041}',
    )  # fmt: skip
    record = mira.versions(memory)[0]
    assert record.text == "Line one\nline two"
    wanted = {"kind": "fact", "tags": ["a", "b"], "source": "call", "subject": "Dana", "metadata": {"ticket": 2041}}
    assert {name: record.payload[name] for name in wanted} == wanted
    assert record.payload["timestamp"] == "2026-11-12T14:02:00Z"
    assert record.payload["written_by"] == f"member:{mira.user.id}"


def test_the_same_text_twice_is_one_memory(mira: Member) -> None:
    assert added(mira, text=FACTS[0]) == added(mira, text=FACTS[0])
    page = mira.client
    page.post(mira.at("memories/new"), {"text": FACTS[0]})
    assert "this memory was here already" in page.get(mira.at("memories")).content.decode()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"text": ""}, "Write what is to be remembered."),
        ({"text": " \n "}, "Write what is to be remembered."),
        ({"text": "x" * 32_769}, "32768 are the most"),
        ({"text": "a", "metadata": "{"}, "This is not valid JSON"),
        ({"text": "a", "metadata": "[1]"}, "must be an object"),
        ({"text": "a", "metadata": '{"_x": 1}'}, "is reserved"),
        ({"text": "a", "metadata": '{"n": 1e400}'}, "is beyond the range of a number"),
        ({"text": "a", "metadata": json.dumps({f"k{n}": n for n in range(40)})}, "more than 32 keys"),
        ({"text": "a", "tags": ",".join(f"t{n}" for n in range(40))}, "40 tags"),
        ({"text": "a", "tags": "t" * 200}, "too long for a tag"),
        ({"text": "a", "source": "a|b"}, "must not contain"),
        ({"text": "a", "happened": "yesterday"}, "Give a date and time"),
        ({"text": "a", "kind": "nonsense"}, "nonsense is not one of the available choices"),
        ({"text": "a\x00b"}, "Null characters are not allowed"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_typed_is_lost(mira: Member, form: dict[str, str], said: str) -> None:
    response = mira.post("memories/new", subject="Dana keeps this", **form)
    page = response.content.decode()
    assert response.status_code in (400, 422)
    assert said in page
    assert "Dana keeps this" in page
    assert recall(mira.scope, query="a").hits == []


def test_a_correction_is_a_new_version_with_the_same_id(mira: Member, memory: UUID) -> None:
    assert sent(mira, memory, text="Dana wants a call.", tags="contact", metadata='{"ticket": 2}').status_code == 302
    newest, oldest = mira.versions(memory)
    assert (newest.text, oldest.text) == ("Dana wants a call.", FACTS[0])
    assert newest.payload["tags"] == ["contact"]
    assert newest.payload["metadata"] == {"ticket": 2}


def test_what_is_taken_out_of_nested_metadata_is_gone(mira: Member) -> None:
    memory = mira.stores("one", metadata={"a": {"x": 1, "y": {"z": 2}}, "b": 1, "c": [1, 2]})[0]
    wanted = {"a": {"y": {"w": 3}}, "b": True, "c": [2]}
    assert sent(mira, memory, metadata=json.dumps(wanted)).status_code == 302
    found = mira.versions(memory)[0].payload["metadata"]
    assert found == wanted and found["b"] is True


def test_a_form_that_changes_nothing_makes_no_version(mira: Member, memory: UUID) -> None:
    assert sent(mira, memory).status_code == 302
    assert len(mira.versions(memory)) == 1


def test_tags_with_commas_survive_a_correction_of_the_text(mira: Member) -> None:
    memory = mira.stores("one", tags=("a, b",))[0]
    sent(mira, memory, text="two")
    assert mira.versions(memory)[0].payload["tags"] == ["a, b"]


def test_who_was_overtaken_keeps_their_text_and_may_save_again(mira: Member, memory: UUID) -> None:
    before = mira.versions(memory)[0]
    now = correct(mira.scope, memory, text="Changed meanwhile.")
    response = sent(mira, memory, text="Mine.", version=before.version)
    page = response.content.decode()
    assert response.status_code == 412
    assert "changed while you were writing" in page and "Mine." in page and str(now.version) in page
    assert sent(mira, memory, text="Mine.", version=now.version).status_code == 302
    assert mira.versions(memory)[0].text == "Mine."


def test_a_retracted_memory_is_not_corrected(mira: Member, memory: UUID) -> None:
    mira.post(f"memories/{memory}/retract")
    response = sent(mira, memory, text="Too late.")
    assert response.status_code == 409
    assert "Too late." in response.content.decode()


def test_a_retraction_can_be_taken_back(mira: Member, memory: UUID) -> None:
    client = mira.client
    client.post(mira.at(f"memories/{memory}/retract"))
    page = client.get(mira.at(f"memories/{memory}")).content.decode()
    assert f'action="/t/acme/memories/{memory}/restore"' in page and "Undo" in page
    assert recall(mira.scope, query="Dana").hits == []
    client.post(mira.at(f"memories/{memory}/restore"))
    assert [hit.record.id for hit in recall(mira.scope, query="Dana").hits] == [memory]


def test_a_corrected_memory_comes_back_as_it_was_last(mira: Member, memory: UUID) -> None:
    correct(mira.scope, memory, text="Dana wants a call.", tags=["contact"], metadata={"old": None, "new": "yes"})
    mira.post(f"memories/{memory}/retract")
    mira.post(f"memories/{memory}/restore")
    hits = recall(mira.scope, query="Dana").hits
    assert [(hit.record.id, hit.record.text) for hit in hits] == [(memory, "Dana wants a call.")]
    assert hits[0].record.payload["tags"] == ["contact"]
    assert hits[0].record.payload["metadata"] == {"ticket": 1, "new": "yes"}
    assert hits[0].record.payload["invalidated_at"] is None


def test_what_a_bound_key_wrote_is_restored_as_it_was(mira: Member) -> None:
    tenant = operator_scope(mira.scope.tenant, "test")
    key = issue_key(tenant, scopes=["read", "write"], filters={"team": "red"})
    memory = remember(scope_of_key(key.secret), items=[Item(0, FACTS[0])])[0].id
    mira.post(f"memories/{memory}/retract")
    assert mira.post(f"memories/{memory}/restore").status_code == 302
    assert [hit.record.id for hit in recall(mira.scope, query="Dana").hits] == [memory]


def test_erasing_shows_what_goes_and_takes_the_typed_words(mira: Member, memory: UUID) -> None:
    correct(mira.scope, memory, text="Dana wants a call.")
    page = mira.get(f"memories/{memory}/delete").content.decode()
    assert "Dana wants a call." in page and "all 2 versions" in page
    version, phrase = mira.versions(memory)[0].version, "erase"
    for wrong in ("", "ok", f"{phrase} it"):
        response = mira.post(f"memories/{memory}/delete", confirm=wrong, version=version)
        assert response.status_code == 422 and "Nothing was erased." in response.content.decode()
    assert len(mira.versions(memory)) == 2
    assert mira.post(f"memories/{memory}/delete", confirm=f" {phrase.upper()} ", version=version).status_code == 302
    assert mira.get(f"memories/{memory}").status_code == 404
    assert recall(mira.scope, query="Dana").hits == []


def test_what_changed_since_it_was_looked_at_is_not_erased(mira: Member, memory: UUID) -> None:
    seen = mira.versions(memory)[0].version
    correct(mira.scope, memory, text="Worth keeping.")
    response = mira.post(f"memories/{memory}/delete", confirm="erase", version=seen)
    assert response.status_code == 412
    assert "Worth keeping." in response.content.decode()
    assert len(mira.versions(memory)) == 2


def test_a_full_tenant_says_so_and_keeps_the_text(mira: Member, settings: Any) -> None:
    settings.DEFAULT_QUOTAS = {"memories": 0}
    response = mira.post("memories/new", text="One too many.")
    assert response.status_code == 507
    assert "One too many." in response.content.decode()


def test_the_list_pages_through_everything_once(mira: Member) -> None:
    mira.stores(*(f"Note {n}." for n in range(45)))
    seen, address = [], "memories"
    while address:
        page = mira.get(address).content.decode()
        seen += [part.split("<")[0] for part in page.split('">Note ')[1:]]
        more = page.split('href="?after=')[1:]
        address = f"memories?after={more[0].partition(chr(34))[0]}" if more else ""
    assert sorted(seen, key=lambda text: int(text.rstrip("."))) == [f"{n}." for n in range(45)]


def test_the_list_begins_with_the_newest(mira: Member) -> None:
    for text in FACTS:
        mira.stores(text)
    page = mira.get("memories").content.decode()
    assert [page.index(text) for text in reversed(FACTS)] == sorted(page.index(text) for text in FACTS)


def test_what_was_retracted_is_listed_and_can_be_restored_there(mira: Member, vito: Member, memory: UUID) -> None:
    mira.stores(FACTS[1])
    mira.post(f"memories/{memory}/retract")
    believed, retracted = (mira.get(f"memories{query}").content.decode() for query in ("", "?state=retracted"))
    assert FACTS[0] not in believed and FACTS[1] in believed
    assert FACTS[0] in retracted and FACTS[1] not in retracted
    assert f'action="/t/acme/memories/{memory}/restore"' in retracted
    assert "/restore" not in vito.get("memories?state=retracted").content.decode()
    mira.post(f"memories/{memory}/restore")
    assert "Nothing is retracted" in mira.get("memories?state=retracted").content.decode()


def test_a_correction_is_shown_before_it_is_saved(mira: Member, memory: UUID) -> None:
    response = sent(mira, memory, text=FACTS[0].replace("not by", "never by"), tags="contact", act="preview")
    page = response.content.decode()
    assert response.status_code == 200
    assert "<del>not</del>" in page and "<ins>never</ins>" in page and "#contact" in page
    assert len(mira.versions(memory)) == 1


def test_a_correction_can_be_undone_while_it_is_the_last(mira: Member, memory: UUID) -> None:
    before = mira.versions(memory)[0]
    sent(mira, memory, text="Dana wants a call.", tags="contact", metadata='{"ticket": 2, "new": 1}')
    undo = f"memories/{memory}/undo?version={mira.versions(memory)[0].version}"
    assert mira.post(undo).status_code == 302
    now = mira.versions(memory)[0]
    assert (now.text, now.payload["tags"], now.payload["metadata"]) == (
        before.text, before.payload["tags"], before.payload["metadata"],
    )  # fmt: skip
    assert mira.post(undo).status_code == 409
    assert len(mira.versions(memory)) == 3


def test_what_was_never_corrected_is_not_undone(mira: Member, memory: UUID) -> None:
    assert mira.post(f"memories/{memory}/undo?version={mira.versions(memory)[0].version}").status_code == 409


def test_a_preview_of_nothing_says_so(mira: Member, memory: UUID) -> None:
    assert "Nothing is different" in sent(mira, memory, act="preview").content.decode()


def test_erasing_counts_what_goes_from_each_store(mira: Member, memory: UUID) -> None:
    correct(mira.scope, memory, text="Dana wants a call.")
    page = mira.get(f"memories/{memory}/delete").content.decode()
    counts = [int(number) for number in re.findall(r'<td class="n">(\d+)</td>', page)]
    assert counts[:2] == [2, 2] and counts[2] > 5 and counts[3] == 6


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/New_York", "UTC"])
@pytest.mark.parametrize("moment", ["0001-01-01T00:00", "9999-12-31T23:59"])
def test_the_ends_of_the_calendar_are_taken_or_refused_in_any_time_zone(acme: Any, zone: str, moment: str) -> None:
    from tenants.models import Tenant
    from tenants.rls import tenant_rows

    mira: Member = acme["mira"]
    with tenant_rows(mira.scope.tenant):
        Tenant.objects.filter(id=mira.scope.tenant).update(time_zone=zone)
    response = mira.post("memories/new", text="At the end of time.", happened=moment)
    if response.status_code == 422:
        assert "between the years 1 and 9999" in response.content.decode()
    else:
        assert mira.client.get(response["Location"]).status_code == 200
    assert mira.get("memories").status_code == 200
    assert mira.get(f"search?q=end&valid_at={moment}").status_code in (200, 422)
