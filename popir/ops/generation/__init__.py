"""Operators that make values: constants, ranges, random numbers."""
