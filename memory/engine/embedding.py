"""The embedder port: text in, unit vectors out, and which vectors may be compared.

Pure: no Django, no HTTP, no model. Adapters live in `memory.stores.embedders`.

Three things are decided here because every adapter and every index depends on them:

* a **profile** says how a model family wants queries and documents written before they are embedded;
* a **space** fingerprint says which vectors are comparable: it changes when the document vectors would;
* an **error** names the provider, the model and what to do, and says whether trying again may help.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors of one space. Safe to share between threads.

    Every vector is float32 and of unit length, so a dot product is the cosine. Blank text is allowed and
    gets a vector like any other text. Only `name`, `model`, `enabled` and `max_chars` never touch the model;
    everything else may load it or call its service, and may raise `EmbedderError`.
    """

    @property
    def name(self) -> str:
        """The provider: `minilm`, `openai`, …"""
        ...

    @property
    def model(self) -> str:
        """The model, as the provider calls it."""
        ...

    @property
    def enabled(self) -> bool:
        """False for the lexical-only embedder: the dense arm then does not exist, and nothing may be embedded."""
        ...

    @property
    def max_chars(self) -> int:
        """Characters of ordinary text that surely fit the model's window; cut longer texts in windows of this size."""
        ...

    @property
    def dimension(self) -> int:
        """Components of a vector, as the live model gave them (0 when not enabled)."""
        ...

    @property
    def space(self) -> str:
        """Fingerprint of the space: vectors are comparable only under equal ones (empty when not enabled)."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dimension) for `texts`, in their order; all or an `EmbedderError`."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of shape (dimension,) to compare with the documents' ones."""
        ...


class EmbedderError(Exception):
    """An embedding could not be made. `str()` is for operators: provider, model, problem and what to do.

    `kind` is one of a few words fit for a metric label, `retryable` says whether the same call may succeed
    later, `retry_after` is the wait in seconds that the provider asked for, when it did.
    """

    def __init__(
        self,
        provider: str,
        model: str,
        problem: str,
        remedy: str = "",
        *,
        kind: str = "error",
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(provider, model, problem, remedy)
        self.provider, self.model = provider, model
        self.problem, self.remedy = problem, remedy
        self.kind, self.retryable, self.retry_after = kind, retryable, retry_after

    def __str__(self) -> str:
        who = f"embedder {self.provider}" + (f" ({self.model})" if self.model else "")
        return f"{who}: {self.problem}" + (f"; {self.remedy}" if self.remedy else "")


class WrongDimension(EmbedderError):
    """Vectors have `got` components where `expected` are stored or were seen before."""

    def __init__(self, expected: int, got: int, provider: str = "", model: str = "") -> None:
        super().__init__(
            provider or "?",
            model,
            f"expected vectors of dimension {expected}, got {got}",
            "the model behind this name has changed: reindex into a new embedding space, or set EMBEDDER_MODEL back",
            kind="wrong_dimension",
        )
        self.args = (expected, got, provider, model)
        self.expected, self.got = expected, got


@dataclass(frozen=True, slots=True)
class Profile:
    """How a model family wants its input written, and how much of it fits (`max_chars`, characters).

    `alike`: the cosine that unrelated texts have, and the one from which texts speak of the same thing; None where
    nobody measured it.
    """

    name: str = "identity"
    query_prefix: str = ""
    document_prefix: str = ""
    max_chars: int = 1500
    alike: tuple[float, float] | None = None

    def query(self, text: str) -> str:
        """`text` as this family wants a question."""
        return self.query_prefix + text

    def document(self, text: str) -> str:
        """`text` as this family wants something to be found."""
        return self.document_prefix + text

    @property
    def document_transform(self) -> str:
        """What happens to documents, for the fingerprint: `identity` or `prefix:…`."""
        return f"prefix:{self.document_prefix}" if self.document_prefix else "identity"


TASK = "Given a question, retrieve the memories that answer it"
IDENTITY = Profile()
E5 = Profile("e5", "query: ", "passage: ", alike=(0.8, 0.86))
E5_INSTRUCT = Profile("e5-instruct", f"Instruct: {TASK}\nQuery: ")
QWEN3 = Profile("qwen3-embedding", f"Instruct: {TASK}\nQuery:", max_chars=8000)
NOMIC = Profile("nomic", "search_query: ", "search_document: ", max_chars=6000)
BGE_EN = Profile("bge-en", "Represent this sentence for searching relevant passages: ")
GEMMA = Profile("embeddinggemma", "task: search result | query: ", "title: none | text: ", max_chars=6000)
GEMINI_2 = Profile("gemini-2", "task: search result | query: ", "title: none | text: ", max_chars=8000)

# (glob, profile), the first match counts. Globs are matched in lower case against the whole model name and
# against its last path segment, so `*` at the end covers versions and tags such as `:latest`.
_PROFILES: list[tuple[str, Profile]] = [
    ("*e5*instruct*", E5_INSTRUCT),
    ("e5-*", E5),
    ("multilingual-e5-*", E5),
    ("qwen3-embedding*", QWEN3),
    ("nomic-embed-text*", NOMIC),
    ("embeddinggemma*", GEMMA),
    ("bge-*-en*", BGE_EN),
    ("mxbai-embed-*", BGE_EN),
    ("gemini-embedding-2*", GEMINI_2),
    ("gemini-embedding-*", Profile("gemini", max_chars=6000)),
    ("text-embedding-3-*", Profile("openai", max_chars=24000)),
    ("text-embedding-ada-*", Profile("openai", max_chars=24000)),
    ("bge-m3*", Profile("bge-m3", max_chars=8000)),
    ("all-minilm*", Profile("minilm", max_chars=850, alike=(0.1, 0.3))),
]


def register_profile(glob: str, profile: Profile) -> None:
    """Use `profile` for models whose name matches `glob`; it goes before those already known."""
    _PROFILES.insert(0, (glob.lower(), profile))


def profile_for(model: str) -> Profile:
    """The profile of the first glob that matches `model`; the identity when none does."""
    whole = model.lower()
    names = (whole, whole.rsplit("/", 1)[-1])
    for glob, profile in tuple(_PROFILES):
        if any(fnmatchcase(name, glob) for name in names):
            return profile
    return IDENTITY


def space_fingerprint(
    provider: str,
    model: str,
    document_transform: str,
    dimension: int,
    extras: Mapping[str, str | int] | None = None,
) -> str:
    """`es1:` and 32 hex digits of SHA-256 over the canonical JSON of all that shapes a document's vector."""
    facts = {
        "provider": provider,
        "model": model,
        "document_transform": document_transform,
        "dimension": dimension,
        "extras": dict(extras or {}),
    }
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "es1:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]


def unit_rows(vectors: NDArray[np.floating]) -> Vectors:
    """`vectors` (n, d) as float32 rows of unit length; ValueError when a row is not finite or is all zeros."""
    wide = np.asarray(vectors, dtype=np.float64)
    if not np.isfinite(wide).all():
        raise ValueError("a vector holds NaN or infinity")
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    if not (lengths > 0).all():
        raise ValueError("a vector is all zeros")
    rows: Vectors = (wide / lengths).astype(np.float32)
    return rows
