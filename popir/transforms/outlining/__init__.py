"""Outlining: replaces repeated parts of a graph by calls of one subgraph."""
