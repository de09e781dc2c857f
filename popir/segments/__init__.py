"""Models that are more than one device program: see docs/segments.md."""

from popir.segments.clusters import Cluster, ClusteredModel
from popir.segments.model import SegmentedModel

__all__ = ["Cluster", "ClusteredModel", "SegmentedModel"]
