"""Normalization: BatchNormalization, LayerNormalization, LRN."""
