"""What `manage.py doctor` looks at: whether an installation is set up as it should be, and what to do if not."""
