"""
The cost model: figures of simulated machines, and what vertices and programs cost.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "contracts",
    "costOfAllReduce",
    "estimateCycles",
    "figure",
    "figures",
    "outOfMemory",
    "planContraction",
    "planSlices",
    "programReport",
    "readProfile",
    "secondsOfTransfer",
    "sourceOfCycles",
    "tileCycles",
    "tileRuns",
    "vertexClasses",
    "withIPUs",
]

def contracts(graph: popir._device.poplar.Graph) -> bool:
    """
    Whether the graph has a product of matrices or a convolution.
    """

def costOfAllReduce(
    target: popir._device.poplar.Target,
    replicas: typing.SupportsInt | typing.SupportsIndex,
    bytes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> dict[str, typing.Any]:
    """
    The cost of an all-reduce between replicas, as a dict with the fields of
    CollectiveCost (cpp/machine/collectives.hpp).
    `target`: the machine, for its figures alone.
    `bytes`: by IPU of a replica, the bytes that it holds.
    Raises poplar_invalid_option for a replica that is larger than a pod, and for more
    than 4096 IPUs together.
    """

def estimateCycles(
    target: popir._device.poplar.Target,
    vertexClass: str,
    type: popir._device.poplar.Type,
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> int:
    """
    The cycles that one tile of `target` takes for its part of a vertex.
    `type`: the element type of the first operand that is read.
    `sizes`: the fields of the struct in cpp/workload/work.hpp that describes the class,
    in their order; fields that are left out have the struct's defaults.
    Raises poplar_exception for a class without an estimator, more numbers than the
    struct has fields, and a number beyond an enumeration.
    """

def figure(target: popir._device.poplar.Target, name: str) -> float:
    """
    The value of a figure of a target.
    Raises poplar_invalid_option for an unknown figure.
    """

def figures() -> list[str]:
    """
    The names of the figures that describe a machine, such as tilesPerIPU.
    """

def outOfMemory(
    graph: popir._device.poplar.Graph, program: popir._device.poplar.program.Program
) -> str:
    """
    What a program lacks of the memory of some tile, in the words of the error that an Engine
    raises; empty if it fits.
    Raises the errors of Engine() for an invalid program.
    """

def planContraction(
    target: popir._device.poplar.Target,
    vertexClass: str,
    type: popir._device.poplar.Type,
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> dict[str, typing.Any]:
    """
    How the planner splits a contraction over the tiles of `target`, as a dict
    with fields of ContractionPlan (cpp/machine/contraction/planner.hpp).
    computeCycles, exchangeCycles and phases are those of one serial
    step, cycles those of all.
    `type`: the element type of the operands.
    `sizes`: the fields of ContractionWork (cpp/workload/work.hpp) in their order, at
    least groups, rows, inner, columns and kernelElements.
    Raises poplar_exception for a class that is no contraction, for fewer sizes, and for
    a convolution with a size, stride or dilation below 1.
    """

def planSlices(
    target: popir._device.poplar.Target,
    type: popir._device.poplar.Type,
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> dict[str, typing.Any]:
    """
    How the planner splits slices of a table over the tiles of `target`, as a dict with fields
    of SlicePartition (cpp/workload/slices.hpp), the first tile, and what it says of a read and
    of an update: cycles, and bytes of temporary data on the fullest tile.
    `type`: the element type of the table.
    `sizes`: groups, entries, size and lookups (SliceSizes).
    `options`: those of popops::embedding::plan.
    Raises poplar_exception for other sizes, poplar_invalid_option for invalid options.
    """

def programReport(
    graph: popir._device.poplar.Graph, program: popir._device.poplar.program.Program
) -> dict[str, typing.Any]:
    """
    What Engine.machineReport returns for a program, without an engine. The program need
    not fit the memory of the target.
    Raises the errors of Engine() for an invalid program.
    """

def readProfile(path: str) -> dict[str, typing.Any]:
    """
    What a profile.pop, which an Engine wrote, says of its programs, as a dict: "reports",
    for each program what Engine.machineReport returns, and "runs", the numbers of the
    programs that have run, in order.
    Raises ModelError for a file that is none, is damaged, or is of another version.
    """

def secondsOfTransfer(
    target: popir._device.poplar.Target,
    withHost: bool,
    bytes: typing.SupportsInt | typing.SupportsIndex,
    gatewayBytes: typing.SupportsInt | typing.SupportsIndex,
    replicas: typing.SupportsInt | typing.SupportsIndex,
    ipusPerReplica: typing.SupportsInt | typing.SupportsIndex,
) -> float:
    """
    Seconds of one execution of a transfer on each of the replicas at the same time
    (cpp/machine/transfer.hpp).
    """

def sourceOfCycles(
    vertexClass: str,
    type: popir._device.poplar.Type,
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> str:
    """
    What reports say of the cycles of a vertex: "estimator" for a published formula,
    "guess" for another, "bytes" for a class without an estimator.
    `type`, `sizes`: as for estimateCycles.
    Raises poplar_exception for more numbers than the struct has fields, and a number
    beyond an enumeration.
    """

def tileCycles(text: str) -> dict[str, list[int]]:
    """
    Cycles of a tile's worker for each basic block of each function that a module of LLVM's
    intermediate representation defines, as they are counted of codelets. What depends on
    values (divisions of integers, copies of variable length) is not in it.
    `text`: the module as text, of LLVM 15 or newer.
    """

def tileRuns(
    graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor
) -> list[tuple[int, int, int]]:
    """
    Intervals (begin, end, tile) of the flattened tensor, in ascending order. The tiles
    share in this way a vertex that writes the tensor.
    """

def vertexClasses() -> list[str]:
    """
    The names of the vertex classes that have an estimator, in alphabetical order.
    """

def withIPUs(
    target: popir._device.poplar.Target, ipus: typing.SupportsInt | typing.SupportsIndex
) -> popir._device.poplar.Target:
    """
    A target with the same figures and so many IPUs.
    """
