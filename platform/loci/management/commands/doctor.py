import sys
from typing import Any

from django.core.management.base import CommandParser

from loci.doctor.findings import as_json, as_text, exit_code
from loci.doctor.rounds import examine
from loci.ground.commands import LociCommand


class Command(LociCommand):
    """Look at everything that Loci needs, and say what to do where something is wrong."""

    help = "Look at everything that Loci needs. Exit code 0: all well, 1: something to see to, 2: something fails."
    # the doctor runs them himself and goes on
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        findings = list(examine())
        self.stdout.write((as_json if options["json"] else as_text)(findings))
        if code := exit_code(findings):
            sys.exit(code)
