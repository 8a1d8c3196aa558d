"""Draws the mixed whole: each set's memories and questions, the background, sources, times and order."""

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tests.bench.sets.shapes import Memory, Mixed, Question
from tests.bench.sets.slots import Slots, asked, identifier, read, twin

FROZEN = 20261130
SETS = ("identifiers", "paraphrases", "languages", "keywords", "updates", "as-of")
GATHERED = {"log": 1.0, "meeting": 0.9, "howto": 0.5, "note": 0.6, "code": 0.3}
"""By kind the share of memories that stand in one source with others."""
KINDS = ("note", "meeting", "contact")
"""Where facts that change are told."""
BACKGROUND = 1_400
BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
DAYS = 300
PARAPHRASES = 80
"""So many of the handwritten English pairs are drawn."""
DECOYS = 0.7
TWINS = 3
Drawn = Iterator[Memory | Question]


def build(seed: int = FROZEN) -> Mixed:
    """Everything for one tenant. The same seed gives the same on every machine."""
    chance = random.Random(f"loci/{seed}")
    slots = Slots(chance)
    parts = (_updates, _as_of, _identifiers, _paraphrases, _languages, _keywords, _background)
    drawn = [one for part in parts for one in part(slots, chance)]
    memories = _distinct([one for one in drawn if isinstance(one, Memory)])
    chance.shuffle(memories)
    _place(memories, chance)
    for number, memory in enumerate(memories):
        memory.key = f"m{number:04}"
    return Mixed(seed, memories, [one for one in drawn if isinstance(one, Question)])


def _distinct(memories: list[Memory]) -> list[Memory]:
    """Without what was drawn twice word by word."""
    return list({memory.text: memory for memory in reversed(memories)}.values())[::-1]


def _moment(chance: random.Random, first: int = 0, last: int = DAYS) -> datetime:
    return BEGIN + timedelta(days=chance.randrange(first, last), minutes=chance.randrange(600))


def _language(text: str) -> str:
    """By script: kana is Japanese, Hangul Korean, other Han Chinese; German by its telling words."""
    if any("぀" <= sign <= "ヿ" for sign in text):
        return "ja"
    if any("가" <= sign <= "힣" for sign in text):
        return "ko"
    if any("一" <= sign <= "鿿" for sign in text):
        return "zh"
    return "de" if any(word in text for word in ("Wo wohnt", "Wie hoch ist", "Wann ist der", "Wer leitete")) else "en"


def _updates(slots: Slots, chance: random.Random) -> Drawn:
    """An old fact and a newer one about the same thing; only the times tell which is which."""
    for old, new, question, *same in read("updates"):
        language = _language(question)
        fill = slots.draw(language, own=question)
        first = chance.randrange(0, 200)
        before = Memory(old.format_map(fill), chance.choice(KINDS), language, _moment(chance, first, first + 1))
        # half of those that can be are told in the words of the old fact
        told = same[0] if same and chance.random() < 0.5 else new
        after = Memory(told.format_map(fill), chance.choice(KINDS), language, _moment(chance, first + 14, first + 100))
        yield from (before, after)
        yield Question(question.format_map(fill), "updates", language, after, below=before)


def _as_of(slots: Slots, chance: random.Random) -> Drawn:
    """A fact in three versions, each valid for some time, and a question at a moment within each."""
    for question, versions in read("asof"):
        language = _language(question)
        fill = slots.draw(language, own=question)
        starts = [datetime(year, chance.randrange(1, 13), chance.randrange(1, 28), tzinfo=UTC) for year in (2022, 2024)]
        starts.append(datetime(2026, chance.randrange(1, 7), 1, tzinfo=UTC))
        ends = [*starts[1:], None]
        for text, start, end in zip(chance.sample(versions, 3), starts, ends, strict=True):
            memory = Memory(text.format_map(fill), chance.choice(KINDS), language, start, start, end)
            yield memory
            asked_at = start + ((end or datetime(2026, 11, 1, tzinfo=UTC)) - start) * chance.uniform(0.1, 0.9)
            asked_at = asked_at.replace(microsecond=0)
            yield Question(question.format_map(fill), "as-of", language, memory, as_of=asked_at)


def _identifiers(slots: Slots, chance: random.Random) -> Drawn:
    """A memory that answers, others with the same identifier that don't, and twins with one that looks the same."""
    for entry in read("identifiers"):
        for text, question in entry["pairs"]:
            shape, language = entry["shape"], _language(question)
            name = identifier(shape, chance)
            fill = slots.draw(language)
            path = {"path": f"/archive/20{chance.randrange(19, 27)}/{name}"}
            gold = Memory(text.format_map(fill | path | {"id": name}), "ticket", language)
            yield gold
            yield Question(question.format_map(fill | asked(shape, name)), "identifiers", language, gold)
            for mention in chance.sample(entry["mentions"], chance.randrange(1, len(entry["mentions"]) + 1)):
                yield Memory(mention.format_map(slots.draw(language) | path | {"id": name}), "log")
            for number in range(TWINS):
                other = twin(shape, name, chance)
                same = text if number == 0 else chance.choice(entry["pairs"])[0]
                filled = slots.draw(language) | {"id": other, "path": f"/archive/20{chance.randrange(19, 27)}/{other}"}
                yield Memory(same.format_map(filled), "ticket", language)


def _paraphrases(slots: Slots, chance: random.Random) -> Drawn:
    """A sentence, a question in other words, and a decoy in the question's words that does not answer it."""
    lines = read("background")["en"]
    for kind, text, question, *decoy in chance.sample(read("english"), PARAPHRASES):
        said = text.format_map(slots.draw())
        if chance.random() < 0.15 and kind in lines:
            said = f"{said} {chance.choice(lines[kind]).format_map(slots.draw())}"
        gold = Memory(said, kind)
        yield gold
        yield Question(question, "paraphrases", "en", gold)
        if decoy and chance.random() < DECOYS:
            yield Memory(decoy[0], "note")


def _languages(slots: Slots, chance: random.Random) -> Drawn:
    """Paraphrases in German, Chinese, Japanese and Korean."""
    for language, pairs in read("languages").items():
        for kind, text, question in pairs:
            gold = Memory(text.format_map(slots.draw(language)), kind, language)
            yield gold
            yield Question(question, "languages", language, gold)


def _keywords(slots: Slots, chance: random.Random) -> Drawn:
    """A word without spaces around it, and other memories that share its characters or its sentence."""
    for language, entries in read("keywords").items():
        for text, word, others in entries:
            fill = slots.draw(language)
            gold = Memory(text.format_map(fill), "note", language)
            yield gold
            yield Question(word, "keywords", language, gold)
            yield from (Memory(other.format_map(slots.draw(language)), "note", language) for other in others)


def _background(slots: Slots, chance: random.Random) -> Drawn:
    """Memories that nobody asks for; the same sentences come again with other names and numbers."""
    lines = [
        (language, kind, line)
        for language, kinds in read("background").items()
        for kind, own in kinds.items()
        for line in own
    ]
    weights = [3.0 if language == "en" else 1.5 for language, _, _ in lines]
    for language, kind, line in chance.choices(lines, weights, k=BACKGROUND):
        text = line.format_map(slots.draw(language))
        if kind in ("meeting", "note") and chance.random() < 0.15:
            more = chance.choices(read("background")[language][kind], k=chance.randrange(2, 6))
            text = " ".join([text, *(one.format_map(slots.draw(language)) for one in more)])
        yield Memory(text, kind, language)


def _place(memories: list[Memory], chance: random.Random) -> None:
    """Logs, minutes, how-tos and journals are sources with 4 to 15 memories of a day; tickets are each their own.

    Others have none.

    What has a time of its own keeps it.
    """
    kinds: dict[str, list[Memory]] = defaultdict(list)
    for number, memory in enumerate(memories):
        if chance.random() < GATHERED.get(memory.kind, 0.0):
            kinds[memory.kind].append(memory)
            continue
        memory.moment = memory.moment or _moment(chance)
        if memory.kind == "ticket":
            memory.source = f"tickets/{number}"
    for kind, members in sorted(kinds.items()):
        number = 0
        while members:
            run = [members.pop() for _ in range(min(len(members), chance.randrange(4, 16)))]
            number, begin = number + 1, _moment(chance)
            for at, memory in enumerate(run):
                memory.source, memory.at = f"{kind}/{number:03}", at
                memory.moment = memory.moment or begin + timedelta(minutes=at)
    for memory in memories:
        if chance.random() < 0.4:
            memory.tags = (memory.kind, memory.language)
