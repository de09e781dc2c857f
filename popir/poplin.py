"""poplin: matrix products and convolutions."""

from popir._device.poplin import *  # noqa: F403
