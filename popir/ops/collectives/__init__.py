"""Operators in which replicas meet: reductions, and the gathering of what they have."""
