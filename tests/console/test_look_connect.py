"""Keys, jobs and Connect in light and dark, on a desk and on phones: no fault for axe, nothing sticks out, pictures."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from memory.models import Job
from memory.services.jobs import run_next
from tenants.models import ServiceKey
from tenants.rls import tenant_rows
from tenants.services.keys import issue_key, revoke_key
from tests.console.browser import Tab
from tests.console.staff import Member
from tests.console.test_jobs_shown import submitted
from tests.console.test_look import look

pytestmark = pytest.mark.committed
LONG = "a-name-without-any-break-" * 4


def furnished(mira: Member) -> dict[str, str]:
    """Keys and jobs in every state; the pages that show them, by the name of their picture."""
    scope = mira.scope
    gone = issue_key(scope, scopes=["read", "write"], name="nightly import (old)").id
    revoke_key(scope, gone)
    past = issue_key(scope, scopes=["read"], name="audit 2025", expires_at=timezone.now() + timedelta(days=1)).id
    soon = timezone.now() + timedelta(days=3)
    issue_key(scope, scopes=["read"], name=LONG, expires_at=soon, namespaces=[f"namespace-{n}" for n in range(9)])
    used = issue_key(
        scope,
        scopes=["read", "write"],
        name="Claude Code · mira",
        namespaces=["care"],
        filters={"ward": 7},
        agent="ada",
    ).id
    with tenant_rows(scope.tenant):
        ServiceKey.objects.filter(id=past).update(expires_at=timezone.now() - timedelta(days=2))
        ServiceKey.objects.filter(id__in=(used, gone)).update(last_used_at=timezone.now() - timedelta(minutes=12))
    new = issue_key(scope, scopes=["read", "write", "admin"], name="care-desk").id
    finished = submitted(scope)
    run_next()
    call_command("set_quota", "acme", "memories=214")
    stopped = submitted_elsewhere(mira)
    running = submitted(scope, 70)
    with tenant_rows(scope.tenant):
        Job.objects.filter(id=running).update(state="running", done=64, lease_until=timezone.now() + timedelta(hours=1))
    queued = submitted(scope, 80)
    return {
        "keys": mira.at("keys"),
        "keys-none": "/t/blank/keys",
        "key": mira.at(f"keys/{used}"),
        "key-waiting": mira.at(f"keys/{new}"),
        "key-revoked": mira.at(f"keys/{gone}"),
        "key-revoke": mira.at(f"keys/{used}/revoke"),
        "key-new": mira.at("keys/new"),
        "jobs": mira.at("jobs"),
        "jobs-none": "/t/blank/jobs",
        "job-queued": mira.at(f"jobs/{queued}"),
        "job-running": mira.at(f"jobs/{running}"),
        "job-finished": mira.at(f"jobs/{finished}"),
        "job-stopped": mira.at(f"jobs/{stopped}"),
        "connect-claude-code": mira.at("connect/claude-code"),
        "connect-vs-code": mira.at("connect/vs-code"),
        "connect-python": mira.at("connect/python"),
    }


def submitted_elsewhere(mira: Member) -> Any:
    """A job that stops at the quota, with one item that failed."""
    from memory.engine.items import Item
    from memory.services.jobs import submit_remember

    items = [Item(n, f"Another item {n}.", source="second batch", offset=n) for n in range(150)]
    job = submit_remember(mira.scope, items=items).id
    run_next()
    with tenant_rows(mira.scope.tenant):
        row = Job.objects.get(id=job)
        reason = "metadata exceeds 16384 characters as JSON"
        row.result["results"][3] |= {"id": None, "status": "failed", "reason": reason}
        row.result["failed"] = 1
        row.save()
    return job


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_accessible_and_fits(
    chromium: Any, live_server: Any, mira: Member, theme: str, width: int
) -> None:
    from tenants.scope import Role
    from tenants.services.tenants import add_member, create_tenant

    add_member(create_tenant("blank", name="Blank"), mira.user.email, Role.OWNER)
    pages = furnished(mira)
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": theme}
    with Tab.opened(chromium, live_server.url, **options) as tab:
        tab.signs_in(mira)
        wrong = look(tab, pages, f"{width}-{theme}")
        for name, path, button in (
            ("connect-created", mira.at("connect/claude-desktop"), "Create key for Claude Desktop"),
            ("connect-created-cursor", mira.at("connect/cursor"), "Create key for Cursor"),
            ("key-refused", mira.at("keys/new"), "Create key"),
            ("key-created", mira.at("keys/new"), "Create key"),
        ):
            wrong += pressed(tab, name, path, button, f"{width}-{theme}")
        assert wrong + tab.complaints == []


def pressed(tab: Tab, name: str, path: str, button: str, suffix: str) -> list[str]:
    """What is wrong with the page behind a button."""
    tab.goes(path)
    if name == "key-created":
        tab.page.get_by_label("Name", exact=True).fill(f"care-desk {uuid4().hex[:4]}")
    if name == "key-refused":
        tab.page.get_by_label("Expires").select_option("date")
        tab.page.locator("[value=read]").uncheck()
        tab.page.locator("[value=write]").uncheck()
    tab.page.get_by_role("button", name=button).click()
    tab.page.wait_for_load_state()
    tab.pictured(f"{name}-{suffix}")
    wrong = [f"{name}: {fault}" for fault in tab.faults()]
    return wrong + ([f"{name}: {tab.overflow()} px stick out"] if tab.overflow() else [])


def test_nothing_sticks_out_on_the_narrowest_phone(chromium: Any, live_server: Any, mira: Member) -> None:
    pages = {name: path for name, path in furnished(mira).items() if "/blank/" not in path}
    with Tab.opened(chromium, live_server.url, viewport={"width": 320, "height": 700}) as tab:
        tab.signs_in(mira)
        wide = {}
        for name, path in pages.items():
            tab.goes(path)
            wide[name] = tab.overflow()
        assert {name: by for name, by in wide.items() if by} == {}
