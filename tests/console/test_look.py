"""Every page in light and dark, on a desk and on a phone, in both languages: no fault for axe, nothing sticks out, and
a picture of each in `var/screens`."""

from typing import Any
from uuid import UUID

import pytest

from memory.services.correct import correct
from memory.services.evaluate import evaluate
from memory.services.forget import erase, invalidate
from memory.services.golden import Golden, add_questions
from tenants.scope import Role
from tenants.services.tenants import add_member
from tests.console.browser import Tab
from tests.console.staff import FACTS, Member, found

pytestmark = pytest.mark.committed
LONG = "\n\n".join(
    f"Step {n}. Check the chart, the drug list and averyveryverylongwordwithoutanybreak{n}." for n in range(20)
)


def addresses(mira: Member, empty: Member, memory: UUID, long: UUID, gone: UUID) -> dict[str, str]:
    """The pages, by the name of their picture."""
    return {
        "overview": mira.at(),
        "overview-first-use": empty.at(),
        "activity": mira.at("activity"),
        "search": mira.at("search?q=how+does+Dana+want+summaries"),
        "search-opened": mira.at(f"search?q=summaries&f=kind:eq:preference&f=tags:eq:discharge&open={memory}"),
        "search-as-of": mira.at("search?q=summaries&f=ticket:gte:2000&known_at=2026-11-12T09:00&retracted=1"),
        "search-start": mira.at("search"),
        "search-empty": empty.at("search"),
        "search-nothing": mira.at("search?q=nothing&f=source:eq:nowhere&f=kind:eq:preference"),
        "search-fault": mira.at("search?q=nothing&f=source:gte:nowhere&json=%7B"),
        "memories": mira.at("memories"),
        "memories-filtered": mira.at("memories?f=kind:any:preference,fact&f=tags:exists:&match=any"),
        "memories-retracted": mira.at("memories?state=retracted"),
        "memories-empty": empty.at("memories"),
        "memory": mira.at(f"memories/{memory}"),
        "memory-long": mira.at(f"memories/{long}"),
        "memory-retracted": mira.at(f"memories/{gone}"),
        "add": mira.at("memories/new"),
        "correct": mira.at(f"memories/{memory}/correct"),
        "settings": mira.at("settings"),
        "erase": mira.at(f"memories/{memory}/delete"),
        "help": mira.at("help"),
        "why": mira.at(f"search/why?q=how+does+Dana+want+summaries&memory={memory}"),
        "why-filtered": mira.at(f"search/why?q=summaries&f=kind:eq:fact&memory={memory}"),
        "why-fault": mira.at("search/why?q=summaries&memory=that+one"),
        "search-raw-fault": mira.at("search?q=%28summaries&mode=raw"),
        "quality": mira.at("quality"),
        "quality-empty": empty.at("quality"),
        "not-found": "/t/nowhere/search",
    }


LOOKS = [
    ("light", 1280, "en"), ("dark", 1280, "en"), ("light", 390, "en"), ("dark", 390, "en"),
    ("light", 390, "de"), ("light", 1280, "de"), ("light", 320, "de"), ("light", 320, "en"), ("light", 1920, "en"),
]  # fmt: skip


@pytest.mark.parametrize(("theme", "width", "language"), LOOKS)
def test_every_page_is_accessible_and_fits(
    chromium: Any, live_server: Any, mira: Member, theme: str, width: int, language: str
) -> None:
    empty = Member(mira.user, "blank")
    add_member(found("blank", gina=Role.OWNER)["gina"].scope.tenant, mira.user.email, Role.OWNER)
    mira.stores(*FACTS[1:], source="facts", kind="fact")
    mira.stores("Loci keeps summaries of nothing; it keeps what was said.", namespace="loci-docs")
    long = mira.stores(LONG, source="a/very/long/path/" * 12)[0]
    memory = mira.stores(FACTS[0], kind="preference", tags=("discharge",), metadata={"ticket": 2041})[0]
    correct(mira.scope, memory, text=FACTS[0].replace("not by", "never by"), tags=["discharge", "contact"])
    gone = mira.stores("The ward's fax is 020 7946 0112.", kind="fact")[0]
    questions = [Golden("how does Dana want summaries", [memory]), Golden("what is the ward's fax? " * 9, [gone, long])]
    soon = mira.stores("Soon gone.")
    add_questions(mira.scope, questions=[*questions, Golden("soon gone", [memory, *soon])])
    for _ in range(3):
        evaluate(mira.scope)
    invalidate(mira.scope, ids=[gone])
    erase(mira.scope, ids=soon)
    evaluate(mira.scope)
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": theme, "locale": language}
    with Tab.opened(chromium, live_server.url, **options) as tab:
        suffix = f"{width}-{theme}" if language == "en" else f"{width}-{theme}-{language}"
        wrong = look(tab, {"sign-in": "/sign-in", "help-outside": "/help"}, suffix)
        tab.signs_in(mira)
        wrong += look(tab, addresses(mira, empty, memory, long, gone), suffix)
        wrong += look_at_what_opens(tab, mira, memory, suffix)
        assert wrong + tab.complaints == []


def look(tab: Tab, pages: dict[str, str], suffix: str) -> list[str]:
    """What is wrong with pages."""
    wrong = []
    for name, address in pages.items():
        tab.goes(address)
        for details in tab.page.locator("main details").all()[:1]:
            details.evaluate("details => { details.open = true }")
        wrong += judged(tab, name, suffix)
    return wrong


def look_at_what_opens(tab: Tab, mira: Member, memory: UUID, suffix: str) -> list[str]:
    """What is wrong with popovers, toasts and the preview of a correction."""
    wrong = []
    for name, pop in (("filter", "addf"), ("edit", "edit-0"), ("time", "asof"), ("me", "me"), ("keys", "keys")):
        tab.goes(mira.at("search?q=Dana&f=kind:eq:preference"))
        tab.page.evaluate(f"document.querySelector('main [popovertarget={pop}], [popovertarget={pop}]').click()")
        wrong += judged(tab, f"open-{name}", suffix)
    tab.goes(mira.at(f"memories/{memory}/correct"))
    tab.page.locator("textarea[name=text]").fill("Dana wants discharge summaries by phone, not by fax.")
    tab.page.locator("button[name=act]").click()
    tab.page.locator("#preview").wait_for()
    wrong += judged(tab, "correct-preview", suffix)
    tab.goes(mira.at(f"memories/{memory}"))
    tab.page.locator("form[action$=retract] button").first.click()
    tab.page.locator(".toast").wait_for()
    wrong += judged(tab, "toast", suffix)
    tab.page.locator(".toast button").click()
    return wrong


def judged(tab: Tab, name: str, suffix: str) -> list[str]:
    """What is wrong with what the tab shows; a picture of it is kept."""
    tab.pictured(f"{name}-{suffix}")
    sideways = [f"{name}: {tab.overflow()} px stick out"] if tab.overflow() else []
    return [f"{name}: {fault}" for fault in tab.faults()] + sideways
