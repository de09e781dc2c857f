"""Operators from libraries: each foreign interface has an adapter that makes Op and Opx classes
from a library, and registers them.
"""
