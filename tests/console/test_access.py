"""Who gets through which door. Every address of the console stands in one of these tables, or a test fails."""

import re
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_resolver

from tests.console.staff import FACTS, Member

OUTSIDE = {"home", "sign-in", "sign-out", "preferences", "help", "wheel"}
READS = {
    "tenant": "",
    "activity": "activity",
    "search": "search",
    "memories": "memories",
    "memory": "memories/{id}",
    "why": "search/why",
    "quality": "quality",
}
WRITES = {
    "add": "memories/new",
    "correct": "memories/{id}/correct",
    "delete": "memories/{id}/delete",
    "retract": "memories/{id}/retract",
    "restore": "memories/{id}/restore",
    "undo": "memories/{id}/undo",
}
MANAGES = {"keys", "key-new", "key", "key-revoke", "settings"}
"""For owners and admins: test_keys.py, test_settings_page.py."""
SHOWS = {"connect", "connect-client", "jobs", "job"}
"""For every member: test_connect.py, test_jobs_shown.py; tests/isolation/test_doors.py asks all of them."""
JUDGES = {"quality-run", "quality-remove", "feedback", "expect"}
"""For who may write, by POST: test_quality.py."""
POST_ONLY = {"retract", "restore", "undo"}


def test_every_address_is_in_a_table() -> None:
    names = {key for key in get_resolver("console.urls").reverse_dict if isinstance(key, str)}
    assert names == OUTSIDE | READS.keys() | WRITES.keys() | MANAGES | SHOWS | JUDGES


@pytest.mark.parametrize("name", READS | WRITES)
def test_a_stranger_gets_the_same_page_as_for_a_tenant_that_is_not_there(gina: Member, mira: Member, name: str) -> None:
    memory = mira.stores(FACTS[0])[0]
    path = (READS | WRITES)[name].format(id=memory)
    ask = gina.client.post if name in WRITES else gina.client.get
    theirs, nobodys = ask(f"/t/acme/{path}"), ask(f"/t/nowhere/{path}")
    assert theirs.status_code == nobodys.status_code == 404
    assert without_ids(theirs.content.decode()).replace("nowhere", "acme") == without_ids(
        nobodys.content.decode()
    ).replace("nowhere", "acme")
    assert len(mira.versions(memory)) == 1


def without_ids(page: str) -> str:
    """A page without what differs from request to request."""
    return re.sub(r"<code>[0-9a-f-]{36}</code>|value=\"\w{64}\"", "", page)


@pytest.mark.parametrize("path", ["memories/{id}", "memories/{id}/correct", "memories/{id}/delete"])
def test_another_tenants_memory_is_as_unknown_as_no_memory(gina: Member, mira: Member, path: str) -> None:
    memory = mira.stores(FACTS[0])[0]
    theirs, nobodys = gina.get(path.format(id=memory)), gina.get(path.format(id=uuid4()))
    assert theirs.status_code == nobodys.status_code == 404
    assert gina.post(f"memories/{memory}/retract").status_code == 404
    assert mira.versions(memory)[0].payload["known_to"] is None


@pytest.mark.parametrize("name", READS | WRITES)
def test_who_is_not_signed_in_is_led_to_the_door_and_back(mira: Member, name: str) -> None:
    path = mira.at((READS | WRITES)[name].format(id=uuid4()))
    response = Client().post(path) if name in POST_ONLY else Client().get(path)
    assert response.status_code == 302
    assert response["Location"] == ("/sign-in?next=" if name in POST_ONLY else f"/sign-in?next={path}")


@pytest.mark.parametrize(
    ("url", "back"),
    [("http://testserver/t/acme/search?q=tea", "/t/acme/search?q=tea"), ("http://elsewhere.example/t/acme/", "")]
    + [(broken, "") for broken in ("http://[", "http://[x]/", "http://a\u2100b/", "//]", ":")],
)
def test_who_is_no_longer_signed_in_is_led_back_to_the_page_they_saw(mira: Member, url: str, back: str) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": quote(url), "HX-Current-URL-URI-AutoEncoded": "true"}
    response = Client().get(mira.at("search?q=tea"), headers=headers)
    assert response.status_code == 200
    assert response["HX-Redirect"] == f"/sign-in?{urlencode({'next': back})}"


@pytest.mark.parametrize("name", WRITES)
def test_a_viewer_changes_nothing(mira: Member, vito: Member, name: str) -> None:
    memory = mira.stores(FACTS[0])[0]
    form = {"text": "changed", "confirm": f"erase {str(memory)[:8]}", "version": mira.versions(memory)[0].version}
    response = vito.post(WRITES[name].format(id=memory), **form)
    assert response.status_code == 403
    assert [version.text for version in mira.versions(memory)] == [FACTS[0]]


def test_a_viewer_restores_nothing(mira: Member, vito: Member) -> None:
    memory = mira.stores(FACTS[0])[0]
    mira.post(f"memories/{memory}/retract")
    assert vito.post(f"memories/{memory}/restore").status_code == 403
    assert mira.versions(memory)[0].payload["known_to"] is not None


@pytest.mark.parametrize("path", ["", "search?q=summaries", "search", "memories", "memories/{id}"])
def test_a_viewer_sees_no_buttons_that_change_something(mira: Member, vito: Member, path: str) -> None:
    memory = mira.stores(FACTS[0])[0]
    shown = vito.get(path.format(id=memory)).content.decode()
    assert not re.search(r"/(new|correct|delete|retract|restore)\"", shown)
    assert re.search(r"/(new|correct|delete|retract|restore)\"", mira.get(path.format(id=memory)).content.decode())


@pytest.mark.parametrize("name", sorted(POST_ONLY))
def test_what_changes_something_takes_no_link(mira: Member, name: str) -> None:
    assert mira.get(WRITES[name].format(id=uuid4())).status_code == 405


@pytest.mark.parametrize("path", ["search", "memories"])
def test_no_cache_keeps_a_page(mira: Member, path: str) -> None:
    response = mira.get(path)
    assert "no-store" in response["Cache-Control"]
    assert {"HX-Request", "HX-Target", "Cookie"} <= set(response["Vary"].split(", "))


def test_an_unknown_address_has_a_page_and_the_apis_has_a_document(mira: Member) -> None:
    page = mira.client.get("/nothing/here")
    assert page.status_code == 404
    assert "There is nothing at this address" in page.content.decode()
    assert Client().get("/api/v1/nothing").headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/nothing/here", "//elsewhere.example/t/acme/search"])
def test_an_unknown_address_has_a_page_for_somebody_not_signed_in_too(db: None, path: str) -> None:
    page = Client().generic("GET", "/", PATH_INFO=path)
    assert page.status_code == 404
    assert "There is nothing at this address" in page.content.decode()


def test_a_fault_of_ours_shows_nothing_of_itself(mira: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("console.views.search.recall", broken)
    client = mira.client
    client.raise_request_exception = False
    page = client.get(mira.at("search?q=a"))
    part = client.get(mira.at("search?q=a"), headers={"HX-Request": "true", "HX-Target": "results"})
    assert page.status_code == part.status_code == 500
    assert (
        "Something failed on our side" in page.content.decode()
        and page.headers["X-Request-ID"] in page.content.decode()
    )
    assert part.content.decode().startswith('<div class="notice bad">') and part["HX-Retarget"] == "#notices"
    assert "secret detail" not in page.content.decode() + part.content.decode()
