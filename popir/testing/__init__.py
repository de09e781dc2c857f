"""Tools for testing operators: `run` and `gradcheck`."""

from popir.testing.gradients import gradcheck
from popir.testing.nodes import run
from popir.testing.reports import GradientReport, InputGradient

__all__ = ["GradientReport", "InputGradient", "gradcheck", "run"]
