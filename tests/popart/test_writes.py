"""The guide's Opx writes its input, which its Op does not declare: results stay right all the same,
and the checks find it.
"""

import ctypes
from pathlib import Path

import numpy as np

import popir
from popir import AnchorReturnType, DataFlow, TensorInfo
from tests.popart.graphs import refusal
from tests.popart.libraries import isolated

X = np.float32([[-3, -0.5, 0], [0.25, 1, 2]])


def leaky(x: np.ndarray, alpha: float) -> np.ndarray:
    """What the operator computes."""
    return np.where(x < 0, np.float32(alpha) * x, x)


def custom(builder: popir.Builder, x: str, alpha: float) -> str:
    """Adds the library's operator."""
    return builder.customOp("LeakyRelu", 6, "ai.onnx", [x], {"alpha": alpha})[0]


def run(
    builder: popir.Builder, anchors: list[str], steps: int = 1, **options: bool
) -> list[np.ndarray]:
    """The anchors after some steps on X."""
    settings = popir.SessionOptions()
    for name, value in options.items():
        setattr(settings, name, value)
    session = popir.InferenceSession(
        builder.getModelProto(),
        DataFlow(1, {id: AnchorReturnType("All") for id in anchors}),
        popir.DeviceManager().createCpuDevice(),
        userOptions=settings,
    )
    session.prepareDevice()
    assert all(
        op.source.endswith(".so") for op in session.graph.ops.values() if op.opid.version == 6
    )
    found = session.initAnchorArrays()
    for _ in range(steps):
        session.run(popir.PyStepIO(dict.fromkeys(session.graph.inputs, X), found))
    return [found[id] for id in anchors]


def check_results(library: str) -> None:
    ctypes.cdll.LoadLibrary(library)
    for alpha in 0.1, -0.5:
        builder = popir.Builder()
        opset = builder.aiOnnxOpset11
        x = builder.addInputTensor(TensorInfo("FLOAT", [2, 3]))
        w = builder.addInitializedInputTensor(2 * X)
        twice = opset.add([x, x])
        first, second = custom(builder, twice, alpha), custom(builder, twice, 0.25)
        third = custom(builder, w, alpha)
        after = opset.mul([w, x])
        anchors = [twice, first, second, third, after, x]
        got = run(builder, anchors, steps=2)
        expected = [
            2 * X,
            leaky(2 * X, alpha),
            leaky(2 * X, 0.25),
            leaky(2 * X, alpha),
            2 * X * X,
            X,
        ]
        for id, one, other in zip(anchors, got, expected, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=id)


def test_results(library, tmp_path: Path) -> None:
    isolated(check_results, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_checks(library: str) -> None:
    ctypes.cdll.LoadLibrary(library)
    builder = popir.Builder()
    x = builder.addInputTensor(TensorInfo("FLOAT", [2, 3]))
    y = custom(builder, builder.aiOnnxOpset11.add([x, x]), 0.1)
    said = refusal(popir.popart_exception, lambda: run(builder, [y], opxModifyChecking=True))
    assert "writes input 0, 'Add:0', which the operator does not declare" in said
    said = refusal(popir.popart_exception, lambda: run(builder, [y], opxAliasChecking=True))
    assert "output 0 shares the memory of input 0, 'Add:0'" in said


def test_checks_find_it(library, tmp_path: Path) -> None:
    isolated(check_checks, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_operands(library: str) -> None:
    """Operands in the same memory have the old value, also where operators overwrite what each
    other reads.
    """
    ctypes.cdll.LoadLibrary(library)

    def add(builder: popir.Builder, name: str, *inputs: str) -> str:
        return builder.customOp(name, 1, "test", list(inputs))[0]

    for name in "AddTimes", "AddTimesSecretly":
        for is_computed in True, False:
            builder = popir.Builder()
            x = builder.addInputTensor(TensorInfo("FLOAT", [2, 3]))
            h = builder.aiOnnx.add([x, x]) if is_computed else x
            value = 2 * X if is_computed else X
            other = builder.aiOnnx.mul([x, x])
            ids = [add(builder, name, h, h)]
            ids += [add(builder, name, h, other), add(builder, name, other, h)]
            again = builder.aiOnnx.add([h, h])
            for id in (*ids, again):
                builder.addOutputTensor(id)
            found = run(builder, [*ids, again], steps=2)
            size = X * X
            expected = [2 * value * value, (value + size) * size, (value + size) * value, 2 * value]
            for tensor, right in zip(found, expected, strict=True):
                np.testing.assert_allclose(tensor, right, rtol=1e-6)


def test_operands_in_the_same_memory(library, tmp_path: Path) -> None:
    isolated(check_operands, library("probe"), cwd=tmp_path)
