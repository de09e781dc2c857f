"""A model with custom calls is trained, saved, and loaded in a new process, bit for bit."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops
from popir.custom_ops import CustomCallGradient
from tests.foreign.xla.test_calls import f32, trained
from tests.toolchain import ROOT

RUN = """
import sys
import numpy as np
import popir
model, libraries, out = sys.argv[1], sys.argv[2].split(","), sys.argv[3]
for library in filter(None, libraries):
    popir.load_op_library(library)
builder = popir.Builder(model)
(x,), (y, *_) = builder.getInputTensorIds(), builder.getOutputTensorIds()
flow = popir.DataFlow(1, {y: popir.AnchorReturnType("All")})
session = popir.InferenceSession(model, flow, popir.DeviceManager().createCpuDevice())
session.prepareDevice()
arrays = session.initAnchorArrays()
session.run(popir.PyStepIO({x: np.arange(12, dtype=np.float32).reshape(3, 4)}, arrays))
np.save(out, arrays[y])
"""


def network(targets: popir.OpLibrary, handlers: popir.OpLibrary) -> tuple[popir.Builder, str, str]:
    """Sums over columns of norm(x w), cubed: x (3, 4), w (4, 5). The loss is their sum."""
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [3, 4]), "x")
    w = builder.addInitializedInputTensor(
        np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32), "w"
    )
    h = builder.aiOnnx.matmul([x, w])
    gradient = CustomCallGradient(
        "NormGrad", ["result 1", "operand 0", "gradient 0"], attributes={}
    )
    y, _ = custom_ops.custom_call(
        "Norm",
        [h],
        ["f32[3,5]", "f32[3]"],
        api_version=4,
        attributes={"eps": np.float32(1e-3)},
        library=handlers.path,
        gradient=gradient,
    )
    row = builder.aiOnnx.reducesum([y], [0], 0)
    cube = CustomCallGradient("cube_grad", ["operand 0", "gradient 0"])
    z = custom_ops.custom_call("cube", [row], "f32[5]", gradient=cube)
    loss = builder.aiGraphcore.identityloss([z], popir.ReductionType.Sum)
    builder.addOutputTensor(z)
    return builder, z, loss


def test_trained_and_saved(
    targets: popir.OpLibrary, handlers: popir.OpLibrary, tmp_path: Path
) -> None:
    builder, z, loss = network(targets, handlers)
    anchors = {each: popir.AnchorReturnType("All") for each in (z, loss)}
    made = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, anchors),
        loss,
        popir.ConstSGD(0.01),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    made.weightsFromHost()
    arrays = made.initAnchorArrays()
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    seen: list[float] = []
    for _ in range(100):
        made.run(popir.PyStepIO({"x": x}, arrays))
        seen.append(float(arrays[loss]))
    assert seen[-1] < seen[0] - 1
    made.modelToHost(str(tmp_path / "model.onnx"))
    here = popir.InferenceSession(
        str(tmp_path / "model.onnx"),
        popir.DataFlow(1, {z: popir.AnchorReturnType("All")}),
        popir.DeviceManager().createCpuDevice(),
    )
    here.prepareDevice()
    mine = here.initAnchorArrays()
    here.run(popir.PyStepIO({"x": x}, mine))
    there = elsewhere(tmp_path, f"{targets.path},{handlers.path}")
    assert there.returncode == 0, there.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), mine[z])


def elsewhere(folder: Path, libraries: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", RUN, str(folder / "model.onnx"), libraries]
    return subprocess.run(
        [*command, str(folder / "y.npy")], capture_output=True, text=True, cwd=ROOT
    )


def test_without_its_libraries(
    targets: popir.OpLibrary, handlers: popir.OpLibrary, tmp_path: Path
) -> None:
    """The error names the library; with another folder it is found by its name."""
    builder, _, _ = network(targets, handlers)
    builder.saveModelProto(str(tmp_path / "model.onnx"))
    done = elsewhere(tmp_path, "")
    assert done.returncode != 0
    assert "LibraryLoadError" in done.stderr
    assert f"its library '{handlers.path}' is not loaded" in done.stderr
    moved = tmp_path / Path(handlers.path).name
    moved.write_bytes(Path(handlers.path).read_bytes())
    done = elsewhere(tmp_path, f"{moved},{targets.path}")
    assert done.returncode == 0, done.stderr


def test_gradient_of_a_gradient(targets: popir.OpLibrary) -> None:
    """The gradient of a gradient is the one that the gradient names."""
    third = CustomCallGradient(
        "cube_grad_grad", ["operand 0", "operand 1", "gradient 0"], inputs=[0, 1]
    )
    gradient = CustomCallGradient("cube_grad", ["operand 0", "gradient 0"], gradient=third)
    x = f32(1, -2, 0.5, 3, 0)

    def make(x: Any) -> str:
        builder = x.builder
        ones = builder.aiOnnx.constant(np.ones(5, np.float32))
        dx = custom_ops.custom_call(
            "cube_grad",
            [x, ones],
            "f32[5]",
            gradient=CustomCallGradient(
                "cube_grad_grad", ["operand 0", "operand 1", "gradient 0"], inputs=[0, 1]
            ),
        )
        return builder.aiOnnx.add(
            [dx, custom_ops.custom_call("cube", [x], "f32[5]", gradient=gradient)]
        )

    np.testing.assert_allclose(trained(x, make), 6 * x + 3 * x * x, rtol=1e-6)


def test_finite_differences(targets: popir.OpLibrary) -> None:
    x = f32(1, -2, 0.5, 3, 0.1)
    gradient = CustomCallGradient("cube_grad", ["operand 0", "gradient 0"])
    found = trained(x, lambda x: custom_ops.custom_call("cube", [x], "f32[5]", gradient=gradient))
    step = 1e-3
    wide = x.astype(np.float64)
    np.testing.assert_allclose(
        found, ((wide + step) ** 3 - (wide - step) ** 3) / (2 * step), rtol=1e-4, atol=1e-5
    )


def test_a_program_with_a_call_is_no_file(targets: popir.OpLibrary, tmp_path: Path) -> None:
    builder = popir.Builder()
    x = builder.addInitializedInputTensor(f32(1, 2), "x")
    y = custom_ops.custom_call("add2", [x, x], "f32[2]")
    flow = popir.DataFlow(1, [y])
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), flow, device)
    words = r"cannot be saved: The custom call to 'add2' calls a function.*Save the model"
    with pytest.raises(popir.popart_exception, match=words):
        session.compileAndExport(tmp_path / "program")
    assert not (tmp_path / "program").exists()
