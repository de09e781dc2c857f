"""poprand: tensors of random numbers."""

from popir._device.poprand import *  # noqa: F403
