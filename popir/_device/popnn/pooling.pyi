"""
Pooling over the spatial dimensions of [batch, channels, spatial...] (PopLibs:
popnn/Pooling.hpp). ext has pooling with the options of ONNX.
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
    The parameters of a pooling. Lists have one entry for each spatial dimension.
    Negative padding is truncation: it removes elements of the input.
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
        The same as getOutputFieldShape(params).
        """

def getBwdFlops(params: PoolParams) -> int:
    """
    The floating-point operations of poolInputGradient(): as many as those of pool().
    """

def getFwdFlops(params: PoolParams) -> int:
    """
    The floating-point operations of pool(): one for each element of each window,
    padding excluded; for AVG one more for each window.
    """

def getOutputFieldShape(params: PoolParams) -> list[int]:
    """
    By spatial dimension: the size of the result, (padded input - kernel) / stride + 1,
    rounded down; 0 if the kernel does not fit.
    Raises poplibs_exception for lists of other lengths, and for
    a kernel or stride of 0.
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
    Pools `in_` [batch, channels, spatial...], of the shape and type in `params`, to a
    new tensor [batch, channels, result's spatial...]. Types: FLOAT, HALF, BFLOAT16 or
    DOUBLE, and integers for MAX. Padding does not count in AVG and is never the
    maximum; a window of padding alone gives 0. NaN in a window of MAX gives NaN.
    Raises poplibs_exception for parameters, shapes and types that do not match.
    Raises poplar_invalid_option for invalid options.
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
    The gradient of the input of pool(): a new tensor of its shape. Types: FLOAT,
    HALF, BFLOAT16 or DOUBLE. For MAX every maximum of a window gets the window's
    gradient, in equal parts if `useScaledGradient`; ext.maxPoolInputGradient gives
    it to the first maximum.
    `in_`, `pooled`: the input and the result of pool(); only MAX needs them.
    `pooledGradient`: the gradient of the result, of its shape and type.
    Raises poplibs_exception for parameters, shapes and types that do not match.
    Raises poplar_invalid_option for invalid options.
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
    The same for AVG and SUM, which need only the gradient of the result.
    `fwdChansPerGroup` has no effect.
    Raises poplibs_exception for MAX too.
    """
