"""Operators of object detectors."""
