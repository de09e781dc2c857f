"""Attention and positions: onnxruntime's fused operators of transformers."""
