"""
Tensors of random numbers (PopLibs: poprand/RandomGen.hpp). The generator is
Philox-4x32-10: each element depends on `seed`, `seedModifier` and its index only,
not on layout, number of threads or instruction set.
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
    A new tensor of `outType`: 1 with probability `prob`, else 0. FLOAT, HALF, DOUBLE,
    INT, UNSIGNED_INT or BOOL.
    `seed`, `reference` and errors are those of uniform().
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
    A new tensor of the type of `input`: scale * input with probability
    `keepProbability`, else 0. FLOAT, HALF, BFLOAT16 or DOUBLE. bernoulli() with the
    same seed, modifier and shape gives 1 for the elements that are kept.
    `reference`: has the shape of the input, and gives the tile mapping of the result.
    `seed`: that of uniform().
    Raises poplibs_exception for another seed, type or shape, and for a
    probability outside of 0 to 1.
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
    The same with the tile mapping of `reference` if `outputClonesRef`,
    else with that of `input`.
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
    A new tensor of `outType`: `base` to the power of a uniform number, in [minVal,
    maxVal] with 1 <= minVal < maxVal and base > 1; the distribution is the same
    for every base. FLOAT, HALF, DOUBLE or INT; for INT the bounds are integers and
    the result is truncated.
    `seed`, `reference` and errors are those of uniform().
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
    A new tensor of `outType`: normal with mean `mean` and standard deviation
    `stdDev`. FLOAT, HALF or DOUBLE.
    `seed`, `reference` and errors are those of uniform().
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
    One block of the generator: the four random words of 32 bits for a counter of
    four words and a key of two.
    """

def setSeed(
    graph: popir._device.poplar.Graph,
    masterSeed: popir._device.poplar.Tensor,
    seedModifier: typing.SupportsInt | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Appends to `prog` a seeding of stochastic rounding; see
    poplar.setStochasticRounding. Until then the seed is (0, 0).
    `masterSeed`: UNSIGNED_INT [2].
    Raises poplar_control_program_error for another one.
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
    The same as dropout() with a mask of the shape of `reference`, which is
    broadcast to that of `input`.
    Raises poplibs_exception if it cannot be.
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
    A new tensor of `outType`: normal, truncated to at most alpha * stdDev from the
    mean, with alpha > 0. FLOAT, HALF or DOUBLE.
    `seed`, `reference` and errors are those of uniform().
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
    A new tensor of `outType`: uniform in [minVal, maxVal) for FLOAT, HALF and
    DOUBLE; uniform over the integers from `minVal` to `maxVal`, both included,
    for INT and UNSIGNED_INT.
    `seed`: UNSIGNED_INT [2]. With None the numbers differ from run to run, repeat after
    each Engine.load, and do not depend on `seedModifier`.
    `reference`: gives the shape and the tile mapping of the result;
    its values are not read.
    Raises poplibs_exception for another seed, and for types and parameters that the
    distribution does not take.
    """
