"""Operators written for TensorFlow on the IPU, in popir: `python models/tensorflow_ipu/run.py`.

Each function below is a program for TensorFlow on the IPU, turned into one for popir. The C++ is
the same for both (user_ops.cpp, turn.cpp); what changes is in the comments. The last line is one
JSON object.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir.custom_ops import codelet_expression_op, cpu_user_operation, precompiled_user_op

HERE = Path(__file__).resolve().parent
Array = np.ndarray[Any, Any]


def library() -> popir.OpLibrary:
    """The compiled library; the codelets lie beside it.

    For TensorFlow this is a Makefile with g++ and popc. That works here too, with the flags of
    `popir-config --cflags --libs`.
    """
    return popir.build_op_library(HERE / "user_ops.cpp", codelets=HERE / "turn.cpp")


def outs(*shapes: list[int]) -> dict[str, Any]:
    """The types and shapes of outputs: `tf.float32` becomes `np.float32`, and a TensorShape a
    list.
    """
    return {"output_types": [np.float32] * len(shapes), "output_shapes": list(shapes)}


def session(builder: popir.Builder, *outputs: str) -> popir.InferenceSession:
    """`ipu_compiler.compile(net, inputs)` and a `tf.Session` become a session of the model."""
    for id in outputs:
        builder.addOutputTensor(id)
    made = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, list(outputs)),
        popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    made.weightsFromHost()
    return made


def fed(session: popir.Session, **inputs: Any) -> dict[str, Array]:
    """`sess.run(result, feed_dict={x: ...})` becomes a step: arrays in, arrays out."""
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({n: np.float32(v) for n, v in inputs.items()}, anchors))
    return {id: np.array(value) for id, value in anchors.items()}


def accumulate(lib: popir.OpLibrary) -> list[list[float]]:
    """A variable that an operator changes in place, over two steps.

    `tf.get_variable` becomes an initialized input, `tf.assign` the operator copyvarupdate; without
    it, here as there, the change is dropped.
    """
    builder = popir.Builder()
    total = builder.addInitializedInputTensor(np.zeros(4, np.float32), "total")
    x = builder.addInputTensor("FLOAT", [4], "x")
    (added,) = precompiled_user_op([total, x], lib, outs=outs([4]), op_name="Accumulate")
    assigned = builder.aiGraphcore.copyvarupdate([total, added])
    made = session(builder, assigned)
    return [fed(made, x=[1.0, 2.0, 3.0, -4.0])[assigned].tolist() for _ in range(2)]


def matmul_in_parts(lib: popir.OpLibrary) -> float:
    """An operator with attributes, which chooses the layout of its first input; how far it is from
    numpy's product. Nothing changes: attributes are a string.
    """
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((6, 8), (8, 5)))
    builder = popir.Builder()
    x, y = (builder.addInputTensor("FLOAT", v.shape, n) for n, v in (("x", a), ("y", b)))
    (z,) = precompiled_user_op(
        [x, y], lib, "", outs([6, 5]), op_name="MatMulInParts", attributes="4"
    )
    return float(abs(fed(session(builder, z), x=a, y=b)[z] - a @ b).max())


def turn(lib: popir.OpLibrary) -> dict[str, list[float]]:
    """An operator with codelets and a gradient, trained to turn one point into another.

    `tf.gradients` and an optimizer become a TrainingSession. The angle needs no gradient:
    inputs_with_gradients says so, as there.
    """
    builder = popir.Builder()
    x, y = (builder.addInitializedInputTensor(np.float32([v]), n) for n, v in (("x", 1), ("y", 0)))
    angle = builder.aiOnnx.constant(np.float32([np.pi / 2]))
    turned = precompiled_user_op(
        [x, y, angle],
        lib,
        Path(lib).parent / "turn.gp",  # or the source, turn.cpp
        outs=outs([1], [1]),
        op_name="Turn",
        inputs_with_gradients=[0, 1],
    )
    loss = builder.aiGraphcore.identityloss(
        [codelet_expression_op(lambda u, v: (u - 2) ** 2 + (v - 3) ** 2, *turned)]
    )
    made = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss, *turned]),
        loss,
        popir.ConstSGD(0.2),
        popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    made.weightsFromHost()
    losses = [float(fed(made)[loss]) for _ in range(30)]
    made.weightsToHost()
    point = {"x": np.empty(1, np.float32), "y": np.empty(1, np.float32)}
    made.readWeights(popir.PyWeightsIO(point))
    return {"losses": losses[::29], **{n: [round(float(v[0]), 3)] for n, v in point.items()}}


def quantize(lib: popir.OpLibrary) -> list[float]:
    """A function on the host. Nothing changes; a limit to its time is popir's own."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [5], "x")
    (y,) = cpu_user_operation(
        [x], lib, outs=outs([5]), op_name="Quantize", attributes="4", time_limit=10.0
    )
    return fed(session(builder, y), x=[-2.0, -0.3, 0.0, 0.6, 2.0])[y].tolist()


def expression() -> list[float]:
    """An expression, in one pass. What TensorFlow lacks may be used: numbers on either side,
    functions of numpy, where, broadcasting, and a gradient.
    """
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [3], "x")
    y = codelet_expression_op(lambda v: np.where(v > 0, v, 2 * (np.exp(v) - 1)), x)
    return [round(float(v), 4) for v in fed(session(builder, y), x=[-1.0, 0.0, 1.0])[y]]


def main() -> None:
    """Runs all of them."""
    os.environ.setdefault("POPIR_CACHE", str(HERE.parents[1] / "build" / "models" / "cache"))
    lib = library()
    print(f"functions: {', '.join(lib.functions)}")
    found = {
        "accumulate": accumulate(lib),
        "matmul_in_parts": matmul_in_parts(lib) < 1e-5,
        "turn": turn(lib),
        "quantize": quantize(lib),
        "expression": expression(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
