"""PopLibs' poputil in Python: tile mappings, intervals, broadcasting."""

from popir._device.poputil import *  # noqa: F403
