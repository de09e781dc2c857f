"""The operators of ai.onnx.ml: classical machine learning."""
