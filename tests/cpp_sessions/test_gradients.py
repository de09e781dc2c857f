"""Gradients of choices, other sizes and reductions that a program makes, and prints of them."""

import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator

from tests.cpp_sessions.conftest import Program

X, Y, Z = (
    torch.tensor(values, requires_grad=True)
    for values in ([1.0, -2, 3, -4], [5.0, 6, -7, -8], [0.5, -1, 2, 3])
)


def numbers(line: str) -> list[float]:
    """The numbers of a line."""
    return [float(word) for word in line.split()]


def of_choice(which: str) -> tuple[float, list[np.ndarray]]:
    """The loss of the choice and its gradients, by PyTorch; zeros for what no graph reads."""
    difference = X - torch.relu(Y)
    first, second = ((X + Y), (X + Y) * Z) if which == "yes" else (difference, difference)
    loss = (first * second).sum()
    found = torch.autograd.grad(loss, [X, Y, Z], allow_unused=True, materialize_grads=True)
    return loss.item(), [gradient.numpy() for gradient in found]


@pytest.mark.parametrize("which", ["yes", "no"])
def test_gradients_of_a_choice(program: Program, which: str) -> None:
    """An IfGradOp, whose graphs have the same outputs: zeros, where one reads no such input."""
    lines = program("gradients", "chosen", which).splitlines()
    assert lines[0] == "ai.graphcore.IfGrad:1 63 63"
    loss, gradients = of_choice(which)
    for line, values in zip(lines[1:], [[loss], *gradients], strict=True):
        np.testing.assert_allclose(numbers(line), values, rtol=1e-5)


@pytest.mark.parametrize("which", ["yes", "no"])
def test_a_choice_of_other_ranks_and_types(program: Program, which: str) -> None:
    """Integers have no gradient, so that the outputs of the IfGradOp begin behind them."""
    m = torch.arange(1.0, 9).reshape(2, 4).requires_grad_()
    s = torch.tensor(3.0, requires_grad=True)
    loss = ((s * m if which == "yes" else m + m) * (s * s) * X).sum()
    expected = [loss.detach(), *torch.autograd.grad(loss, [m, s, X])]
    lines = program("gradients", "mixed", which).splitlines()
    for line, values in zip(lines, expected, strict=True):
        np.testing.assert_allclose(numbers(line), values.reshape(-1), rtol=1e-5)


@pytest.mark.parametrize("which", ["yes", "no"])
def test_second_gradients_of_a_choice(program: Program, which: str) -> None:
    """The gradients of an IfGradOp are those of its graphs."""
    out = X * Y * (X if which == "yes" else Y)
    first = torch.autograd.grad(out, [X, Y], torch.arange(1.0, 5), create_graph=True)
    loss = (first[0] * first[1]).sum()
    expected = [loss.detach(), *torch.autograd.grad(loss, [X, Y])]
    lines = program("gradients", "second", which).splitlines()
    for line, values in zip(lines, expected, strict=True):
        np.testing.assert_allclose(numbers(line), values.reshape(-1), rtol=1e-5)


def test_a_choice_between_constants(program: Program) -> None:
    """The gradient through it is zero."""
    lines = program("gradients", "constant").splitlines()
    assert lines[0] == "1"
    np.testing.assert_allclose(numbers(lines[1]), torch.relu(Z).detach())


@pytest.mark.parametrize("which", ["yes", "no"])
def test_gradients_of_a_choice_that_is_called(program: Program, which: str) -> None:
    """The same in a graph of gradients that the program calls."""
    lines = program("gradients", "called", which).splitlines()
    for line, values in zip(lines, of_choice(which)[1], strict=True):
        np.testing.assert_allclose(numbers(line), values, rtol=1e-5)


MODES = [
    {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
    {"mode": "nearest", "coordinate_transformation_mode": "half_pixel", "nearest_mode": "floor"},
    {"mode": "linear", "coordinate_transformation_mode": "half_pixel"},
    {"mode": "cubic", "coordinate_transformation_mode": "half_pixel"},
]
"""The attributes of Resize 13 for the program's modes; version 10 enlarges as the first says."""


@pytest.mark.parametrize("mode", range(4))
def test_gradients_of_other_sizes(program: Program, mode: int) -> None:
    """It is linear: its gradient is the transpose of what ONNX's reference does to a basis."""
    lines = program("gradients", "resized", str(mode)).splitlines()
    assert lines[0] == "ai.graphcore.ResizeGrad:1 3[1 0.4 0.571429]FLOAT [1 2 4]"
    assert "the gradient of a gradient of a ResizeOp is not made" in lines[1]
    given = [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 2, 4])]
    made = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 5, 7])]
    scales = onnx.numpy_helper.from_array(np.array([1, 2.5, 1.75], np.float32), "scales")
    node = onnx.helper.make_node("Resize", ["x", "", "scales"], ["y"], **MODES[mode])
    graph = onnx.helper.make_graph([node], "resize", given, made, [scales])
    opsets = [onnx.helper.make_opsetid("", 13)]
    reference = ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=opsets))
    basis = np.eye(8, dtype=np.float32).reshape(8, 1, 2, 4)
    rows = [np.asarray([*reference.run(None, {"x": each})]).reshape(-1) for each in basis]
    factors = np.arange(35) % 7 - 2.5
    np.testing.assert_allclose(numbers(lines[2]), np.array(rows) @ factors, rtol=1e-4, atol=1e-4)


def test_gradients_of_reductions(program: Program) -> None:
    """Each class's own, with what it reads, as PyTorch's; equal extrema share the gradient."""
    values = torch.tensor([1, 3, 2, 7, 4, 0.5, 5, 4, 2, 2, 1, 3.0]).reshape(2, 3, 2)
    functions = {
        "Sum": ([1], torch.sum),
        "Mean": ([0, 2], torch.mean),
        "Max": ([-1], torch.amax),
        "Min": ([1], torch.amin),
        "Prod": ([1], lambda x, axes: x.prod(axes[0])),
        "SumSquare": ([0], lambda x, axes: (x * x).sum(axes)),
        "L1": ([1], lambda x, axes: x.abs().sum(axes)),
        "L2": ([0, 1, 2], lambda x, axes: (x * x).sum(axes).sqrt()),
        "LogSum": ([2], lambda x, axes: x.sum(axes).log()),
        "LogSumExp": ([1], torch.logsumexp),
    }
    lines = program("gradients", "reductions").splitlines()
    assert len(lines) == 2 * len(functions)
    for i, (name, (axes, function)) in enumerate(functions.items()):
        assert lines[2 * i] == f"Reduce{name}Grad[2 3 2]"
        x = values.clone().requires_grad_()
        y = function(x, axes)
        g = (torch.arange(y.numel()) + 0.5).reshape(y.shape)
        (expected,) = torch.autograd.grad(y, x, g)
        found = numbers(lines[2 * i + 1])
        np.testing.assert_allclose(found, expected.reshape(-1), rtol=2e-5, err_msg=name)


def test_prints(program: Program) -> None:
    """What is asked for is printed, under the title or else the tensor's id, in the format."""
    weight, gradient = "(1.00,-2.00,3.00,-4.00)", "(5.00,6.00,-7.00,-8.00)"
    assert program("gradients", "printed", "11", "mine").splitlines() == [
        "110mine|mine_gradient1,0",
        f"mine!: {weight}",
        f"mine!_gradient: {gradient}",
        "4 ",
    ]
    assert program("gradients", "printed", "01", "-").splitlines() == [
        "001|Gradient___w1,0",
        f"Gradient___w: {gradient}",
        "4 ",
    ]
    assert program("gradients", "printed", "10", "-").splitlines() == [
        "110|Gradient___w0,0",
        f"w: {weight}",
        "4 ",
    ]


def test_a_call_as_the_gradient_of_another(program: Program) -> None:
    """x * y by a call, and its gradients g * y and g * x by a CallGradOp."""
    told, error, *values = program("gradients", "callGradient").splitlines()
    assert told == "ai.graphcore.Call:1 3 1 backward 1"
    assert error.startswith("error: ") and "2" in error
    x, y, g = X.detach().numpy(), Y.detach().numpy(), np.arange(1.0, 5)
    for line, wanted in zip(values, (x * y, g * y, g * x), strict=True):
        np.testing.assert_array_equal(numbers(line), wanted)


def test_a_call_whose_gradient_autodiff_makes(program: Program) -> None:
    before, number, graph_in, graph_out, unknown, *values = program(
        "gradients", "calledGradient"
    ).splitlines()
    assert before.endswith("call setCalledSubgraphGradInfo before")
    assert number.endswith("calls 1 graphs; number 17 was asked for")
    assert "'body/z', which is no input or output of the graph 'body'" in graph_in
    assert "is body/out, and no gradient of an input of 'body'" in graph_out
    assert "nothing is known of the gradients of the graph 'body'" in unknown
    x, y, g = X.detach().numpy(), Y.detach().numpy(), np.arange(1.0, 5)
    for line, wanted in zip(values, (x * y, g * y, g * x), strict=True):
        np.testing.assert_array_equal(numbers(line), wanted)
