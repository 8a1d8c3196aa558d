"""What every management command of Loci has in common: how it fails."""

from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from loci.ground.errors import LociError
from loci.ground.instants import BadInstant


class LociCommand(BaseCommand):
    """A command whose expected failures are one line on standard error and exit code 1."""

    expected: ClassVar[tuple[type[Exception], ...]] = (LociError, BadInstant)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it; what goes wrong for a reason that a person can mend is told without a traceback."""
        try:
            self.act(options)
        except self.expected as error:
            raise CommandError(" ".join(str(error).split())) from error

    def act(self, options: dict[str, Any]) -> None:
        """What the command does."""
        raise NotImplementedError
