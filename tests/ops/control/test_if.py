"""If: forward against onnxruntime, gradients against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.errors import ModelError, OperatorInputError
from popir.ir.graph import called_graphs
from popir.onnxio.importer import import_model
from tests.models import floats
from tests.ops.control.models import agrees, gradients, parsed, results

BRANCHES = """
g (float[3, 4] x, bool p) => (float[3, 4] o)
{
    a = Exp(x)
    z = If (p) <
        then_branch = yes () => (float[3, 4] y) { t = MatMul(a, w) y = Tanh(t) },
        else_branch = no () => (float[3, 4] y) {
            c = Constant <value = float {2.0}> ()
            t = Mul(a, c)
            y = Add(t, b)
        }
    >
    o = Add(z, a)
}
"""
W, B = floats(4, 4, seed=1), floats(4, seed=2)


def branches(**more: Any) -> onnx.ModelProto:
    return parsed(BRANCHES, w=W, b=B, **more)


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize("opset", [11, 13, 16, 21])
def test_both_branches(p: bool, opset: int) -> None:
    agrees(branches(opset=opset), {"x": floats(3, 4), "p": np.array(p)})


@pytest.mark.parametrize("p", [True, False])
def test_gradients(p: bool) -> None:
    x, factor = floats(3, 4), floats(3, 4, seed=3)
    found = gradients(branches(), {"x": x, "p": np.array(p)}, {"o": factor}, ["x", "w", "b"])
    tx, tw, tb = (torch.tensor(each, requires_grad=True) for each in (x, W, B))
    a = tx.exp()
    z = torch.tanh(a @ tw) if p else a * 2 + tb
    ((z + a) * torch.tensor(factor)).sum().backward()
    for id, tensor in (("x", tx), ("w", tw), ("b", tb)):
        want = np.zeros_like(found[id]) if tensor.grad is None else tensor.grad.numpy()
        np.testing.assert_allclose(found[id], want, 1e-5, 1e-6)


NESTED = """
g (float[2] x, bool p, bool q) => (float[2] o, float[2] r)
{
    o, r = If (p) <
        then_branch = yes () => (float[2] y, float[2] s) {
            t = Neg(x)
            y = If (q) <
                then_branch = yesyes () => (float[2] y) { y = Mul(t, x) },
                else_branch = yesno () => (float[2] y) { y = Add(t, k) }
            >
            s = Identity(k)
        },
        else_branch = no () => (float[2] y, float[2] s) { y = Exp(x) s = Identity(x) }
    >
}
"""


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize("q", [True, False])
def test_a_branch_with_branches(p: bool, q: bool) -> None:
    model = parsed(NESTED, k=floats(2, seed=5))
    given = {"x": floats(2), "p": np.array(p), "q": np.array(q)}
    agrees(model, given)
    found = gradients(model, given, {"o": np.array([1, 10], np.float32)}, ["x", "k"])
    x, k = (
        torch.tensor(given["x"], requires_grad=True),
        torch.tensor(floats(2, seed=5), requires_grad=True),
    )
    y = (-x * x if q else -x + k) if p else x.exp()
    (y * torch.tensor([1.0, 10.0])).sum().backward()
    for id, tensor in (("x", x), ("k", k)):
        want = np.zeros(2) if tensor.grad is None else tensor.grad.numpy()
        np.testing.assert_allclose(found[id], want, 1e-5, 1e-6)


@pytest.mark.parametrize("p", [True, False])
def test_a_constant_condition_leaves_one_branch(p: bool) -> None:
    text = BRANCHES.replace(", bool p", "")
    model = parsed(text, w=W, b=B, p=np.array(p))
    graph = import_model(model.SerializeToString())
    assert called_graphs(graph) == [graph]
    types = {op.opid.type for op in graph.ops.values()}
    assert ("MatMul" in types) == p and ("Mul" in types) != p and "If" not in types
    assert "z" in graph.tensors
    agrees(model, {"x": floats(3, 4)})


def test_branches_of_other_shapes_under_a_constant_condition() -> None:
    model = parsed(
        """g (float[2, 3] x) => (float[A, B] y) {
            y = If (p) <
                then_branch = yes () => (float[3, 2] a) { a = Transpose(x) },
                else_branch = no () => (float[2, 3] a) { a = Identity(x) }
            >
        }""",
        p=np.array([True]),
    )
    (found,) = results(model, {"x": floats(2, 3)})
    np.testing.assert_array_equal(found, floats(2, 3).T)


def test_no_branch_writes_what_it_reads() -> None:
    """An operator of a branch is in place only on values of the branch itself."""
    model = parsed(
        """g (float[5] x, bool p) => (float[5] o) {
            a = Neg(x)
            z = If (p) <
                then_branch = yes () => (float[5] y) { t = Relu(a) y = Exp(t) },
                else_branch = no () => (float[5] y) { y = Identity(a) }
            >
            o = Add(z, a)
        }"""
    )
    for p in (True, False):
        agrees(model, {"x": floats(5), "p": np.array(p)})


def test_no_outputs() -> None:
    model = branches()
    (node,) = (node for node in model.graph.node if node.op_type == "If")
    node.output[:] = [""]
    node = next(node for node in model.graph.node if node.op_type == "Add")
    node.input[:] = ["a", "a"]
    graph = import_model(model.SerializeToString())
    assert called_graphs(graph) == [graph]


REFUSED = [
    (
        "yes () => (float[2] y) { y = Abs(x) }",
        "no () => (float[1] y) { y = ReduceSum(x) }",
        OperatorInputError,
        r"output 0 is FLOAT\[2\] of the then_branch and FLOAT\[1\] of the else_branch",
    ),
    (
        "yes () => (float[2] y) { y = Abs(x) }",
        "no () => (double[2] y) { y = Cast<to = 11>(x) }",
        OperatorInputError,
        r"output 0 is FLOAT\[2\] of the then_branch and DOUBLE\[2\] of the else_branch",
    ),
    (
        "yes () => (float[2] y) { y = Abs(x) }",
        "no () => (float[2] y, float[2] z) { y = Abs(x) z = Abs(x) }",
        OperatorInputError,
        "its then_branch has 1 outputs, its else_branch 2",
    ),
    (
        "yes () => (float[2] y) { y = Abs(nowhere) }",
        "no () => (float[2] y) { y = Abs(x) }",
        ModelError,
        "reads 'nowhere', which is no tensor of the model",
    ),
    (
        "yes () => (float[2] y) { t = Abs(x) }",
        "no () => (float[2] y) { y = Abs(x) }",
        ModelError,
        "its then_branch has the output 'y', which is no tensor of it",
    ),
    (
        "yes (float[2] q) => (float[2] y) { y = Abs(q) }",
        "no () => (float[2] y) { y = Abs(x) }",
        ModelError,
        r"its then_branch has the inputs \['q'\]; the operator gives it 0",
    ),
    (
        "yes () => (float[2] y) { y = Abs(x) y = Neg(x) }",
        "no () => (float[2] y) { y = Abs(x) }",
        ModelError,
        "its then_branch defines 'y' twice",
    ),
]


@pytest.mark.parametrize(("yes", "no", "error", "words"), REFUSED)
def test_what_is_refused(yes: str, no: str, error: type[popir.PopirError], words: str) -> None:
    node = f"o = If (p) <then_branch = {yes}, else_branch = {no}>"
    text = f"g (float[2] x, bool p) => (float[2] o) {{ {node} }}"
    with pytest.raises(error, match=words):
        import_model(parsed(text).SerializeToString())


def test_a_condition_of_several_elements() -> None:
    text = """g (float[2] x, bool[2] p) => (float[2] o) {
        o = If (p) <then_branch = a () => (float[2] y) { y = Abs(x) },
                    else_branch = b () => (float[2] y) { y = Neg(x) }>
    }"""
    with pytest.raises(
        OperatorInputError, match=r"the condition 'p' is BOOL\[2\]; it must be one BOOL"
    ):
        import_model(parsed(text).SerializeToString())
