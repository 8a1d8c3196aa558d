"""Writing over REST."""

from tests.cast import Caller


def test_a_text_sent_twice_is_one_memory(alice: Caller) -> None:
    first = alice.post("memories", {"items": [{"text": "Alice likes tea."}]}).json()
    again = alice.post("memories", {"items": [{"text": "Alice likes tea."}]}).json()
    assert (first["stored"], first["duplicates"]) == (1, 0)
    assert (again["stored"], again["duplicates"]) == (0, 1)
    assert again["results"][0] == {**first["results"][0], "status": "duplicate"}


def test_a_text_twice_in_one_request_is_a_duplicate(alice: Caller) -> None:
    answer = alice.post("memories", {"items": [{"text": "Twice."}, {"text": "Twice."}]}).json()
    assert [result["status"] for result in answer["results"]] == ["stored", "duplicate"]
    assert [result["item"] for result in answer["results"]] == [0, 1]


def test_the_same_text_in_another_tenant_has_another_id(alice: Caller, charlie: Caller) -> None:
    assert alice.remember("Same text.") != charlie.remember("Same text.")


def test_other_metadata_updates_the_memory_and_keeps_its_id(alice: Caller) -> None:
    (stored,) = alice.remember("Rent is due.", metadata={"amount": 900})
    answer = alice.post("memories", {"items": [{"text": "Rent is due.", "metadata": {"amount": 950}}]}).json()
    assert answer["results"][0]["id"] == stored
    assert answer["results"][0]["status"] == "updated"
    assert answer["duplicates"] == 1
    assert alice.get(f"memories/{stored}").json()["metadata"] == {"amount": 950}
    assert len(alice.found("rent", filters={"amount": 950})) == 1
    assert alice.found("rent", filters={"amount": 900}) == []


def test_saying_nothing_about_metadata_keeps_it(alice: Caller) -> None:
    (stored,) = alice.remember("Rent is due.", metadata={"amount": 900}, tags=["home"])
    answer = alice.post("memories", {"items": [{"text": "Rent is due.", "timestamp": "2026-01-01"}]}).json()
    assert answer["results"][0]["status"] == "duplicate"
    memory = alice.get(f"memories/{stored}").json()
    assert (memory["metadata"], memory["tags"], memory["timestamp"]) == ({"amount": 900}, ["home"], None)


def test_chunk_cuts_a_long_text_into_windows_of_800(alice: Caller) -> None:
    text = "word " * 500
    answer = alice.post("memories", {"items": [{"text": text, "chunk": True, "source": "book"}]}).json()
    assert [result["offset"] for result in answer["results"]] == [0, 800, 1600, 2400]
    assert {result["item"] for result in answer["results"]} == {0}


def test_chunk_without_a_source_is_refused_and_stores_nothing(alice: Caller) -> None:
    answer = alice.post("memories", {"items": [{"text": "Fine."}, {"text": "x" * 900, "chunk": True}]})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("items[1]: ")
    assert alice.found("Fine") == []


def test_a_source_over_1024_characters_breaks_the_rule_by_name(alice: Caller) -> None:
    answer = alice.post("memories", {"items": [{"text": "a"}, {"text": "b", "source": "s" * 1025}]})
    assert (answer.status_code, answer.json()["detail"]) == (400, "items[1]: source exceeds 1024 characters")


def test_a_reserved_metadata_key_is_refused_whatever_its_case_or_width(alice: Caller) -> None:
    for key in ("text", "TENANT_ID", "ｓｏｕｒｃｅ", "_hidden"):
        answer = alice.post("memories", {"items": [{"text": "x", "metadata": {key: 1}}]})
        assert answer.status_code == 400, key


def test_validity_in_metadata_ends_a_memory(alice: Caller) -> None:
    alice.remember("Bob lives in Rome.", metadata={"valid_from": "2024-01-01", "valid_until": "2025-01-01"})
    assert alice.found("where does Bob live") == []
    assert alice.found("where does Bob live", as_of="2024-06-01") == ["Bob lives in Rome."]
    assert alice.found("where does Bob live", as_of="2025-01-01") == []


def test_validity_that_ends_before_it_begins_is_refused(alice: Caller) -> None:
    metadata = {"valid_from": "2025-01-01", "valid_until": "2024-01-01"}
    assert alice.post("memories", {"items": [{"text": "x", "metadata": metadata}]}).status_code == 400


def test_every_field_of_an_item_comes_back(alice: Caller) -> None:
    fields = {
        "source": "chat", "offset": 7, "timestamp": "2026-03-20T14:30:00+01:00", "tags": ["a", "b"],
        "metadata": {"n": 1.5, "deep": {"x": [1, None, True]}}, "namespace": "care", "subject": "dana",
        "agent": "planner", "kind": "preference", "confidence": 0.75,
    }  # fmt: skip
    (stored,) = alice.remember("Dana wants letters.", **fields)
    memory = alice.get(f"memories/{stored}").json()
    assert {name: memory[name] for name in fields} == {**fields, "timestamp": "2026-03-20T13:30:00Z"}


def test_a_reader_may_not_write(bob: Caller) -> None:
    answer = bob.post("memories", {"items": [{"text": "x"}]})
    assert (answer.status_code, answer.json()["detail"]) == (403, "key lacks 'write' scope")


def test_text_longer_than_the_models_window_is_found_by_its_end(alice: Caller) -> None:
    filler = "The committee went through the agenda without any remark. " * 200
    alice.remember(filler + "Finally the zebra escaped from the zoo.", *[f"Note {n} on budgets." for n in range(5)])
    assert alice.found("which animal ran away", limit=1)[0].endswith("zoo.")
