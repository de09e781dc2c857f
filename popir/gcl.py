"""Graphcore's GCL in Python: collective operations over replicas."""

from popir._device.gcl import *  # noqa: F403
