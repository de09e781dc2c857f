"""Operators on strings, on the host."""
