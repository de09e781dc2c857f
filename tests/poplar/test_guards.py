"""What the bindings refuse whatever function is called, and what functions refuse of their own, by
the words of the message. Each of these once read or wrote memory that is not there, or never ended.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from popir import ext, poplar, poplin, popops, poputil
from popir._device import machine
from popir.errors import (
    poplar_exception,
    poplar_graph_connection_error,
    poplar_graph_memory_allocation_error,
    poplar_index_error,
    poplar_invalid_tile_mapping,
    poplar_stream_connection_error,
    poplibs_exception,
)

CPU = poplar.Target.createCPUTarget()
LINEAR = poplar.VariableMappingMethod.LINEAR


def graph() -> Any:
    return poplar.Graph(CPU)


def tensor(of: Any = None, shape: tuple[int, ...] = (4, 4)) -> Any:
    return (of or graph()).addVariable(poplar.FLOAT, shape, LINEAR)


def params() -> Any:
    return poplin.ConvParams(poplar.FLOAT, 1, [4], [2], 1, 1, 1)


def without_stride() -> Any:
    made = params()
    made.outputTransform.stride = [0]
    return made


def wrapped() -> Any:
    made = params()
    made.inputTransform.paddingLower = [2**32 - 1]
    return made


def add_to_another(g: Any) -> None:
    sequence = poplar.program.Sequence()
    popops.addInPlace(g, tensor(g), tensor(g), sequence)
    machine.programReport(graph(), sequence)


OF_ANOTHER = "of another graph than the one given"
CALLS: list[tuple[str, Callable[[Any], object], type[Exception], str]] = [
    *(
        (
            f"a convolution without a stride: {make.__name__}",
            lambda g, call=call: call(g, without_stride(), poplar.program.Sequence()),
            poplibs_exception,
            "outputTransform.stride is [0], expected at least 1 everywhere",
        )
        for make, call in (
            (poplin.createConvOutput, lambda g, p, _: poplin.createConvOutput(g, p)),
            (
                poplin.convolution,
                lambda g, p, s: poplin.convolution(
                    *(g, tensor(g, (1, 1, 4)), tensor(g, (1, 1, 1, 2)), p, False, s)
                ),
            ),
        )
    ),
    (
        "the object of a method",
        lambda g: poplar.Target.getNumTiles(None),
        TypeError,
        "incompatible function arguments",
    ),
    (
        "a property of nothing",
        lambda g: popops.expr.UnaryOp.opType.fget(None),
        TypeError,
        "incompatible function arguments",
    ),
    (
        "another graph's tensor",
        lambda g: poputil.mapTensorLinearly(g, tensor()),
        poplar_graph_connection_error,
        f"poputil.mapTensorLinearly: argument 't' is a tensor {OF_ANOTHER}",
    ),
    (
        "another graph's tensor in a list",
        lambda g: popops.addInPlace(g, *[tensor(g), tensor()], poplar.program.Sequence()),
        poplar_graph_connection_error,
        f"is a tensor {OF_ANOTHER}",
    ),
    (
        "another graph's compute set",
        lambda g: popops.rearrange.addTransposeVertices(
            g, graph().addComputeSet("cs"), poplar.FLOAT, 1, 1, [[(0, 1)]], lambda tile: None
        ),
        poplar_graph_connection_error,
        f"addTransposeVertices: argument 'cs' is a compute set {OF_ANOTHER}",
    ),
    (
        "another graph's program",
        add_to_another,
        poplar_graph_connection_error,
        "of another graph",
    ),
    (
        "a tensor that shows nothing",
        lambda g: poplar.Tensor().reshape([1]),
        poplar_index_error,
        "Tensor.reshape: argument 'self' is not valid: Tensor() shows nothing; Graph.addVariable "
        "makes others",
    ),
    (
        "no member of an enum",
        lambda g: ext.LossReduction(77),
        poplar_exception,
        "LossReduction(77): no member has this number; there are None_, Sum, Mean",
    ),
    (
        "a list in place of a number",
        lambda g: popops.pow(g, 10**30, tensor(g), poplar.program.Sequence()),
        TypeError,
        "",
    ),
    (
        "a dimension that is not there",
        lambda g: popops.createSliceTensor(g, poplar.FLOAT, [3], [1, 4], [2, 4], 3),
        poplibs_exception,
        "popops::createSliceTensor: of a tensor {3}, slices of the sizes {2, 4} of the dimensions "
        "{1, 4} were asked for",
    ),
    (
        "a dimension of the field that is not there",
        lambda g: params().getOutputSize(1),
        poplibs_exception,
        "poplin::ConvParams: dimension 1 given, the field has 1",
    ),
    (
        "padding that wraps around",
        lambda g: wrapped().getOutputSize(0),
        poplibs_exception,
        "larger than a field can be, 4294967295 elements",
    ),
    (
        "an interval that ends before it begins",
        lambda g: poputil.splitRegions([(2, 1)], 1, 1),
        poplibs_exception,
        "an interval of elements from 2 to 1 given, which ends before it begins",
    ),
    (
        "clones without number",
        lambda g: poputil.cloneN(g, tensor(g, (0,)), 2**32 - 1),
        poplar_graph_memory_allocation_error,
        "cloneN: 4294967295 clones are more than the host's memory holds",
    ),
    (
        "a report of a tensor without tiles",
        lambda _: _reported(poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))),
        poplar_invalid_tile_mapping,
        "has elements without a tile",
    ),
]


def _reported(g: Any) -> Any:
    return machine.programReport(g, _copied(g))


def _copied(g: Any) -> Any:
    return poplar.program.Copy(tensor(g), g.addVariable(poplar.FLOAT, [4, 4]))


@pytest.mark.parametrize(
    ("call", "kind", "words"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS]
)
def test_what_is_refused(call: Any, kind: type[Exception], words: str) -> None:
    g = graph()
    with pytest.raises(kind) as caught:
        call(g)
    assert words in str(caught.value)


def test_a_graph_lives_as_long_as_what_belongs_to_it() -> None:
    # Of graphs that nothing else holds: a variable, one of its rows, one of a list of them.
    for t in (tensor(), tensor()[0], next(iter(tensor()))):
        gc.collect()
        for _ in range(50):  # one of these would lie where that one was
            g = graph()
            with pytest.raises(poplar_graph_connection_error, match="belongs to another graph"):
                g.setTileMapping(t, 0)


def test_a_sequence_keeps_the_graph_of_what_is_added_to_it() -> None:
    sequence = poplar.program.Sequence()
    sequence.add(_copied(graph()))  # which nothing else holds
    gc.collect()
    for _ in range(50):  # one of these would lie where that one was
        with pytest.raises(poplar_graph_connection_error, match="of another graph"):
            poplar.Engine(graph(), sequence)


@pytest.mark.timeout(30)
def test_memory_elements_end_with_the_memory() -> None:
    for target in (CPU, poplar.Target.createIPUTarget(1, 1, "ipu2")):
        offsets = np.array(target.getMemoryElementOffsets())
        assert offsets[0] == 0 and offsets[-1] < target.getBytesPerTile()
        assert len(set(np.diff(offsets))) == 1


def test_what_is_read_goes_into_arrays_that_can_be_written() -> None:
    g = graph()
    t = tensor(g)
    g.createHostRead("t", t)
    engine = poplar.Engine(g, poplar.program.Sequence())
    array = np.zeros((4, 4), np.float32)
    array.flags.writeable = False
    with pytest.raises(poplar_stream_connection_error, match="which is read-only"):
        engine.readTensor("t", array)


SURROGATE = "é\ud800"


@pytest.mark.parametrize(
    "call",
    [
        lambda g: poplar.OptionFlags({"a": SURROGATE}),
        lambda g: poplar.OptionFlags({SURROGATE: "a"}),
        lambda g: poplar.OptionFlags().set(SURROGATE, "a"),
        lambda g: poplar.Engine(g, poplar.program.Sequence(), {"host.numThreads": SURROGATE}),
        lambda g: poplar.DebugContext(SURROGATE),
        lambda g: g.addVariable(poplar.FLOAT, [2], LINEAR, SURROGATE),
        lambda g: g.addComputeSet(SURROGATE),
        lambda g: g.addHostFunction(SURROGATE, [], []),
        lambda g: g.addCodelets(SURROGATE),
        lambda g: popops.abs(g, tensor(g), poplar.program.Sequence(), SURROGATE),
    ],
)
def test_text_that_is_none_is_refused(call: Any) -> None:
    with pytest.raises(poplar_exception, match=r"the text '\\xe9\\ud800' has half of a surrogate"):
        call(graph())


class Types:
    """A pair of a type, made whenever somebody asks, and a number."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> Any:
        return tensor(graph()).elementType() if i == 0 else 3


def test_items_that_are_made_when_they_are_asked_for() -> None:
    function = graph().addHostFunction("f", [Types()] * 50, [Types()])
    assert function.handle() == "f"
