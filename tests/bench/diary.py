"""What six people did on some days, and questions that only the day tells apart. Drawn by a seed, frozen before tuning.

Nobody's memory says when: the time is the memory's timestamp. Everybody did everything several times, so that a
question without its date has about eight answers. All are asked at one moment, told as `as_of`.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tests.bench.datasets import Dataset, Memory, Question

FROZEN = 20261130
ASKED = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""A Monday."""
PEOPLE = ("Dana", "Priya", "Tomas", "Yuki", "Omar", "Lena")
DEEDS = {
    "repair": (
        "repaired",
        "the green boat, the garden gate, an old radio, the roof, her bicycle lamp, a clock, the pump",
    ),
    "cook": ("cooked", "lentil soup, a curry, dumplings, a fish pie, pancakes, a goulash, stuffed peppers, risotto"),
    "buy": ("bought", "a lamp, winter tyres, a kayak, two chairs, a microphone, running shoes, a coffee grinder"),
    "read": ("read", "a thriller, poems, a book on whales, a biography, a comic, a travel guide, short stories"),
    "visit": ("visited", "the lighthouse, an old friend, a museum, the dentist, a vineyard, her aunt, the harbour"),
    "paint": ("painted", "the kitchen, a portrait, the fence, a landscape, the shed, a cup, the banister, a boat"),
    "lend": ("lent out", "the drill, a tent, the ladder, a suitcase, the sander, two books, a projector, the trailer"),
    "lose": ("lost", "a glove, the car keys, a bet, an earring, the umbrella, a chess game, the wallet, a scarf"),
}
"""Infinitive: (past, what)."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Deed:
    """Who did what, and when."""

    who: str
    verb: str
    what: str
    at: datetime

    @property
    def text(self) -> str:
        """The memory."""
        return f"{self.who} {DEEDS[self.verb][0]} {self.what}."


def diary(seed: int = FROZEN, most: int = 120) -> Dataset:
    """Some 340 memories over two years and up to `most` questions, one in seven about a day alone."""
    chance = random.Random(seed)
    deeds = sorted(_deeds(chance), key=lambda deed: deed.at)
    memories = [Memory(deed.text, "", 0, deed.at) for deed in deeds]
    asked = list(_questions(deeds, chance))
    chance.shuffle(asked)
    return Dataset("diary", memories, asked[:most])


def _deeds(chance: random.Random) -> Iterator[Deed]:
    for who in PEOPLE:
        for verb, (_, objects) in DEEDS.items():
            for what in objects.split(", "):
                # a fifth of them in the last three weeks, so that "yesterday" and "last week" have something to find
                days = chance.randrange(1, 21 if chance.random() < 0.2 else 700)
                at = ASKED - timedelta(days=days, minutes=chance.randrange(-300, 240))
                yield Deed(who, verb, what, at)


def _questions(deeds: Sequence[Deed], chance: random.Random) -> Iterator[Question]:
    """A question for each deed in one wording, if it has but one answer."""
    for number, deed in enumerate(deeds):
        first, after, said = chance.choice(list(_wordings(deed.at.date())))
        inside = [at for at, other in enumerate(deeds) if first <= other.at.date() < after]
        if chance.random() < 1 / 3 and 1 < len(inside) < 8:
            yield Question(f"What happened {said}?", "dates alone", "en", tuple(inside), as_of=ASKED)
        elif sum(deeds[at].who == deed.who and deeds[at].verb == deed.verb for at in inside) == 1:
            yield Question(f"What did {deed.who} {deed.verb} {said}?", "dates", "en", (number,), as_of=ASKED)


def _wordings(day: date) -> Iterator[tuple[date, date, str]]:
    """Ways to name a stretch of time that holds `day`: (first day, day after it, words)."""
    today, one = ASKED.date(), timedelta(days=1)
    month = MONTHS[day.month - 1]
    start = day.replace(day=1)
    end = (start + 31 * one).replace(day=1)
    yield day, day + one, f"on {month} {day.day}, {day.year}"
    yield day, day + one, f"on {day.day} {month} {day.year}"
    yield day, day + one, f"on {day.isoformat()}"
    yield start, end, f"in {month} {day.year}"
    cuts = (start, start + 10 * one, start + 20 * one, end)
    for part, words in enumerate(("early", "mid", "late")):
        if cuts[part] <= day < cuts[part + 1]:
            yield cuts[part], cuts[part + 1], f"in {words} {month} {day.year}"
    monday = today - today.weekday() * one
    if monday - 7 * one <= day < monday:
        yield monday - 7 * one, monday, "last week"
        yield day, day + one, f"last {day:%A}"
    if today - day <= 6 * one:
        yield day, day + one, "yesterday" if today - day == one else f"{(today - day).days} days ago"
    if today - day < 330 * one:
        yield day, day + one, f"on {month} {day.day}"
    if day.year == today.year - 1 and day.month in (1, 2, 3):
        yield start, end, f"in {month} last year"
