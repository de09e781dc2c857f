"""Recurrent networks: ONNX's LSTM."""
