"""The benchmark runs, from an empty cluster to its report."""

import os
import subprocess
import sys
from pathlib import Path

from tests.bench.conversations import gold_of, parse_date, share_found
from tests.bench.floor import statements

ROOT = Path(__file__).resolve().parents[2]


def test_suites_run_from_end_to_end_and_leave_nothing() -> None:
    suites = ["paraphrases", "sets", "dates", "ablation", "--quick", "--embedder", "static", "--only", "smoothing 0"]
    command = [sys.executable, "-m", "tests.bench", *suites]
    environment = {name: value for name, value in os.environ.items() if name != "LOCOMO_FILE"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert "12 questions over 52 sentences: hit@1" in said
    for system in ("product", "BM25", "dense", "RRF(60)", "z-score ±2"):
        assert f"\n  {system} " in said
    assert "identifiers hit@1 of plain BM25" in said
    assert "| smoothing 0 |" in said
    assert not (ROOT / "var" / "bench" / str(process.pid)).exists()


def test_evidence_that_is_malformed_is_split_or_dropped() -> None:
    known = {"D8:6", "D9:17"}
    assert gold_of({"evidence": ["D8:6; D9:17", "D:11:26", "D", "D10:19", "D8:6"]}, known) == ("D8:6", "D9:17")


def test_the_dates_of_the_conversations_are_read() -> None:
    assert parse_date("1:56 pm on 8 May, 2023").isoformat() == "2023-05-08T13:56:00+00:00"


def test_recall_is_the_share_of_the_gold_turns() -> None:
    assert [share_found(("a", "b"), ["b", "x", "a"], cut) for cut in (1, 2, 3)] == [0.5, 0.5, 1.0]


def test_the_floor_has_two_statements_without_comments() -> None:
    found = statements()
    assert list(found) == ["dense", "lexical"]
    assert all("--" not in text and "%(tenant)s" in text for text in found.values())
