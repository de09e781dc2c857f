"""Loss functions of PopART and ONNX."""
