"""Jobs in the console: how far they are, what became of each item, who sees them, and when a page stops asking."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from memory.engine.items import Item
from memory.models import Job
from memory.services.jobs import run_next, submit_remember
from tenants.rls import tenant_rows
from tenants.scope import Role, Scope
from tenants.services.keys import issue_key
from tests.api.statements import watched
from tests.cast import Caller
from tests.console.staff import Member, hire

LONG_REASON = "items[3]: metadata exceeds <b>16384</b> characters"


def submitted(scope: Scope, count: int = 150) -> UUID:
    """The id of a queued job."""
    return submit_remember(
        scope, items=[Item(n, f"Item number {n}.", source="batch", offset=n) for n in range(count)]
    ).id


def altered(member: Member, **fields: Any) -> None:
    """Make the tenant's jobs look otherwise."""
    with tenant_rows(member.scope.tenant):
        Job.objects.update(**fields)


def polled(member: Member, path: str, target: str) -> str:
    page: str = member.get(path, HX_Request="true", HX_Target=target).content.decode()
    return page


def test_a_job_tells_how_far_it_is_and_stops_asking_at_the_end(mira: Member) -> None:
    job = submitted(mira.scope)
    page = mira.get(f"jobs/{job}").content.decode()
    assert "Remember 150 items" in page and ">Queued</span>" in page and "0 of 150" in page
    asking = f'hx-get="/t/acme/jobs/{job}" hx-trigger="every 2s"'
    assert asking in page and asking in polled(mira, f"jobs/{job}", "job")
    run_next()
    part = polled(mira, f"jobs/{job}", "job")
    assert part.startswith('<div id="job"') and "hx-trigger" not in part
    assert ">Finished</span>" in part and "150 of 150" in part and "<b>150</b> Stored" in part
    assert '<div id="status" hx-swap-oob="innerHTML">Finished: 150 of 150</div>' in part


def test_a_job_that_waits_for_long_is_asked_about_less_often(mira: Member) -> None:
    job = submitted(mira.scope)
    altered(mira, created_at=timezone.now() - timedelta(hours=1))
    assert 'hx-trigger="every 10s"' in mira.get(f"jobs/{job}").content.decode()


def test_each_item_has_its_outcome_and_its_memory(mira: Member) -> None:
    (twin,) = mira.stores("Item number 0.", source="batch")
    job = submitted(mira.scope)
    run_next()
    page = mira.get(f"jobs/{job}").content.decode()
    assert "<b>149</b> Stored" in page and "<b>1</b> Were here already" in page
    rows = re.findall(r"<li><code>(/items/\d+)</code><span class=\"badge \w*\">([^<]+)</span>", page)
    assert rows[:2] == [("/items/0", "Was here"), ("/items/1", "Stored")] and len(rows) == 50
    assert f'href="/t/acme/memories/{twin}"' in page
    more = polled(mira, f"jobs/{job}?from=50", "rows")
    assert more.startswith("<li><code>/items/50<") and 'href="?from=100"' in more
    assert 'href="?from' not in polled(mira, f"jobs/{job}?from=100", "rows")


def test_items_that_were_cut_say_from_where(mira: Member) -> None:
    results = [{"id": str(uuid4()), "status": "stored", "item": 0, "offset": at} for at in (0, 800)]
    job = submitted(mira.scope)
    altered(mira, state="succeeded", done=150, result={"results": results, "stored": 2}, finished_at=timezone.now())
    assert "/items/0 from 800" in mira.get(f"jobs/{job}").content.decode()


def test_failed_items_stand_first_with_their_pointers(mira: Member) -> None:
    job = submitted(mira.scope)
    failed = [{"id": None, "status": "failed", "item": n, "offset": 0, "reason": LONG_REASON} for n in range(30)]
    altered(mira, state="succeeded", done=150, result={"results": failed, "failed": 30}, finished_at=timezone.now())
    page = mira.get(f"jobs/{job}").content.decode()
    section = page.partition("Failed items")[2].partition("</section>")[0]
    assert section.count("<li>") == 20 and "/items/19" in section and "and 10 more, below" in section
    assert "&lt;b&gt;16384" in section and "<b>16384" not in page


def test_a_job_that_stopped_says_where_and_why(mira: Member) -> None:
    call_command("set_quota", "acme", "memories=100")
    job = submitted(mira.scope)
    run_next()
    page = mira.get(f"jobs/{job}").content.decode()
    assert ">Stopped</span>" in page and "It stopped after /items/63." in page and "limit of 100 memories" in page
    assert "<b>64</b> Stored" in page and "<b>86</b> Not reached" in page
    assert "limit of 100 memories" in mira.get("jobs").content.decode()


def test_the_list_asks_while_a_job_is_open_and_then_no_more(mira: Member) -> None:
    submitted(mira.scope, 65)
    asking = 'hx-trigger="every 2s"'
    assert asking in mira.get("jobs").content.decode() and asking in polled(mira, "jobs", "jobs")
    run_next()
    part = polled(mira, "jobs", "jobs")
    assert part.startswith('<div id="jobs"') and "hx-trigger" not in part and ">Finished</span>" in part


def test_jobs_come_in_pages_newest_first(mira: Member) -> None:
    made = [str(submitted(mira.scope, 65)) for _ in range(25)]
    page = mira.get("jobs").content.decode()
    assert re.findall(r'id="job-([^"]+)"', page) == made[:4:-1]
    older = re.search(r'id="older" href="\?([^"]+)"', page)
    assert older
    assert re.findall(r'id="job-([^"]+)"', mira.get(f"jobs?{older[1]}").content.decode()) == made[4::-1]
    assert "No older jobs" in mira.get("jobs?before=2000-01-01T00:00:00%2B00:00").content.decode()


@pytest.mark.parametrize("address", ["jobs?before=x", "jobs?before=2000-99-99", "jobs?before=2026-11-30T10:00:00"])
def test_an_odd_place_in_the_list_is_taken_calmly(mira: Member, address: str) -> None:
    assert mira.get(address).status_code == 200


def test_a_long_list_asks_the_database_no_more_often_than_a_short_one(mira: Member) -> None:
    def asked() -> int:
        client = mira.client
        with watched() as statements:
            client.get(mira.at("jobs"))
        return len(statements)

    submitted(mira.scope, 65)
    few = asked()
    for _ in range(10):
        submitted(mira.scope, 65)
    assert asked() == few < 20


def test_owners_see_every_job_and_a_developer_their_own(mira: Member) -> None:
    developer = hire(mira.scope.tenant, "acme", "ben@acme.example", Role.DEVELOPER)
    theirs, by_owner = submitted(developer.scope, 65), submitted(mira.scope, 65)
    assert re.findall(r'id="job-([^"]+)"', mira.get("jobs").content.decode()) == [str(by_owner), str(theirs)]
    shown = developer.get("jobs").content.decode()
    assert re.findall(r'id="job-([^"]+)"', shown) == [str(theirs)] and "Your large writes" in shown
    assert developer.get(f"jobs/{by_owner}").status_code == 404
    assert "ben" in mira.get(f"jobs/{theirs}").content.decode()


def test_another_tenants_job_is_as_unknown_as_no_job(mira: Member, gina: Member) -> None:
    job = submitted(mira.scope, 65)
    assert gina.get(f"jobs/{job}").status_code == gina.get(f"jobs/{uuid4()}").status_code == 404
    assert str(job) not in gina.get("jobs").content.decode()


def test_a_first_look_says_what_jobs_are(mira: Member, vito: Member) -> None:
    assert "more than 64 items" in mira.get("jobs").content.decode()
    assert "Owners and admins see those of all" in vito.get("jobs").content.decode()


def test_a_job_of_a_key_names_the_key_and_leads_managers_to_it(mira: Member) -> None:
    issued = issue_key(mira.scope, scopes=["write"], name="nightly import")
    job = submitted(Caller(mira.scope.tenant, issued.secret).scope, 65)
    lead = f'<a href="/t/acme/keys/{issued.id}">Key “nightly import”</a>'
    assert lead in mira.get(f"jobs/{job}").content.decode() and lead in mira.get("jobs").content.decode()


def test_a_key_without_a_name_is_named_by_the_end_that_its_list_shows(mira: Member) -> None:
    issued = issue_key(mira.scope, scopes=["write"])
    job = submitted(Caller(mira.scope.tenant, issued.secret).scope, 65)
    assert f"Key “…{issued.secret[-4:]}”" in mira.get(f"jobs/{job}").content.decode()
