"""The settings page: each section saved by itself, faults beside their fields, the key never shown, without scripts."""

import re
from typing import Any

import pytest

from memory.services.models import language_model
from memory.services.settings import change_settings, read_settings
from tests.console.staff import Member
from tests.servers.chat import answers
from tests.servers.scripted import ScriptedServer, status

KEY = "sk-very-secret-0123456789"
MODEL = {"provider": "openai", "url": "https://models.example/v1", "model": "m-1", "api_key": KEY}


def form_of(member: Member, section: str, **changes: Any) -> dict[str, Any]:
    """A section's form as the page shows it, with changes."""
    page = member.get("settings").content.decode()
    (form,) = re.findall(rf'<form class="card" id="{section}".*?</form>', page, re.DOTALL)
    sent: dict[str, Any] = dict(re.findall(r'<input [^>]*?name="(\w+)" value="([^"]*)"', form))
    for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        sent[name] = chosen[1] if chosen else ""
    sent.pop("csrfmiddlewaretoken", None)
    ticked = re.findall(r'<input type="checkbox" name="(\w+)" value="(\w+)"[^>]*checked', form)
    return sent | {name: [v for n, v in ticked if n == name] for name, _ in ticked} | changes


def test_a_section_is_saved_and_shown_again(mira: Member) -> None:
    sent = form_of(mira, "recall", fusion="rrf", weights__dense="2", stages__freshness="on", token_budget="500")
    response = mira.post("settings", **sent)
    assert (response.status_code, response.headers["Location"]) == (302, mira.at("settings#recall"))
    tuning = read_settings(mira.scope).tuning
    assert (tuning.fusion, tuning.weights, tuning.stages, tuning.token_budget) == (
        "rrf", {"dense": 2.0}, {"freshness": True}, 500,
    )  # fmt: skip
    again = form_of(mira, "recall")
    assert (again["fusion"], again["weights__dense"], again["stages__freshness"]) == ("rrf", "2.0", "on")
    mira.post("settings", **form_of(mira, "recall", fusion="", weights__dense="", token_budget=""))
    assert read_settings(mira.scope).chosen == ("recall.stages.freshness",)


def test_sending_a_section_as_it_is_changes_nothing(mira: Member) -> None:
    recall = {"fusion": "rrf", "weights": {"hyde": 2.0}, "fields": {"key": 2.0}}
    before = change_settings(mira.scope, change={"recall": recall, "dates": {"languages": ["de"]}, "llm": MODEL})
    for section in ("recall", "dates", "llm"):
        assert mira.post("settings", **form_of(mira, section)).status_code == 302
    assert read_settings(mira.scope) == before


def test_dates_are_the_tenants(mira: Member) -> None:
    sent = form_of(mira, "dates", time_zone="Europe/Berlin", date_order="mdy", languages=["de", "en"])
    assert mira.post("settings", **sent).status_code == 302
    tuning = read_settings(mira.scope).tuning
    assert (tuning.time_zone, tuning.date_order, tuning.languages) == ("Europe/Berlin", "mdy", ("de", "en"))
    assert mira.scope.time_zone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("section", "changes", "says"),
    [
        ("recall", {"weights__dense": "11"}, "less than or equal to 10"),
        ("recall", {"smoothing": "much"}, "Enter a number"),
        ("recall", {"fusion": "magic"}, "Select a valid choice"),
        ("dates", {"time_zone": "Mars/Base"}, "Select a valid choice"),
        ("llm", {"provider": "openai"}, "Name the model"),
        ("llm", {"provider": "openai", "model": "m", "url": "ftp://x"}, "Give an address such as"),
        ("llm", {"provider": "openai", "model": "m", "url": "http://10.0.0.1"}, "This address is not public"),
        ("llm", {"provider": "openai", "model": "m", "api_key": "a b"}, "A key has no spaces"),
        ("llm", {"provider": "ollama", "model": "m"}, "the address of your Ollama"),
        ("llm", {"model": "m"}, "Choose a provider"),
    ],
)
def test_a_fault_stands_beside_its_field(mira: Member, section: str, changes: dict[str, str], says: str) -> None:
    response = mira.post("settings", **form_of(mira, section, **changes))
    page = response.content.decode()
    assert response.status_code == 422
    assert says in page and page.count('class="err"') == 1
    assert read_settings(mira.scope).version == 0


def test_the_key_is_stored_and_not_shown(mira: Member) -> None:
    assert mira.post("settings", **form_of(mira, "llm", **MODEL)).status_code == 302
    page = mira.get("settings").content.decode()
    assert KEY[:-4] not in page and "One that ends in 6789 is stored" in page
    mira.post("settings", **form_of(mira, "llm", model="m-2"))
    assert read_settings(mira.scope).model.key_last4 == "6789"
    response = mira.post("settings", **form_of(mira, "llm", url="https://elsewhere.example"))
    assert response.status_code == 422 and "the stored one was given for another address" in response.content.decode()
    mira.post("settings", **form_of(mira, "llm", forget="on"))
    assert read_settings(mira.scope).model.key_set is False
    mira.post("settings", **form_of(mira, "llm", provider="", url="", model=""))
    assert read_settings(mira.scope).model.source == "none"


def test_a_key_that_is_sent_back_with_a_fault_is_not_shown(mira: Member) -> None:
    page = mira.post("settings", **form_of(mira, "llm", provider="openai", api_key=KEY)).content.decode()
    assert KEY not in page


def test_the_connection_is_tested_on_what_was_saved(mira: Member, settings: Any) -> None:
    settings.ALLOWED_PRIVATE_NETWORKS = ("127.0.0.0/8",)
    with ScriptedServer(answers()) as server:
        sent = form_of(mira, "llm", **MODEL | {"url": server.url}, act="try")
        page = mira.post("settings", **sent).content.decode()
        assert re.search(r"m-1 answered in \d\.\d s\.", page), re.findall(r"notice.*", page)
        server.script(status(401, f"the key {KEY} is wrong"))
        page = mira.post("settings", **form_of(mira, "llm", act="try")).content.decode()
        assert "The language model gave no answer." in page and "check llm.api_key" in page and KEY not in page
        assert language_model(mira.scope) is not None
    page = mira.post("settings", **form_of(mira, "llm", provider="", url="", model="", act="try")).content.decode()
    assert "There is no language model to ask." in page


def test_what_another_changed_meanwhile_is_not_overwritten(mira: Member) -> None:
    sent = form_of(mira, "recall", smoothing="0.5")
    change_settings(mira.scope, change={"recall": {"smoothing": 0.25}})
    response = mira.post("settings", **sent)
    assert response.status_code == 422 and "changed while you were writing" in response.content.decode()
    assert read_settings(mira.scope).tuning.smoothing == 0.25
    assert 'name="version" value="1"' in response.content.decode()


def test_it_is_for_owners_and_admins(mira: Member, vito: Member) -> None:
    assert vito.get("settings").status_code == 403
    assert vito.post("settings", section="recall", version="0").status_code == 403
    assert "settings" not in vito.get("search").content.decode()
    assert mira.at("settings") in mira.get("search").content.decode()


def test_the_operators_model_is_named_as_such(mira: Member, settings: Any) -> None:
    settings.LLM_PROVIDER, settings.LLM_MODEL = "openai", "m"
    assert "The operator’s" in mira.get("settings").content.decode()


def test_a_change_stands_in_the_activity(mira: Member) -> None:
    mira.post("settings", **form_of(mira, "recall", fusion="rrf"))
    assert "changed settings" in mira.get("activity").content.decode()
