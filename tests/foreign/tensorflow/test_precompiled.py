"""Operators whose programs a library builds: levels, metadata, layouts, gradients, attributes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.custom_ops import cpu_user_operation, precompiled_user_op
from popir.testing import gradcheck
from tests.foreign.tensorflow.programs import (
    builder,
    floats,
    given,
    gradients,
    inference,
    outs,
    stepped,
    training,
)
from tests.popart.libraries import isolated
from tests.toolchain import PACKAGE

UserLibrary = Callable[..., str]
LEVELS = pytest.mark.parametrize("level", [1, 2, 4, 5])
HERE = Path(__file__).parent
A, B = floats(4, 3), floats(4, 3, seed=1)


def attributes(library: str, op_name: str, *shapes: str, **more: Any) -> dict[str, Any]:
    """The attributes of a node of floats."""
    types = [1] * len(shapes)
    return {
        "library_path": library,
        "op_name": op_name,
        "output_types": types,
        "output_shapes": list(shapes),
        **more,
    }


@LEVELS
def test_each_level_is_called_with_its_arguments(user_library: UserLibrary, level: int) -> None:
    library = user_library("features", level)
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (z,) = precompiled_user_op([x, y], library, outs=outs([4, 3]))
    dx, dy = gradients(model, z, x, y)
    assert np.allclose(dx, B, rtol=1e-6) and np.allclose(dy, A, rtol=1e-6)
    popir.load_op_library(library)
    for name in ("Build", "Separate"):
        more = {"separate_gradients": int(name == "Separate")}
        given = attributes(library, name, "2,3", **more)
        gradcheck("ai.graphcore.tensorflow.IpuUserOp", [[2, 3], [2, 3]], given)


@LEVELS
def test_outputs_beyond_those_declared_are_ignored(user_library: UserLibrary, level: int) -> None:
    library = user_library("features", level)
    model = builder()
    xs = [model.addInitializedInputTensor(floats(2, seed=i)) for i in range(3)]
    ys = precompiled_user_op(xs, library, outs=outs([2], [2], [2]), op_name="Several")
    found = given(model, *ys)
    for i, y in enumerate(found):
        assert np.allclose(y, np.exp(floats(2, seed=i)) + i)


def test_gradients_of_some_outputs_get_zeros_for_the_others(user_library: UserLibrary) -> None:
    model = builder()
    values = [floats(2, seed=i) for i in range(3)]
    xs = [model.addInitializedInputTensor(v) for v in values]
    ys = precompiled_user_op(
        xs, user_library("features"), outs=outs([2], [2], [2]), op_name="Several"
    )
    found = gradients(model, ys[2], *xs)
    expected = [np.zeros(2), np.zeros(2), np.exp(values[2])]
    assert all(np.allclose(a, b) for a, b in zip(found, expected, strict=True))


def test_attributes_come_as_they_are(user_library: UserLibrary) -> None:
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (z,) = precompiled_user_op(
        [x, y],
        user_library("features", 2),
        outs=outs([4, 3]),
        attributes="3.0 and more \u00e9",
        gradient_attributes="5.0",
    )
    dx, dy = gradients(model, z, x, y)
    assert np.allclose(dx, 5 * B) and np.allclose(dy, 5 * A)
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (z,) = precompiled_user_op(
        [x, y], user_library("features", 4), outs=outs([4, 3]), attributes="3.0"
    )
    assert np.allclose(given(model, z)[0], 3 * A * B)


def test_a_gradient_is_wanted_for_some_inputs_alone(user_library: UserLibrary) -> None:
    """The input that is left out has none, and training goes on without it."""
    model = builder()
    x = model.addInitializedInputTensor(A)
    scale = model.aiOnnx.constant(np.full((4, 3), 3, np.int32))
    (z,) = precompiled_user_op(
        [x, scale], user_library("features"), "", outs([4, 3]), "s", "Scaled"
    )
    assert np.allclose(gradients(model, z, x)[0], 3)  # The gradient of the scale is no tensor.
    library = user_library("features")
    model = builder()
    x, y = (model.addInitializedInputTensor(v, n) for v, n in ((A, "x"), (B, "y")))
    (z,) = precompiled_user_op(
        [x, y],
        library,
        outs=outs([4, 3]),
        op_name="Separate",
        separate_gradients=True,
        inputs_with_gradients=range(1, 2),
    )
    loss = model.aiGraphcore.identityloss([z])
    session = training(model, loss, ["Gradient___y"], rate=0.5)
    kinds = [op.opid.type for op in session.graph.ops.values()]
    assert kinds.count("IpuUserOpGrad") == 1
    found = stepped(session)
    assert np.allclose(found["Gradient___y"], A / 12)


@pytest.mark.parametrize(("name", "separate", "count"), [("Build", 0, 1), ("Separate", 1, 2)])
def test_joint_and_separate_gradients(
    user_library: UserLibrary, name: str, separate: int, count: int
) -> None:
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (z,) = precompiled_user_op(
        [x, y],
        user_library("features", 2),
        outs=outs([4, 3]),
        op_name=name,
        separate_gradients=bool(separate),
    )
    loss = model.aiGraphcore.identityloss([z])
    session = training(model, loss, ["Gradient___" + x])
    kinds = [op.opid.type for op in session.graph.ops.values()]
    assert kinds.count("IpuUserOpGrad") == count


@LEVELS
def test_the_gradient_of_the_gradient(user_library: UserLibrary, level: int) -> None:
    """d(sum (dz/dx)^2)/dy for z = x y, which needs Build_grad_grad."""
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (z,) = precompiled_user_op([x, y], user_library("features", level), outs=outs([4, 3]))
    summed = model.aiOnnx.reducesum([z], keepdims=0)
    (dx,) = model.customOp(
        "Gradient", 1, "ai.onnx.preview.training", [x], {"xs": [x], "y": summed}, 1
    )
    found = gradients(model, model.aiOnnx.mul([dx, dx]), y)
    assert np.allclose(found[0], 2 * B)


def test_an_input_in_place_is_overwritten_where_nobody_reads_it_later(
    user_library: UserLibrary,
) -> None:
    library = user_library("features", 2)
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (a,) = precompiled_user_op(
        [model.aiOnnx.exp([x]), y], library, outs=outs([4, 3]), op_name="InPlace"
    )
    assert np.allclose(given(model, a)[0], np.exp(A) + B)


@LEVELS
@pytest.mark.parametrize("name", ["InPlace", "Secretly"])
@pytest.mark.parametrize("checks", [False, True])
def test_others_see_the_old_value_of_an_input_in_place(
    user_library: UserLibrary, level: int, name: str, checks: bool
) -> None:
    """Before and after the operator in the model, and with what was not declared."""
    model = builder()
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    e = model.aiOnnx.exp([x])
    before = model.aiOnnx.neg([e])
    (a,) = precompiled_user_op(
        [e, y], user_library("features", level), outs=outs([4, 3]), op_name=name
    )
    after = model.aiOnnx.sqrt([e])
    checked = checks and name == "InPlace"
    found = given(model, before, a, after, opxModifyChecking=checked, opxAliasChecking=checked)
    expected = [-np.exp(A), np.exp(A) + B, np.sqrt(np.exp(A))]
    assert all(np.allclose(a, b) for a, b in zip(found, expected, strict=True))


@LEVELS
@pytest.mark.parametrize("name", ["Reads", "ReadsSecretly", "Both"])
@pytest.mark.parametrize("second", ["same", "reshape", "slice"])
@pytest.mark.parametrize("kind", ["weight", "computed", "read later", "model input"])
def test_another_operand_in_the_same_memory_has_the_old_value(
    user_library: UserLibrary, level: int, name: str, second: str, kind: str
) -> None:
    """`a = (a + b); a = a b`, where b is a, a view of it, or overlaps with it."""
    model = builder()
    opset = model.aiOnnx
    e = model.addInputTensor("FLOAT", [12]) if kind == "model input" else ""
    e = e or model.addInitializedInputTensor(A.reshape(12))
    if kind in ("computed", "read later"):
        e = opset.neg([e])
    n = 12 if second != "slice" else 8

    def part(start: int) -> str:
        ends = (opset.constant(np.int64([at])) for at in (start, start + n))
        return opset.slice([e, *ends])

    if second == "same":
        a, b = e, e
    elif second == "slice":
        a, b = part(0), part(4)
    else:
        to = opset.constant(np.int64([3, 4]))
        a, b = (opset.reshape([id, to]) for id in (e, opset.identity([e])))
    shape = [3, 4] if second == "reshape" else [n]
    count = 2 if name == "Both" else 1
    found = precompiled_user_op(
        [a, b], user_library("features", level), outs=outs(*[shape] * count), op_name=name
    )
    wanted = [*found, opset.sqrt([opset.abs([e])])] if kind == "read later" else found
    for id in wanted:
        model.addOutputTensor(id)
    ipu = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8})
    for device in (popir.DeviceManager().createCpuDevice(), ipu):
        session = inference(model, wanted, device)
        results = stepped(session, {e: A.reshape(12)} if kind == "model input" else None)
        value = A.reshape(12) * (-1 if kind in ("computed", "read later") else 1)
        x, y = (value[:8], value[4:]) if second == "slice" else (value, value)
        sums = (x + y) * y
        expected = [x + y, sums] if name == "Both" else [sums]
        for id, right in zip(found, expected, strict=True):
            assert np.allclose(results[id].reshape(-1), right)
        if kind == "read later":
            assert np.allclose(results[wanted[-1]], np.sqrt(np.abs(value)))


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("is_computed", [False, True])
@pytest.mark.parametrize("name", ["Reads", "InPlace", "Both"])
def test_operators_in_place_that_read_what_each_other_overwrites(
    user_library: UserLibrary, number: int, is_computed: bool, name: str
) -> None:
    """None can run last of all readers: some of them work on copies."""
    model = builder()
    values = [floats(5, seed=n) for n in range(number)]
    tensors = [model.addInitializedInputTensor(value) for value in values]
    if is_computed:
        tensors = [model.aiOnnx.neg([id]) for id in tensors]
        values = [-value for value in values]
    pairs = [(n, (n + 1) % number) for n in range(number)]
    count = 2 if name == "Both" else 1
    found = [
        precompiled_user_op(
            [tensors[i], tensors[j]],
            user_library("features"),
            outs=outs(*[[5]] * count),
            op_name=name,
        )[-1]
        for i, j in pairs
    ]
    for (i, j), right in zip(pairs, given(model, *found), strict=True):
        factor = 1 if name == "InPlace" else values[j]
        assert np.allclose((values[i] + values[j]) * factor, right)


def test_a_weight_in_place_changes_when_it_is_assigned(user_library: UserLibrary) -> None:
    """As in TensorFlow: without an assignment the change is dropped."""
    for is_assigned in (False, True):
        model = builder()
        w = model.addInitializedInputTensor(np.zeros(4, np.float32), "w")
        x = model.addInputTensor("FLOAT", [4])
        (z,) = precompiled_user_op(
            [w, x], user_library("features", 2), outs=outs([4]), op_name="InPlace"
        )
        if is_assigned:
            z = model.aiGraphcore.copyvarupdate([w, z])
        model.addOutputTensor(z)
        session = inference(model, [z], opxModifyChecking=True)
        value = np.float32([2, 4, 6, -1])
        first, second = (stepped(session, {x: value})[z] for _ in range(2))
        assert np.array_equal(first, value)
        assert np.array_equal(second, value * (2 if is_assigned else 1))
        session.weightsToHost()
        weights = {"w": np.empty(4, np.float32)}
        session.readWeights(popir.PyWeightsIO(weights))
        assert np.array_equal(weights["w"], 2 * value * is_assigned)


@LEVELS
def test_a_library_chooses_the_layout_of_an_input(user_library: UserLibrary, level: int) -> None:
    """The function adds 1 if its input is where the allocator has put it, on tile 3."""
    for computed in (False, True):
        model = builder()
        x = model.addInputTensor("FLOAT", [4, 3])
        to = model.aiOnnx.exp([x]) if computed else x
        library = user_library("features", level)
        (z,) = precompiled_user_op([to], library, outs=outs([4, 3]), op_name="Allocates")
        model.addOutputTensor(z)
        device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8})
        session = inference(model, [z], device)
        expected = np.exp(A) if computed else A + 1
        # An element-wise operator passes the layout on, so it is that of the exponential too.
        found = stepped(session, {x: A})[z]
        assert np.allclose(found, expected + computed)


def test_an_input_that_is_listed_without_an_allocator_is_linear(user_library: UserLibrary) -> None:
    model = builder()
    x = model.addInitializedInputTensor(A)
    (z,) = precompiled_user_op(
        [x], user_library("features"), outs=outs([4, 3]), op_name="Unallocated"
    )
    assert np.array_equal(given(model, z)[0], A)


@pytest.mark.parametrize("level", [2, 4, 5])
def test_stateful_operators_stay_and_stateless_ones_go(
    user_library: UserLibrary, level: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    model = builder()
    x = model.addInitializedInputTensor(A)
    library = user_library("features", level)
    for name in ("Stateless", "Stateful", "Stateful"):
        precompiled_user_op([x], library, outs=outs([4, 3]), op_name=name, attributes=str(log))
    assert precompiled_user_op([x], library, op_name="Nothing", attributes=str(log)) == []
    given(model, model.aiOnnx.exp([x]))
    lines = log.read_text().splitlines()
    assert sorted(line.split()[0] for line in lines) == ["Nothing", "Stateful", "Stateful"]
    assert len({line.split()[1] for line in lines}) == 3, "names are unique"
    assert all(line.split()[1].startswith("UserOp/") for line in lines)


@pytest.mark.parametrize("level", [4, 5])
def test_an_operator_without_inputs_is_in_place_of_none(
    user_library: UserLibrary, level: int
) -> None:
    library, model = user_library("features", level), builder()
    wanted = {"outs": outs([3]), "op_name": "Constant", "builder": model}
    (y,) = precompiled_user_op([], library, **wanted)
    np.testing.assert_array_equal(given(model, y)[0], np.full(3, 2.5, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("compiled", [False, True])
def test_codelets_are_compiled_or_source(
    user_library: UserLibrary, dtype: Any, compiled: bool, tmp_path: Path
) -> None:
    source = HERE / "codelets.cpp"
    gp = tmp_path / "codelets.gp"
    if compiled:
        subprocess.run([PACKAGE / "bin" / "popc", source, "-o", gp], check=True)
    model = builder()
    x = model.addInitializedInputTensor(A.astype(dtype))
    y = x
    for _ in range(2):  # Two operators of one graph share them.
        (y,) = precompiled_user_op(
            [y],
            user_library("features"),
            gp if compiled else source,
            outs([4, 3], dtype=dtype),
            op_name="ByCodelet",
        )
    assert np.array_equal(given(model, y)[0], 4 * A.astype(dtype))


@pytest.mark.parametrize("level", [2, 4, 5])
def test_what_is_not_hashable_is_not_saved_as_an_executable(
    user_library: UserLibrary, level: int, tmp_path: Path
) -> None:
    model = builder()
    x = model.addInitializedInputTensor(A)
    library = user_library("features", level)
    (y,) = precompiled_user_op([x, x], library, outs=outs([4, 3]), op_name="Secretly")
    model.addOutputTensor(y)
    session = inference(model, [y])
    if level == 2:
        session.compileAndExport(tmp_path / "program")
        return
    words = r"compileAndExport: .* cannot be saved: .*does not say that it is hashable\. Save the"
    with pytest.raises(popir.popart_exception, match=words):
        session.compileAndExport(tmp_path / "program")
    assert not (tmp_path / "program").exists()
    assert np.allclose(stepped(session)[y], A + A)


def test_outputs_without_elements_need_not_be_given(user_library: UserLibrary) -> None:
    model = builder()
    x = model.addInitializedInputTensor(np.zeros((0, 3), np.float32))
    (y,) = precompiled_user_op(
        [x], user_library("features"), outs=outs([0, 3]), op_name="SkipsEmpty"
    )
    assert given(model, y)[0].shape == (0, 3)


def test_an_operator_without_inputs_takes_the_builder(user_library: UserLibrary) -> None:
    model = builder()
    library = user_library("features")
    with pytest.raises(popir.popart_exception, match="Give the argument `builder`"):
        precompiled_user_op([], library, outs=outs([1]))
    made = precompiled_user_op(
        [], library, op_name="Nothing", attributes="/dev/null", builder=model
    )
    assert made == []


@pytest.mark.parametrize("options", [{}, {"enableOutlining": True}, {"enableOutlining": False}])
def test_two_instances_of_a_function(user_library: UserLibrary, options: dict[str, bool]) -> None:
    model = builder()
    library = user_library("features")
    x, y = (model.addInitializedInputTensor(v) for v in (A, B))
    (first,) = precompiled_user_op([x, x], library, outs=outs([4, 3]), attributes="2")
    (second,) = precompiled_user_op([y, y], library, outs=outs([4, 3]), attributes="3")
    found = given(model, first, second, **options)
    assert np.allclose(found[0], 2 * A * A) and np.allclose(found[1], 3 * B * B)


def test_a_model_is_saved_and_runs_in_another_process(
    user_library: UserLibrary, tmp_path: Path
) -> None:
    library = shutil.copy(user_library("features"), tmp_path / "libfeatures.so")
    codelets = shutil.copy(HERE / "codelets.cpp", tmp_path / "codelets.cpp")
    model = builder()
    x = model.addInitializedInputTensor(A, "x")
    (y,) = precompiled_user_op([x, x], library, outs=outs([4, 3]))
    (z,) = precompiled_user_op([y], library, codelets, outs([4, 3]), op_name="ByCodelet")
    model.addOutputTensor(z)
    model.saveModelProto(tmp_path / "m.onnx")
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("libfeatures.so", "codelets.cpp"):
        shutil.move(tmp_path / name, moved / name)
    said = isolated(
        _run_saved, str(tmp_path / "m.onnx"), str(moved / "libfeatures.so"), cwd=tmp_path
    )
    assert said.split() == [stepped_bits(2 * A * A)]


def stepped_bits(value: Any) -> str:
    """The bytes of an array, in hexadecimal digits."""
    return np.ascontiguousarray(value, np.float32).tobytes().hex()


def _run_saved(model: str, library: str) -> None:
    with pytest.raises(
        popir.LibraryLoadError, match=r"libfeatures\.so' is not loaded: there is no"
    ):
        popir.InferenceSession(
            model, popir.DataFlow(1, []), popir.DeviceManager().createCpuDevice()
        )
    popir.load_op_library(library)
    saved = Path(model).read_bytes()
    output = popir.Builder(saved).getOutputTensorIds()[0]
    print(stepped_bits(stepped(inference(saved, [output]))[output]))


def test_programs_are_cached_by_what_library_and_codelets_contain(
    user_library: UserLibrary, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    codelets = tmp_path / "codelets.cpp"
    codelets.write_text((HERE / "codelets.cpp").read_text())
    library = user_library("features")

    def run(name: str, **more: Any) -> Any:
        model = builder()
        x = model.addInitializedInputTensor(A)
        (y,) = precompiled_user_op([x], library, codelets, outs([4, 3]), op_name=name, **more)
        return given(model, y, enableEngineCaching=True, cachePath=str(tmp_path / "cache"))[0]

    for kept in (1, 1):
        assert np.array_equal(run("ByCodelet"), 2 * A)
        files = list((tmp_path / "cache").glob("*.engine")) if (tmp_path / "cache").exists() else []
        assert len(files) <= kept
    assert "does not say that it is hashable" in caplog.text
    caplog.clear()
    run("Unallocated")
    assert len(list((tmp_path / "cache").glob("*.engine"))) == 1
    codelets.write_text(codelets.read_text() + "\n// changed")
    run("Unallocated")
    assert len(list((tmp_path / "cache").glob("*.engine"))) == 2
    assert not caplog.text


def test_operators_in_the_body_of_a_loop(user_library: UserLibrary) -> None:
    """y = y w three times, each time squared on the host, with the gradient of w."""
    library = user_library("features")
    model = builder()
    w = model.addInitializedInputTensor(np.float32([1.1, 0.9]), "w")
    start = model.aiOnnx.constant(np.float32([1, 2]))
    body = model.createSubgraphBuilder()
    body.addInputTensor("INT64", [])
    going = body.addInputTensor("BOOL", [])
    y = body.addInputTensor("FLOAT", [2])
    (product,) = precompiled_user_op([y, w], library, outs=outs([2]), builder=body)
    (squared,) = cpu_user_operation([product], library, outs=outs([2]))
    body.addOutputTensor(body.aiOnnx.identity([going]))
    body.addOutputTensor(squared)
    times = model.aiOnnx.constant(np.array(3))
    (last,) = model.aiOnnx.loop([times, "", start], 1, body)
    found = gradients(model, last, w)[0]
    x, v = np.float64([1, 2]), np.float64([1.1, 0.9])
    # ((x v)^2 v)^2 v)^2 = x^8 v^14
    assert np.allclose(found, 14 * x**8 * v**13, rtol=1e-5)


def test_halves(user_library: UserLibrary) -> None:
    model = builder()
    x, y = (model.addInitializedInputTensor(v.astype(np.float16)) for v in (A, B))
    (z,) = precompiled_user_op(
        [x, y], user_library("features", 2), outs=outs([4, 3], dtype=np.float16)
    )
    dx, dy = gradients(model, z, x, y)
    assert dx.dtype == np.float16
    assert np.allclose(dx, B, rtol=1e-2) and np.allclose(dy, A, rtol=1e-2)
