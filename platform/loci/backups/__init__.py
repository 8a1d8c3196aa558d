"""Backups: a consistent dump of the whole database, looked through before it counts, and the way back."""
