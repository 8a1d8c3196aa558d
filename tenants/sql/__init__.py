"""SECURITY DEFINER functions: one a file, named `loci_<file>`, for the moments when no tenant is known yet."""
