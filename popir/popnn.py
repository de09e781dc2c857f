"""PopLibs' popnn in Python: pooling, non-linear functions, losses."""

from popir._device.popnn import *  # noqa: F403
