"""The page on quality, and the buttons beside a result that feed it."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest

from memory.models import LearnedWeight
from memory.services.golden import list_questions
from memory.services.jobs import run_next
from tenants.rls import tenant_rows
from tests.console.browser import Tab
from tests.console.staff import FACTS, Member

DANA, SERVER, ERROR = FACTS


def asked(member: Member) -> list[str]:
    return [one.question for one in list_questions(member.scope).questions]


def body(response: Any) -> str:
    text: str = response.content.decode()
    return text


@pytest.fixture
def memory(mira: Member) -> UUID:
    return mira.stores(*FACTS)[0]


def test_an_empty_page_teaches_how_to_begin(mira: Member) -> None:
    page = body(mira.get("quality"))
    assert "What should a search find?" in page and "press the pin" in page
    assert "Ask all questions</button>" not in page


def test_a_result_is_said_to_help_without_a_script(mira: Member, memory: UUID) -> None:
    page = body(mira.get("search?q=Dana+summaries"))
    assert f'action="/t/acme/memories/{memory}/feedback"' in page
    answer = mira.post(
        f"memories/{memory}/feedback", signal="irrelevant", q="Dana summaries", arm=["dense", "lexical", "oracle"],
        next="/t/acme/search?q=Dana+summaries",
    )  # fmt: skip
    assert (answer.status_code, answer["Location"]) == (302, "/t/acme/search?q=Dana+summaries")
    with tenant_rows(mira.scope.tenant):
        learned = {row.arm: row.q for row in LearnedWeight.objects.filter(tenant_id=mira.scope.tenant)}
    assert learned == {"dense": pytest.approx(0.425), "lexical": pytest.approx(0.425)}


def test_htmx_gets_the_buttons_as_they_are_now_and_a_toast(mira: Member, memory: UUID) -> None:
    answer = mira.client.post(
        mira.at(f"memories/{memory}/feedback"), {"signal": "useful", "q": "Dana"}, headers={"HX-Request": "true"}
    )
    said = body(answer)
    assert re.search(r'value="useful"[^>]*aria-pressed="true"', said)
    assert '<div class="toast" role="status">Noted: useful</div>' in said


def test_feedback_goes_nowhere_else(mira: Member, memory: UUID) -> None:
    answer = mira.post(f"memories/{memory}/feedback", signal="useful", next="https://evil.example/")
    assert answer["Location"] == "/t/acme/search"
    assert mira.post(f"memories/{uuid4()}/feedback", signal="useful").status_code == 404


def test_a_search_is_expected_to_find_a_memory_with_its_filters(mira: Member, memory: UUID) -> None:
    back = "/t/acme/search?q=Dana&f=kind:missing:&f=source:eq:x&match=any"
    assert mira.post(f"memories/{memory}/expect", q="Dana", next=back).status_code == 302
    (question,) = list_questions(mira.scope).questions
    assert (question.question, question.expected) == ("Dana", (memory,))
    assert set(question.filters) == {"or"}
    assert mira.post(f"memories/{memory}/expect", q=" ").status_code == 400
    page = body(mira.get("quality"))
    assert "not asked yet" in page and "with filters" in page and f"/memories/{memory}" in page


def test_a_run_shows_figures_a_trend_and_what_got_worse(mira: Member, memory: UUID) -> None:
    mira.post(f"memories/{memory}/expect", q="how does Dana want summaries")
    assert mira.post("quality/run").status_code == 302
    page = body(mira.get("quality"))
    assert "100 %" in page.replace("\xa0", " ") and "<path" not in page
    mira.post(f"memories/{memory}/retract")
    mira.post("quality/run")
    page = body(mira.get("quality"))
    assert '<path class="p50" d="M0.0 0.0L600.0 120.0"/>' in page
    worse = page[page.index("Found less well") : page.index("Questions</h2>")]
    assert "how does Dana want summaries" in worse and re.search(r"rank 1\s*</?[^>]*>?\s*|rank 1 →", worse)
    assert "not found" in worse


def test_an_erased_memory_is_said_to_be_missing(mira: Member, memory: UUID) -> None:
    mira.post(f"memories/{memory}/expect", q="Dana")
    version = mira.versions(memory)[0].version
    mira.post(f"memories/{memory}/delete", confirm="erase", version=version)
    page = body(mira.get("quality"))
    assert "1 expected memory was erased" in page
    assert "No question expects a memory that is still there" in body(
        mira.client.post(mira.at("quality/run"), follow=True)
    )


def test_many_questions_are_asked_by_a_job_with_a_page(mira: Member, memory: UUID) -> None:
    for number in range(21):
        mira.post(f"memories/{memory}/expect", q=f"Dana {number}")
    answer = mira.post("quality/run")
    assert "/jobs/" in answer["Location"]
    assert run_next()
    page = body(mira.client.get(answer["Location"]))
    assert "Ask the golden questions" in page and "21 of 21" in page and "Stored" not in page
    older = re.search(r'href="(\?before=[^"]+)"', body(mira.get("quality")))
    assert older and "Dana 0<" in body(mira.get(f"quality{older[1]}"))


def test_a_question_is_removed(mira: Member, memory: UUID) -> None:
    mira.post(f"memories/{memory}/expect", q="Dana")
    (question,) = list_questions(mira.scope).questions
    assert mira.post(f"quality/{question.id}/remove").status_code == 302
    assert asked(mira) == []
    assert mira.post(f"quality/{question.id}/remove").status_code == 404


def test_who_only_reads_sees_the_page_and_no_buttons(mira: Member, vito: Member, memory: UUID) -> None:
    mira.post(f"memories/{memory}/expect", q="Dana")
    page = body(vito.get("quality"))
    assert "Dana" in page and "Ask all questions</button>" not in page and "/remove" not in page
    assert "/feedback" not in body(vito.get("search?q=Dana"))
    assert vito.post("quality/run").status_code == 403


@pytest.mark.committed
def test_the_buttons_work_beside_a_result(tab: Tab, mira: Member) -> None:
    (memory,) = mira.stores(DANA)
    tab.signs_in(mira)
    tab.goes(mira.at("search?q=Dana"))
    tab.page.locator(f"#up-{memory}").click()
    tab.page.locator(f"#up-{memory}[aria-pressed=true]").wait_for()
    assert tab.page.locator(".toast").inner_text() == "Noted: useful"
    tab.page.locator(f"#pin-{memory}").click()
    tab.page.locator(f"#pin-{memory}[aria-pressed=true]").wait_for()
    assert asked(mira) == ["Dana"]
    tab.page.keyboard.press("g")
    tab.page.keyboard.press("q")
    tab.page.wait_for_url("**/quality")
