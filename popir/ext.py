"""popir's own library functions: what PopLibs lacks."""

from popir._device.ext import *  # noqa: F403
