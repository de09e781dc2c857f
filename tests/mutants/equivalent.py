"""Mutants that no test can catch, each with the reason: by the name of its site."""

EQUIVALENT: dict[str, str] = {}
