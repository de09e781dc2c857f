"""Operators that update variables: weights and running statistics."""
