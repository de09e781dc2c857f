"""
Pooling of spatial dimensions (PopLibs: popnn/Pooling.hpp).
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import popir._device.popnn
import typing

__all__: list[str] = [
    "PoolParams",
    "getBwdFlops",
    "getFwdFlops",
    "getOutputFieldShape",
    "pool",
    "poolInputGradient",
]

class PoolParams:
    """
    Sizes of a pooling; lists have one entry for each spatial dimension.
    """
    def __getstate__(
        self,
    ) -> tuple[
        popir._device.popnn.PoolingType,
        list[int],
        list[int],
        list[int],
        list[int],
        list[int],
        int,
        int,
        popir._device.poplar.Type,
    ]: ...
    def __init__(
        self,
        poolingType: popir._device.popnn.PoolingType,
        inputFieldShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        kernelShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        stride: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        inputTruncationOrPaddingLower: collections.abc.Sequence[
            typing.SupportsInt | typing.SupportsIndex
        ],
        inputTruncationOrPaddingUpper: collections.abc.Sequence[
            typing.SupportsInt | typing.SupportsIndex
        ],
        numChannels: typing.SupportsInt | typing.SupportsIndex,
        batchSize: typing.SupportsInt | typing.SupportsIndex,
        dType: popir._device.poplar.Type,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def __setstate__(
        self,
        arg0: tuple[
            popir._device.popnn.PoolingType,
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsInt | typing.SupportsIndex,
            popir._device.poplar.Type,
        ],
    ) -> None: ...
    def getOutputFieldShape(self) -> list[int]:
        """
        The size of the result by spatial dimension.
        """

def getBwdFlops(params: PoolParams) -> int:
    """
    Floating-point operations of the gradient of the input.
    """

def getFwdFlops(params: PoolParams) -> int:
    """
    Floating-point operations of the forward pass.
    """

def getOutputFieldShape(params: PoolParams) -> list[int]:
    """
    The size of the result by spatial dimension. Raises poplibs_exception for parameters that do not fit.
    """

def pool(
    graph: popir._device.poplar.Graph,
    params: PoolParams,
    in_: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Pools [batch, channels, spatial...]. Padding is not counted and never a maximum.
    """

@typing.overload
def poolInputGradient(
    graph: popir._device.poplar.Graph,
    params: PoolParams,
    in_: popir._device.poplar.Tensor,
    pooled: popir._device.poplar.Tensor,
    pooledGradient: popir._device.poplar.Tensor,
    useScaledGradient: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    MAX: to every maximum of a window, in equal parts if useScaledGradient. ext.maxPoolInputGradient gives it to the first.
    """

@typing.overload
def poolInputGradient(
    graph: popir._device.poplar.Graph,
    params: PoolParams,
    fwdChansPerGroup: typing.SupportsInt | typing.SupportsIndex,
    pooledGradient: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The gradient of an AVG or SUM pooling's input.
    """
