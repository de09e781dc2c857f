"""Scan: forward against onnxruntime, gradients against PyTorch."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.onnxio.importer import import_model
from tests.models import Array, floats
from tests.ops.control.models import agrees, gradients, parsed, results

BODY = """step (float[2] h, float[2] a, float[3] b) => (float[2] n, float[2] s, float[2, 3] t) {
    u = Mul(h, w)
    n = Add(u, a)
    s = Tanh(n)
    v = Unsqueeze(s, one)
    t = Mul(v, b)
}"""
W, ONE = floats(2, seed=5), np.array([1])


def scan(
    attributes: str = "",
    a: str = "5, 2",
    b: str = "5, 3",
    body: str = BODY,
    inputs: str = "h, a, b",
    opset: int = 21,
    scanned: int = 2,
) -> onnx.ModelProto:
    more = f", {attributes}" if attributes else ""
    text = f"""g (float[2] h, float[{a}] a, float[{b}] b) => (float y, float s, float t) {{
        y, s, t = Scan <num_scan_inputs = {scanned}{more}, body = {body}> ({inputs})
    }}"""
    model = parsed(text, opset, w=W, one=ONE)
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return model


def arrays(a: tuple[int, ...] = (5, 2), b: tuple[int, ...] = (5, 3)) -> dict[str, Array]:
    return {"h": floats(2), "a": floats(*a, seed=1), "b": floats(*b, seed=2)}


@pytest.mark.parametrize("opset", [9, 11, 16, 21])
def test_forward(opset: int) -> None:
    body = BODY if opset >= 13 else BODY.replace("Unsqueeze(s, one)", "Unsqueeze <axes = [1]> (s)")
    agrees(scan(opset=opset, body=body), arrays())


@pytest.mark.parametrize(
    ("attributes", "a", "b"),
    [
        ("scan_input_directions = [1, 0]", (5, 2), (5, 3)),
        ("scan_output_directions = [0, 1]", (5, 2), (5, 3)),
        ("scan_input_axes = [1, -1], scan_input_directions = [0, 1]", (2, 5), (3, 5)),
        ("scan_output_axes = [1, 2], scan_output_directions = [1, 0]", (5, 2), (5, 3)),
        ("scan_output_axes = [-1, -2]", (1, 2), (1, 3)),
    ],
)
def test_axes_and_directions(attributes: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    model = scan(attributes, ", ".join(map(str, a)), ", ".join(map(str, b)))
    agrees(model, arrays(a, b))


def test_no_slices() -> None:
    model = scan(a="0, 2", b="0, 3")
    y, s, t = results(model, arrays((0, 2), (0, 3)))
    np.testing.assert_array_equal(y, floats(2))
    assert (s.shape, t.shape) == ((0, 2), (0, 2, 3))


@pytest.mark.parametrize("reverse", [0, 1])
def test_gradients(reverse: int) -> None:
    model = scan(f"scan_input_directions = [{reverse}, 0], scan_output_directions = [0, {reverse}]")
    given = arrays()
    factors = {"y": floats(2, seed=6), "s": floats(5, 2, seed=7), "t": floats(5, 2, 3, seed=8)}
    found = gradients(model, given, factors, ["h", "a", "b", "w"])
    tensors = {id: torch.tensor(v, requires_grad=True) for id, v in {**given, "w": W}.items()}
    h, s, t = tensors["h"], [], []
    for i in range(5):
        h = h * tensors["w"] + tensors["a"][4 - i if reverse else i]
        s.append(torch.tanh(h))
        t.append(torch.tanh(h)[:, None] * tensors["b"][i])
    made = {"y": h, "s": torch.stack(s), "t": torch.stack(t[::-1] if reverse else t)}
    loss = torch.zeros(())
    for id, factor in factors.items():
        loss = loss + (made[id] * torch.tensor(factor)).sum()
    loss.backward()
    for id, tensor in tensors.items():
        assert tensor.grad is not None
        np.testing.assert_allclose(found[id], tensor.grad.numpy(), 1e-5, 1e-5)


@pytest.mark.parametrize("lengths", [None, [3, 4], [4, 0]])
@pytest.mark.parametrize("reverse", [0, 1])
def test_version_8(lengths: list[int] | None, reverse: int) -> None:
    """By its definition: onnxruntime's result for the element of each batch."""
    body = "step (float[2] h, float[2] a) => (float[2] n, float[2] s) { n = Add(h, a) s = Exp(n) }"
    text = f"""g (float[2, 2] h, float[2, 4, 2] a) => (float[2, 2] y, float[2, 4, 2] s) {{
        y, s = Scan <num_scan_inputs = 1, directions = [{reverse}], body = {body}>
            ({"l" if lengths else '""'}, h, a)
    }}"""
    initializers = {"l": np.array(lengths)} if lengths else {}
    model = parsed(text, 8, **initializers)
    given = {"h": floats(2, 2), "a": floats(2, 4, 2, seed=1)}
    h, a = given["h"], given["a"]
    y, s = h.copy(), np.zeros((2, 4, 2), np.float32)
    for n in range(2):
        end = lengths[n] if lengths else 4
        for i in range(end):
            y[n] += a[n, end - 1 - i if reverse else i]
            s[n, i] = np.exp(y[n])
    for found, want in zip(results(model, given), (y, s), strict=True):
        np.testing.assert_allclose(found, want, 1e-5, 1e-6)


REFUSED: list[tuple[onnx.ModelProto, type[popir.PopirError], str]] = [
    (
        scan(b="4, 3"),
        OperatorInputError,
        r"its scan inputs have \[5, 4\] slices along their axes; all must have equally many",
    ),
    (scan("scan_input_axes = [2, 0]"), OperatorAttributeError, "has the axis 2; the tensor has 2"),
    (
        scan("scan_input_directions = [0]"),
        OperatorAttributeError,
        r"scan_input_directions is \[0\]; it must have 2 numbers",
    ),
    (
        scan("scan_output_directions = [0, 2]"),
        OperatorAttributeError,
        "0 is forward and 1 is reverse",
    ),
    (scan(scanned=4), OperatorInputError, "num_scan_inputs = 4 are scanned"),
    (scan(scanned=0), OperatorInputError, "num_scan_inputs = 0 are scanned"),
    (scan(scanned=1), OperatorInputError, "do not broadcast"),
    (
        scan(body=BODY.replace("n = Add(u, a)", "n = Concat<axis = 0>(u, a)")),
        OperatorInputError,
        r"FLOAT\[2\] before and FLOAT\[4\] after",
    ),
]


@pytest.mark.parametrize(("model", "error", "words"), REFUSED)
def test_what_is_refused(model: onnx.ModelProto, error: type[popir.PopirError], words: str) -> None:
    with pytest.raises(error, match=words):
        import_model(model.SerializeToString())
