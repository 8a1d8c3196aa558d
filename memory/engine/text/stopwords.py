"""Stop words per language, folded the way terms are.

Stop words are *indexed* like any other word but take no part in the document length and are left out of queries,
unless a query consists of nothing else ("The Who", "to be or not to be").  Why not drop them from the index: a query
of stop words would find nothing.  Why not index bigrams of them instead: that needs a second kind of term and a second
query path for a rare case.  What it costs is one posting per *distinct* stop word of a document (about 8 of 25 for a
30-word note, fewer in proportion for long texts); those postings are read only by stop-word-only queries.
"""

from __future__ import annotations

from functools import lru_cache

from memory.engine.text.normalise import fold, normalise
from memory.engine.text.stopword_data import SNOWBALL

#: Written for this project: function words of languages without a Snowball list, and additions to the lists.
OWN: dict[str, str] = {
    "en": """
        i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll
        he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't
        shan't shouldn't can't cannot couldn't mustn't let's that's who's what's here's there's when's where's why's
        how's dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wouldnt shouldnt couldnt would could ought
    """,
    "da": "ved kan fordi hvem hvordan hvorfor så",
    "fr": "cet cette quel quelle quels quelles où est-ce si comme plus",
    "pl": """
        i w we na z ze do że nie się jest to co o jak a ale po od za czy tak tym tego ten ta te dla jego jej ich już
        był była było były być może przez przy przed pod nad oraz lub albo bo gdy kiedy gdzie który która które których
        tylko także bardzo jako więc mnie mi ja ty on ona ono my wy oni są jestem mam ma
    """,
    "cs": """
        a v ve na z ze do že ne se si je to co o jak ale po od za čí tak tím toho ten ta ty pro jeho její jejich už byl
        byla bylo byly být může při před pod nad nebo když kde který která které jen také velmi jako proto mě mi já on
        ona ono my vy oni jsou jsem jsme mám má aby
    """,
    "ro": """
        și în la de pe cu nu este sunt un o că să se din pentru ce mai ca care sau dar era fost fi am ai are avea eu tu
        el ea noi voi ei ele lui lor mea meu ta tău sa său acest această aceste acel acea după despre până când unde cum
        foarte doar prin fără între al ale
    """,
    "ja": "の は が を に へ と も で や か ね よ な",
}


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """The folded stop words of an ISO 639-1 code; empty for a language without a list."""
    words = f"{SNOWBALL.get(language, '')} {OWN.get(language, '')}".split()
    return frozenset(fold(normalise(word)) for word in words)


def listed_languages() -> tuple[str, ...]:
    """Codes of all languages with a stop list, in a fixed order."""
    return tuple(dict.fromkeys((*SNOWBALL, *OWN)))
