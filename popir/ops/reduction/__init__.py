"""Reductions over axes, and softmax."""
