"""
What vertices cost on a simulated machine.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "estimateCycles",
    "figure",
    "figures",
    "planContraction",
    "programReport",
    "tileRuns",
    "vertexClasses",
]

def estimateCycles(
    target: popir._device.poplar.Target,
    vertexClass: str,
    type: popir._device.poplar.Type,
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> int:
    """
    Cycles that one tile of `target` takes for its part of a vertex. `sizes` are the fields of the struct in cpp/workload/work.hpp that describes the class, in their order; what is left out is as it is there. Raises poplar_exception for a class that none describes.
    """

def figure(target: popir._device.poplar.Target, name: str) -> float:
    """
    A figure of a target. Raises poplar_invalid_option for a name that is none.
    """

def figures() -> list[str]:
    """
    Names of the figures that make a machine.
    """

def planContraction(
    target: popir._device.poplar.Target,
    vertexClass: str,
    type: popir._device.poplar.Type,
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> dict[str, typing.Any]:
    """
    How a contraction of these sizes is split over the tiles of `target`. computeCycles, exchangeCycles, linkCycles and phases are those of one serial step. Raises poplar_exception for another class, and for a convolution of which something is not there.
    """

def programReport(
    graph: popir._device.poplar.Graph, program: popir._device.poplar.program.Program
) -> dict[str, typing.Any]:
    """
    What Engine.machineReport says of a program, without an engine.
    """

def tileRuns(
    graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor
) -> list[tuple[int, int, int]]:
    """
    (first element, the one after the last, tile) of the flattened tensor, in order: how tiles share a vertex that writes it.
    """

def vertexClasses() -> list[str]:
    """
    Names of the classes that have an estimator.
    """
