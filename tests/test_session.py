"""Sessions: steps of several batches, step IO, weights, files; and bad input, by the words of the
message.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import popir
from popir import AnchorReturnType, stepio
from tests.models import floats, run, step, training_session


class Affine:
    """y = x w + b, with loss = mean |y|."""

    def __init__(self) -> None:
        self.builder = popir.Builder()
        self.x = self.builder.addInputTensor("FLOAT", [2, 3])
        self.w = self.builder.addInitializedInputTensor(floats(3, 4))
        self.b = self.builder.addInitializedInputTensor(floats(4, seed=1))
        aiOnnx = self.builder.aiOnnx
        self.y = aiOnnx.add([aiOnnx.matmul([self.x, self.w]), self.b])
        self.builder.addOutputTensor(self.y)
        self.inference = self.builder.getModelProto()
        self.loss = self.builder.aiGraphcore.l1loss([self.y], 1.0)
        self.builder.addOutputTensor(self.loss)
        self.training = self.builder.getModelProto()

    def want(self, x: Any) -> Any:
        return x @ floats(3, 4) + floats(4, seed=1)

    def session(
        self, anchors: Any = None, batches: int = 1, **keywords: Any
    ) -> popir.InferenceSession:
        return popir.InferenceSession(
            fnModel=self.inference,
            dataFlow=popir.DataFlow(batches, anchors or [self.y]),
            deviceInfo=popir.DeviceManager().createCpuDevice(),
            **keywords,
        )


@pytest.fixture
def model() -> Affine:
    return Affine()


X = floats(2, 3, seed=2)


def prepared(session: Any) -> Any:
    session.prepareDevice()
    return session


def test_a_step(model: Affine) -> None:
    out = step(prepared(model.session()), {model.x: X})
    np.testing.assert_allclose(out[model.y], model.want(X), rtol=1e-5, atol=1e-6)


def test_new_arrays_and_the_same_arrays(model: Affine) -> None:
    session = prepared(model.session())
    for scale in (1.0, 2.0):
        x = np.float32(scale) * X
        out = step(session, {model.x: x})
        np.testing.assert_allclose(out[model.y], model.want(x), rtol=1e-5, atol=1e-6)
    io = popir.PyStepIO({model.x: x}, out)
    for scale in (0.5, 3.0):
        x[...] = np.float32(scale) * X
        session.run(io)
        np.testing.assert_allclose(out[model.y], model.want(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("batches", [1, 3])
@pytest.mark.parametrize("over", ["first", "second"])
def test_an_output_may_take_the_place_of_an_input(over: str, batches: int) -> None:
    """Until the step ends, all that reads the input finds what was given."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [4, 8])
    aiOnnx = builder.aiOnnx
    first = aiOnnx.softmax([x], 1)
    rows = aiOnnx.constant(np.array([2, 0, 3, 1]))
    second = aiOnnx.gather([aiOnnx.neg([x]), rows], 0)
    anchors = {"first": first, "second": second}
    for anchor in anchors.values():
        builder.addOutputTensor(anchor)
    session = prepared(
        popir.InferenceSession(
            fnModel=builder.getModelProto(),
            dataFlow=popir.DataFlow(batches, list(anchors.values())),
            deviceInfo=popir.DeviceManager().createCpuDevice(),
        )
    )
    given = floats(batches, 4, 8) if batches > 1 else floats(4, 8)
    want = step(session, {x: given})
    for _ in range(2):
        out, both = session.initAnchorArrays(), given.copy()
        out[anchors[over]] = both
        session.run(popir.PyStepIO({x: both}, out))
        for anchor in anchors.values():
            np.testing.assert_array_equal(out[anchor], want[anchor])


@pytest.mark.parametrize(
    ("art", "pick"),
    [
        (AnchorReturnType("All"), lambda y: y),
        (AnchorReturnType("Final"), lambda y: y[-1]),
        (AnchorReturnType("EveryN", 3), lambda y: y[2::3]),
        (AnchorReturnType("Sum"), lambda y: y.sum(0)),
    ],
    ids=["All", "Final", "EveryN", "Sum"],
)
def test_what_a_step_of_six_batches_returns(
    model: Affine, art: AnchorReturnType, pick: Any
) -> None:
    x = floats(6, 2, 3, seed=3)
    session = prepared(model.session({model.y: art}, 6))
    for _ in range(2):
        out = step(session, {model.x: x})
        want = pick(model.want(x))
        assert out[model.y].shape == want.shape
        np.testing.assert_allclose(out[model.y], want, rtol=1e-4, atol=1e-5)


def test_any_shape_of_the_right_size(model: Affine) -> None:
    session = prepared(model.session(batches=2))
    x = floats(4, 3, seed=4)
    out = step(session, {model.x: x})
    np.testing.assert_allclose(out[model.y].reshape(4, 4), model.want(x), rtol=1e-5, atol=1e-6)


def test_anchors_of_inputs_weights_and_constants(model: Affine) -> None:
    out = step(prepared(model.session([model.x, model.w])), {model.x: X})
    np.testing.assert_array_equal(out[model.x], X)
    np.testing.assert_array_equal(out[model.w], floats(3, 4))


def test_callbacks_are_called_batch_by_batch(model: Affine) -> None:
    x = floats(3, 2, 3, seed=3)
    calls: list[str] = []
    batches = iter(x)
    results = [np.zeros((2, 4), np.float32) for _ in range(3)]
    outputs = iter(results)

    def give(id: str, prefetch: bool) -> Any:
        calls.append(f"in {id}")
        return next(batches)

    def take(id: str) -> Any:
        calls.append(f"out {id}")
        return next(outputs)

    session = prepared(model.session(batches=3))
    done: list[str] = []
    session.run(popir.PyStepIOCallback(give, done.append, take, done.append))
    np.testing.assert_allclose(results, model.want(x), rtol=1e-5, atol=1e-6)
    assert calls == [f"in {model.x}"] * 3 + [f"out {model.y}"] * 3
    assert done == [model.x] * 3 + [model.y] * 3


def test_callbacks_get_all_streams_of_a_batch_before_the_next_batch() -> None:
    """So one state of the callbacks serves several inputs, as a data loader's does. An anchor of
    every second batch comes with that batch, one of the last with the last.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x, y = (builder.addInputTensor("FLOAT", [2], name) for name in "xy")
    total = builder.aiOnnx.add([x, y], "total")
    last = builder.aiOnnx.neg([total], "last")
    second = builder.aiOnnx.exp([total], "second")
    anchors = {
        total: popir.AnchorReturnType("All"),
        last: popir.AnchorReturnType("Final"),
        second: popir.AnchorReturnType("EveryN", 2),
    }
    session = prepared(
        popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(4, anchors),
            popir.DeviceManager().createCpuDevice(),
        )
    )
    calls: list[tuple[str, int]] = []
    batch = 0
    found: dict[str, list[Any]] = {total: [], last: [], second: []}

    def give(id: str, prefetch: bool) -> Any:
        calls.append((id, batch))
        return np.full(2, batch if id == x else 10 * batch, np.float32)

    def given(id: str) -> None:
        nonlocal batch
        batch += id == y

    def take(id: str) -> Any:
        calls.append((id, len(found[total])))
        found[id].append(np.zeros(2, np.float32))
        return found[id][-1]

    session.run(popir.PyStepIOCallback(give, given, take, lambda id: None))
    assert calls[:8] == [(id, k) for k in range(4) for id in (x, y)]
    taken = [id for id, _ in calls[8:]]
    assert taken == [total, total, second, total, total, last, second]
    assert [each[0] for each in found[total]] == [0, 11, 22, 33]
    assert found[last][0].tolist() == [-33, -33]
    np.testing.assert_allclose([each[0] for each in found[second]], np.exp([11, 33]), rtol=1e-6)


# Weights.


def read(session: Any, id: str, like: Any) -> Any:
    session.weightsToHost()
    value = np.empty_like(like)
    session.readWeights(popir.PyWeightsIO({id: value}))
    return value


def test_weights_go_both_ways(model: Affine) -> None:
    session = prepared(model.session())
    session.writeWeights(popir.PyWeightsIO({model.b: np.zeros(4, np.float32)}))
    session.weightsFromHost()
    out = step(session, {model.x: X})
    np.testing.assert_allclose(out[model.y], X @ floats(3, 4), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(read(session, model.b, floats(4)), np.zeros(4))


def test_training_changes_weights_and_the_file_has_them(model: Affine, tmp_path: Path) -> None:
    session = training_session(model.training, model.loss, [model.loss])
    losses = [float(step(session, {model.x: X})[model.loss]) for _ in range(20)]
    assert losses[-1] < losses[0]
    file = tmp_path / "trained.onnx"
    session.modelToHost(str(file))
    assert [path.name for path in tmp_path.iterdir()] == ["trained.onnx"]
    saved = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(file).graph.initializer}
    np.testing.assert_array_equal(saved[model.w], read(session, model.w, floats(3, 4)))
    again = prepared(
        popir.InferenceSession(
            str(file), popir.DataFlow(1, [model.y]), popir.DeviceManager().createCpuDevice()
        )
    )
    want = X @ saved[model.w] + saved[model.b]
    np.testing.assert_allclose(step(again, {model.x: X})[model.y], want, rtol=1e-5, atol=1e-6)


def test_a_trained_model_runs_elsewhere(model: Affine, tmp_path: Path) -> None:
    """The weights of a training session, in the model without its loss."""
    session = training_session(model.training, model.loss)
    step(session, {model.x: X})
    weights = popir.PyWeightsIO({model.w: floats(3, 4), model.b: floats(4)})
    session.weightsToHost()
    session.readWeights(weights)
    inference = prepared(model.session())
    inference.writeWeights(weights)
    inference.weightsFromHost()
    inference.modelToHost(tmp_path / "model.onnx")
    other = onnxruntime.InferenceSession(
        tmp_path / "model.onnx", providers=["CPUExecutionProvider"]
    )
    (want,) = other.run([model.y], {model.x: X})
    np.testing.assert_allclose(step(inference, {model.x: X})[model.y], want, rtol=1e-5, atol=1e-6)


def test_host_weights_from_another_model(model: Affine) -> None:
    other = Affine()
    other.builder = popir.Builder()
    other.builder.addInitializedInputTensor(2 * floats(3, 4))
    session = prepared(model.session())
    session.resetHostWeights(other.builder.getModelProto())
    session.weightsFromHost()
    np.testing.assert_array_equal(read(session, model.w, floats(3, 4)), 2 * floats(3, 4))


def test_the_same_step_gives_the_same_bits(model: Affine) -> None:
    def trained() -> Any:
        session = training_session(model.training, model.loss)
        for seed in range(5):
            step(session, {model.x: floats(2, 3, seed=seed)})
        return read(session, model.w, floats(3, 4))

    np.testing.assert_array_equal(trained(), trained())


def test_infos(model: Affine) -> None:
    session = model.session()
    assert session.getInfo(model.y) == popir.TensorInfo("FLOAT", [2, 4])
    assert {model.x, model.w, model.y} <= session.getTensorIds()


# Bad input.


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: X.astype(np.float16),
            "is float32; given was an array of float16. Convert it: array.astype",
        ),
        (lambda: floats(2, 4), r"shape \[2, 3\], which is 6 elements; given .* \[2, 4\] with 8"),
        (
            lambda: floats(3, 2).T,
            r"needs a C-contiguous array; .* strides \[4, 8\].*ascontiguousarray",
        ),
    ],
)
def test_an_input_that_does_not_fit(model: Affine, make: Any, words: str) -> None:
    session = prepared(model.session())
    with pytest.raises(popir.StepIOError, match=words) as error:
        step(session, {model.x: make()})
    assert f"The input '{model.x}'" in str(error.value)
    out = step(session, {model.x: X})
    np.testing.assert_allclose(out[model.y], model.want(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("which", ["input", "anchor"])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda shape: None, "needs a numpy array; given was None."),
        (lambda shape: 3, "needs a numpy array; given was 3."),
        (lambda shape: "x", "needs a numpy array; given was 'x'."),
        (lambda shape: floats(3, 3), "given was an array of shape [3, 3] with 9."),
        (lambda shape: floats(2, *shape), "elements; given was an array of shape [2, 2, "),
        (lambda shape: np.zeros(shape, np.float64), "is float32; given was an array of float64."),
    ],
)
def test_an_array_of_a_callback_that_does_not_fit(
    model: Affine, which: str, make: Any, words: str
) -> None:
    session = prepared(model.session(batches=2))
    fine = {"input": X, "anchor": np.empty((2, 4), np.float32)}
    given = {**fine, which: make(fine[which].shape)}

    def run(arrays: Any) -> None:
        def ignore(id: str) -> None:
            pass

        session.run(
            popir.PyStepIOCallback(
                lambda id, prefetch: arrays["input"], ignore, lambda id: arrays["anchor"], ignore
            )
        )

    with pytest.raises(popir.StepIOError) as error:
        run(given)
    id = {"input": model.x, "anchor": model.y}[which]
    assert str(error.value).startswith(f"The {which} '{id}'") and words in str(error.value)
    run(fine)
    np.testing.assert_allclose(fine["anchor"], model.want(X), rtol=1e-5, atol=1e-6)


def test_callbacks_are_functions() -> None:
    call: Any = print
    for i, name in enumerate(["input", "input_complete", "output", "output_complete"]):
        given: list[Any] = [call] * 4
        given[i] = None
        with pytest.raises(popir.StepIOError, match=f"a function as {name}_callback; .* None"):
            popir.PyStepIOCallback(*given)


def test_an_input_that_is_missing(model: Affine) -> None:
    session = prepared(model.session())
    with pytest.raises(
        popir.StepIOError, match=r"'input', FLOAT\[2, 3\], was not given.*mean 'inputs'"
    ):
        step(session, {"inputs": X})


def test_an_error_of_a_run_begins_with_its_name(model: Affine) -> None:
    session = prepared(model.session())
    anchors = session.initAnchorArrays()
    with pytest.raises(popir.StepIOError, match=r"^epoch 3: .*'input', FLOAT\[2, 3\], was not"):
        session.run(popir.PyStepIO({}, anchors), "epoch 3")


def test_an_anchor_that_is_missing(model: Affine) -> None:
    session = prepared(model.session())
    with pytest.raises(
        popir.StepIOError, match=rf"anchor '{model.y}', .*given were the anchors \(none\)"
    ):
        session.run(popir.PyStepIO({model.x: X}, {}))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("inputt", "the input 'inputt', which the model does not have; its inputs are 'input'. Did "
         "you mean 'input'?"),
        ("init_input", "the input 'init_input', which is a weight; Session.writeWeights and "
         "weightsFromHost change it."),
        ("Add:0", "the input 'Add:0', which is computed by the model or a constant of it."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("synthetic", [False, True])
def test_an_array_for_what_is_no_input(
    model: Affine, name: str, words: str, synthetic: bool
) -> None:
    options = popir.SessionOptions()
    if synthetic:
        options.syntheticDataMode = popir.SyntheticDataMode.Zeros
    session = prepared(model.session(userOptions=options))
    given = {"inputt": name, "init_input": model.w, "Add:0": model.y}[name]
    with pytest.raises(popir.StepIOError) as error:
        step(session, {model.x: X, given: X})
    assert str(error.value).startswith(f"PyStepIO has an array for {words.replace(name, given)}")
    step(session, {model.x: X})


def test_an_array_for_what_is_no_anchor(model: Affine) -> None:
    session = prepared(model.session())
    anchors = session.initAnchorArrays()
    with pytest.raises(popir.StepIOError) as error:
        session.run(popir.PyStepIO({model.x: X}, {**anchors, model.w: X}))
    assert str(error.value) == (
        f"PyStepIO has an array for the output '{model.w}', which is no anchor; the anchors are "
        f"'{model.y}'. Name it in the DataFlow."
    )
    with pytest.raises(popir.StepIOError, match=f"no anchor; .* Did you mean '{model.y}'"):
        session.run(popir.PyStepIO({model.x: X}, {**anchors, f"{model.y}x": X}))
    io = popir.PyStepIO({model.x: X}, {**anchors, "other": X})
    io.enableRuntimeAsserts(False)
    session.run(io)


def test_an_array_for_an_input_that_no_operator_reads(
    model: Affine, caplog: pytest.LogCaptureFixture
) -> None:
    """As in PopART, which warns: a model may be given what its training alone reads."""
    model.builder.addInputTensor("FLOAT", [7], "labels")
    model.inference = model.builder.getModelProto()
    session = prepared(model.session())
    for _ in range(2):
        found = step(session, {model.x: X, "labels": floats(7)})
        np.testing.assert_allclose(found[model.y], model.want(X), 1e-5)
    assert [record.getMessage() for record in caplog.records] == [
        "PyStepIO has an array for the input 'labels', which no operator reads."
    ]


def test_an_anchor_that_is_read_only(model: Affine) -> None:
    session = prepared(model.session())
    out = np.zeros((2, 4), np.float32)
    out.flags.writeable = False
    with pytest.raises(popir.StepIOError, match=r"needs an array that can be written"):
        session.run(popir.PyStepIO({model.x: X}, {model.y: out}))


def test_an_anchor_that_does_not_exist(model: Affine) -> None:
    with pytest.raises(popir.AnchorError, match=r"'Add:1' is no tensor.*Did you mean 'Add:0'"):
        model.session(["Add:1"])


def test_the_gradient_of_a_tensor_that_has_none(model: Affine) -> None:
    with pytest.raises(popir.AnchorError, match=r"'Gradient___nothing' is no tensor"):
        training_session(model.training, model.loss, ["Gradient___nothing"])


def test_a_loss_that_does_not_exist(model: Affine) -> None:
    with pytest.raises(popir.popart_exception, match=r"'L1:1' is no tensor.*'L1:0'"):
        training_session(model.training, "L1:1")


def test_what_a_session_is_made_of(model: Affine) -> None:
    device = popir.DeviceManager().createCpuDevice()
    flow = popir.DataFlow(1, [model.loss])
    optimizer: Any = {"lr": 1}
    for make, words in (
        (
            lambda: popir.DataFlow(1, "Add:0"),
            "a list of strings as anchorTensors; given was 'Add:0'.",
        ),
        (
            lambda: popir.InferenceSession(model.training, [model.loss], device),  # pyright: ignore
            "of DataFlow as dataFlow; given was ['L1:0'].",
        ),
        (
            lambda: popir.InferenceSession(model.training, flow, "cpu"),  # pyright: ignore
            "of DeviceInfo as deviceInfo; given was 'cpu'.",
        ),
        (
            lambda: popir.TrainingSession(model.training, flow, model.loss, optimizer, device),
            "of Optimizer as optimizer; given was {'lr': 1}.",
        ),
        (
            lambda: popir.TrainingSession(
                model.training,
                flow,
                None,  # pyright: ignore
                popir.ConstSGD(0.1),
                device,
            ),
            "takes a string as loss; given was None.",
        ),
        (
            lambda: prepared(model.session()).run({model.x: X}),
            "an object of PyStepIOCallback as stepio; given was {'input': array(",
        ),
    ):
        with pytest.raises(popir.popart_exception, match=re.escape(words)):
            make()


def test_nothing_to_train() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2])
    builder.addInitializedInputTensor(floats(2))
    loss = builder.aiGraphcore.identityloss([x])
    with pytest.raises(
        popir.popart_exception, match="'init_input': no operator that popir knows reads it"
    ):
        training_session(builder.getModelProto(), loss)


def test_a_session_that_is_not_prepared(model: Affine) -> None:
    session = model.session()
    for call in (lambda: step(session, {model.x: X}), session.weightsToHost):
        with pytest.raises(popir.popart_exception, match="must be called before"):
            call()


def test_a_weight_that_does_not_exist_or_fit(model: Affine) -> None:
    session = prepared(model.session())
    with pytest.raises(popir.popart_exception, match=r"no weight 'init_inputs'.*'init_input'"):
        session.readWeights(popir.PyWeightsIO({"init_inputs": floats(3, 4)}))
    with pytest.raises(
        popir.popart_exception, match=r"is FLOAT\[3, 4\]; given was an array FLOAT\[4\]"
    ):
        session.writeWeights(popir.PyWeightsIO({model.w: floats(4)}))


def test_a_file_that_cannot_be_written(model: Affine, tmp_path: Path) -> None:
    session = prepared(model.session())
    with pytest.raises(popir.ModelError, match=r"cannot be saved as"):
        session.modelToHost(tmp_path / "no such folder" / "model.onnx")


# Types.


def test_int64_arrays_are_narrowed_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    stepio._warned.clear()
    builder = popir.Builder()
    x = builder.addInputTensor("INT32", [3])
    y = builder.aiOnnx.neg([x])
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    given, out = np.array([1, -2, 3]), {y: np.zeros(3, np.int64)}
    with caplog.at_level(logging.WARNING):
        for sign in (1, -1):
            given *= sign
            session.run(popir.PyStepIO({x: given}, out))
            np.testing.assert_array_equal(out[y], -given)
    warnings = [r.getMessage() for r in caplog.records]
    assert len([w for w in warnings if f"'{x}' is int32 on the device" in w]) == 1


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("INT32", [1, -(2**31), 2**31], f"x' is int32; given was an array of int64 with {2**31}"),
        (
            "UINT32",
            [2**32 + 5, 0, 1],
            f"x' is uint32; given was an array of uint64 with {2**32 + 5}",
        ),
    ],
)
def test_a_number_that_the_type_does_not_hold_is_refused(
    kind: str, values: list[int], words: str
) -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(kind, [3], debugContext="x")
    y = builder.aiOnnx.cast([x], "FLOAT")
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    given = np.array(values, np.int64 if kind == "INT32" else np.uint64)
    with pytest.raises(popir.StepIOError, match=words):
        session.run(popir.PyStepIO({x: given}, session.initAnchorArrays()))


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.float16, np.int32])
def test_declared_types_run_natively(dtype: Any) -> None:
    value = onnx.helper.make_tensor_value_info(
        "x", onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), [3]
    )
    node = onnx.helper.make_node("Neg", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [value], [onnx.ValueInfoProto(name="y")])
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    x = np.array([1, -2, 2**11], dtype)
    out = run(proto, {"x": x}, ["y"])["y"]
    assert out.dtype == dtype
    np.testing.assert_array_equal(out, -x)


def test_large_results_begin_in_the_middle_of_a_page() -> None:
    """At a line of the cache, and far from where numpy's own arrays begin."""
    for shape, is_placed in (([1 << 14], True), ([3, 1 << 15], True), ([8], False), ([0], False)):
        builder = popir.Builder()
        x = builder.addInputTensor("FLOAT", shape)
        y = builder.aiOnnx.relu([x])
        session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, [y]),
            popir.DeviceManager().createCpuDevice(),
        )
        session.prepareDevice()
        out = session.initAnchorArrays()
        assert out[y].shape == tuple(shape)
        assert out[y].flags.c_contiguous
        assert out[y].flags.writeable
        assert not is_placed or out[y].ctypes.data % 4096 == 2048
        session.run(popir.PyStepIO({x: np.full(shape, -1, np.float32)}, out))
        np.testing.assert_array_equal(out[y], np.zeros(shape))
