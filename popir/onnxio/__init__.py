"""Reading and writing ONNX models: the only package that imports onnx, besides `backend.py` and
attributes that hold graphs.

Where it is done for every node, repeated fields are read by slices, `node.input[:]`, which protobuf
gives as a list: iterating over the field itself ends in an IndexError with a text, and takes four
times as long.
"""
