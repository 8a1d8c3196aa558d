"""The filter builder: from the form to the address, from the address to the results, and back."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import QueryDict
from django.utils.http import urlencode
from hypothesis import given
from hypothesis import strategies as st

from console.chips import narrowing_of, tidied
from console.conditions import COMPARISONS, Condition, condition_of
from memory.engine.filters import parse_filters
from tests.console.staff import FACTS, Member


@pytest.fixture
def stocked(mira: Member) -> Member:
    mira.stores(
        "The small invoice.", source="mail/1", kind="fact", tags=("bill",), metadata={"amount": 5, "paid": True}
    )
    mira.stores("The large invoice.", source="mail/2", kind="event", tags=("bill", "old"), metadata={"amount": 500})
    mira.stores("The odd invoice.", source="phone", metadata={"amount": "5", "when": "2026-03-01", "note": "a, b"})
    return mira


def listed(member: Member, *tokens: str, **more: str) -> set[str]:
    """Which of the three invoices a list with these filters shows."""
    query = urlencode([*(("f", token) for token in tokens), *more.items()])
    return set(re.findall(r"The (\w+) invoice", member.get(f"memories?{query}").content.decode()))


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("source:eq:phone", {"odd"}),
        ("source:ne:phone", {"small", "large"}),
        ("source:any:phone, mail/1", {"odd", "small"}),
        ("source:none:phone, mail/1", {"large"}),
        ("source:prefix:mail/", {"small", "large"}),
        ("kind:exists:", {"small", "large"}),
        ("kind:missing:", {"odd"}),
        ("tags:eq:#bill", {"small", "large"}),
        ("tags:none:old", {"small", "odd"}),
        ("amount:gte:5", {"small", "large"}),
        ("amount:gt:5", {"large"}),
        ("amount:lte:5", {"small"}),
        ("metadata.amount:lt:5.5", {"small"}),
        ("amount:eq:5", {"small", "odd"}),
        ('amount:eq:"5"', {"odd"}),
        ("paid:eq:true", {"small"}),
        ("paid:missing:", {"large", "odd"}),
        ("when:gte:2026-02-28", {"odd"}),
        ("when:lt:2026-02-28", set()),
        ('note:any:"a, b", x', {"odd"}),
        ("known_from:gte:2020-01-01", {"small", "large", "odd"}),
        ("nobody:eq:x", set()),
    ],
)
def test_every_comparison_narrows_the_list(stocked: Member, token: str, expected: set[str]) -> None:
    assert listed(stocked, token) == expected


def test_all_filters_hold_or_one_of_them(stocked: Member) -> None:
    assert listed(stocked, "source:eq:phone", "tags:eq:old") == set()
    assert listed(stocked, "source:eq:phone", "tags:eq:old", match="any") == {"odd", "large"}


def test_a_filter_in_json_holds_beside_the_others(stocked: Member) -> None:
    written = '{"not": {"or": [{"source": "phone"}, {"tags": "old"}]}}'
    assert listed(stocked, json=written) == {"small"}
    assert listed(stocked, "source:eq:phone", json=written) == set()


@pytest.mark.parametrize("path", ["memories", "search"])
def test_the_form_adds_changes_and_takes_off_without_a_script(stocked: Member, path: str) -> None:
    def at(query: str) -> str:
        return urlsplit(stocked.get(f"{path}?{query}")["Location"]).query

    one = at("f=source%3Aeq%3Aphone&field=amount&comparison=gte&value=5&json=")
    assert parse_qsl(one) == [("f", "source:eq:phone"), ("f", "amount:gte:5")]
    two = at(f"{one}&at=0&field=source&comparison=prefix&value=mail")
    assert parse_qsl(two) == [("f", "source:prefix:mail"), ("f", "amount:gte:5")]
    page = stocked.get(f"{path}?{two}").content.decode()
    assert 'href="?f=amount%3Agte%3A5" aria-label="Remove filter: Source begins with mail"' in page
    assert 'popovertarget="edit-1" aria-label="Change filter: amount is at least 5"' in page


def test_a_search_keeps_its_question_and_its_filters_together(stocked: Member) -> None:
    page = stocked.get("search?q=invoice&f=source%3Aeq%3Aphone&retracted=1").content.decode()
    assert 'href="?q=invoice&amp;retracted=1"' in page
    assert '<input type="hidden" name="f" value="source:eq:phone">' in page
    assert "The odd" in page and "The small" not in page


def test_older_addresses_still_mean_what_they_meant(stocked: Member) -> None:
    page = stocked.get("memories?source=phone&source=mail%2F1&tag=bill").content.decode()
    assert set(re.findall(r"The (\w+) invoice", page)) == {"small"}


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("amount:gte:", "Give the value to compare with."),
        (":eq:x", "Name the field"),
        ("source:gte:a", "has no order"),
        ("confidence:eq:high", "Give a number"),
        ("timestamp:gte:yesterday", "Give a date such as"),
        ("amount:gte:many", "Give a number, or a date"),
        ("timestamp:prefix:2026", "is no text"),
        (f"{'x' * 299}:eq:1", "does not fit"),
    ],
)
@pytest.mark.parametrize("path", ["memories?", "search?q=invoice&"])
def test_a_filter_that_cannot_be_used_says_why_and_can_be_taken_off(
    stocked: Member, path: str, token: str, said: str
) -> None:
    response = stocked.get(path + urlencode({"f": token}))
    page = response.content.decode()
    assert response.status_code == 422
    assert said in page and "Take it off" in page and "The small" not in page


@pytest.mark.parametrize("written", ["{", "[1]", '{"source": {"above": 1}}', '{"a": 1e400}', '{"a": 1, "a": 2}'])
def test_json_that_is_no_filter_is_kept_and_its_fault_is_said(stocked: Member, written: str) -> None:
    response = stocked.get("memories?" + urlencode({"json": written}))
    assert response.status_code == 422
    assert "The filter in JSON cannot be used." in response.content.decode()


@pytest.mark.parametrize("token", ["", "source", "source:like:x", "a:b:c:d", "%00:eq:%00", ":::"])
def test_what_is_no_filter_at_all_is_passed_over_or_explained(stocked: Member, token: str) -> None:
    assert stocked.get(f"memories?f={token}").status_code in (200, 422)


def test_nothing_found_names_the_filter_that_leaves_out_the_most(stocked: Member) -> None:
    for path in ("memories?", "search?q=invoice&"):
        page = stocked.get(f"{path}f=source:eq:phone&f=tags:eq:bill&f=amount:gte:1").content.decode()
        assert "“Source is phone” leaves out the most: without it, 2 would pass." in page
        assert "Without “Source is phone”" in page


def test_known_metadata_keys_are_offered(stocked: Member) -> None:
    page = stocked.get("search").content.decode()
    offered = re.findall(r'<option value="(\w+)" data-type', page)
    assert {"source", "amount", "note", "paid", "when"} <= set(offered)
    assert "tags" in offered and offered.count("tags") == 1


def test_a_field_that_is_not_offered_can_be_named(stocked: Member) -> None:
    there = stocked.get("memories?field=&other=colour&comparison=eq&value=red")["Location"]
    assert parse_qsl(urlsplit(there).query) == [("f", "colour:eq:red")]
    page = stocked.get("memories?f=colour:eq:red").content.decode()
    assert '<option value="colour" selected>colour</option>' in page


def test_a_filter_for_who_wrote_it_shows_a_short_name(stocked: Member) -> None:
    page = stocked.get(f"memories?f=written_by:eq:member:{stocked.user.id}").content.decode()
    assert f"Written by is member …{str(stocked.user.id)[-6:]}" in page
    assert set(re.findall(r"The (\w+) invoice", page)) and "You</span>" in page
    assert "Nothing matches" in stocked.get(f"memories?f=written_by:eq:key:{stocked.user.id}").content.decode()


def test_another_tenants_keys_are_not_offered(stocked: Member, gina: Member) -> None:
    assert 'value="amount"' not in gina.get("search").content.decode()


def test_a_search_looks_from_another_time(mira: Member) -> None:
    memory = mira.stores(FACTS[0])[0]
    mira.post(f"memories/{memory}/retract")
    assert FACTS[0][:20] not in mira.get("search?q=summaries").content.decode()
    shown = mira.get("search?q=summaries&retracted=1").content.decode()
    assert "Retracted shown" in shown and '<span class="badge bad">Retracted</span>' in shown
    before = mira.get("search?q=summaries&known_at=2020-01-01T00:00").content.decode()
    assert "Known on <b>1 Jan 2020</b>" in before and "Nothing matches" in before


def test_a_time_that_makes_no_sense_is_said(mira: Member) -> None:
    response = mira.get("search?q=a&valid_at=soon")
    assert response.status_code == 422
    assert "This time cannot be used." in response.content.decode()


@given(st.text(max_size=30), st.sampled_from(sorted(COMPARISONS)), st.text(max_size=30))
def test_a_condition_survives_its_address(field: str, comparison: str, value: str) -> None:
    field, value = (text.replace("\x00", "").strip() for text in (field, value))
    given_one = Condition(field, comparison, "" if comparison in ("exists", "missing") else value)
    query = QueryDict(urlencode({"f": given_one.token}))
    assert condition_of(query["f"]) == given_one


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["f", "field", "comparison", "value", "at", "json", "match", "source", "tag"]),
            st.text(max_size=20) | st.sampled_from([*COMPARISONS, "0", "7", "a:eq:1"]),
        ),
        max_size=8,
    )
)
def test_any_address_makes_a_filter_or_a_fault(pairs: list[tuple[str, str]]) -> None:
    narrowing = narrowing_of(QueryDict(urlencode(pairs)))
    assert narrowing.faulty or narrowing.filter is None or narrowing.conditions or narrowing.raw
    if (tidy := tidied(QueryDict(urlencode(pairs)))) is not None:
        assert narrowing_of(QueryDict(tidy)).conditions == narrowing.conditions


def test_a_value_in_metadata_means_the_number_and_the_text() -> None:
    assert Condition("n", "eq", "7").raw == {"n": {"any": [7, "7"]}}
    assert Condition("n", "none", '1.5, "x, y", true').raw == {"n": {"none": [1.5, "1.5", "x, y", True, "true"]}}
    assert parse_filters(Condition("n", "eq", "7").raw) is not None
