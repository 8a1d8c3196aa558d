"""A tenant's front page, and what was done in it."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from billing.quotas import set_quota
from memory.engine.items import Item
from memory.services.correct import correct
from memory.services.jobs import submit_remember
from memory.services.reindex import reindex
from tenants.authentication import operator_scope
from tenants.rls import tenant_rows
from tenants.scope import Role
from tenants.services.keys import issue_key, revoke_key
from tests.cast import Caller
from tests.console.staff import FACTS, Member, hire


def plain(page: str) -> str:
    """The words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split()).replace(" ,", ",")


def test_an_empty_tenant_shows_the_first_steps(mira: Member, vito: Member) -> None:
    page = mira.get("").content.decode()
    assert "Connect your agent" in page and 'class="btn primary" href="/t/acme/connect"' in page
    assert "Or with curl" in page and "/api/v1/memories" in page and "create_key" not in page
    assert 'href="/t/acme/memories/new"' in page
    assert 'hx-trigger="every 3s"' in page
    assert "/memories/new" not in vito.get("").content.decode()


def test_the_first_steps_wait_and_then_make_way(mira: Member) -> None:
    asked = {"HX_Request": "true", "HX_Target": "waiting"}
    assert "HX-Refresh" not in mira.get("", **asked)
    mira.stores(FACTS[0])
    assert mira.get("", **asked)["HX-Refresh"] == "true"


def test_the_overview_counts_and_compares_with_the_quota(mira: Member) -> None:
    set_quota(operator_scope(mira.scope.tenant, "test"), {"memories": 4, "rps": 25})
    mira.stores(*FACTS, kind="fact")
    words = plain(mira.get("").content.decode())
    assert "Memories 3 of 4" in words and "75 % of the limit are used" in words
    assert "Request limit 25 a second" in words
    assert "Index Up to date" in words
    assert "3 in the last 7 days, 3 today" in words
    assert "Fact 3" in words and "default 3" in words


def test_a_full_tenant_is_warned(mira: Member) -> None:
    set_quota(operator_scope(mira.scope.tenant, "test"), {"memories": 3})
    mira.stores(*FACTS)
    assert "Nearly full: nothing more is stored at the limit" in plain(mira.get("").content.decode())


def test_a_part_of_what_is_here_leads_to_its_list(mira: Member) -> None:
    mira.stores(FACTS[0], kind="preference")
    mira.stores(FACTS[1])
    page = mira.get("").content.decode()
    for query, text in (("f=kind%3Aeq%3Apreference", FACTS[0]), ("f=kind%3Amissing%3A", FACTS[1])):
        assert f'href="/t/acme/memories?{query}"' in page
        shown = mira.get(f"memories?{query}").content.decode()
        assert [each for each in FACTS if each in shown] == [text]


def test_the_index_says_how_far_it_is_behind(mira: Member) -> None:
    memory = mira.stores(FACTS[0])[0]
    with tenant_rows(mira.scope.tenant) as cursor:
        cursor.execute(
            "INSERT INTO memory_indextask (id, tenant_id, version_id, lease_until, attempts, error, created_at)"
            " VALUES (%s, %s, %s, now(), 0, '', %s)",
            [uuid4(), mira.scope.tenant, mira.versions(memory)[0].version, timezone.now() - timedelta(minutes=5)],
        )
    page = mira.get("").content.decode()
    assert "5 min behind" in plain(page) and "1 new memory cannot be found by meaning yet" in plain(page)
    assert 'hx-trigger="every 5s"' in page
    live = mira.get("", HX_Request="true", HX_Target="live").content.decode()
    assert live.startswith('<div class="grid" id="live"')


def test_jobs_under_way_are_shown_to_whoever_may_see_them(mira: Member) -> None:
    mira.stores(FACTS[0])
    submit_remember(mira.scope, items=[Item(n, f"Note {n}.") for n in range(65)])
    assert "Jobs under way 1 Waiting, 0 of 65" in plain(mira.get("").content.decode())


def test_what_was_done_is_told_in_sentences(mira: Member, vito: Member) -> None:
    memory = mira.stores(*FACTS)[0]
    correct(mira.scope, memory, text="Dana wants a call.")
    mira.post(f"memories/{memory}/retract")
    mira.post(f"memories/{memory}/restore")
    operator = operator_scope(mira.scope.tenant, "test")
    key = issue_key(operator, scopes=["read"], name="intake")
    revoke_key(operator, key.id)
    set_quota(operator, {"memories": 100})
    reindex(operator)
    version = mira.versions(memory)[0].version
    mira.post(f"memories/{memory}/delete", confirm="erase", version=version)
    words = plain(vito.get("activity").content.decode())
    told = ["erased 1 memory", "rebuilt the indexes", "changed limits: memories", "revoked the service key “intake”",
            "made the service key “intake”", "restored a memory", "retracted 1 memory", "corrected a memory",
            "stored 3 memories", "gave somebody the role “viewer”", "made this tenant"]  # fmt: skip
    assert [words.index(each) for each in told] == sorted(words.index(each) for each in told)
    assert "mira@acme.example erased" in words and "The command “test” rebuilt" in words
    assert "You erased" in plain(mira.get("").content.decode())
    assert not any(fact in words for fact in FACTS)
    assert f'<a href="/t/acme/keys/{key.id}">intake</a>' in mira.get("activity").content.decode()
    assert f"/keys/{key.id}" not in vito.get("activity").content.decode(), "who manages no keys gets no link"


def test_the_next_step_is_told_until_a_key_of_ones_own_was_used(mira: Member, vito: Member) -> None:
    mira.stores(FACTS[0])
    operators = issue_key(operator_scope(mira.scope.tenant, "create_demo"), scopes=["read"])
    Caller(mira.scope.tenant, operators.secret).get("status")
    step = "No agent of yours is connected yet."
    assert step in mira.get("").content.decode() and step not in vito.get("").content.decode()
    Caller(mira.scope.tenant, issue_key(mira.scope, scopes=["read"]).secret).get("status")
    page = mira.get("").content.decode()
    assert step not in page and 'class="btn" href="/t/acme/connect"' in page


def test_the_activity_pages_through_everything_once(mira: Member) -> None:
    for n in range(40):
        mira.stores(f"Note {n}.")
    first = mira.get("activity").content.decode()
    assert first.count("stored 1 memory") == 30
    more = re.search(r'href="\?(before=[0-9a-f-]{36})" hx-get', first)
    assert more
    rest = mira.get(f"activity?{more[1]}").content.decode()
    assert rest.count("stored 1 memory") == 10 and "made this tenant" in rest
    assert "Nothing further back" in mira.get("activity?before=00000000-0000-7000-8000-000000000000").content.decode()


def test_nobody_reads_what_was_done_in_another_tenant(mira: Member, gina: Member) -> None:
    mira.stores(*FACTS)
    assert "stored" not in plain(gina.get("activity").content.decode())


def test_a_former_member_and_a_revoked_key_are_still_told_apart(acme: Any) -> None:
    from tenants.models import Membership

    mira = acme["mira"]
    gone = hire(mira.scope.tenant, "acme", "gone@acme.example", Role.DEVELOPER)
    gone.stores(FACTS[0])
    with tenant_rows(mira.scope.tenant):
        Membership.objects.filter(tenant_id=mira.scope.tenant, user=gone.user).delete()
    assert "A former member stored 1 memory" in plain(mira.get("activity").content.decode())


def test_a_key_is_called_by_its_name_wherever_it_did_something(mira: Member, vito: Member) -> None:
    issued = issue_key(mira.scope, scopes=["write"], name="nightly import")
    caller = Caller(mira.scope.tenant, issued.secret)
    (memory,) = caller.remember(FACTS[0])
    lead = f'<a href="/t/acme/keys/{issued.id}">'
    for path in ("", "activity", f"memories/{memory}"):
        page = mira.get(path).content.decode()
        assert lead in page and "Key “nightly import”" in page
        page = vito.get(path).content.decode()
        assert lead not in page and "Key “nightly import”" in page


PAGES = ["", "activity", "memories", "memories?state=retracted", "search?q=note&limit=100"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_as_often_for_forty_rows_as_for_two(
    mira: Member, path: str, django_assert_max_num_queries: Any
) -> None:
    def fill(many: range) -> None:
        for n in many:
            memory = mira.stores(f"Note {n}.", kind="fact", tags=(f"t{n}",), metadata={f"k{n}": n})[0]
            if n % 2:
                mira.post(f"memories/{memory}/retract")

    def asked() -> int:
        with django_assert_max_num_queries(200, connection=connection) as seen:
            assert mira.get(path).status_code == 200
        return len(seen)

    fill(range(4))
    few = asked()
    fill(range(4, 80))
    assert asked() == few
