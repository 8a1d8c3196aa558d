"""What a member does from signing in to erasing a memory, in a real browser."""

from typing import Any

import pytest

from tests.console.browser import Tab
from tests.console.staff import FACTS, Member

pytestmark = pytest.mark.committed


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_search_open_add_correct_and_erase(chromium: Any, live_server: Any, mira: Member, scripts: bool) -> None:
    mira.stores(*FACTS, source="facts")
    with Tab.opened(chromium, live_server.url, java_script_enabled=scripts) as tab:
        tab.signs_in(mira)
        search_and_open(tab)
        add_and_correct(tab)
        retract_and_undo(tab)
        erase(tab)
        assert tab.complaints == []


def search_and_open(tab: Tab) -> None:
    page, texts = tab.page, tab.page.locator(".hit .text")
    page.get_by_role("link", name="Search").first.click()
    page.fill("#q", "how does Dana want summaries")
    page.press("#q", "Enter")
    texts.first.wait_for()
    assert texts.first.inner_text() == FACTS[0]
    texts.nth(1).click()
    page.wait_for_url("**open=**")
    second = texts.nth(1).inner_text()
    assert page.locator("#memory .text").inner_text() == second
    assert page.locator(".hit[aria-current] .text").inner_text() == second


def add_and_correct(tab: Tab) -> None:
    page = tab.page
    page.get_by_role("link", name="Add a memory").first.click()
    page.get_by_label("Text", exact=True).fill("Erin leads the night shift.")
    page.get_by_label("Tags").fill("people, #night")
    page.get_by_role("button", name="Store memory").click()
    tab.sees("Stored")
    assert page.locator("h1").inner_text() == "Erin leads the night shift."
    page.get_by_role("link", name="Correct").click()
    page.get_by_label("Text", exact=True).fill("Erin leads the day shift.")
    page.get_by_role("button", name="Check the change").click()
    tab.sees("Not saved yet")
    page.get_by_role("button", name="Save correction").click()
    tab.sees("Corrected")
    assert (page.locator("del").inner_text(), page.locator("ins").inner_text()) == ("night", "day")


def retract_and_undo(tab: Tab) -> None:
    tab.page.get_by_role("button", name="Retract").click()
    tab.sees("Agents no longer recall it.")
    tab.page.get_by_role("button", name="Undo").click()
    tab.sees("Restored")
    assert tab.page.locator("h1").inner_text() == "Erin leads the day shift."


def erase(tab: Tab) -> None:
    page = tab.page
    page.get_by_role("link", name="Erase…").click()
    page.locator("[name=confirm]").fill("yes")
    page.get_by_role("button", name="Erase memory").click()
    tab.sees("Nothing was erased.")
    page.locator("[name=confirm]").fill(page.locator("label code").inner_text())
    page.get_by_role("button", name="Erase memory").click()
    tab.sees("Erased, with every version")
    assert "Erin" not in page.locator("main").inner_text()


def test_a_wrong_password_says_so_and_keeps_the_address(tab: Tab, mira: Member) -> None:
    tab.signs_in(mira, password="wrong")
    tab.sees("E-mail and password do not match.")
    assert tab.page.input_value("[name=email]") == mira.user.email


def test_search_follows_the_typing_and_the_address_follows_the_search(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    tab.goes(mira.at("search"))
    tab.page.locator("#q").press_sequentially("backup server", delay=20)
    tab.page.wait_for_url("**q=backup%20server*")
    assert tab.page.locator(".hit .text").first.inner_text() == FACTS[1]
    assert tab.page.locator("#status").inner_text() == "3 results"
    tab.page.reload()
    assert tab.page.input_value("#q") == "backup server"


def test_back_closes_the_opened_memory(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    tab.goes(mira.at("search?q=proxy"))
    first = tab.page.locator("#memory .text").inner_text()
    tab.page.locator(".hit .text").nth(2).click()
    tab.page.wait_for_url("**open=**")
    tab.page.go_back()
    tab.page.wait_for_url("**q=proxy")
    tab.page.locator("#memory .text", has_text=first).wait_for()


def test_on_a_phone_a_memory_opens_as_a_sheet_and_escape_closes_it(
    chromium: Any, live_server: Any, mira: Member
) -> None:
    mira.stores(*FACTS)
    with Tab.opened(chromium, live_server.url, viewport={"width": 390, "height": 844}) as tab:
        tab.signs_in(mira)
        tab.goes(mira.at("search?q=proxy"))
        assert not tab.page.locator("#memory").is_visible()
        tab.page.locator(".hit .text").first.click()
        tab.page.locator("#memory.open").wait_for()
        assert tab.page.locator("#memory").is_visible()
        tab.page.keyboard.press("Escape")
        assert not tab.page.locator("#memory").is_visible()
        assert "open=" not in tab.page.url
        assert tab.complaints == []


def test_single_keys_work_and_can_be_turned_off(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    tab.goes(mira.at("search?q=proxy"))
    page = tab.page
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('.hit') === document.querySelectorAll('.hit')[1]")
    page.keyboard.press("w")
    assert page.evaluate("document.querySelectorAll('.why')[1].open")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("j")
    assert page.input_value("#q") == "j"
    page.click(".side .who")
    page.get_by_role("button", name="Turn keyboard shortcuts off").click()
    page.locator("[data-keys=off]").wait_for()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"


def test_the_keyboard_leads_from_the_question_to_its_answers(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    tab.goes(mira.at("search"))
    page = tab.page
    first = "document.activeElement === document.querySelector('.hit > .text')"
    page.locator("#q").press_sequentially("proxy", delay=20)
    page.keyboard.press("Enter")
    page.locator(".hit:first-child > .text:focus").wait_for()
    page.keyboard.press("j")
    assert page.input_value("#q") == "proxy" and not page.evaluate(first)
    for key in ("ArrowDown", "Escape"):
        page.keyboard.press("/")
        page.keyboard.press(key)
        assert page.evaluate(first) and page.input_value("#q") == "proxy", key


def test_keys_open_popovers_and_go_to_pages(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    page = tab.page
    page.wait_for_url("**/t/acme/")
    page.keyboard.press("/")
    page.wait_for_url("**/t/acme/search")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    for key, opened in (("f", "addf"), ("t", "asof"), ("?", "keys")):
        page.keyboard.press(key)
        page.locator(f"#{opened}:popover-open").wait_for()
        page.keyboard.press("Escape")
        page.locator(f"#{opened}:popover-open").wait_for(state="detached")
        page.evaluate("document.activeElement.blur()")
    for key, address in (("m", "memories"), ("a", "activity"), ("n", "memories/new"), ("o", ""), ("s", "search")):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"**/t/acme/{address}")


def test_the_first_memory_appears_by_itself(tab: Tab, mira: Member) -> None:
    tab.signs_in(mira)
    tab.sees("Waiting for the first memory.")
    mira.stores(FACTS[0])
    tab.sees("Recent activity")
    assert tab.page.locator(".nav a[aria-current=page]").inner_text() == "Overview"


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_filter_is_added_changed_and_taken_off(chromium: Any, live_server: Any, mira: Member, scripts: bool) -> None:
    mira.stores(FACTS[0], metadata={"ticket": 2041})
    mira.stores(*FACTS[1:], metadata={"ticket": 7})
    with Tab.opened(chromium, live_server.url, java_script_enabled=scripts) as tab:
        tab.signs_in(mira)
        tab.goes(mira.at("search?q=server"))
        page, texts = tab.page, tab.page.locator(".hit .text")
        page.locator("[popovertarget=addf]").click()
        page.locator("#addf").get_by_label("Field").select_option("ticket")
        page.locator("#addf").get_by_label("Comparison").select_option("gte")
        page.locator("#addf").get_by_label("Value").fill("2000")
        page.get_by_role("button", name="Add filter").click()
        page.get_by_role("button", name="Change filter: ticket is at least 2000").wait_for()
        assert texts.all_inner_texts() == [FACTS[0]]
        page.get_by_role("button", name="Change filter: ticket is at least 2000").click()
        page.locator("#edit-0").get_by_label("Comparison").select_option("lt")
        page.locator("#edit-0").get_by_role("button", name="Change filter").click()
        page.get_by_role("button", name="Change filter: ticket is below 2000").wait_for()
        assert sorted(texts.all_inner_texts()) == sorted(FACTS[1:])
        page.get_by_role("link", name="Remove filter: ticket is below 2000").click()
        page.wait_for_url("**?q=server")
        assert texts.count() == 3
        assert tab.complaints == []


def test_a_question_typed_meanwhile_is_kept_when_a_filter_is_added(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS, kind="fact")
    tab.signs_in(mira)
    tab.goes(mira.at("search"))
    tab.page.locator("#q").press_sequentially("backup", delay=20)
    tab.page.wait_for_url("**q=backup*")
    tab.page.locator("[popovertarget=addf]").click()
    tab.page.locator("#addf").get_by_label("Field").select_option("kind")
    fitting = tab.page.locator("#addf [name=comparison] option:not([disabled])").all_inner_texts()
    assert fitting == ["is", "is not", "is one of", "is none of", "begins with", "is set", "is not set"]
    assert tab.page.evaluate("document.querySelector('#addf [name=value]').list.options.length") > 5, "values to choose"
    tab.page.locator("#addf").get_by_label("Value").fill("fact")
    tab.page.get_by_role("button", name="Add filter").click()
    tab.page.wait_for_url("**/search?q=backup&f=kind%3Aeq%3Afact")


def test_a_retracted_memory_is_restored_from_the_list(tab: Tab, mira: Member) -> None:
    memory = mira.stores(*FACTS)[0]
    mira.post(f"memories/{memory}/retract")
    tab.signs_in(mira)
    tab.page.get_by_role("link", name="Memories").first.click()
    tab.page.get_by_role("link", name="Retracted").click()
    tab.sees(FACTS[0])
    tab.page.get_by_role("button", name="Restore").click()
    tab.sees("Restored")


def test_more_of_a_list_comes_without_leaving_it(tab: Tab, mira: Member) -> None:
    mira.stores(*(f"Note {n}." for n in range(45)))
    tab.signs_in(mira)
    tab.goes(mira.at("memories"))
    for shown in (40, 45):
        tab.page.locator("#more .btn").click()
        tab.page.locator(f".hit:nth-child({shown})").wait_for()
    assert tab.page.locator("#more .btn").count() == 0


def test_what_takes_long_shows_a_line(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    tab.goes(mira.at("search"))
    held: list[Any] = []
    tab.page.route("**/search?q=*", lambda route: held.append(route))
    tab.page.fill("#q", "proxy")
    tab.page.locator("#progress").wait_for()
    for route in held:
        route.continue_()
    tab.page.locator(".hit").first.wait_for()
    tab.page.locator("#progress").wait_for(state="hidden")


def test_one_switches_the_language(tab: Tab, mira: Member) -> None:
    tab.signs_in(mira)
    tab.page.click(".side .who")
    tab.page.get_by_role("button", name="Deutsch").click()
    tab.page.locator("html[lang=de]").wait_for()
    tab.sees("Agenten anbinden")


def test_one_switches_tenant_and_theme(tab: Tab, mira: Member, gina: Member) -> None:
    from tenants.scope import Role
    from tenants.services.tenants import add_member

    add_member(gina.scope.tenant, mira.user.email, Role.VIEWER)
    tab.signs_in(mira)
    tab.page.click(".side .tenant")
    tab.page.get_by_role("link", name="Globex").click()
    tab.page.wait_for_url("**/t/globex/")
    assert tab.page.get_by_role("link", name="Add a memory").count() == 0
    tab.page.click(".side .who")
    tab.page.get_by_role("button", name="Dark").click()
    tab.page.locator("html[data-theme=dark]").wait_for()
    tab.page.click(".side .who")
    tab.page.get_by_role("button", name="Sign out").click()
    tab.page.wait_for_url("**/sign-in")


def test_when_the_session_ends_a_search_leads_to_the_door_and_back(tab: Tab, mira: Member) -> None:
    mira.stores(*FACTS)
    tab.signs_in(mira)
    tab.goes(mira.at("search"))
    tab.page.context.clear_cookies()
    tab.page.fill("#q", "proxy")
    tab.page.wait_for_url("**/sign-in?next=*")
    tab.page.fill("[name=email]", mira.user.email)
    tab.page.fill("[name=password]", "correct horse battery staple")
    tab.page.click("main button")
    tab.page.wait_for_url("**/t/acme/search*")
