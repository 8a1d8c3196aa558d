"""The order in which the doctor looks, and what is left out when something that it needs fails."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import DatabaseError

from loci.doctor import configuration, database, machine, work
from loci.doctor.findings import Finding, State, fail


@dataclass(frozen=True, slots=True)
class Check:
    """A look at one thing, which makes sense only when that of the name `needs` did not fail."""

    name: str
    look: Callable[[], Iterator[Finding]]
    needs: str = ""


ROUNDS = (
    Check("settings", configuration.check_settings),
    Check("secrets", configuration.check_secrets),
    Check("disk", machine.check_disk),
    Check("mail", configuration.check_mail),
    Check("broker", work.check_broker),
    Check("workers", work.check_workers, needs="broker"),
    Check("embedder", work.check_embedder),
    Check("language model", work.check_language_model),
    Check("database", database.check_database),
    Check("role", database.check_role, needs="database"),
    Check("row-level security", database.check_row_level_security, needs="database"),
    Check("extensions", database.check_extensions, needs="database"),
    Check("migrations", database.check_migrations, needs="database"),
    Check("answer time", database.check_answer_time, needs="database"),
    Check("backlog", work.check_backlog, needs="migrations"),
    Check("spaces", work.check_spaces, needs="migrations"),
    Check("stored secrets", work.check_safekeeping, needs="migrations"),
)


def examine() -> Iterator[Finding]:
    """All findings, as they come."""
    failed: set[str] = set()
    for check in ROUNDS:
        if check.needs in failed:
            failed.add(check.name)
            yield Finding(check.name, State.SKIP, f"not looked at: see {check.needs}")
            continue
        for finding in _looked(check):
            if finding.state == State.FAIL and finding.check == check.name:
                failed.add(check.name)
            yield finding


def _looked(check: Check) -> Iterator[Finding]:
    """The check's findings; a check that breaks is a finding too, told without the error's text, which may quote."""
    try:
        yield from check.look()
    except DatabaseError as error:
        yield fail(check.name, f"the database refuses: {type(error).__name__}", "See the findings about the database.")
    except Exception as error:  # the rounds go on
        yield fail(
            check.name, f"could not be looked at: {type(error).__name__}", "Run `manage.py check`; see the logs."
        )
