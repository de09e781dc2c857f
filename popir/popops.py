"""PopLibs' popops in Python: element-wise expressions and other operations on tensors."""

from popir._device.popops import *  # noqa: F403
