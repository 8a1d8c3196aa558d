class BackupError(Exception):
    """A backup or restore that did not happen; the message is one line that says why and what to do."""
