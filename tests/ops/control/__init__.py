"""Tests of operators that call graphs."""
