"""Training that takes long: `train`, the loop; `Schedule`, learning rates; `Validation`.

`popir train` is this with files. See docs/training.md.
"""

from popir.training.schedules import Schedule

__all__ = ["Schedule"]
