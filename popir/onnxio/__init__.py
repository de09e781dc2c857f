"""Reading and writing ONNX models: the only package that imports onnx, besides `backend.py` and
attributes that hold graphs.
"""
