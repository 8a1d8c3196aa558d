"""A real browser at a running Loci, and what it complains of."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.console.staff import PASSWORD, Member

CHROMIUM = "/usr/bin/chromium"
AXE = Path(__file__).parent / "vendor" / "axe-core-4.14.1.min.js"
SCREENS = Path(__file__).resolve().parents[2] / "var" / "screens"
HARMLESS = (
    "Failed to load resource: the server responded with a status of 4",
    # a page that asks by itself was left while it asked; a request that failed says htmx:sendError besides
    "htmx:sendAbort",
    "htmx:afterRequest",
)
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium, for as long as the block runs."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


class Tab:
    """One tab: goes places, signs in, collects complaints."""

    def __init__(self, page: Page, url: str):
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        page.set_default_timeout(10_000)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    @classmethod
    @contextmanager
    def opened(cls, browser: Browser, url: str, **options: Any) -> Iterator["Tab"]:
        """A tab with cookies of its own."""
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        try:
            yield cls(context.new_page(), url)
        finally:
            context.close()

    def _heard(self, message: ConsoleMessage) -> None:
        """Keep what the browser's console says; that a page has an error status is no complaint."""
        if not message.text.startswith(HARMLESS):
            self.complaints.append(message.text)

    def goes(self, path: str) -> None:
        """Open an address of the site."""
        self.page.goto(self.url + path)

    def signs_in(self, member: Member, password: str = PASSWORD) -> None:
        """Fill in the form at the door."""
        self.goes("/sign-in")
        self.page.fill("[name=email]", member.user.email)
        self.page.fill("[name=password]", password)
        self.page.click("main button")

    def sees(self, text: str) -> None:
        """Wait until a text can be read."""
        self.page.get_by_text(text).filter(visible=True).first.wait_for()

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        width: int = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        return max(0, width)

    def faults(self) -> list[str]:
        """What axe finds wrong."""
        if not self.page.evaluate("'axe' in window"):
            # a debugger's evaluation, which the page's policy does not touch
            self.page.evaluate(AXE.read_text() + "; 0")
        found: list[dict[str, Any]] = self.page.evaluate(
            f"axe.run({{runOnly: {json.dumps(STANDARDS)}}}).then(r => r.violations)"
        )
        return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]

    def pictured(self, name: str) -> None:
        """Keep a picture in var/screens."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENS / f"{name}.png")
