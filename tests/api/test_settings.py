"""A tenant's settings: read and changed by admins, checked field by field, in force at once, and no secret told."""

from typing import Any
from uuid import uuid4

import pytest

from memory.models import Settings
from memory.services.models import language_model, try_language_model
from memory.services.settings import change_settings
from tenants.authentication import operator_scope
from tenants.rls import tenant_rows
from tests.api.answers import audited
from tests.cast import Caller, MakeCaller
from tests.servers.chat import answers
from tests.servers.scripted import ScriptedServer, status

KEY = "sk-very-secret-0123456789"
MODEL = {"provider": "openai", "url": "https://models.example/v1", "model": "m-1", "api_key": KEY}


@pytest.fixture
def admin(alice: Caller) -> Caller:
    """Who manages acme."""
    return alice.with_key(["admin"])


def change(caller: Caller, **sections: Any) -> Any:
    """The settings after a change that is taken."""
    response = caller.call("PATCH", "settings", sections)
    assert response.status_code == 200, response.content
    return response.json()


def refused(caller: Caller, **sections: Any) -> tuple[str, str]:
    """Where a change is at fault, and how."""
    response = caller.call("PATCH", "settings", sections)
    assert response.status_code == 422, response.content
    (fault,) = response.json()["errors"]
    return fault["pointer"], fault["detail"]


def test_a_tenant_begins_with_the_defaults(admin: Caller) -> None:
    response = admin.get("settings")
    assert (response.status_code, response.headers["ETag"]) == (200, '"0"')
    told = response.json()
    assert (told["version"], told["changed_at"], told["chosen"]) == (0, None, [])
    assert told["recall"]["fusion"] == "score" and told["recall"]["fields"] == {"text": 1.0, "key": 0.4, "tags": 0.1}
    assert told["recall"]["stages"]["exact_token"] in (True, False)
    assert told["dates"] == {"time_zone": "UTC", "date_order": "dmy", "languages": []}
    assert told["llm"] == {
        "provider": None, "url": None, "model": None, "api_key_set": False, "api_key_last4": None, "source": "none",
    }  # fmt: skip


def test_what_is_absent_stays_and_null_is_the_default_again(admin: Caller) -> None:
    change(admin, recall={"fusion": "rrf", "weights": {"vector": 2, "lexical": 0.5}}, dates={"date_order": "mdy"})
    told = change(admin, recall={"weights": {"dense": None}, "half_life": 30})
    assert (told["version"], told["recall"]["fusion"], told["recall"]["weights"]) == (2, "rrf", {"lexical": 0.5})
    assert told["chosen"] == ["dates.date_order", "recall.fusion", "recall.half_life", "recall.weights.lexical"]
    told = change(admin, recall=None)
    assert (told["recall"]["fusion"], told["recall"]["weights"], told["chosen"]) == ("score", {}, ["dates.date_order"])
    assert change(admin, dates={"date_order": None})["chosen"] == []


def test_a_change_that_changes_nothing_is_no_version(admin: Caller) -> None:
    change(admin, recall={"fusion": "rrf"})
    assert change(admin, recall={"fusion": "rrf"})["version"] == 1
    assert change(admin)["version"] == 1
    assert len(changes_of(admin)) == 1


def test_the_time_zone_is_the_tenants(admin: Caller) -> None:
    told = change(admin, dates={"time_zone": "Asia/Tokyo", "languages": ["de", "en", "de"]})
    assert told["dates"] == {"time_zone": "Asia/Tokyo", "date_order": "dmy", "languages": ["de", "en"]}
    assert "dates.time_zone" in told["chosen"]
    assert admin.scope.time_zone == "Asia/Tokyo"
    assert change(admin, dates={"time_zone": None})["dates"]["time_zone"] == "UTC"
    assert change(admin, dates={"time_zone": "Asia/Tokyo"})["version"] == 3
    assert change(admin, dates=None)["dates"] == {"time_zone": "UTC", "date_order": "dmy", "languages": []}


def changes_of(caller: Caller) -> list[dict[str, Any]]:
    """What the audit trail says of changes."""
    return [detail for action, detail in audited(caller.tenant) if action == "settings.changed"]


@pytest.mark.parametrize(
    ("section", "value", "pointer", "says"),
    [
        ("recall", {"fusion": "magic"}, "/recall/fusion", "'score' or 'rrf'"),
        ("recall", {"weights": {"dense": 11}}, "/recall/weights/dense", "less than or equal to 10"),
        ("recall", {"weights": {"dense": "2"}}, "/recall/weights/dense", "valid number"),
        ("recall", {"weights": {"telepathy": 1}}, "/recall/weights", "knows no retriever 'telepathy'"),
        ("recall", {"weights": {"dense": 1, "vector": 1}}, "/recall/weights", "twice"),
        ("recall", {"stages": {"magic": True}}, "/recall/stages", "knows no stage 'magic'"),
        ("recall", {"stages": {"freshness": 1}}, "/recall/stages/freshness", "valid boolean"),
        ("recall", {"smoothing": 1.5}, "/recall/smoothing", "less than or equal to 1"),
        ("recall", {"vector_floor": 101}, "/recall/vector_floor", "100"),
        ("recall", {"fields": {"title": 1}}, "/recall/fields/title/[key]", "'text', 'key' or 'tags'"),
        ("recall", {"token_budget": 0}, "/recall/token_budget", "1"),
        ("recall", {"half_life": 0}, "/recall/half_life", "0.01"),
        ("recall", {"speed": 1}, "/recall/speed", "not known"),
        ("dates", {"time_zone": "Mars/Base"}, "/dates/time_zone", "no time zone"),
        ("dates", {"date_order": "myd"}, "/dates/date_order", "'dmy'"),
        ("dates", {"languages": ["tlh"]}, "/dates/languages", "'tlh' is no language"),
        ("llm", {**MODEL, "provider": "clippy"}, "/llm/provider", "'openai'"),
        ("llm", {**MODEL, "provider": "os.system"}, "/llm/provider", "'openai'"),
        ("llm", {**MODEL, "url": "ftp://h/x"}, "/llm/url", "no http or https address"),
        ("llm", {**MODEL, "url": "https://me:word@h.example"}, "/llm/url", "holds a user or password"),
        ("llm", {**MODEL, "url": "http://127.0.0.1:11434"}, "/llm/url", "not a public address"),
        ("llm", {**MODEL, "url": "http://localhost:11434"}, "/llm/url", "not a public address"),
        ("llm", {**MODEL, "url": "http://[::ffff:10.0.0.1]/"}, "/llm/url", "not a public address"),
        ("llm", {**MODEL, "url": "http://169.254.169.254/"}, "/llm/url", "not a public address"),
        ("llm", {**MODEL, "model": None}, "/llm/model", "is missing"),
        ("llm", {**MODEL, "api_key": "with space"}, "/llm/api_key", "characters that no key has"),
        ("llm", {"provider": "ollama", "model": "m"}, "/llm/url", "address of your Ollama"),
        ("llm", {"model": "m"}, "/llm/provider", "is missing"),
        ("llm", {"api_key": KEY}, "/llm/provider", "is missing"),
        ("llm", {"provider": None, "model": "m"}, "/llm/provider", "is missing"),
        ("speed", {}, "/speed", "not known"),
    ],
)
def test_a_fault_names_the_field_and_changes_nothing(
    admin: Caller, section: str, value: Any, pointer: str, says: str
) -> None:
    where, detail = refused(admin, **{section: value})
    assert where == pointer
    assert says in detail
    assert KEY not in detail
    assert admin.get("settings").json()["version"] == 0


def test_a_key_is_never_told_but_for_its_end(admin: Caller) -> None:
    told = change(admin, llm=MODEL)
    assert told["llm"] == {
        "provider": "openai", "url": MODEL["url"], "model": "m-1", "api_key_set": True, "api_key_last4": "6789",
        "source": "tenant",
    }  # fmt: skip
    assert KEY[:-4] not in admin.get("settings").content.decode()
    assert KEY not in str(audited(admin.tenant))
    with tenant_rows(admin.tenant):
        row = Settings.objects.get()
    assert KEY not in str(row.chosen) and KEY.encode() not in bytes(row.sealed_llm_key or b"")
    assert change(admin, llm={"api_key": "short"})["llm"]["api_key_last4"] is None
    assert change(admin, llm={"api_key": None})["llm"]["api_key_set"] is False


def test_a_key_does_not_follow_to_another_address(admin: Caller) -> None:
    """Else whoever may change the address could have the stored key sent to themselves."""
    change(admin, llm=MODEL)
    for moved in ({"url": "https://elsewhere.example"}, {"provider": "gemini"}, {"url": None}):
        assert refused(admin, llm=moved)[0] == "/llm/api_key"
    assert change(admin, llm={"model": "m-2"})["llm"]["api_key_set"]
    assert not change(admin, llm={"url": "https://elsewhere.example", "api_key": None})["llm"]["api_key_set"]
    change(admin, llm=MODEL)
    assert change(admin, llm={"provider": None})["llm"]["api_key_set"] is False
    assert refused(admin, llm={"model": "m"})[0] == "/llm/provider"


def test_an_audit_event_names_what_changed_and_who(admin: Caller) -> None:
    change(admin, recall={"weights": {"dense": 2}}, llm=MODEL, dates={"time_zone": "Europe/Berlin"})
    (detail,) = changes_of(admin)
    assert detail["fields"] == [
        "dates.time_zone", "llm.api_key", "llm.model", "llm.provider", "llm.url", "recall.weights.dense",
    ]  # fmt: skip
    assert detail["values"]["recall.weights.dense"] == 2
    assert not any(name.startswith("llm") for name in detail["values"])


def test_a_change_in_between_is_noticed(admin: Caller) -> None:
    change(admin, recall={"fusion": "rrf"})
    late = admin.call("PATCH", "settings", {"recall": {"fusion": "score"}}, If_Match='"0"')
    assert (late.status_code, late.json()["current_version"]) == (412, "1")
    assert admin.call("PATCH", "settings", {"recall": {"fusion": None}}, If_Match='"1"').status_code == 200
    assert admin.call("PATCH", "settings", {}, If_Match="soon").status_code == 422


def test_settings_are_for_admins_of_the_whole_tenant(alice: Caller, admin: Caller) -> None:
    for caller in (alice, alice.with_key(["read"])):
        assert caller.get("settings").status_code == 403
        assert caller.call("PATCH", "settings", {}).status_code == 403
    narrow = alice.with_key(["admin"], namespaces=["team-a"])
    assert narrow.get("settings").status_code == 200
    assert (narrow.call("PATCH", "settings", {"recall": {"fusion": "rrf"}}).json()["code"]) == "narrowed_key"
    assert admin.get("settings").json()["version"] == 0


def test_another_tenant_sees_nothing_of_it(admin: Caller, charlie: Caller) -> None:
    other = charlie.with_key(["admin"])
    change(admin, recall={"fusion": "rrf"}, llm=MODEL)
    assert other.get("settings").json()["chosen"] == []
    change(other, recall={"smoothing": 0.1})
    assert admin.get("settings").json()["recall"]["smoothing"] == 0.75


def test_a_recall_goes_by_the_settings_at_once(admin: Caller, alice: Caller) -> None:
    alice.remember("Dana prefers tea.", "The server runs Debian.")
    change(admin, recall={"fusion": "rrf", "weights": {"lexical": 0}, "token_budget": 8})
    answer = alice.post("recall", {"query": "what does Dana drink?", "include_trace": True}).json()
    assert answer["trace"]["fusion"] == "rrf"
    assert [arm["name"] for arm in answer["trace"]["retrievers"]] == ["vector"]
    assert answer["tokens_estimate"] <= 8
    asked = {"query": "Dana", "include_trace": True, "fusion": "score", "weights": {"lexical": 1}}
    trace = alice.post("recall", asked).json()["trace"]
    assert (trace["fusion"], {arm["name"] for arm in trace["retrievers"]}) == ("score", {"vector", "bm25"})


def test_settings_of_a_former_release_do_not_stop_a_recall(admin: Caller, alice: Caller) -> None:
    alice.remember("Dana prefers tea.")
    change(admin, recall={"fusion": "rrf"})
    with tenant_rows(admin.tenant):
        Settings.objects.update(chosen={"recall": {"gone": 1, "stages": {"gone": True}}, "gone": {"x": 1}})
    assert alice.found("tea") == ["Dana prefers tea."]
    assert admin.get("settings").status_code == 200


def test_a_tenant_without_memories_has_settings_too(newcomer: MakeCaller) -> None:
    fresh = newcomer("fresh").with_key(["admin"])
    change(fresh, recall={"fusion": "rrf"})
    assert fresh.found("anything") == []


def test_the_tenants_own_model_goes_before_the_operators(admin: Caller, charlie: Caller, settings: Any) -> None:
    assert language_model(admin.scope) is None
    settings.LLM_PROVIDER, settings.LLM_URL, settings.LLM_MODEL = "openai", "http://127.0.0.1:1", "the-operators"
    assert admin.get("settings").json()["llm"]["source"] == "operator"
    assert admin.get("status").json()["llm"] == "openai/the-operators"
    change(admin, llm=MODEL)
    own, other = language_model(admin.scope), language_model(charlie.scope)
    assert own is not None and other is not None
    assert (own.model, other.model) == ("m-1", "the-operators")


def test_the_connection_can_be_tried(admin: Caller, settings: Any) -> None:
    scope = admin.scope
    assert try_language_model(scope) is None
    with ScriptedServer(answers()) as server:
        settings.ALLOWED_PRIVATE_NETWORKS = ("127.0.0.0/8",)
        change(admin, llm={**MODEL, "url": server.url})
        trial = try_language_model(scope)
        assert trial is not None and (trial.name, trial.model, trial.fault) == ("openai", "m-1", "")
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        server.script(status(401))
        trial = try_language_model(scope)
        assert trial is not None and "check llm.api_key" in trial.fault
        settings.ALLOWED_PRIVATE_NETWORKS = ()
        server.script()
        trial = try_language_model(scope)
        assert trial is not None and "not public" in trial.fault
        assert server.requests == []


def test_a_key_that_no_encryption_key_opens_is_none(admin: Caller, settings: Any) -> None:
    change(admin, llm=MODEL)
    settings.ENCRYPTION_KEYS = ["MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="]
    told = admin.get("settings").json()["llm"]
    assert (told["api_key_set"], told["api_key_last4"]) == (True, None)


@pytest.mark.committed
def test_changes_at_once_are_all_kept(newcomer: MakeCaller) -> None:
    """None overwrites another's, and no version is given twice."""
    from concurrent.futures import ThreadPoolExecutor

    scope = operator_scope(newcomer(f"busy-{uuid4().hex[:8]}").tenant, "test")
    stages = [{"recall": {"weights": {name: 2.0}}} for name in ("dense", "lexical", "temporal", "graph", "hyde")]

    def act(one: dict[str, Any]) -> int:
        from django.db import connection

        try:
            return change_settings(scope, change=one).version
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as threads:
        versions = list(threads.map(act, stages))
    assert sorted(versions) == [1, 2, 3, 4, 5]
    with tenant_rows(scope.tenant):
        assert len(Settings.objects.get().chosen["recall"]["weights"]) == 5
