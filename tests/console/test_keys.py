"""Service keys in the console: shown once, never again, never wider than said; who may; pages that stay cheap."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from console.handover import GOOD_FOR, ticket_for
from tenants import keys
from tenants.models import ServiceKey
from tenants.rls import tenant_rows
from tenants.scope import Role
from tenants.services.keys import issue_key, page_of_keys, revoke_key
from tests.api.answers import audited
from tests.api.statements import watched
from tests.cast import Caller
from tests.console.staff import Member, hire

CREATE = {"create": "1", "name": "care-desk", "scopes": ["read", "write"], "namespaces": "*", "expiry": "90"}


def form_of(member: Member, **changes: Any) -> dict[str, Any]:
    """The form for a new key as it is sent."""
    return {**CREATE, "ticket": ticket_for(member.scope), **changes}


def shown(response: Any) -> str:
    """The one key on a page."""
    found = set(re.findall(keys.PATTERN.pattern.replace("(", "(?:"), response.content.decode()))
    assert len(found) == 1, found
    secret: str = found.pop()
    return secret


def created(member: Member, **changes: Any) -> ServiceKey:
    """The row of a key created by form."""
    response = member.post("keys/new", **form_of(member, **changes))
    assert response.status_code == 201, response.content.decode()
    (key,) = (key for key in all_keys(member) if key.tail == shown(response)[-4:])
    return key


def all_keys(member: Member) -> list[ServiceKey]:
    return list(page_of_keys(member.scope).keys)


def test_a_new_key_is_shown_and_works(mira: Member) -> None:
    response = mira.post("keys/new", **form_of(mira))
    assert response.status_code == 201
    assert "no-store" in response["Cache-Control"]
    caller = Caller(mira.scope.tenant, shown(response))
    assert caller.remember("Dana prefers tea.") and caller.found("tea") == ["Dana prefers tea."]
    (key,) = all_keys(mira)
    assert (key.name, key.scopes, key.namespaces, key.agent) == ("care-desk", ["read", "write"], ["*"], "*")
    assert key.created_by == f"member:{mira.user.id}"
    assert timedelta(days=89) < (key.expires_at or timezone.now()) - timezone.now() < timedelta(days=90)


def test_a_key_is_nowhere_but_in_the_one_answer(mira: Member, caplog: pytest.LogCaptureFixture) -> None:
    client = mira.client
    client.get(mira.at("keys/new"))
    response = client.post(mira.at("keys/new"), form_of(mira))
    secret = shown(response)
    assert secret not in str(response.headers) + str(response.cookies) + caplog.text
    assert all(secret not in str(session.get_decoded()) for session in Session.objects.all())
    (key,) = all_keys(mira)
    for path in ("keys", f"keys/{key.id}", f"keys/{key.id}/revoke", "connect/curl", "jobs"):
        page = client.get(mira.at(path)).content.decode()
        assert secret not in page and secret[8:20] not in page
    assert secret[8:] not in str(audited(mira.scope.tenant))


def test_a_form_sent_again_makes_no_second_key_and_shows_none(mira: Member) -> None:
    form = form_of(mira)
    secret = shown(mira.post("keys/new", **form))
    again = mira.post("keys/new", **form)
    assert again.status_code == 409
    page = again.content.decode()
    assert "This key was shown before" in page and f"…{secret[-4:]}" in page and secret not in page
    assert len(all_keys(mira)) == 1
    assert [action for action, _ in audited(mira.scope.tenant)].count("key.issued") == 1


def test_a_form_that_lay_open_for_too_long_says_so_and_works_the_second_time(
    mira: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = form_of(mira)
    monkeypatch.setattr("console.handover.GOOD_FOR", -1)
    stale = mira.post("keys/new", **form)
    assert stale.status_code == 422 and "lay open for too long" in stale.content.decode()
    assert "care-desk" in stale.content.decode() and all_keys(mira) == []
    monkeypatch.setattr("console.handover.GOOD_FOR", GOOD_FOR)
    ticket = re.search(r'name="ticket" value="([^"]+)"', stale.content.decode())
    assert ticket and mira.post("keys/new", **{**form, "ticket": ticket[1]}).status_code == 201


@pytest.mark.parametrize("ticket", ["", "nonsense", "x" * 600])
def test_a_ticket_that_is_not_ours_creates_nothing(mira: Member, gina: Member, ticket: str) -> None:
    colleague = hire(mira.scope.tenant, "acme", "ada@acme.example", Role.ADMIN)
    for given in (ticket, ticket_for(gina.scope), ticket_for(colleague.scope)):
        assert mira.post("keys/new", **form_of(mira, ticket=given)).status_code == 422
    assert all_keys(mira) == []


def test_everything_that_narrows_a_key_is_kept(mira: Member) -> None:
    key = created(
        mira, scopes=["read"], namespaces="red, blue,red", agent="ada",
        filters="ward = 7\r\nopen=true\r\n name = Dana = D\r\n", expiry="date",
        until=str(timezone.now().date() + timedelta(days=10)),
    )  # fmt: skip
    assert (key.scopes, key.namespaces, key.agent) == (["read"], ["red", "blue"], "ada")
    assert key.filters == {"ward": 7, "open": True, "name": "Dana = D"}
    assert key.expires_at and key.expires_at.time() == datetime(1, 1, 1, 23, 59, 59).time()


def test_a_date_ends_with_the_day_where_the_tenant_is(mira: Member) -> None:
    from tenants.models import Tenant

    with tenant_rows(mira.scope.tenant):
        Tenant.objects.update(time_zone="Asia/Tokyo")
    day = timezone.now().date() + timedelta(days=10)
    key = created(mira, expiry="date", until=str(day))
    assert key.expires_at == datetime(day.year, day.month, day.day, 14, 59, 59, tzinfo=UTC)


def test_a_key_may_be_made_to_last(mira: Member) -> None:
    assert created(mira, expiry="never").expires_at is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": ""}, "Give it a name"),
        ({"name": "n" * 101}, "100 are the most"),
        ({"name": "a\x00"}, "Null characters"),
        ({"scopes": []}, "Choose at least one thing"),
        ({"scopes": ["gateway"]}, "gateway is not one of the available choices"),
        ({"namespaces": ""}, "Name at least one namespace"),
        ({"namespaces": " , "}, "Name at least one namespace"),
        ({"namespaces": "*, red"}, "is every namespace already"),
        ({"namespaces": "a|b"}, "is no namespace"),
        ({"namespaces": "n" * 129}, "is no namespace"),
        ({"namespaces": ",".join(f"n{n}" for n in range(65))}, "at most 64"),
        ({"filters": "ward"}, "write it like ward = 7"),
        ({"filters": "ward = 7\nward = 8"}, "stands here twice"),
        ({"filters": "a.b = 7"}, "a bound key has no dot"),
        ({"filters": "\n".join(f"k{n} = 1" for n in range(17))}, "at most 16 filters"),
        ({"filters": "n = 1e400"}, "out of range"),
        ({"filters": "a = " + "[" * 19_000}, "at most 1024 characters"),
        ({"filters": "a = " + '{"a":' * 3_900}, "at most 1024 characters"),
        ({"filters": 'a = "\\ud800"'}, "“a” holds a NUL character or half a character"),
        ({"filters": 'a = "\\u0000"'}, "“a” holds a NUL character or half a character"),
        ({"expiry": "soon"}, "soon is not one of the available choices"),
        ({"expiry": "date"}, "Give the date after which it ends"),
        ({"expiry": "date", "until": "tomorrow"}, "Give a date such as"),
        ({"expiry": "date", "until": "2020-01-01"}, "This date is over"),
        ({"expiry": "date", "until": "9999-12-31"}, "within ten years"),
    ],
)
def test_what_is_wrong_is_said_and_creates_nothing(mira: Member, changes: dict[str, Any], said: str) -> None:
    response = mira.post("keys/new", **form_of(mira, **changes))
    assert response.status_code == 422
    assert said in response.content.decode()
    assert all_keys(mira) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "Recall, search and list memories. Remember, correct and retract, and erase by id or source."),
        ({"scopes": ["read"]}, "It changes nothing."),
        ({"scopes": ["write"]}, "It finds nothing, not even what it stored."),
        ({"scopes": ["admin"]}, "See the jobs of all keys that reach no further than this one."),
        ({"namespaces": "*"}, "In every namespace, also in those to come."),
        ({"namespaces": "red"}, "In the namespace red, nowhere else."),
        ({"namespaces": "red, blue, green"}, "In the namespaces red, blue and green, nowhere else."),
        ({"namespaces": "red, blue"}, "What names none goes to red."),
        ({"namespaces": "red, default"}, "What names none goes to default."),
        ({"filters": "ward = 7\nteam = x"}, "Memories with team = x and ward = 7."),
        ({"agent": "ada"}, "The agent ada: it reads what that agent wrote."),
        ({"expiry": "never"}, "Somebody revokes it."),
        ({"expiry": "date", "until": "2020-01-01"}, "Fill in what is missing above"),
        ({"scopes": []}, "Fill in what is missing above"),
        ({"filters": "a = " + "[" * 900}, "Memories with a = [[["),
        ({"filters": "a = " + "[" * 19_000}, "Memories with a = [[["),
        ({"filters": "a = " + '{"a":' * 3_900}, "Memories with a = {&quot;a&quot;:"),
        ({"filters": 'a = "\\ud800"'}, "Fill in what is missing above"),
    ],
)
def test_what_the_key_may_do_is_said_before_there_is_one(mira: Member, changes: dict[str, Any], said: str) -> None:
    form = form_of(mira, name="", **changes)
    del form["create"]
    part = mira.client.post(mira.at("keys/new"), form, headers={"HX-Request": "true", "HX-Target": "preview"})
    page = mira.post("keys/new", **form)
    assert (part.status_code, page.status_code) == (200, 200)
    assert part.content.decode().startswith('<div class="body" id="preview">') and said in part.content.decode()
    assert page.content.decode().startswith("<!doctype html>") and said in page.content.decode()
    assert all_keys(mira) == []


def test_a_first_look_at_the_form_says_what_its_suggestions_mean(mira: Member) -> None:
    page = mira.get("keys/new").content.decode()
    assert "In the namespace default, nowhere else." in page and "Recall, search and list memories." in page


def test_a_revoked_key_opens_nothing_from_then_on_and_says_who_it_was(mira: Member) -> None:
    response = mira.post("keys/new", **form_of(mira))
    caller = Caller(mira.scope.tenant, shown(response))
    (key,) = all_keys(mira)
    question = mira.get(f"keys/{key.id}/revoke").content.decode()
    assert "Revoke “care-desk”" in question and "This cannot be undone." in question and "It is in use" not in question
    assert caller.get("status").status_code == 200
    assert "It is in use:" in mira.get(f"keys/{key.id}/revoke").content.decode()
    client = mira.client
    answer = client.post(mira.at(f"keys/{key.id}/revoke"), follow=True)
    assert answer.redirect_chain == [("/t/acme/keys", 302)]
    assert "Revoked: care-desk no longer opens anything" in answer.content.decode()
    assert caller.get("status").status_code == 401
    assert client.post(mira.at(f"keys/{key.id}/revoke")).status_code == 302, "again changes nothing"
    assert "It is revoked already." in client.get(mira.at(f"keys/{key.id}/revoke")).content.decode()
    assert [action for action, _ in audited(mira.scope.tenant)].count("key.revoked") == 1


def test_the_list_has_the_keys_that_hold_first_and_marks_the_others(mira: Member) -> None:
    revoke_key(mira.scope, issue_key(mira.scope, scopes=["read"], name="gone").id)
    past = issue_key(mira.scope, scopes=["read"], name="past", expires_at=timezone.now() + timedelta(days=1)).id
    with tenant_rows(mira.scope.tenant):
        ServiceKey.objects.filter(id=past).update(expires_at=timezone.now() - timedelta(days=1))
    issue_key(mira.scope, scopes=["read"], name="narrow", namespaces=["red"], filters={"ward": 7}, agent="ada")
    issue_key(mira.scope, scopes=["read"], name="soon", expires_at=timezone.now() + timedelta(days=3))
    page = mira.get("keys").content.decode()
    rows = re.findall(r'<li class="hit">.*?</li>', page, re.DOTALL)
    assert [re.findall(r'name" href="[^"]+">([^<]+)', row)[0] for row in rows] == ["soon", "narrow", "past", "gone"]
    for row, word in zip(rows, ["Expires soon", "Active", "Expired", "Revoked"], strict=True):
        assert f">{word}</span>" in row
    assert "all namespaces" in rows[0]
    assert all(said in rows[1] for said in ("namespaces: red", "ward = 7", "as ada", "Never used", "Does not expire"))


def test_keys_come_in_pages(mira: Member) -> None:
    for n in range(45):
        issue_key(mira.scope, scopes=["read"], name=f"key {n}")
    for key in all_keys(mira)[20:45]:
        revoke_key(mira.scope, key.id)
    names: list[str] = []
    path = "keys"
    while path:
        page = mira.get(path).content.decode()
        names += re.findall(r'name" href="[^"]+">([^<]+)', page)
        more = re.search(r'href="\?([^"]+)" hx-get', page)
        path = f"keys?{more[1].replace('&amp;', '&')}" if more else ""
    assert len(names) == len(set(names)) == 45
    part = mira.get("keys", HX_Request="true", HX_Target="rows").content.decode()
    assert part.startswith('<li class="hit">') and part.count("<li") == 20


@pytest.mark.parametrize("address", ["keys?after=x", f"keys?after={UUID(int=7)}", f"keys?after={UUID(int=7)}&ended=1"])
def test_an_odd_place_in_the_list_is_taken_calmly(mira: Member, address: str) -> None:
    assert mira.get(address).status_code == 200


@pytest.mark.parametrize("path", ["keys", "jobs"])
def test_a_long_list_asks_the_database_no_more_often_than_a_short_one(mira: Member, path: str) -> None:
    def asked() -> int:
        client = mira.client
        with watched() as statements:
            client.get(mira.at(path))
        return len(statements)

    issue_key(mira.scope, scopes=["read"], name="one")
    few = asked()
    for n in range(15):
        issue_key(mira.scope, scopes=["read"], name=f"key {n}", filters={"ward": n})
    assert asked() == few < 20


def test_a_page_that_waits_is_told_nothing_until_there_is_news(mira: Member) -> None:
    response = mira.post("keys/new", **form_of(mira))
    (key,) = all_keys(mira)
    wait = re.search(r'hx-get="([^"]+)" hx-trigger="every 2s"', response.content.decode())
    assert wait and wait[1] == f"/t/acme/keys/{key.id}?pace=2s"
    path = f"keys/{key.id}?pace=2s"
    assert mira.get(path, HX_Request="true", HX_Target="use").status_code == 204
    Caller(mira.scope.tenant, shown(response)).get("status")
    part = mira.get(path, HX_Request="true", HX_Target="use").content.decode()
    assert "Connected: first call received" in part and "<time datetime" in part
    assert "Waiting for the first memory." in part and f"{path}.used" in part
    assert mira.get(f"{path}.used", HX_Request="true", HX_Target="use").status_code == 204
    Caller(mira.scope.tenant, shown(response)).remember("Mira prefers pnpm to npm.", namespace="care")
    part = mira.get(f"{path}.used", HX_Request="true", HX_Target="use").content.decode()
    assert "First memory received" in part and "hx-get" not in part, "it asks no more"
    assert f"memories?f=written_by:eq:key:{key.id}" in part
    assert "Last used" in mira.get(f"keys/{key.id}").content.decode()


def test_a_memory_that_is_known_already_counts_as_well(mira: Member) -> None:
    mira.stores("Dana prefers secure message to fax.")
    caller = Caller(mira.scope.tenant, shown(mira.post("keys/new", **form_of(mira))))
    (key,) = all_keys(mira)
    (again,) = caller.post("memories", {"items": [{"text": "Dana prefers secure message to fax."}]}).json()["results"]
    assert again["status"] == "duplicate"
    part = mira.get(f"keys/{key.id}?pace=2s.used", HX_Request="true", HX_Target="use").content.decode()
    assert "First memory received" in part and "does not store twice" in part


def test_a_revoked_key_is_told_so_and_a_wrong_one_is_not(mira: Member) -> None:
    secret = shown(mira.post("keys/new", **form_of(mira)))
    (key,) = all_keys(mira)
    mira.post(f"keys/{key.id}/revoke")
    told = Caller(mira.scope.tenant, secret).get("status").json()
    assert told["code"] == "invalid_key"
    assert told["detail"].startswith("invalid service key: it was revoked on 20")
    assert Caller(mira.scope.tenant, keys.make()).get("status").json()["detail"] == "invalid service key"


def test_a_key_for_two_namespaces_stores_in_the_first_of_them(mira: Member) -> None:
    caller = Caller(mira.scope.tenant, shown(mira.post("keys/new", **form_of(mira, namespaces="work, home"))))
    (memory,) = caller.remember("Mira prefers pnpm to npm.")
    assert caller.get(f"memories/{memory}").json()["namespace"] == "work"
    assert caller.found("pnpm") == ["Mira prefers pnpm to npm."]


def test_a_page_that_waits_for_long_asks_less_often_and_at_last_not_at_all(mira: Member) -> None:
    key = created(mira)
    with tenant_rows(mira.scope.tenant):
        ServiceKey.objects.update(created_at=timezone.now() - timedelta(hours=1))
    asked = {"HX_Request": "true", "HX_Target": "use"}
    assert 'hx-trigger="every 15s"' in mira.get(f"keys/{key.id}?pace=2s", **asked).content.decode()
    assert mira.get(f"keys/{key.id}?pace=15s", **asked).status_code == 204
    revoke_key(mira.scope, key.id)
    ended = mira.get(f"keys/{key.id}?pace=15s", **asked).content.decode()
    assert "It was never used." in ended and "hx-trigger" not in ended


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.VIEWER])
def test_only_owners_and_admins_manage_keys(mira: Member, role: Role) -> None:
    member = hire(mira.scope.tenant, "acme", "ben@acme.example", role)
    key = issue_key(mira.scope, scopes=["read"], name="one").id
    for path in ("keys", "keys/new", f"keys/{key}", f"keys/{key}/revoke"):
        refused = member.get(path)
        assert refused.status_code == 403
        assert "managed by the owners and admins" in refused.content.decode()
    assert member.post("keys/new", **form_of(member)).status_code == 403
    assert member.post(f"keys/{key}/revoke").status_code == 403
    assert member.post("connect/curl", **form_of(member)).status_code == 403
    assert [one.revoked_at for one in all_keys(mira)] == [None]
    assert 'href="/t/acme/keys"' not in member.get("connect/curl").content.decode()
    admin = hire(mira.scope.tenant, "acme", "ann@acme.example", Role.ADMIN)
    assert admin.post(f"keys/{key}/revoke").status_code == 302


@pytest.mark.parametrize("path", ["keys/{key}", "keys/{key}/revoke"])
def test_another_tenants_key_is_as_unknown_as_no_key(mira: Member, gina: Member, path: str) -> None:
    key = issue_key(mira.scope, scopes=["read"], name="one").id
    assert gina.get(path.format(key=key)).status_code == gina.get(path.format(key=uuid4())).status_code == 404
    assert gina.post(f"keys/{key}/revoke").status_code == 404
    assert mira.get(f"keys/{key}").status_code == 200


@pytest.mark.parametrize("path", ["keys/new", "keys/{key}/revoke", "connect/curl"])
def test_a_form_from_elsewhere_does_nothing(mira: Member, path: str) -> None:
    key = issue_key(mira.scope, scopes=["read"], name="one").id
    client = Client(enforce_csrf_checks=True)
    client.force_login(mira.user)
    assert client.post(mira.at(path.format(key=key)), form_of(mira)).status_code == 403
    assert [one.revoked_at for one in all_keys(mira)] == [None]


def test_names_are_shown_as_text(mira: Member) -> None:
    nasty = "<script>alert(1)</script>"
    key = created(mira, name=nasty, agent="<img src=x>", filters='a = "<b>"', namespaces="<i>")
    for path in ("keys", f"keys/{key.id}", f"keys/{key.id}/revoke"):
        page = mira.get(path).content.decode()
        assert "<script>alert" not in page and "<img" not in page and "<b>&" not in page and "<i>" not in page
