"""PopLibs' poprand in Python: tensors of random numbers."""

from popir._device.poprand import *  # noqa: F403
