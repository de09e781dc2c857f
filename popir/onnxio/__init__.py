"""ONNX in and out: the only place, besides backend.py and attribute graphs, that imports onnx."""
