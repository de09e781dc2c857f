"""
Tensors of random numbers, functions of (seed, seedModifier, index of the element).
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "addCodelets",
    "bernoulli",
    "dropout",
    "logUniform",
    "normal",
    "philox4x32",
    "setSeed",
    "shapedDropout",
    "truncatedNormal",
    "uniform",
]

def addCodelets(graph: popir._device.poplar.Graph) -> None:
    """
    Adds nothing: kernels are built in.
    """

def bernoulli(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    reference: popir._device.poplar.Tensor,
    outType: popir._device.poplar.Type,
    prob: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    1 with probability prob, else 0.
    """

@typing.overload
def dropout(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    input: popir._device.poplar.Tensor,
    reference: popir._device.poplar.Tensor,
    keepProbability: typing.SupportsFloat | typing.SupportsIndex,
    scale: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    scale * input with probability keepProbability, else 0.
    """

@typing.overload
def dropout(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    input: popir._device.poplar.Tensor,
    reference: popir._device.poplar.Tensor,
    keepProbability: typing.SupportsFloat | typing.SupportsIndex,
    scale: typing.SupportsFloat | typing.SupportsIndex,
    outputClonesRef: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same, laid out as the reference or else as the input.
    """

def logUniform(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    reference: popir._device.poplar.Tensor,
    outType: popir._device.poplar.Type,
    minVal: typing.SupportsFloat | typing.SupportsIndex,
    maxVal: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    base: typing.SupportsFloat | typing.SupportsIndex = 2.718281828459045,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    base to the power of a uniform number, within [minVal, maxVal].
    """

def normal(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    reference: popir._device.poplar.Tensor,
    outType: popir._device.poplar.Type,
    mean: typing.SupportsFloat | typing.SupportsIndex,
    stdDev: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    Normal with mean `mean` and standard deviation `stdDev`.
    """

def philox4x32(
    counter: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(4)"
    ],
    key: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"
    ],
) -> typing.Annotated[list[int], "FixedSize(4)"]:
    """
    The four random words of a counter of four words and a key of two.
    """

def setSeed(
    graph: popir._device.poplar.Graph,
    masterSeed: popir._device.poplar.Tensor,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Starts the draws of stochastic rounding anew. masterSeed: UNSIGNED_INT [2].
    """

def shapedDropout(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    input: popir._device.poplar.Tensor,
    reference: popir._device.poplar.Tensor,
    keepProbability: typing.SupportsFloat | typing.SupportsIndex,
    scale: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    Dropout whose mask, of the reference's shape, is broadcast.
    """

def truncatedNormal(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    reference: popir._device.poplar.Tensor,
    outType: popir._device.poplar.Type,
    mean: typing.SupportsFloat | typing.SupportsIndex,
    stdDev: typing.SupportsFloat | typing.SupportsIndex,
    alpha: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    Normal, cut off at alpha standard deviations from the mean.
    """

def uniform(
    graph: popir._device.poplar.Graph,
    seed: popir._device.poplar.Tensor | None,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    reference: popir._device.poplar.Tensor,
    outType: popir._device.poplar.Type,
    minVal: typing.SupportsFloat | typing.SupportsIndex,
    maxVal: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    Uniform on [minVal, maxVal); integers include maxVal. seed: UNSIGNED_INT [2], or None for numbers that differ from run to run.
    """
