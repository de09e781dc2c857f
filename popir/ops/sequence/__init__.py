"""Sequences of values and optional values, on the host."""
