"""The Poplar interface in Python: graphs, tensors, programs, engines, devices."""

from popir._device.poplar import *  # noqa: F403
