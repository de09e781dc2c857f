"""Operators that call subgraphs."""
