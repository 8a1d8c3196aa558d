"""What the settings say: Django's own checks, and how the installation is reached."""

import smtplib
import socket
from collections.abc import Iterator

from django.conf import settings
from django.core import checks
from django.core.mail import get_connection

from loci.doctor.findings import Finding, fail, ok, warn

MAIL_SECONDS = 5
NOWHERE = ("console", "dummy", "locmem", "filebased")


def check_settings() -> Iterator[Finding]:
    """Django's checks; those for deployment too where others than this machine are served."""
    if settings.DEBUG:
        yield warn("settings", "DEBUG is on: errors show source and settings to anyone.", "Leave DEBUG out.")
    messages = checks.run_checks(include_deployment_checks=settings.SERVED)
    spoken = [message for message in messages if not message.is_silenced() and message.level >= checks.WARNING]
    for message in spoken:
        say = fail if message.level >= checks.ERROR else warn
        hint = f"{message.hint} " if message.hint else ""
        yield say("settings", f"{message.id}: {message.msg}", f"{hint}docs/settings.md lists the settings.")
    if not spoken and not settings.DEBUG:
        reach = f"for {settings.PUBLIC_URL}" if settings.SERVED else "for this machine only"
        yield ok("settings", f"complete, {reach}")


def check_secrets() -> Iterator[Finding]:
    """That the secrets hold up was asked before anything could start; this tells how many there are."""
    newest = next(iter(settings.KEY_PEPPERS))
    yield ok(
        "secrets",
        f"{len(settings.KEY_PEPPERS)} pepper(s), new keys under {newest}; {len(settings.ENCRYPTION_KEYS)} encryption"
        f" key(s); metrics {'with' if settings.METRICS_TOKEN else 'without'} a token"
        f"{'' if settings.METRICS_TOKEN else ', hence switched off'}",
    )


def check_mail() -> Iterator[Finding]:
    """Whether the mail server answers, where one is set."""
    backend = settings.EMAIL_BACKEND.rpartition(".")[0].rpartition(".")[2]
    if backend in NOWHERE:
        say = f"Mail goes to {backend}, not to people."
        yield warn("mail", say, "Set a mail server.") if settings.SERVED else ok("mail", say)
    elif backend == "smtp" and settings.EMAIL_HOST == "localhost" and not settings.EMAIL_HOST_USER:
        yield ok("mail", "no mail server is set; nothing in this release sends mail")
    else:
        yield _mail_server()


def _mail_server() -> Finding:
    connection = get_connection(timeout=MAIL_SECONDS)
    try:
        connection.open()
    except (OSError, smtplib.SMTPException, socket.gaierror) as error:
        return warn(
            "mail",
            f"{settings.EMAIL_HOST} does not let Loci send: {type(error).__name__}.",
            "Look at host, port, user and password of the mail server.",
        )
    connection.close()
    return ok("mail", f"{settings.EMAIL_HOST} answers")
