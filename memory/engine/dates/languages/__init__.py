"""The words of each language, a module each."""

from collections.abc import Mapping
from typing import Final

from memory.engine.dates.languages.english import ENGLISH
from memory.engine.dates.languages.french import FRENCH
from memory.engine.dates.languages.german import GERMAN
from memory.engine.dates.languages.russian import RUSSIAN
from memory.engine.dates.languages.spanish import SPANISH
from memory.engine.dates.lexicon import Lexicon

LEXICONS: Final[Mapping[str, Lexicon]] = {one.code: one for one in (ENGLISH, GERMAN, FRENCH, SPANISH, RUSSIAN)}
