"""Transforms: compiler passes over a whole graph."""
