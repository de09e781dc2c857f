"""Graphs that choose, are resized and are differentiated by themselves; what is asked of them."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from tests.cpp_sessions.conftest import Program


def numbers(line: str) -> list[float]:
    """The numbers of a line."""
    return [float(word) for word in line.split()]


@pytest.mark.parametrize("which", ["yes", "no"])
def test_a_choice_of_graphs(program: Program, which: str) -> None:
    """Graphs with inputs and outputs in other orders than the operator."""
    lines = program("branches", "chosen", which).splitlines()
    assert lines[0] == "yesno0111-10FLOAT [4]"
    x, y = np.array([1.0, -2, 3, -4]), np.array([5.0, 6, -7, -8])
    expected = [x + y, x * y] if which == "yes" else [x - y, np.maximum(y, 0)]
    for line, values in zip(lines[1:], expected, strict=True):
        np.testing.assert_allclose(numbers(line), values)


def test_other_sizes(program: Program) -> None:
    """The nearest elements of version 10, and a line between elements, as ONNX's reference."""
    lines = program("branches", "resized").splitlines()
    assert lines[0] == "linear floor half_pixelFLOAT [1 3 2]ai.onnx.Resize:11"
    x = np.array([[[1, 3, 2, 7], [-1, 0, 5, 4]]], np.float32)
    np.testing.assert_array_equal(numbers(lines[1]), x.repeat(2, 1).repeat(3, 2).reshape(-1))
    given = [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)]
    made = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 3, 2])]
    scales = onnx.numpy_helper.from_array(np.array([1, 1.5, 0.5], np.float32), "scales")
    node = onnx.helper.make_node(
        "Resize",
        ["x", "", "scales"],
        ["y"],
        mode="linear",
        coordinate_transformation_mode="half_pixel",
    )
    graph = onnx.helper.make_graph([node], "resize", given, made, [scales])
    opsets = [onnx.helper.make_opsetid("", 13)]
    reference = ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=opsets))
    (expected,) = map(np.asarray, reference.run(None, {"x": x}))
    np.testing.assert_allclose(numbers(lines[2]), expected.reshape(-1), rtol=1e-6)


def test_gradients_of_a_graph(program: Program) -> None:
    """A graph of gradients is called with what it says that it gets."""
    lines = program("branches", "differentiated").splitlines()
    assert lines[:2] == [
        "{body: {bwd_body_subgraph(0), [{body/loss, FwdGrad}, {body/d, Fwd}, {body/w, Fwd}, "
        "{body/loss, Fwd}], [{body/d, FwdGrad}, {body/w, FwdGrad}]}}",
        "[{body/w, FwdGrad}][bwd_body_subgraph(1)/Gradient___loss bwd_body_subgraph(1)/d "
        "bwd_body_subgraph(1)/w bwd_body_subgraph(1)/loss][bwd_body_subgraph(1)/Gradient___w]",
    ]
    w, d, g = np.array([1, -2, 3, 0.5]), np.array([2.0, 3, -1, 4]), np.array([1.0, 2, 3, 4])
    expected = [(w + d) * d * w, g * w * (w + 2 * d), g * d * (2 * w + d)]
    for line, values in zip(lines[2:], expected, strict=True):
        np.testing.assert_allclose(numbers(line), values, rtol=1e-5)


def test_what_is_refused(program: Program) -> None:
    """Each with its words."""
    words = [
        "no input is mapped to input 1 of the graph 'yes'",
        "output 1 is mapped to no output of the graph 'no'",
        "input 0 is BOOL [], and input 1 of the graph 'yes' FLOAT [4]",
        "gives the graph 'yes' its inputs in two orders, [1, 2] and [2, 1]; give it a graph for",
        "2 scales are given; the input is FLOAT [4]",
        "A ResizeOp has no region for tf_crop_and_resize",
        "the main graph has no graph of gradients",
        "no gradients are required of the graph 'yes'",
        "'yes/sum' is no input of The graph 'yes'",
        "no outputs are added to the graph 'yes'",
        "1 graphs of gradients are given",
    ]
    lines = program("branches", "refused").splitlines()
    for line, part in zip(lines, words, strict=True):
        assert line.startswith("error: ")
        assert part in line


def test_what_is_asked_of_graphs(program: Program, tmp_path: Path) -> None:
    """Operators have a number each in all graphs; copies are known both ways; walks go into graphs
    and back out; patterns have names; graphs are written for graphviz if that is asked for.
    """
    assert program("branches", "asked").splitlines() == [
        "55481",
        "x yes/a yes/sum yes/product first second ",
        "x yes/a yes/product second yes/sum first ",
        "y1 ",
        "y1 x1 ",
        "SGD1Decompose110",
        "error: A pattern without a PatternCreator has no name: N6popart5GraphE",
        "error: SessionOptions.logDir = 'final.dot': the file of the dotChecks 'final' cannot be "
        "written there: File exists (final.dot).",
    ]
    assert sorted(file.name for file in tmp_path.glob("*.dot")) == [
        *("apart.dot", "apart_copy.dot", "apart_no.dot", "apart_yes.dot", "final.dot")
    ]
    dot = (tmp_path / "final.dot").read_text()
    assert dot.startswith('digraph "final" {')
    assert dot.count("[shape=box") == 9  # Five, a copy of two, and two calls.
    for part in ('label="yes"', 'label="If if"', '[label="yes/a"]'):
        assert part in dot


def test_what_operators_change(program: Program) -> None:
    """A part of a tensor, by a slice of it, and all of it."""
    assert program("branches", "changed").splitlines() == [
        "[]",
        "[[2, 0] to [4, 4]]1",
        "[[0, 0] to [4, 4]]1",
        "[[0, 0] to [4, 4]]1",
        "[]",
        "[[2, 0] to [4, 4]]",
    ]


def test_what_operators_overwrite(program: Program) -> None:
    """Copies, zeros and loads replace a value that they do not read (2); sums read it (3)."""
    overwritten = "copy zero scale_by_0.000000 restore slice host remote several".split()
    lines = program("branches", "overwritten").splitlines()
    assert sorted(lines) == sorted(
        [f"{name.replace('_', ' ')} [[0, 0] to [4, 4]]221" for name in overwritten]
        + [f"{name} [[0, 0] to [4, 4]]330" for name in ("scale by 0.500000", "accumulate")]
    )


def test_loads_of_code(program: Program) -> None:
    """They describe themselves, and are refused by name when they are lowered."""
    words = [
        "has one exchange, no number 1",
        "there is no graph 'none' whose code it could load",
        "copies of code within a device are not there",
        "loads the code of a graph from streaming memory; popir keeps the code of all graphs on",
        "code goes to ExecutableMemory of Compute tiles; the destination is Buffer of Compute",
    ]
    first, *errors = program("branches", "code").splitlines()
    assert first == "1001yesyes01CodeLoad(yes)"
    for line, part in zip(errors, words, strict=True):
        assert line.startswith("error: ")
        assert part in line
