"""Operators that sample fields of numbers at positions between their elements."""
