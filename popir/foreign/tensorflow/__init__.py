"""Operators that were written for TensorFlow on the IPU, as ordinary operators of popir."""
