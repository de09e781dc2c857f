"""A batch in parts: results are those of the whole, each operator is cut as its dimensions say, and
less memory is taken.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import popir
from popir import BatchSerializationMethod as Method
from popir.errors import popart_exception
from popir.ir import Op
from popir.ir.dimensions import Dimensions
from popir.ops.elementwise.pow2scale import Pow2Op
from popir.ops.movement.reshape import GraphcoreReshapeOp
from popir.ops.movement.rownumbers import RowNumbersOp
from popir.options import OptionWarning
from popir.patterns import PatternsLevel
from popir.types import ReductionType
from tests.large_models import Stages, data, transformer
from tests.models import Array, floats, step
from tests.ops.cases import CASES
from tests.ops.test_cases import expected, model_of, opsets_of

METHODS = [Method.UnrollStatic, Method.Loop]


def asked(parts: int, method: Method = Method.UnrollDynamic, **more: Any) -> popir.SessionOptions:
    options = popir.SessionOptions(**more)
    options.batchSerializationSettings.factor = parts
    options.batchSerializationSettings.method = method
    return options


def cpu() -> Any:
    return popir.DeviceManager().createCpuDevice()


def inferred(made: tuple[Any, str], options: Any, device: Any = None) -> Any:
    model, id = made
    session = popir.InferenceSession(
        model, popir.DataFlow(1, [id]), device or cpu(), userOptions=options
    )
    session.prepareDevice()
    return session


def trained(
    made: tuple[Any, str], options: Any, device: Any = None, anchors: tuple[str, ...] = ()
) -> Any:
    model, id = made
    session = popir.TrainingSession(
        *(model, popir.DataFlow(1, [id, *anchors]), id, popir.ConstSGD(0.001)),
        device or cpu(),
        userOptions=options,
    )
    session.prepareDevice()
    return session


def values(session: Any, given: Mapping[str, Array], steps: int = 3) -> dict[str, Array]:
    """Anchors of all steps, and all weights after them."""
    found: dict[str, Array] = {}
    for n in range(steps):
        found |= {f"{id} {n}": value.copy() for id, value in step(session, given).items()}
    session.weightsToHost()
    return found | {id: value.copy() for id, value in session._host.items()}


def done(session: Any) -> dict[str, str | None]:
    """For each operator that reads what is in parts, by its output, why it is not."""
    asked = (d for d in session.decisions if d.what == "batch serialization")
    return {d.where.rpartition("outputs=['")[2].partition("'")[0]: d.reason for d in asked}


def types(session: Any) -> list[str]:
    return [op.plainType() for op in session.graph.schedule()]


def attention(rows: int = 8, length: int = 16, width: int = 8) -> tuple[Any, str, str]:
    """Two layers of attention with a mask, which is an input too; the loss, and the result."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    op = builder.aiOnnx
    x = h = builder.addInputTensor("FLOAT", [rows * length, width], "x")
    mask = builder.addInputTensor("FLOAT", [rows, 1, length], "mask")
    shape = op.constant(np.array([rows, length, width], np.int64))
    flat = op.constant(np.array([rows * length, width], np.int64))
    for n in range(2):
        w = builder.addInitializedInputTensor(floats(width, width, seed=n) / 4, f"w{n}")
        q = op.reshape([op.matmul([h, w]), shape])
        scores = op.add([op.matmul([q, op.transpose([q], [0, 2, 1])]), mask])
        h = op.reshape([op.matmul([op.softmax([scores]), q]), flat])
    y = op.add([h, x])
    loss = builder.aiGraphcore.l1loss([y], 0.1, ReductionType.Sum)
    return builder.getModelProto(), loss, y


def network() -> tuple[Any, str, str]:
    """Convolutions, a pool and a product; a mean cross entropy, and the probabilities."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    op = builder.aiOnnx
    x = builder.addInputTensor("FLOAT", [8, 3, 8, 8], "x")
    labels = builder.addInputTensor("INT32", [8], "labels")

    def weight(*shape: int) -> str:
        return builder.addInitializedInputTensor(floats(*shape, seed=len(shape)) / 4)

    h = op.relu([op.conv([x, weight(6, 3, 3, 3), weight(6)], pads=[1, 1, 1, 1])])
    h = op.flatten([op.averagepool([h], [2, 2], strides=[2, 2])])
    scores = op.softmax([op.gemm([h, weight(96, 5), weight(5)])])
    loss = builder.aiGraphcore.nllloss([scores, labels])
    return builder.getModelProto(), loss, scores


def given(model: Any) -> dict[str, Array]:
    return {id: value[0] for id, value in data(model, 2).items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("parts", [2, 8])
@pytest.mark.parametrize("make", [attention, network])
def test_parts_give_what_the_whole_gives(make: Any, parts: int, method: Method) -> None:
    """`tests.scale` holds training in parts against PyTorch. Without a sum over the batch no bit
    changes, if the same source computes a convolution of fewer images.
    """
    model, loss, y = make()
    whole = values(trained((model, loss), None), given(model))
    cut = trained((model, loss), asked(parts, method))
    assert set(done(cut).values()) == {None}
    for id, value in values(cut, given(model)).items():
        np.testing.assert_allclose(value, whole[id], 1e-5, 1e-6, err_msg=id)
    same = {"host.without": "planes,columns"}  # which are chosen by estimates
    ways = (popir.SessionOptions(engineOptions=same), asked(parts, method, engineOptions=same))
    rows = [step(inferred((model, y), how), given(model))[y] for how in ways]
    np.testing.assert_array_equal(rows[1], rows[0])


@pytest.mark.parametrize("method", METHODS)
def test_gradients_and_results_in_the_middle(method: Method) -> None:
    """What is an anchor is there whole, and so is that whose gradient is one."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(floats(3, 3), "w")
    h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, w])])
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.sigmoid([h])], 0.1)
    made = builder.getModelProto(), loss
    both = [
        values(trained(made, how, anchors=(h, f"Gradient___{h}")), given(made[0]))
        for how in (None, asked(2, method))
    ]
    assert both[0][f"Gradient___{h} 0"].shape == (4, 3)
    for id, value in both[0].items():
        np.testing.assert_allclose(both[1][id], value, 1e-6, 1e-7, err_msg=id)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("layout", [0, 1])
def test_the_batch_of_an_lstm(layout: int, method: Method) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 14, "ai.graphcore": 1})
    shape, state = ([4, 5, 3], [4, 1, 6]) if layout else ([5, 4, 3], [1, 4, 6])
    x = builder.addInputTensor("FLOAT", shape, "x")
    first = builder.addInputTensor("FLOAT", state, "first")
    w, r = (builder.addInitializedInputTensor(floats(1, 24, n)) for n in (3, 6))
    y = builder.aiOnnx.lstm([x, w, r, "", "", first], 3, hidden_size=6, layout=layout)[0]
    loss = builder.aiGraphcore.l1loss([y], 0.1)
    made = builder.getModelProto(), loss
    whole, cut = (trained(made, how) for how in (None, asked(4, method)))
    assert set(done(cut).values()) == {None}
    want = values(whole, given(made[0]))
    for id, value in values(cut, given(made[0])).items():
        np.testing.assert_allclose(value, want[id], 1e-5, 1e-6, err_msg=id)


def test_a_loop_runs_over_the_parts() -> None:
    model, _, y = attention()
    loop = inferred((model, y), asked(4, Method.Loop))
    (op,) = (op for op in loop.graph.schedule() if op.plainType() == "Loop")
    assert types(loop).count("MatMul") == 0
    assert [each.plainType() for each in op.getCalledGraphs()[0].schedule()].count("MatMul") == 6
    assert types(inferred((model, y), asked(4))).count("MatMul") == 24


def test_parts_run_one_after_another() -> None:
    """And in the backward pass the last one first; its gradients are added as they come."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [3, 4], "x")
    w = builder.addInitializedInputTensor(floats(4, 4), "w")
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.sin([builder.aiOnnx.matmul([x, w])])], 0.1)
    found = trained((builder.getModelProto(), loss), asked(3))
    kinds = [each for each in types(found) if each in ("MatMul", "Sin", "MatMulRhsGrad", "Add")]
    assert kinds[:6] == ["MatMul", "Sin"] * 3
    assert kinds[6:] == ["MatMulRhsGrad", "MatMulRhsGrad", "Add", "MatMulRhsGrad", "Add"]


def middle(concat: bool, kind: str, places: Any, **more: Any) -> Any:
    """tanh(x w) in place 0, its sine in place 1, its cosine in place 2, and the sum of these; in
    two parts.
    """
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [4, 4], "x")
    w = builder.addInitializedInputTensor(floats(4, 4), "w")
    with places(builder, 0):
        h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, w])])
    with places(builder, 1):
        y = builder.aiOnnx.sin([h])
    with places(builder, 2):
        y = builder.aiOnnx.add([builder.aiOnnx.cos([h]), y])
        loss = builder.aiGraphcore.l1loss([y], 0.1)
    made = builder.getModelProto(), loss
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 2, "tilesPerIPU": 4})
    both = []
    for parts in (0, 2):
        options = asked(parts, **more)
        if parts:
            setattr(options.batchSerializationSettings, f"concatOn{kind}Change", concat)
        both.append(trained(made, options, device))
    given = {"x": floats(options.accumulationFactor, 4, 4, seed=5)}
    want, found = (values(session, given) for session in both)
    for id, value in want.items():
        np.testing.assert_allclose(found[id], value, 1e-5, 1e-7, err_msg=id)
    return both[1]


def shapes(session: Any, type: str) -> list[list[int]]:
    """Those of the inputs of all operators of a type."""
    return [op.inShape(0) for op in session.graph.schedule() if op.plainType() == type]


@pytest.mark.parametrize("concat", [True, False])
def test_what_is_copied_between_ipus(concat: bool) -> None:
    """The whole at once, or each part: h to the other IPU, its sine back, and their gradients."""
    found = middle(
        *(concat, "VirtualGraph", lambda b, n: b.virtualGraph(n % 2)),
        virtualGraphMode=popir.VirtualGraphMode.Manual,
    )
    copied = shapes(found, "IpuCopy")
    assert copied.count([4, 4]) == (4 if concat else 0)
    assert copied.count([2, 4]) == (0 if concat else 8)


@pytest.mark.parametrize("concat", [True, False])
def test_what_is_stored_between_phases(concat: bool) -> None:
    found = middle(
        *(concat, "ExecutionPhase", lambda b, n: b.executionPhase(n)),
        executionPhaseSettings=popir.ExecutionPhaseSettings(phases=3, stages=1),
        virtualGraphMode=popir.VirtualGraphMode.ExecutionPhases,
        activationTensorLocationSettings=popir.TensorLocationSettings(
            popir.TensorStorage.OffChip, 0
        ),
    )
    assert ([4, 4] in shapes(found, "RemoteStore")) is concat


@pytest.mark.parametrize("concat", [True, False])
def test_what_is_stashed_between_stages(concat: bool) -> None:
    """h goes from the first stage to the third one, on the same IPU."""

    @contextlib.contextmanager
    def places(builder: Any, n: int) -> Iterator[None]:
        with builder.pipelineStage(n), builder.virtualGraph(n % 2):
            yield

    found = middle(
        *(concat, "PipelineStage", places),
        enableGradientAccumulation=True,
        accumulationFactor=6,
        enablePipelining=True,
        virtualGraphMode=popir.VirtualGraphMode.Manual,
    )
    assert ([4, 4] in shapes(found, "Stash")) is concat


@pytest.mark.parametrize("method", METHODS)
def test_it_goes_with_a_pipeline_and_recomputation(method: Method) -> None:
    mark = Stages(4, 2, 2)
    made = transformer(mark, dropout=0.0)
    more: dict[str, Any] = {"enableGradientAccumulation": True, "accumulationFactor": 4}
    whole = trained(transformer(dropout=0.0), popir.SessionOptions(**more))
    cut = trained(
        made,
        asked(
            *(2, method),
            enablePipelining=True,
            virtualGraphMode=popir.VirtualGraphMode.Manual,
            autoRecomputation=popir.RecomputationType.RecomputeAll,
            **more,
        ),
        popir.DeviceManager().createIpuModelDevice({"numIPUs": 2, "tilesPerIPU": 4}),
    )
    batches = data(made[0], 4)
    want = values(whole, batches)
    for id, value in values(cut, batches).items():
        np.testing.assert_allclose(value, want[id], 1e-4, 1e-5, err_msg=id)


def test_it_takes_less_memory() -> None:
    """Inference, whose temporaries are those of a part; and training, whose gradients are, and
    which adds those of weights one after the other.
    """
    model, loss, y = attention(8, 64, 32)

    def live(session: Any) -> int:
        return max(each.liveBytes for each in session.getReport().steps)

    plain, cut = (inferred((model, y), how) for how in (None, asked(8)))
    assert live(cut) < 0.45 * live(plain)
    assert cut._engine.arenaBytes() < 0.75 * plain._engine.arenaBytes()
    plain, cut = (trained((model, loss), how) for how in (None, asked(8)))
    assert live(cut) < 0.75 * live(plain)
    assert cut._engine.arenaBytes() < plain._engine.arenaBytes()


def test_the_gradients_of_a_weight_are_not_kept() -> None:
    builder = popir.Builder()
    h = builder.addInputTensor("FLOAT", [16, 64], "x")
    for n in range(2):
        w = builder.addInitializedInputTensor(floats(64, 64, seed=n))
        h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w])])
    made = builder.addOutputTensor(h), builder.aiGraphcore.l1loss([h], 0.1)
    found = [
        max(s.liveBytes for s in trained((builder.getModelProto(), made[1]), how).getReport().steps)
        for how in (None, asked(16))
    ]
    assert found[1] < 2 * found[0]  # 16 gradients at a time would be more than 5 times as much.


def test_what_is_not_in_parts_says_why() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    op = builder.aiOnnx
    x = builder.addInputTensor("FLOAT", [4, 6], "x")
    a = op.softmax([x], axis=0)
    b = op.cumsum([x, op.constant(np.array(1))])
    c = op.reducemax([x], axes=[0], keepdims=1)
    d = op.reshape([x, op.constant(np.array([3, 8], np.int64))])
    f = op.exp([d])
    e = op.relu([x])
    flat = op.constant(np.array([-1], np.int64))
    y = op.concat([op.reshape([t, flat]) for t in (a, b, c, e, f)], 0)
    model = builder.getModelProto()
    cut = inferred((model, y), asked(2))
    why = done(cut)
    assert why[e] is None
    assert why[a] == why[c] == "what is in parts it needs whole, or along another dimension"
    assert why[b] == "it does not work on parts of a batch by themselves"
    assert why[d] == "2 parts do not divide the dimension that becomes of the batch"
    want = step(inferred((model, y), None), given(model))[y]
    np.testing.assert_array_equal(step(cut, given(model))[y], want)


def test_a_batch_that_is_not_divided_is_an_error() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [6, 2], "x")
    y = builder.aiOnnx.relu([x])
    made = builder.getModelProto(), y
    message = (
        r"factor = 4: the batch of the input 'x', .*, is dimension 0, of size 6, which is no "
        r"multiple of 4\. Choose a factor"
    )
    with pytest.raises(popart_exception, match=message):
        inferred(made, asked(4))
    assert types(inferred(made, asked(1))) == types(inferred(made, asked(0)))


def test_settings_without_an_effect_say_so() -> None:
    builder = popir.Builder()
    y = builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [4, 2], "x")])
    options = asked(0, Method.Loop)
    with pytest.warns(OptionWarning, match="method = .* has no effect: it acts only where"):
        inferred((builder.getModelProto(), y), options)
    settings = popir.SessionOptions().batchSerializationSettings
    with pytest.warns(OptionWarning, match=r"batchSchedule = .* has no meaning here: all oper"):
        settings.batchSchedule = popir.BatchSerializationBatchSchedule.OverlapOnIo
    with pytest.warns(OptionWarning, match=r"transformContext = .* has no meaning here: the b"):
        settings.transformContext = popir.BatchSerializationTransformContext.Backward
    assert settings.transformContext is popir.BatchSerializationTransformContext.Bwd


def test_an_operator_with_wrong_dimensions(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = popir.Builder()
    y = builder.aiOnnx.reducemax([builder.addInputTensor("FLOAT", [4, 4], "x")], axes=[0])
    made = builder.getModelProto(), y
    kind = type(next(iter(inferred(made, None).graph.ops.values())))
    monkeypatch.setattr(kind, "dimensionNames", lambda op: Dimensions({0: "ab"}, {0: "ba"}))
    message = (
        r"one of 2 parts, has the output 0, .*; by dimensionNames\(\) of .* it is .*\. Correct"
    )
    with pytest.raises(popart_exception, match=message):
        inferred(made, asked(2))


def alone(model: onnx.ModelProto) -> Op | None:
    """The operator of a row's model, if it is one."""
    session = popir.InferenceSession(
        *(model, popir.DataFlow(1, ["y"]), cpu()), patterns=popir.Patterns(PatternsLevel.NoPatterns)
    )
    ops = session.graph.schedule()
    return ops[0] if len(ops) == 1 else None


def cut_there(model: onnx.ModelProto, arrays: list[Array | None], cut: Mapping[int, int]) -> Any:
    """The model with inputs of which dimension 0 is that which is to be cut; others are constants;
    and these inputs.
    """
    given: dict[str, Array] = {}
    values = {each.name: each for each in model.graph.input}
    del model.graph.input[:]
    for i, array in enumerate(arrays):
        if array is None or f"x{i}" not in values:
            continue
        if i not in cut:
            model.graph.initializer.append(numpy_helper.from_array(array, f"x{i}"))
            continue
        moved = np.ascontiguousarray(np.moveaxis(array, cut[i], 0))
        back = [*range(1, cut[i] + 1), 0, *range(cut[i] + 1, array.ndim)]
        model.graph.node.insert(
            0, helper.make_node("Transpose", [f"from {i}"], [f"x{i}"], perm=back)
        )
        kind = values[f"x{i}"].type.tensor_type.elem_type
        model.graph.input.append(helper.make_tensor_value_info(f"from {i}", kind, moved.shape))
        given[f"from {i}"] = moved
    return given


def test_each_operator_is_cut_as_its_dimensions_say() -> None:
    """All rows of the operators' table that are one operator, along each dimension that has a name,
    against what the table compares with.
    """
    tested: set[type] = set()
    for case in CASES:
        arrays, opset = case.arrays(np.float32), opsets_of(case)[-1]
        op = alone(model_of(case, opset, arrays)) if case.domain != "com.microsoft" else None
        names = None if op is None else op.dimensionNames()
        if op is None or names is None:
            continue
        places: dict[Hashable, dict[int, int]] = {}
        for i, own in names.inputs.items():
            for axis, name in enumerate(own if i in op.input else ()):
                if name is not None and op.inShape(i)[axis] != 1:
                    places.setdefault(name, {})[i] = axis
        for name, cut in places.items():
            sizes = [op.inShape(i)[axis] for i, axis in cut.items()]
            sizes += [
                op.outShape(o)[own.index(name)]
                for o, own in names.outputs.items()
                if o in op.output and name in own
            ]
            parts = math.gcd(*sizes)
            if parts < 2 or any(i in case.constants for i in cut):
                continue
            model = model_of(case, opset, arrays)
            want = expected(case, model, arrays)
            given = cut_there(model, arrays, cut)
            for method in METHODS if name == next(iter(places)) else METHODS[:1]:
                found = inferred((model, "y"), asked(parts, method))
                who = f"{case.name}, {name}, {parts} parts"
                why = done(found)
                assert why["y"] is None or "reduces the batch" in why["y"], f"{who}: {why}"
                y = step(found, given)["y"]
                np.testing.assert_allclose(y, want[0], case.rtol, case.atol, err_msg=who)
            tested.add(type(op))
    assert len(tested) > 80
    own = set(overriding(Op))
    families = {base for kind in tested for base in kind.__mro__ if base in own}
    # Casts to 8 bits have rows in test_scaled_floats.py; numbers of rows, a test of their own.
    assert families == own - {GraphcoreReshapeOp, Pow2Op, RowNumbersOp}, "without a row"


def test_numbers_of_rows_are_cut_with_the_indices() -> None:
    """The elements of which computed indices are gathered in parts."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    x, indices = builder.addInputTensor("FLOAT", [4, 6]), builder.addInputTensor("INT32", [4, 3])
    more = builder.aiOnnx.abs([indices])
    y = builder.aiOnnx.gatherelements([x, more], 1)
    builder.addOutputTensor(y)
    session = inferred((builder.getModelProto(), y), asked(2))
    assert sum(type(op) is RowNumbersOp for op in session.graph.schedule()) == 2
    values = floats(4, 6)
    places = np.array([[0, -5, 2], [3, 3, 1], [-2, 4, 0], [5, 1, -1]], np.int32)
    found = step(session, {x: values, indices: places})[y]
    np.testing.assert_array_equal(found, np.take_along_axis(values, abs(places), 1))


def overriding(kind: type) -> Iterator[type]:
    """The built-in classes below one that have their own dimensionNames()."""
    for below in kind.__subclasses__():
        if "dimensionNames" in vars(below) and below.__module__.startswith("popir."):
            yield below
        yield from overriding(below)
