"""What fills the gaps of the sentences: names, numbers, identifiers."""

import json
import random
import string
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
NAMES: dict[str, Any] = json.loads((FOLDER / "names.json").read_text())
HEX = "0123456789abcdef"


def read(name: str) -> Any:
    """One of the files of sentences."""
    return json.loads((FOLDER / f"{name}.json").read_text())


class Slots:
    """Draws what stands in `{}`: persons a b e, cities c d f, a project p, numbers, days."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._people = chance.sample(NAMES["persons"], len(NAMES["persons"]))
        self._projects = chance.sample(NAMES["projects"], len(NAMES["projects"]))

    def draw(self, language: str = "en", *, own: str = "") -> dict[str, Any]:
        """A filling. A sentence `own` that names a person or project gets one that no other such sentence has."""
        chance, local = self.chance, NAMES["local"].get(language, NAMES)
        drawn: dict[str, Any] = dict(zip("abe", chance.sample(local["persons"], 3), strict=True))
        drawn |= zip("cdf", chance.sample(local["cities"], 3), strict=True)
        drawn |= zip("nmo", chance.sample(range(12, 980), 3), strict=True)
        drawn |= zip(("n2", "m2", "o2"), chance.sample(range(10, 60), 3), strict=True)
        drawn |= zip("kl", chance.sample(range(3, 10), 2), strict=True)
        drawn |= {"v": chance.randrange(11, 998), "p": chance.choice(NAMES["projects"])}
        drawn |= {"month": chance.choice(NAMES["months"]), "day": chance.choice(NAMES["days"])}
        drawn |= {name: f"{chance.randrange(1, top):02}" for name, top in (("mm", 12), ("dd", 29), ("hh", 24))}
        if "{a}" in own and local is NAMES:
            drawn["a"] = self._people.pop()
            drawn |= zip("be", chance.sample([one for one in local["persons"] if one != drawn["a"]], 2), strict=True)
        if "{p}" in own:
            drawn["p"] = self._projects.pop()
        return drawn


def digits(chance: random.Random, count: int) -> str:
    """So many digits, the first not 0."""
    return str(chance.randrange(10 ** (count - 1), 10**count))


def letters(chance: random.Random, count: int) -> str:
    """So many capital letters."""
    return "".join(chance.choice(string.ascii_uppercase) for _ in range(count))


def hexes(chance: random.Random, count: int) -> str:
    """So many hexadecimal digits."""
    return "".join(chance.choice(HEX) for _ in range(count))


def identifier(shape: str, chance: random.Random) -> str:
    """One identifier as it stands in a text."""
    one, two = chance.sample(NAMES["words"], 2)
    tail, number = chance.choice(NAMES["tails"]), chance.randrange(2, 60)
    place = chance.choice(NAMES["cities"]).lower()
    made = {
        "error": f"ERR_{one.upper()}_{digits(chance, 4)}",
        "ip": f"10.{chance.randrange(2, 250)}.{chance.randrange(2, 250)}.{chance.randrange(10, 250)}",
        "uuid": "-".join(hexes(chance, size) for size in (8, 4, 4, 4, 12)),
        "ticket": f"{chance.choice(('OPS', 'WEB', 'PAY', 'MOB'))}-{digits(chance, 4)}",
        "path": f"/srv/{one}/{two}_{tail}.{chance.choice(('py', 'yaml', 'conf'))}",
        "file": f"{one}_{two}_{digits(chance, 4)}.{chance.choice(('pdf', 'xlsx', 'docx'))}",
        "snake": f"max_{one}_{two}_{tail}",
        "camel": f"{one}{two.title()}{tail.title()}",
        "version": f"{chance.randrange(2, 30)}.{chance.randrange(1, 40)}.{chance.randrange(1, 20)}",
        "sha": hexes(chance, 12),
        "sku": f"{letters(chance, 2)}-{digits(chance, 4)}-{letters(chance, 2)}",
        "phone": f"+49 30 {digits(chance, 4)} {digits(chance, 4)}",
        "host": f"{one}-{place}-{number:02}",
        "env": f"{one.upper()}_{two.upper()}_{tail.upper()}",
        "cve": f"CVE-20{chance.randrange(18, 27)}-{digits(chance, 5)}",
        "flight": f"{letters(chance, 2)} {digits(chance, 4)}",
        "order": f"20{chance.randrange(22, 27)}-{digits(chance, 6)}",
        "email": f"{one}.{two}@{place}.example",
        "column": f"{one}_{tail}s.{two}_{chance.choice(('id', 'at', 'sum', 'state'))}",
        "flag": f"--{one}-{two}-{tail}",
        "serial": f"SN{digits(chance, 4)}{letters(chance, 1)}{digits(chance, 4)}",
        "room": f"{letters(chance, 1)}.{chance.randrange(1, 6)}.{digits(chance, 3)}",
    }
    return made[shape]


def asked(shape: str, name: str) -> dict[str, str]:
    """How a question says it: an id by its beginning, a file without its folder, a number with other separators."""
    short = {"uuid": name[:8], "sha": name[:7]}.get(shape, name)
    return {"id": name.replace(" ", "-") if shape == "phone" else name, "short": short}


def twin(shape: str, name: str, chance: random.Random) -> str:
    """An identifier that looks almost the same: one digit, letter or word is another."""
    words = [word for word in NAMES["words"] if word in name.lower() and word not in ("id", "at")]
    if shape in ("path", "snake", "camel", "host", "env", "email", "column", "flag") and words:
        old = chance.choice(words)
        new = chance.choice([word for word in NAMES["words"] if word not in words])
        for form in (str.lower, str.upper, str.title):
            name = name.replace(form(old), form(new))
        return name
    # what a question asks for by its beginning must differ there
    end = {"uuid": 8, "sha": 7}.get(shape, len(name))
    start = 4 if shape in ("error", "cve", "order") else 0
    places = [at for at in range(start, end) if name[at].isdigit()] or [end - 1]
    at = chance.choice(places)
    other = chance.choice([digit for digit in "123456789" if digit != name[at]])
    return name[:at] + other + name[at + 1 :]
