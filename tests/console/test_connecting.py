"""From no key to the first call, in a real browser; and a key's whole life."""

from typing import Any

import httpx
import pytest

from memory.services.jobs import run_next
from tenants import keys
from tenants.services.keys import issue_key
from tests.console.browser import Tab
from tests.console.staff import Member
from tests.console.test_jobs_shown import submitted

pytestmark = pytest.mark.committed
IN_SIGHT = "node => { const r = node.getBoundingClientRect(); return r.top >= 0 && r.bottom <= window.innerHeight }"


@pytest.fixture(autouse=True)
def public_address(settings: Any, live_server: Any) -> None:
    """What the pages name as the address of Loci is where it runs."""
    settings.PUBLIC_URL = live_server.url


def remembers(url: str, secret: str, text: str) -> None:
    """A first call, over the network."""
    body = {"items": [{"text": text, "namespace": "care"}]}
    answer = httpx.post(f"{url}/api/v1/memories", json=body, headers={"Authorization": f"Bearer {secret}"}, timeout=30)
    assert answer.status_code == 200, answer.text


def test_from_choosing_an_agent_to_its_first_call(tab: Tab, mira: Member) -> None:
    page = tab.page
    tab.signs_in(mira)
    page.get_by_role("link", name="Connect", exact=True).click()
    page.get_by_role("link", name="Cursor").click()
    assert "YOUR_LOCI_KEY" in page.locator("pre.code").first.inner_text()
    page.get_by_label("Namespaces").fill("care")
    page.get_by_role("button", name="Create key for Cursor").click()
    tab.sees("Waiting for the first call.")
    secret = page.locator("pre.secret").inner_text()
    assert keys.well_formed(secret) and secret not in page.url
    assert f"Bearer {secret}" in page.locator("pre.code").nth(1).inner_text()
    assert page.locator("#use").evaluate(IN_SIGHT), "how far it is can be seen without scrolling"
    httpx.get(f"{tab.url}/api/v1/status", headers={"X-API-Key": secret}, timeout=30)
    tab.sees("Connected: first call received")
    tab.sees("Waiting for the first memory.")
    assert page.title() == "Connected · Loci" and page.locator("#use").evaluate(IN_SIGHT)
    assert page.get_by_text("Waiting for the first call.").count() == 0
    httpx.post(f"{tab.url}/api/v1/memories", json={"items": [{"text": "Not of this key."}]},
               headers={"X-API-Key": issue_key(mira.scope, scopes=["write"]).secret}, timeout=30)  # fmt: skip
    remembers(tab.url, secret, "Dana prefers secure message to fax.")
    tab.sees("First memory received")
    assert page.title() == "Memory received · Loci"
    assert not page.get_by_text("Remember that I prefer pnpm to npm.").is_visible()
    assert page.locator("[hx-trigger^=every]").count() == 0
    page.get_by_role("link", name="Its memories").click()
    tab.sees("Dana prefers secure message to fax.")
    assert page.locator(".hit").count() == 1, "not those of others"
    tab.sees("Key “Cursor · mira")


def test_the_configuration_is_copied_with_the_key(tab: Tab, mira: Member) -> None:
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.signs_in(mira)
    tab.goes(mira.at("connect/curl"))
    tab.page.get_by_role("button", name="Create key for curl").click()
    secret = tab.page.locator("pre.secret").inner_text()
    tab.page.get_by_role("button", name="Copy Store a memory.").click()
    tab.page.get_by_role("button", name="Copied").wait_for()
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied == tab.page.locator("pre.code").nth(1).inner_text() and secret in copied


def test_a_program_whose_memory_is_known_already_ends_the_waiting(tab: Tab, mira: Member) -> None:
    mira.stores("Bram takes calls before nine in the morning.")
    tab.signs_in(mira)
    tab.goes(mira.at("connect/python"))
    tab.page.get_by_role("button", name="Create key for Python").click()
    secret = tab.page.locator("pre.secret").inner_text()
    body = {"items": [{"text": "Bram takes calls before nine in the morning."}]}
    httpx.post(f"{tab.url}/api/v1/memories", json=body, headers={"X-API-Key": secret}, timeout=30)
    tab.sees("First memory received")


def test_a_reload_shows_no_key_and_makes_none(tab: Tab, mira: Member) -> None:
    page = tab.page
    tab.signs_in(mira)
    tab.goes(mira.at("connect/curl"))
    page.get_by_role("button", name="Create key for curl").click()
    secret = page.locator("pre.secret").inner_text()
    page.reload()
    tab.sees("This key was shown before")
    assert secret not in page.content()
    page.go_back()
    assert secret not in page.content()
    tab.goes(mira.at("keys"))
    assert page.locator(".hit").count() == 1


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_key_is_created_looked_at_and_revoked(chromium: Any, live_server: Any, mira: Member, scripts: bool) -> None:
    with Tab.opened(chromium, live_server.url, java_script_enabled=scripts) as tab:
        tab.signs_in(mira)
        create(tab, scripts)
        look_and_revoke(tab)
        assert tab.complaints == []


def create(tab: Tab, scripts: bool) -> None:
    page = tab.page
    page.get_by_role("link", name="Service keys", exact=True).click()
    page.get_by_role("link", name="New key").click()
    page.get_by_label("Name", exact=True).fill("care-desk")
    page.locator("[value=write]").uncheck()
    page.get_by_label("Namespaces").fill("care, ward-7")
    if not scripts:
        page.get_by_role("button", name="Update").click()
    tab.sees("In the namespaces care and ward-7, nowhere else.")
    tab.sees("It changes nothing.")
    page.get_by_role("button", name="Create key").click()
    tab.sees("Copy the key now")
    secret = page.locator("pre.secret").inner_text()
    answer = httpx.get(f"{tab.url}/api/v1/status", headers={"X-API-Key": secret}, timeout=30)
    assert answer.status_code == 200
    if not scripts:
        page.get_by_role("link", name="Look again").click()
        tab.sees("Last used")
        return
    tab.sees("Connected: first call received")
    page.get_by_role("link", name="Done, I have it").click()


def look_and_revoke(tab: Tab) -> None:
    page = tab.page
    assert page.locator("h1").inner_text() == "care-desk"
    page.get_by_role("link", name="Revoke…").click()
    tab.sees("It is in use:")
    page.get_by_role("button", name="Revoke key").click()
    tab.sees("Revoked: care-desk no longer opens anything")
    assert page.locator(".hit .badge.bad").inner_text() == "Revoked"


def test_the_date_is_asked_for_only_where_one_is_wanted(tab: Tab, mira: Member) -> None:
    tab.signs_in(mira)
    tab.goes(mira.at("keys/new"))
    date = tab.page.get_by_label("The date")
    assert not date.is_visible()
    tab.page.get_by_label("Expires").select_option("date")
    assert date.is_visible()


def test_what_is_wrong_keeps_what_was_typed_and_takes_the_focus(tab: Tab, mira: Member) -> None:
    tab.signs_in(mira)
    tab.goes(mira.at("keys/new"))
    tab.page.get_by_label("Namespaces").fill("care, *")
    tab.page.get_by_label("Name", exact=True).fill("care-desk")
    tab.page.get_by_role("button", name="Create key").click()
    tab.sees("* is every namespace already.")
    assert tab.page.get_by_label("Name", exact=True).input_value() == "care-desk"
    assert tab.page.evaluate("document.activeElement.name") == "namespaces"


def test_a_job_is_watched_from_the_list_to_its_end(tab: Tab, mira: Member) -> None:
    submitted(mira.scope)
    tab.signs_in(mira)
    tab.page.get_by_role("link", name="Jobs").click()
    tab.sees("Queued")
    tab.page.get_by_role("link", name="Remember 150 items").focus()
    assert run_next()
    tab.page.locator(".badge.ok", has_text="Finished").wait_for()
    assert tab.page.evaluate("document.activeElement.innerText") == "Remember 150 items", "the focus stays"
    submitted(mira.scope, 70)
    tab.page.reload()
    tab.page.get_by_role("link", name="Remember 70 items").click()
    tab.sees("0 of 70")
    assert run_next()
    tab.page.get_by_text("70 of 70").filter(visible=True).first.wait_for()
    assert tab.page.locator("#status").inner_text() == "Finished: 70 of 70"
    assert tab.page.locator("[hx-trigger^=every]").count() == 0
    tab.page.get_by_role("link", name="Show 50 more").or_(tab.page.locator("#more a")).first.click()
    tab.sees("/items/69")
