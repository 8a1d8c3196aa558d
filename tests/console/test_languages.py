"""The console speaks English and German, all of it."""

import re

import pytest
from django.conf import settings
from django.test import Client

from tests import catalogue
from tests.console.staff import FACTS, Member

GERMAN = {"Accept-Language": "de"}


def german(member: Member, path: str) -> str:
    page: str = member.client.get(member.at(path), headers=GERMAN).content.decode()
    return page


@pytest.mark.parametrize("language", catalogue.languages())
def test_every_text_is_translated_and_the_catalogue_is_up_to_date(language: str) -> None:
    assert catalogue.faults(language) == []


def test_there_is_a_catalogue_for_each_language_but_english() -> None:
    assert catalogue.languages() == [code for code, _name in settings.LANGUAGES if code != "en"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [("de", "de"), ("de-AT,de;q=0.9", "de"), ("fr", "en"), ("en", "en"), ("", "en"), ("fr,de;q=0.5", "de")],
)
def test_the_browsers_language_is_spoken_where_there_is_one(db: None, given: str, expected: str) -> None:
    response = Client().get("/sign-in", headers={"Accept-Language": given})
    assert f'<html lang="{expected}"' in response.content.decode()
    assert response["Content-Language"] == expected
    assert "Accept-Language" in response["Vary"]


def test_a_language_that_was_chosen_counts_for_more_than_the_browsers(mira: Member) -> None:
    client = mira.client
    response = client.post("/preferences", {"language": "de", "next": mira.at("search")})
    assert response["Location"] == mira.at("search")
    assert '<html lang="de"' in client.get(mira.at("search"), headers={"Accept-Language": "en"}).content.decode()
    client.post("/preferences", {"language": "xx"})
    assert '<html lang="de"' in client.get(mira.at("search")).content.decode()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "Übersicht"),
        ("search?q=server", "Treffer"),
        ("memories", "Was Loci jetzt für wahr hält"),
        ("activity", "3 Erinnerungen gespeichert"),
        ("memories/new", "Erinnerung hinzufügen"),
        ("memories/00000000-0000-0000-0000-000000000000", "Diese Erinnerung gibt es nicht."),
    ],
)
def test_pages_are_german(mira: Member, path: str, said: str) -> None:
    mira.stores(*FACTS)
    page = german(mira, path)
    assert said in page and '<html lang="de"' in page


def test_numbers_and_dates_are_german(mira: Member) -> None:
    memory = mira.stores(FACTS[0], event_at=None)[0]
    mira.stores(*FACTS[1:])
    page = german(mira, f"memories/{memory}")
    assert re.search(r"\d{1,2}\. \w+\.? \d{4}, \d\d:\d\d", page)
    shown = german(mira, "search?q=server")
    assert re.search(r"<b aria-hidden=\"true\">\d,\d\d</b>", shown)
    assert re.search(r'<rect class="\w+" x="\d+\.\d" width="\d+\.\d"', shown)


def test_faults_of_a_form_are_german(mira: Member) -> None:
    response = mira.client.post(mira.at("memories/new"), {"text": ""}, headers=GERMAN)
    assert "Schreiben Sie, was erinnert werden soll." in response.content.decode()


def test_a_memory_is_erased_by_the_words_of_the_page(mira: Member) -> None:
    memory = mira.stores(FACTS[0])[0]
    form = {"confirm": " LÖSCHEN ", "version": mira.versions(memory)[0].version}
    response = mira.client.post(mira.at(f"memories/{memory}/delete"), form, headers=GERMAN)
    assert response.status_code == 302
    assert mira.get(f"memories/{memory}").status_code == 404


def test_the_api_speaks_english_to_a_german_browser(db: None) -> None:
    answer = Client().get("/api/v1/status", headers=GERMAN)
    assert answer.json()["detail"] == "missing service key"
