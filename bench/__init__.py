"""Measurements, each a ratio within one run: `python -m bench [name...]`, or all of them."""
