import argparse
import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from loci.ground.commands import LociCommand
from memory.services.evaluate import Compared, evaluate, get_run
from memory.shapes.golden import run_json
from tenants.authentication import operator_scope
from tenants.services.tenants import tenant_by_slug

SHOWN = 20


class Command(LociCommand):
    """Ask a tenant's golden questions and keep the run."""

    help = (
        "Ask the golden questions of a tenant, print recall at 1, 5 and 10, the mean reciprocal rank and what got worse"
        " since the run before, and keep the run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", help="the tenant's slug")
        parser.add_argument(
            "--fail-under",
            type=_share,
            metavar="R@10",
            help="exit code 1 when recall at 10 is lower than this, 0 to 1 (default: never)",
        )
        parser.add_argument("--json", action="store_true", help="print the run as one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        scope = operator_scope(tenant_by_slug(options["tenant"]), "evaluate")
        compared = get_run(scope, evaluate(scope).id)
        if options["json"]:
            self.stdout.write(json.dumps(run_json(compared, ranks=True)))
        else:
            self._print(compared)
        least, reached = options["fail_under"], compared.run.recall_10
        if least is not None and reached < least:
            raise CommandError(f"Recall at 10 is {reached:.3f}, under {least:g}.", returncode=1)

    def _print(self, compared: Compared) -> None:
        run = compared.run
        self.stdout.write(
            f"{run.questions} questions: recall@1 {run.recall_1:.3f}, recall@5 {run.recall_5:.3f},"
            f" recall@10 {run.recall_10:.3f}, MRR {run.mrr:.3f} (settings {run.settings})"
        )
        if compared.former and compared.former.settings != run.settings:
            self.stdout.write("The settings are others than in the run before.")
        for each in compared.worse[:SHOWN]:
            self.stdout.write(f"worse: {_said(each.question)}: {_rank(each.before)} -> {_rank(each.now)}")
        if (more := len(compared.worse) - SHOWN) > 0:
            self.stdout.write(f"and {more} more")


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share: give a number from 0 to 1, such as 0.8")
    return found


def _said(question: str | None) -> str:
    """A question on one line, without what would command a terminal."""
    text = " ".join((question or "(removed)").split())
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:200]


def _rank(rank: int | None) -> str:
    return "not found" if rank is None else f"rank {rank}"
