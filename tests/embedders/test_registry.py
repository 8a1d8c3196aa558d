"""One embedder for one configuration in one process."""

import os
import threading

import pytest

from memory.engine.embedding import Embedder, EmbedderError
from memory.stores import embedders
from memory.stores.embedders import registry
from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.registry import forget_embedders, get_embedder
from tests.embedders.conftest import DOTTED


def test_each_kind_is_built_without_loading() -> None:
    for kind in registry.KINDS:
        embedder = get_embedder(EmbedderConfig(kind))
        assert embedder.name == kind
        assert embedder.enabled is (kind != "none")


def test_equal_configurations_share_one() -> None:
    first = get_embedder(EmbedderConfig("minilm-l3"))
    assert get_embedder(EmbedderConfig("minilm-l3")) is first
    assert get_embedder(EmbedderConfig("minilm-l3", threads=1)) is not first
    forget_embedders()
    assert get_embedder(EmbedderConfig("minilm-l3")) is not first


def test_threads_get_the_same_one() -> None:
    forget_embedders()
    gate = threading.Barrier(8)
    found: list[Embedder] = []

    def ask() -> None:
        gate.wait()
        found.append(get_embedder(EmbedderConfig("static")))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(embedder) for embedder in found}) == 1


def test_the_least_recently_used_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_embedders()
    monkeypatch.setattr(registry._embedders, "size", 2)
    kept = get_embedder(EmbedderConfig("none", model="a"))
    get_embedder(EmbedderConfig("none", model="b"))
    get_embedder(EmbedderConfig("none", model="a"))
    get_embedder(EmbedderConfig("none", model="c"))
    assert get_embedder(EmbedderConfig("none", model="a")) is kept
    assert len(registry._embedders) == 2


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("word2vec", "no such kind.*minilm-l3"),
        ("tests.embedders.dotted.Missing", "cannot be imported"),
        ("no.such.module.Class", "cannot be imported"),
        ("tests.embedders.dotted.Incomplete", "is no Embedder: it lacks embed_documents"),
        ("tests.servers.scripted.DIMENSION", "is no class"),
        (".x", "cannot be imported"),
    ],
)
def test_what_is_no_embedder_is_said(kind: str, says: str) -> None:
    with pytest.raises(EmbedderError, match=says):
        get_embedder(EmbedderConfig(kind))


def test_dotted_path() -> None:
    assert get_embedder(EmbedderConfig(DOTTED)).name == "dotted"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_starts_anew() -> None:
    get_embedder(EmbedderConfig("static"))
    child = os.fork()
    if child == 0:
        os._exit(0 if not len(registry._embedders) and not registry._embedders._lock.locked() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_configured_reads_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    import django.conf

    class Settings:
        EMBEDDER = "openai"
        EMBEDDER_URL = "http://127.0.0.1:9/v1"
        EMBEDDER_MODEL = "m"
        EMBEDDER_API_KEY = "secret"
        EMBEDDER_TIMEOUT = 3.0
        EMBEDDER_BATCH_SIZE = 7
        EMBEDDER_THREADS = 1

    monkeypatch.setattr(django.conf, "settings", Settings())
    found = embedders.configured()
    assert (found.name, found.model) == ("openai", "m")
    assert embedders.configured() is found
    assert "secret" not in repr(embedders.configuration())
