"""What the tests of operators are made of: `gradcheck`."""

from popir.testing.gradients import gradcheck
from popir.testing.reports import GradientReport, InputGradient

__all__ = ["GradientReport", "InputGradient", "gradcheck"]
