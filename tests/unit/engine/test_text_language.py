"""Language detection: one sentence per language, and texts too short to decide."""

from __future__ import annotations

import pytest

from memory.engine.text import detect_language

SENTENCES = {
    "en": "I don't know if we can go to the beach with the children this afternoon because it is raining",
    "de": "Ich weiß nicht, ob wir heute Nachmittag mit den Kindern an den Strand gehen können",
    "fr": "Je ne sais pas si nous pouvons aller à la plage avec les enfants cet après-midi",
    "es": "No sé si podemos ir a la playa con los niños esta tarde porque está lloviendo",
    "it": "Non so se possiamo andare alla spiaggia con i bambini questo pomeriggio perché piove",
    "pt": "Não sei se podemos ir à praia com as crianças esta tarde porque está a chover",
    "nl": "Ik weet niet of we vanmiddag met de kinderen naar het strand kunnen gaan",
    "sv": "Jag vet inte om vi kan gå till stranden med barnen i eftermiddag eftersom det regnar",
    "no": "Jeg vet ikke om vi kan gå til stranden med barna i ettermiddag fordi det regner, men hva med deg",
    "da": "Jeg ved ikke, om vi kan gå på stranden med børnene i eftermiddag, men hvad med dig",
    "fi": "En tiedä voimmeko mennä rannalle lasten kanssa tänään, koska sataa ja se on kylmä",
    "hu": "Nem tudom, hogy elmehetünk-e a strandra a gyerekekkel ma délután, mert esik az eső",
    "tr": "Bu öğleden sonra çocuklarla plaja gidebilir miyiz bilmiyorum çünkü çok soğuk",
    "pl": "Nie wiem, czy możemy iść na plażę z dziećmi dziś po południu, bo pada deszcz i jest zimno",
    "cs": "Nevím, jestli můžeme jít na pláž s dětmi dnes odpoledne, protože prší a je zima, ale to není tak",
    "ro": "Nu știu dacă putem merge la plajă cu copiii în această după-amiază pentru că plouă",
    "ru": "Я не знаю, можем ли мы пойти на пляж",
    "uk": "Я не знаю, чи можемо ми піти на пляж з дітьми",
    "ja": "今日は友達と映画を見た",
    "zh": "今天我和朋友去看电影",
    "ko": "오늘 친구와 영화를 봤다",
    "el": "Δεν ξέρω αν μπορούμε",
    "ar": "لا أعرف إذا كنا نستطيع",
    "he": "אני לא יודע",
    "hi": "मुझे नहीं पता",
    "th": "ฉันไม่รู้",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES.items())
def test_a_sentence_is_recognised(language: str, text: str) -> None:
    assert detect_language(text, "??") == language


@pytest.mark.parametrize("language", ["de", "fr", "es", "ru", "ja"])
def test_the_beginning_and_middle_of_a_long_text_decide(language: str) -> None:
    assert detect_language((SENTENCES[language] + "\n") * 2000, "??") == language


def test_a_foreign_name_does_not_change_the_language() -> None:
    assert detect_language(SENTENCES["en"] + " 東京 Привет", "??") == "en"
    assert detect_language(SENTENCES["ja"] + " API Python", "??") == "ja"


@pytest.mark.parametrize("text", ["", "12345 !?", "café", "Katze", "the cat", "hello world", "👍", "\ud800\0"])
def test_short_or_undecided_text_gets_the_default(text: str) -> None:
    assert detect_language(text) == "en"
    assert detect_language(text, "pt") == "pt"


@pytest.mark.parametrize(
    ("text", "language"),
    [("wie geht es dir", "de"), ("qui est le président", "fr"), ("什么", "zh"), ("ねこ", "ja"), ("что", "ru")],
)
def test_short_questions_with_evidence_are_recognised(text: str, language: str) -> None:
    assert detect_language(text) == language
