"""ScaledAdd and IncrementMod: arithmetic with factors and moduli that are attributes."""

from __future__ import annotations

import math

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator


class ScaledAdd(Decomposition):
    """PopART's ScaledAdd: scale0 * X + scale1 * Y. Scalars as inputs, A and B, take the place of
    the attributes. PopART has no gradient; here it is that of the arithmetic.
    """

    scale0: float
    scale1: float

    def decompose(
        self, on: Decomposer, x: Tensor, y: Tensor, a: Tensor | None = None, b: Tensor | None = None
    ) -> Tensor:
        """Two products and their sum; a factor of 1 is left out."""
        if on.info(x) != on.info(y):
            raise self.wrong(f"X is {on.info(x)}, Y {on.info(y)}; they must be alike.")
        return on.Add(self._scaled(on, x, self.scale0, a), self._scaled(on, y, self.scale1, b))

    def _scaled(self, on: Decomposer, x: Tensor, scale: float, given: Tensor | None) -> Tensor:
        if given is not None:
            if on.info(given).nelms() != 1:
                raise self.wrong(f"the factor '{given.id}' is {on.info(given)}; expected is one.")
            return on.Mul(x, on.reshape(given, []))
        if scale == 1:
            return x
        if on.info(x).dataType().numpy.kind in "iu" and scale != int(scale):
            raise OperatorAttributeError(
                f"{self._who()}: the factor {scale} of {on.info(x)} must be an integer."
            )
        return on.Mul(x, on.like(scale, x))


class IncrementMod(Decomposition):
    """PopART's IncrementMod: the remainder of X + increment by modulus, with the sign of the sum.
    For integers the attributes are cut to integers. PopART has no gradient; here it is that of
    the arithmetic.
    """

    increment: float
    modulus: float

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A sum and a Mod with `fmod`."""
        kind = on.info(x).dataType().numpy
        whole = kind.kind in "iu"
        for name in ("increment", "modulus"):
            if whole and not math.isfinite(getattr(self, name)):
                raise OperatorAttributeError(
                    f"{self._who()}: the {name} {getattr(self, name)} is no "
                    f"{on.info(x).dataType().name}."
                )
        add, by = (int(v) if whole else v for v in (self.increment, self.modulus))
        if not by:
            raise OperatorAttributeError(
                f"{self._who()}: the modulus is {self.modulus}, which is "
                f"0 as {on.info(x).dataType().name}."
            )
        for name, v in (("increment", add), ("modulus", by)):
            if whole and not np.iinfo(kind).min <= v <= np.iinfo(kind).max:
                raise OperatorAttributeError(
                    f"{self._who()}: the {name} {v} is no {on.info(x).dataType().name}."
                )
        return on.Mod(on.Add(x, on.like(add, x)), on.like(by, x), fmod=1)


OpCreator(ScaledAdd, graphcore_id("ScaledAdd"))
OpCreator(IncrementMod, graphcore_id("IncrementMod"))
