"""Every page in light and dark, on a desk and on a phone: no fault for axe, nothing sticks out, a picture of each."""

from typing import Any
from uuid import UUID

import pytest

from memory.services.correct import correct
from tenants.scope import Role
from tests.console.browser import Tab
from tests.console.staff import FACTS, Member, found

pytestmark = pytest.mark.committed
LONG = "\n\n".join(
    f"Step {n}. Check the chart, the drug list and averyveryverylongwordwithoutanybreak{n}." for n in range(20)
)


def addresses(mira: Member, empty: Member, memory: UUID, long: UUID) -> dict[str, str]:
    """The pages, by the name of their picture."""
    return {
        "search": mira.at("search?q=how+does+Dana+want+summaries"),
        "search-opened": mira.at(f"search?q=summaries&kind=preference&tag=discharge&open={memory}"),
        "search-start": mira.at("search"),
        "search-first-use": empty.at("search"),
        "search-nothing": mira.at("search?q=nothing&source=nowhere"),
        "memories": mira.at("memories"),
        "memories-empty": empty.at("memories"),
        "memory": mira.at(f"memories/{memory}"),
        "memory-long": mira.at(f"memories/{long}"),
        "add": mira.at("memories/new"),
        "correct": mira.at(f"memories/{memory}/correct"),
        "erase": mira.at(f"memories/{memory}/delete"),
        "not-found": "/t/nowhere/search",
    }


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_accessible_and_fits(
    chromium: Any, live_server: Any, mira: Member, theme: str, width: int
) -> None:
    from tenants.services.tenants import add_member

    empty = Member(mira.user, "blank")
    add_member(found("blank", gina=Role.OWNER)["gina"].scope.tenant, mira.user.email, Role.OWNER)
    mira.stores(*FACTS[1:], source="facts")
    long = mira.stores(LONG, source="a/very/long/path/" * 12)[0]
    memory = mira.stores(FACTS[0], kind="preference", tags=("discharge",), metadata={"ticket": 2041})[0]
    correct(mira.scope, memory, text=FACTS[0].replace("not by", "never by"), tags=["discharge", "contact"])
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": theme}
    with Tab.opened(chromium, live_server.url, **options) as tab:
        wrong = look(tab, {"sign-in": "/sign-in"}, f"{width}-{theme}")
        tab.signs_in(mira)
        wrong += look(tab, addresses(mira, empty, memory, long), f"{width}-{theme}")
        assert wrong + tab.complaints == []


def look(tab: Tab, pages: dict[str, str], suffix: str) -> list[str]:
    """What is wrong with pages."""
    wrong = []
    for name, address in pages.items():
        tab.goes(address)
        for details in tab.page.locator("details").all()[:1]:
            details.evaluate("details => { details.open = true }")
        tab.pictured(f"{name}-{suffix}")
        wrong += [f"{name}: {fault}" for fault in tab.faults()]
        wrong += [f"{name}: {tab.overflow()} px stick out"] if tab.overflow() else []
    return wrong
