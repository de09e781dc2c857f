"""Init: a tensor that is made on the device."""

from __future__ import annotations

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType

_NO_INIT, _ZERO = 0, 1
_ACT_GRAD = 0


class Init(Decomposition):
    """PopART's Init: a tensor of `shape`, zeros. With init_type 0, NoInit, its values are undefined
    in PopART; they are zeros too.
    """

    withoutMeaning = {"batch_axis": "batches are not split into several."}
    shape: list[int]
    data_type: int
    init_type: int
    batch_axis: int
    tensor_type: int | None
    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer) -> Tensor:
        """A constant of zeros."""
        if self.init_type not in (_NO_INIT, _ZERO):
            raise OperatorAttributeError(
                f"{self._who()}: the init_type is {self.init_type}; expected is "
                f"{_NO_INIT}, NoInit, or {_ZERO}, Zero."
            )
        if self.tensor_type not in (None, _ACT_GRAD):
            raise OperatorAttributeError(
                f"{self._who()}: the tensor_type is {self.tensor_type}; expected is "
                f"{_ACT_GRAD}, an activation."
            )
        if any(d < 0 for d in self.shape):
            raise OperatorAttributeError(
                f"{self._who()}: the shape is {self.shape}; no dimension may be negative."
            )
        kind = DataType.of(self.data_type)
        zeros = np.zeros(1, kind.numpy)
        return on.ConstantOfShape(on.ints(*self.shape), value=zeros)


OpCreator(Init, graphcore_id("Init"))
