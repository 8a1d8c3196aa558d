"""Other programs' configuration: what to write into it, and how to write it without harm."""
