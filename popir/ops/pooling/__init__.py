"""Pooling over windows of the spatial dimensions."""
