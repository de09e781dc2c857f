"""Custom calls of XLA: functions in C or C++ that XLA calls by name, as operators.

`targets` has the functions by name and platform, `calls` adds a call to a Builder, `operator` is
the operator org.openxla.CustomCall.
"""
