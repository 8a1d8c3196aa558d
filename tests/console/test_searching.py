import html
import re

import pytest

from memory.services import recall as recalling
from tests.console.staff import FACTS, Member


@pytest.fixture
def stocked(mira: Member) -> Member:
    mira.stores(FACTS[0], source="call", kind="preference", tags=("discharge", "contact"))
    mira.stores(*FACTS[1:], source="runbook.md", kind="fact")
    return mira


def texts(page: str) -> list[str]:
    """The results on a page, best first."""
    found = re.findall(r'<a class="text"[^>]*>(.*?)</a>', page, re.S)
    return [re.sub("</?mark>", "", text).strip() for text in found]


def test_the_namespaces_are_a_choice_that_stays_in_sight(mira: Member) -> None:
    mira.stores("The proxy refused the connection.", namespace="docs")
    mira.stores("Mira prefers a proxy of her own.")
    page = mira.get("search?q=proxy").content.decode()
    spaces = re.findall(r'href="\?([^"]+)"( aria-current="true")?>([^<]+)</a>', page.partition('class="spaces')[2])[:3]
    assert next((name, bool(chosen)) for _, chosen, name in spaces) == ("All namespaces", True)
    at = {name: html.unescape(address) for address, _, name in spaces}
    assert at.keys() == {"All namespaces", "docs", "default"}
    assert '<span class="clip">docs</span>' in page, "a hit from elsewhere says where it is from"
    there = mira.get("search?" + at["default"]).content.decode()
    assert "her own" in there and "refused" not in there.partition('class="hits')[2]
    assert 'aria-current="true">default</a>' in there and ">All namespaces</a>" in there


def test_a_question_without_a_known_word_says_that_results_are_only_near(mira: Member) -> None:
    mira.stores(*FACTS)
    told = "No memory has a word of this."
    assert told in mira.get("search?q=zxqv").content.decode()
    page = mira.get("search?q=proxy").content.decode()
    assert told not in page and "They say nothing of how sure one can be." in page


def test_the_words_looked_for_are_marked_also_in_another_form(stocked: Member) -> None:
    page = stocked.get("search?q=discharge+summary").content.decode()
    assert "<mark>discharge summaries</mark>" in page


def test_each_arms_rank_and_share_are_shown(stocked: Member) -> None:
    page = stocked.get("search?q=proxy+refused+connection").content.decode()
    assert re.search(r"Meaning</th><td>rank 1 · similarity 0\.\d\d</td><td class=\"n\">[+−]\d\.\d\d", page)
    assert re.search(r"Words</th><td>rank 1 · proxy, refused, connection</td><td class=\"n\">\+\d\.\d\d", page)
    assert re.search(r'<rect class="meaning" x="0.0" width="\d+\.\d"', page)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("source=call", {FACTS[0]}),
        ("kind=fact", set(FACTS[1:])),
        ("kind=fact&kind=preference", set(FACTS)),
        ("tag=discharge&tag=contact", {FACTS[0]}),
        ("tag=%23discharge", {FACTS[0]}),
        ("tag=discharge&kind=fact", set()),
        ("source=%00", set(FACTS)),
    ],
)
def test_filters_in_the_address_narrow_the_results(stocked: Member, filters: str, expected: set[str]) -> None:
    assert set(texts(stocked.get(f"search?q=server+summaries&{filters}").content.decode())) == expected


def test_an_empty_tenant_leads_to_connecting_an_agent(mira: Member) -> None:
    assert 'href="/t/acme/connect">Connect your agent' in mira.get("search").content.decode()


def test_htmx_gets_the_results_or_the_memory_and_anyone_else_the_page(stocked: Member) -> None:
    memory = stocked.stores(FACTS[0], source="call")[0]
    address = f"search?q=summaries&open={memory}"
    results = stocked.get(address, HX_Request="true", HX_Target="results").content.decode()
    panel = stocked.get(address, HX_Request="true", HX_Target="memory").content.decode()
    page = stocked.get(address).content.decode()
    assert results.strip().startswith('<section id="results"') and 'hx-swap-oob="true"' in results
    assert panel.strip().startswith('<aside class="panel open"') and "hx-swap-oob" not in panel
    assert page.startswith("<!doctype html>") and "hx-swap-oob" not in page


def test_htmx_gets_a_refusal_as_a_notice(stocked: Member) -> None:
    address = "search?q=a&open=00000000-0000-0000-0000-000000000000"
    response = stocked.get(address, HX_Request="true", HX_Target="memory")
    assert response.status_code == 404
    assert response["HX-Retarget"] == "#notices"
    assert response.content.decode().startswith('<div class="notice bad">')


def test_an_id_in_the_field_opens_the_memory(stocked: Member) -> None:
    memory = stocked.stores(FACTS[0], source="call")[0]
    assert stocked.get(f"search?q={memory}")["Location"] == f"/t/acme/memories/{memory}"


def test_what_fell_back_is_said_and_the_rest_is_shown(stocked: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*args: object) -> None:
        from memory.engine.embedding import EmbedderError

        raise EmbedderError("no answer")

    monkeypatch.setattr(type(recalling.configured()), "embed_query", late)
    page = stocked.get("search?q=proxy").content.decode()
    assert "Meaning did not work this time." in page
    assert texts(page) == [FACTS[2]]
    assert 'href="?q=proxy">Try again</a>' in page
    assert '<i class="off"></i>Meaning' in page


def test_text_is_shown_as_text(mira: Member) -> None:
    nasty = "<script>alert(1)</script> & <img src=x onerror=alert(2)>"
    memory = mira.stores(nasty, source="<b>bold</b>", tags=("<i>",), metadata={"<u>": "</dd><script>"})[0]
    for path in ("search?q=alert", "memories", f"memories/{memory}", f"memories/{memory}/correct"):
        page = mira.get(path).content.decode()
        assert "<script>" not in page and "<img" not in page and "<b>bold" not in page and "<i>" not in page


@pytest.mark.parametrize("address", ["search?q=%00", "search?q=a&limit=-1", "search?q=a&limit=99999", "search?limit=x"])
def test_an_odd_address_is_taken_calmly(stocked: Member, address: str) -> None:
    assert stocked.get(address).status_code == 200


def test_more_results_are_one_link_away(mira: Member) -> None:
    mira.stores(*(f"Shift note {n} about bed {n}." for n in range(15)))
    page = mira.get("search?q=bed").content.decode()
    assert len(texts(page)) == 10
    assert 'href="?q=bed&amp;limit=20"' in page
    assert len(texts(mira.get("search?q=bed&limit=20").content.decode())) == 15


def test_several_namespaces_are_one_press_away_each(mira: Member) -> None:
    mira.stores(FACTS[0], namespace="care")
    assert "Only in" not in mira.get("search?q=note").content.decode()
    mira.stores(FACTS[1], namespace="loci-docs")
    page = mira.get("search?q=note").content.decode()
    assert 'href="?q=note&amp;f=namespace%3Aeq%3Acare"' in page and "f=namespace%3Aeq%3Aloci-docs" in page
    narrowed = mira.get("search?q=proxy&f=namespace%3Aeq%3Aloci-docs").content.decode()
    assert FACTS[0] not in narrowed and "Only in" not in narrowed
