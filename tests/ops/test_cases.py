"""Every row of the table: forwards, its gradient, and its lowering."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import popir
from popir import registry
from popir.onnxio import schemas
from popir.testing import gradcheck
from tests.ops.cases import CASES, NEEDS_LIBRARY, Array, Case


def opsets_of(case: Case) -> list[int]:
    """The opsets to test a row at: those that it names, else each that changed the operator."""
    if case.opsets:
        return list(case.opsets)
    known = schemas.versions(case.domain, case.type)
    return [max(v, 6) for v in known if v >= max(k for k in known if k <= max(6, known[0]))]


def rows() -> Iterator[Any]:
    for case in CASES:
        for opset in opsets_of(case):
            yield pytest.param(case, opset, id=f"{case.name}-{opset}")


def model_of(case: Case, opset: int, arrays: list[Array | None]) -> onnx.ModelProto:
    """The operator alone."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(arrays)]
    outputs = ["y", *(f"y{i}" for i in range(1, case.outputs))]
    domain = "" if case.domain == "ai.onnx" else case.domain
    nodes = [helper.make_node(case.type, names, outputs, "node", domain=domain, **case.attributes)]
    initializers = [numpy_helper.from_array(arrays[i], names[i]) for i in case.constants]
    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for i, (name, array) in enumerate(zip(names, arrays, strict=True))
        if array is not None and i not in case.constants
    ]
    graph = helper.make_graph(
        nodes, "case", inputs, [onnx.ValueInfoProto(name=n) for n in outputs], initializers
    )
    imports = [helper.make_opsetid("", opset if case.domain == "ai.onnx" else 10)]
    if case.domain.startswith("ai.onnx."):
        imports.append(helper.make_opsetid(case.domain, opset))
    others = ("ai.graphcore", "ai.graphcore.tensorflow", "com.microsoft")
    imports += [helper.make_opsetid(name, 1) for name in others]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def inputs_of(case: Case, arrays: list[Array | None]) -> dict[str, Array]:
    return {
        f"x{i}": np.ascontiguousarray(a).reshape(a.shape)
        for i, a in enumerate(arrays)
        if a is not None and i not in case.constants
    }


def infer(
    model: onnx.ModelProto,
    inputs: dict[str, Array],
    device: Any = None,
) -> list[Array]:
    """The model's outputs by popir, with every declaration of the operators checked."""
    options = popir.SessionOptions()
    options.opxAliasChecking = options.opxModifyChecking = True
    session = popir.InferenceSession(
        model,
        popir.DataFlow(1, [value.name for value in model.graph.output]),
        device or popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs, anchors))
    return list(anchors.values())


def expected(case: Case, model: onnx.ModelProto, arrays: list[Array | None]) -> list[Array]:
    if case.formula is not None:
        result = case.formula(*arrays)
        each = [np.asarray(r) for r in (result if isinstance(result, tuple) else (result,))]
        return [r.astype(np.float32) if r.dtype == np.float64 else r for r in each]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # Threads take eight times as long to start as this to run.
    stripped = onnx.ModelProto()
    stripped.CopyFrom(model)
    kept = [each for each in stripped.opset_import if each.domain != "ai.graphcore"]
    del stripped.opset_import[:]
    stripped.opset_import.extend(kept)
    # onnxruntime begins at opset 7, which differs from 6 in how binary operators broadcast.
    stripped.opset_import[0].version = max(stripped.opset_import[0].version, 7)
    if case.domain == "ai.onnx":  # onnxruntime knows what its own operators give.
        inferred = onnx.shape_inference.infer_shapes(stripped).graph.output
        del stripped.graph.output[:]
        stripped.graph.output.extend(inferred)
    session = onnxruntime.InferenceSession(
        stripped.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, inputs_of(case, arrays)))


@pytest.mark.parametrize(("case", "opset"), list(rows()))
def test_forward(case: Case, opset: int) -> None:
    arrays = case.arrays(np.float32)
    model = model_of(case, opset, arrays)
    results = infer(model, inputs_of(case, arrays))
    for result, want in zip(results, expected(case, model, arrays), strict=True):
        assert result.shape == want.shape
        assert result.dtype == want.dtype
        np.testing.assert_allclose(result, want, case.rtol, case.atol)


@pytest.mark.parametrize(
    ("case", "opset"),
    [p for p in rows() if p.values[0].gradient],
)
def test_gradient(case: Case, opset: int) -> None:
    report = gradcheck(
        f"{case.domain}.{case.type}",
        case.arrays(np.float64),
        case.attributes,
        version=opset,
        outputs=case.outputs,
        through=[0],
        constants=case.constants,
        most=100_000,
        **({"rtol": 1e-6, "atol": 1e-7} if case.widest == "float64" else {}),
    )
    assert report.dtype == case.widest
    frozen = {each.index for each in report.inputs if each.why == "it has no gradient"}
    assert frozen == set(case.frozen)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.gradient], ids=lambda case: case.name
)
def test_program_is_kept(case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The operator and its gradients have digests: engine caching keeps what trains them."""
    arrays = case.arrays(np.float32)
    model = model_of(case, opsets_of(case)[-1], arrays)
    loss = helper.make_node("IdentityLoss", ["y"], ["loss"], domain="ai.graphcore", reduction="Sum")
    model.graph.node.append(loss)
    model.graph.output.append(onnx.ValueInfoProto(name="loss"))
    floats = [f"x{i}" for i, a in enumerate(arrays) if a is not None and a.dtype == np.float32]
    frozen = {f"x{i}" for i in (*case.constants, *case.frozen)}
    for graph_input in [each for each in model.graph.input if each.name in floats]:
        model.graph.initializer.append(
            numpy_helper.from_array(inputs_of(case, arrays)[graph_input.name], graph_input.name)
        )
        model.graph.input.remove(graph_input)
    session = popir.TrainingSession(
        model,
        popir.DataFlow(1, []),
        "loss",
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(enableEngineCaching=True, cachePath=str(tmp_path)),
        # Patterns, which do not match what an operator updates, and literals too.
        trained=[f"[{name[0]}]{name[1:]}" for name in floats if name not in frozen],
    )
    session.prepareDevice()
    assert len(list(tmp_path.iterdir())) == 1, caplog.text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_lowering_on_several_tiles(case: Case) -> None:
    arrays = case.arrays(np.float32)
    model = model_of(case, opsets_of(case)[-1], arrays)
    inputs = inputs_of(case, arrays)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
    for tiled, whole in zip(infer(model, inputs, device=device), infer(model, inputs), strict=True):
        np.testing.assert_array_equal(tiled, whole)


def test_every_operator_has_a_row() -> None:
    tested = {(case.domain, case.type) for case in CASES}
    built_in = {
        (entry.opid.domain, entry.opid.type)
        for entry in registry.entries()
        if entry.source == registry.BUILT_IN and entry.isPublic
    }
    # tests/foreign/xla, tests/foreign/habana
    needs_library = {("org.openxla", "CustomCall"), ("ai.habana", "TpcKernel")}
    no_output = {("ai.graphcore", "Abort")}  # tests/ops/control/test_abort.py
    of_8_bits = {  # tests/ops/test_scaled_floats.py
        ("ai.graphcore", "Pow2ScaleThenCast"),
        ("ai.graphcore", "CastThenPow2Scale"),
    }
    of_replicas = {  # tests/replicas/test_collectives.py
        ("ai.graphcore", f"Replicated{what}")
        for what in ("AllGather", "AllReduce", "ReduceScatter")
    }
    tested |= needs_library | no_output | of_8_bits | of_replicas
    assert sorted(built_in - tested - NEEDS_LIBRARY) == []


def test_every_version_is_registered_or_none() -> None:
    """An operator is registered in each version from the one in force at opset 6 on."""
    for domain, type in {
        (e.opid.domain, e.opid.type) for e in registry.entries() if e.source == registry.BUILT_IN
    }:
        known = schemas.versions(domain, type)
        oldest = max((v for v in known if v <= 6), default=0)
        missing = {v for v in known if v >= oldest} - set(registry.versions(domain, type))
        assert not missing, f"{domain}.{type}"
