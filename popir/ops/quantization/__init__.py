"""Quantization: numbers as small integers or 8-bit floats, with scales and zero points."""
