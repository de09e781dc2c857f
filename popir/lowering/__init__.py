"""Lowering: makes a device program from a graph of operators."""
