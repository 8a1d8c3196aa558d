"""What a result's score is made of, in words: arms, neighbours, stages."""

from django.utils.translation import gettext_lazy

ARMS = {
    "dense": gettext_lazy("Meaning"),
    "lexical": gettext_lazy("Words"),
    "temporal": gettext_lazy("Time"),
    "graph": gettext_lazy("Relations"),
    "neighbours": gettext_lazy("Neighbours"),
}
STAGES = {
    "exact_token": (gettext_lazy("Identifier"), gettext_lazy("holds what was asked for as it stands")),
    "speaker": (gettext_lazy("Person"), gettext_lazy("said by, or kept for, whom the question names")),
    "source": (gettext_lazy("Source"), gettext_lazy("stands among more of the answer")),
    "substance": (gettext_lazy("Length"), gettext_lazy("a very short text says little")),
    "question": (gettext_lazy("Question"), gettext_lazy("only asks")),
    "newest": (gettext_lazy("Newest"), gettext_lazy("its age among what matches alike")),
    "gravity": (gettext_lazy("No common word"), gettext_lazy("shares no word with the question")),
    "freshness": (gettext_lazy("Freshness"), gettext_lazy("its age")),
    "access_bonus": (gettext_lazy("Use"), gettext_lazy("was often used")),
    "inhibition_of_return": (gettext_lazy("Repetition"), gettext_lazy("was shown a short while ago")),
    "curiosity": (gettext_lazy("Curiosity"), gettext_lazy("is old and was hardly shown")),
    "q_learning": (gettext_lazy("Feedback"), gettext_lazy("how those who searched judged its arms")),
}
LOOKS = {"dense": "meaning", "lexical": "words", "temporal": "time", "graph": "graph", "neighbours": "near"}
ALWAYS = ("dense", "lexical")
"""Arms that are told of even where they had nothing to say."""
STAGE_LOOK = "rest"
STAGE_LEGEND = gettext_lazy("Fine-tuning")


def name_of(part: str) -> str:
    """A part's name; an unknown one's own."""
    return str(STAGES[part][0] if part in STAGES else ARMS.get(part, part))


def look_of(part: str) -> str:
    """A part's colour."""
    return LOOKS.get(part, STAGE_LOOK)
