"""What `make run` says in one line instead of a traceback."""


class CannotRun(Exception):
    """Loci cannot run here; the message is one line that says why and, where it can, what to do."""
