"""Transforms: changes of a whole graph."""
