"""Training that takes long: `train`, the loop; `Schedule`, learning rates; `Validation`.

`popir train` is this with files. See docs/training.md.
"""

from popir.training.loop import Epoch, Step, Trained, train
from popir.training.schedules import Schedule
from popir.training.tensorboard import TensorBoard
from popir.training.validation import Score, Validation

__all__ = [
    "Epoch",
    "Schedule",
    "Score",
    "Step",
    "TensorBoard",
    "Trained",
    "Validation",
    "train",
]
