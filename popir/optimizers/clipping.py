"""Clipping of gradients by their norm: `ClipNormSettings`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from popir.errors import did_you_mean, popart_exception
from popir.typed import typed
from popir.types import DataType, rounded


@typed
@dataclass(frozen=True)
class ClipNormSettings:
    """The weights whose gradients are clipped together, and the largest norm of these: all are
    multiplied by maxNorm / max(maxNorm, norm), where the norm is that of all their elements.
    PopART's `ClipNormSettings`.

    The gradients are those of the loss, without its scaling, before weight decay: what
    `torch.nn.utils.clip_grad_norm_` clips. (PopART's own differ for SGD with a loss scaling, which
    it clips together with that, or with momentum, of which it clips the state; and for weight decay
    by L2 regularization, which it adds before.)

    Raises popart_exception unless the norm is finite and above 0.
    """

    weightIds: list[str]
    maxNorm: float
    is_all: bool = False
    """Whether the gradients of all weights are clipped; `weightIds` is empty then."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.maxNorm) or rounded(self.maxNorm, DataType.FLOAT) <= 0:
            raise popart_exception(
                f"ClipNormSettings: maxNorm = {self.maxNorm:g}: the largest norm must be above 0, "
                "and finite."
            )

    @staticmethod
    def clipWeights(weightIds: list[str], maxNorm: float) -> ClipNormSettings:
        """Settings that clip the gradients of these weights."""
        return ClipNormSettings(weightIds, maxNorm)

    @staticmethod
    def clipAllWeights(maxNorm: float) -> ClipNormSettings:
        """Settings that clip the gradients of all weights; their list is empty."""
        return ClipNormSettings([], maxNorm, True)

    def of(self, weights: Sequence[str]) -> list[str]:
        """The weights of the group, of the trained `weights`. Raises popart_exception for one that
        is not among these.
        """
        for id in self.weightIds:
            if id not in weights:
                raise popart_exception(
                    f"The optimizer clips the gradient of '{id}' (clip_norm_settings), which is no "
                    f"weight that is trained.{did_you_mean(id, weights)}"
                )
        return list(weights) if self.is_all else list(self.weightIds)

    def getWeightIds(self) -> list[str]:
        """The weights whose gradients are clipped; [] for all."""
        return list(self.weightIds)

    def getMaxNorm(self) -> float:
        """The largest norm of the gradients together."""
        return self.maxNorm


def check_groups(who: str, settings: Sequence[ClipNormSettings]) -> None:
    """Raises popart_exception for groups that exclude one another: one of all weights beside
    others, or a weight in two of them.
    """
    if len(settings) > 1 and any(each.is_all for each in settings):
        raise popart_exception(
            f"{who}: clip_norm_settings has {len(settings)} groups, one of them of all weights "
            "(clipAllWeights); that must be the only one.",
            popart="Multiple clip groups specified, but one has the mode 'ClipAllWeights'.",
        )
    named = [id for each in settings for id in each.weightIds]
    if twice := next((id for id in named if named.count(id) > 1), None):
        raise popart_exception(
            f"{who}: clip_norm_settings names the weight '{twice}' twice; a gradient is clipped "
            "once."
        )
    if empty := next((each for each in settings if not each.is_all and not each.weightIds), None):
        raise popart_exception(
            f"{who}: clip_norm_settings has a group of no weights, with maxNorm {empty.maxNorm:g}. "
            "ClipNormSettings.clipAllWeights clips those of all weights."
        )
