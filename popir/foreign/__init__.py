"""Operators from elsewhere: one adapter for each foreign interface turns a library into Op and Opx
classes of the one registry.
"""
