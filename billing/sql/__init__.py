"""SECURITY DEFINER functions of billing, one a file."""
