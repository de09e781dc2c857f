"""PopLibs' poplin in Python: matrix products and convolutions."""

from popir._device.poplin import *  # noqa: F403
