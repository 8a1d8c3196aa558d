"""Why a memory did not come, as the page says it."""

import html
from uuid import uuid4

import pytest

from tests.cast import Caller
from tests.console.staff import FACTS, Member


def said(member: Member, query: str) -> str:
    page = html.unescape(member.get(f"search/why?{query}").content.decode())
    return page.partition('id="why-said">')[2].partition("</h2>")[0]


@pytest.fixture
def stored(mira: Member) -> list[str]:
    return [str(memory) for memory in mira.stores(*FACTS)]


def test_the_results_lead_there_with_the_search(mira: Member, stored: list[str]) -> None:
    page = html.unescape(mira.get("search?q=proxy").content.decode())
    assert "/search/why?q=proxy" in page


def test_what_was_found_says_its_place_and_its_parts(mira: Member, stored: list[str]) -> None:
    assert "among the results, at place 1" in said(mira, f"q=proxy&memory={stored[2]}")
    page = mira.get(f"search/why?q=proxy&memory={stored[2]}").content.decode()
    assert "Part of the score" in page and "Words" in page and "taken" in page


def test_the_address_of_its_page_will_do(mira: Member, stored: list[str]) -> None:
    assert said(mira, f"q=proxy&memory=https://loci.example/t/acme/memories/{stored[2]}/")


def test_a_filter_that_keeps_it_out_is_named_in_its_own_words(mira: Member, stored: list[str]) -> None:
    told = said(mira, f"q=proxy&memory={stored[2]}&source=elsewhere")
    assert told.startswith("The search keeps it out: Source is elsewhere")


def test_a_retracted_one_says_so(mira: Member, stored: list[str]) -> None:
    mira.post(f"memories/{stored[2]}/retract")
    assert said(mira, f"q=proxy&memory={stored[2]}") == "It is not in view at this time: it was retracted."


def test_what_is_no_id_and_what_is_not_here_are_told(mira: Member, stored: list[str], charlie: Caller) -> None:
    (foreign,) = charlie.remember("The proxy sings.")
    answers = [mira.get(f"search/why?q=proxy&memory={each}") for each in ("the proxy one", foreign, str(uuid4()))]
    assert [answer.status_code for answer in answers] == [422] * 3
    assert "neither the id of a memory" in answers[0].content.decode()
    for answer in answers[1:]:
        assert "There is no such memory here." in answer.content.decode()
