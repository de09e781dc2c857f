"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.
"""
