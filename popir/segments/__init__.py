"""Models that are more than one device program: segments, with the host between them."""

from popir.segments.model import SegmentedModel

__all__ = ["SegmentedModel"]
