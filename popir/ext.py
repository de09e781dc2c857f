"""popir's own library functions on tensors, which PopLibs does not have."""

from popir._device.ext import *  # noqa: F403
