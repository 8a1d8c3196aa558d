"""SECURITY DEFINER functions of the memory room, one a file."""
