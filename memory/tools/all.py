"""Every tool there is."""

from memory.tools import mnemostack
from memory.tools.feedback import FEEDBACK, SEED_FEEDBACK
from memory.tools.forgetting import ERASE, FORGET
from memory.tools.reading import GET, JOB, LIST, STATS
from memory.tools.registry import Registry
from memory.tools.search import CONTEXT, SEARCH
from memory.tools.why import WHY
from memory.tools.writing import REMEMBER, UPDATE

REGISTRY = Registry([
    SEARCH, CONTEXT, REMEMBER, GET, UPDATE, LIST, FORGET, ERASE, FEEDBACK, WHY, JOB, STATS,
    *mnemostack.TOOLS, SEED_FEEDBACK,
])  # fmt: skip
