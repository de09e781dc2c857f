"""Operators for Habana's accelerators: TPC kernels, and operators of its TensorFlow API."""
