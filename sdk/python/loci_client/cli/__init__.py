"""The `loci` command."""
