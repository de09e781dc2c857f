"""Models saved in the middle of their training: it goes on, and other tools run them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

import popir
from popir.errors import popart_exception
from popir.onnxio.external import location_of
from popir.onnxio.load import load
from popir.onnxio.training_info import joined
from tests.models import Array, floats, run, step, training_session
from tests.test_modes import model as modal

BATCH, STEPS = 6, 10
X = floats(STEPS, BATCH, 4, seed=1)
T = np.random.default_rng(2).integers(0, 3, (STEPS, BATCH)).astype(np.int32)
LOSS = "Nll:0"
MOMENTUM = {"defaultMomentum": (0.9, True), "defaultWeightDecay": (0.01, True)}
SEPARATE = popir.SGDAccumulatorAndMomentum.Separate


def classifier(opset: int = 17, dropout: bool = False) -> popir.Builder:
    """Two layers, softmax, negative log likelihood; its only output is the loss."""
    builder = popir.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [BATCH, 4], "x")
    labels = builder.addInputTensor("INT32", [BATCH], "labels")
    one = builder.addInitializedInputTensor(floats(4, 5, seed=3), "one")
    two = builder.addInitializedInputTensor(floats(5, 3, seed=4), "two")
    h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, one])])
    if dropout:
        (h,) = builder.aiOnnx.dropout([h], 1)
    p = builder.aiOnnx.softmax([builder.aiOnnx.matmul([h, two])], axis=1)
    builder.addOutputTensor(builder.aiGraphcore.nllloss([p, labels]))
    return builder


def trained(
    model: Any,
    steps: Iterable[int],
    optimizer: Any = None,
    loss: str = LOSS,
    options: popir.SessionOptions | None = None,
) -> Any:
    """A session after those of the STEPS."""
    optimizer = optimizer or popir.SGD(MOMENTUM)
    session = training_session(model, loss, [loss], optimizer, options=options)
    for i in steps:
        step(session, {"x": X[i], "labels": T[i]})
    return session


def initializers(file: Path) -> dict[str, Array]:
    return {t.name: numpy_helper.to_array(t) for t in onnx.load(file).graph.initializer}


def elsewhere(file: Path, inputs: dict[str, Array]) -> dict[str, Any]:
    """All outputs by onnxruntime, which must not need more inputs than these."""
    onnx.checker.check_model(str(file), full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    assert {each.name for each in session.get_inputs()} == set(inputs)
    ids = [each.name for each in session.get_outputs()]
    return dict(zip(ids, session.run(ids, inputs), strict=True))


# Going on.

GOES_ON = """
import sys
import popir
from tests.test_saving_training import MOMENTUM, SEPARATE, trained

form = popir.SGDAccumulatorAndMomentum[sys.argv[3]]
optimizer = popir.SGD(MOMENTUM, accumulatorAndMomentum=form)
trained(sys.argv[1], range(5, 10), optimizer).modelToHost(sys.argv[2])
"""


@pytest.mark.parametrize(("form", "prefix"), [("Combined", "Accl___"), ("Separate", "Accl1___")])
def test_a_new_process_goes_on_bit_for_bit(form: str, prefix: str, tmp_path: Path) -> None:
    model = classifier(dropout=True).getModelProto()
    optimizer = popir.SGD(MOMENTUM, accumulatorAndMomentum=popir.SGDAccumulatorAndMomentum[form])
    whole, half, again = (tmp_path / f"{name}.onnx" for name in ("whole", "half", "again"))
    trained(model, range(10), optimizer).modelToHost(whole)
    trained(model, range(5), optimizer).modelToHost(half)
    subprocess.run([sys.executable, "-c", GOES_ON, half, again, form], check=True, timeout=120)
    found = initializers(whole)
    assert set(found) == {*("one", "two", f"{prefix}one", f"{prefix}two", "randomSeed___fromHost")}
    assert np.abs(found[f"{prefix}two"]).max() > 0.01
    np.testing.assert_array_equal(found["randomSeed___fromHost"], [10, 0])
    assert whole.read_bytes() == again.read_bytes()
    assert whole.read_bytes() != half.read_bytes()


def test_running_statistics_go_on(tmp_path: Path) -> None:
    """Batch norm and dropout of an exporter, with momentum and trained scales."""
    whole, half, again = (tmp_path / f"{name}.onnx" for name in ("whole", "half", "again"))
    given = floats(6, 3, 4)
    for source, target, steps in (
        (modal(17, training=True), whole, 4),
        (modal(17, training=True), half, 2),
        (half, again, 2),
    ):
        session = training_session(source, "loss", ["loss"], popir.SGD(MOMENTUM))
        for _ in range(steps):
            step(session, {"x": given})
        session.modelToHost(target)
    assert whole.read_bytes() == again.read_bytes()
    found = initializers(whole)
    assert {"Accl___s", "Accl___b"} <= set(found) and "Accl___n" not in found
    assert not np.array_equal(found["n"], initializers(half)["n"])
    elsewhere(whole, {"x": given})


def test_the_seed_goes_on_where_it_was_set(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    session = trained(classifier(dropout=True).getModelProto(), [])
    session.setRandomSeed((3 << 32) + 7)
    step(session, {"x": X[0], "labels": T[0]})
    session.modelToHost(file)
    again = trained(file, [])
    assert again.getRandomSeed() == (3 << 32) + 8
    again.setRandomSeed(5)
    assert again.getRandomSeed() == 5
    again.loadEngineAndConnectStreams()
    assert again.getRandomSeed() == (3 << 32) + 8


def test_another_session_takes_weights_and_state(tmp_path: Path) -> None:
    model, file = classifier().getModelProto(), tmp_path / "m.onnx"
    trained(model, range(5)).modelToHost(file)
    session = trained(model, [])
    session.resetHostWeights(file)
    session.weightsFromHost()
    for i in range(5, 10):
        step(session, {"x": X[i], "labels": T[i]})
    session.modelToHost(tmp_path / "again.onnx")
    trained(model, range(10)).modelToHost(file)
    want, found = initializers(file), initializers(tmp_path / "again.onnx")
    assert want.keys() == found.keys()
    for id, value in want.items():
        np.testing.assert_array_equal(found[id], value)


def test_a_session_without_the_state_is_told_to_ignore_it(tmp_path: Path) -> None:
    model, file = classifier().getModelProto(), tmp_path / "m.onnx"
    trained(model, range(2)).modelToHost(file)
    session = popir.InferenceSession(
        model, popir.DataFlow(1, [LOSS]), popir.DeviceManager().createCpuDevice()
    )
    with pytest.raises(popart_exception, match="no weight 'Accl___one'"):
        session.resetHostWeights(file)
    session.resetHostWeights(file, ignoreWeightsInModelWithoutCorrespondingHostWeight=True)
    found = {"one": np.empty((4, 5), np.float32)}
    session.readWeights(popir.PyWeightsIO(found))
    np.testing.assert_array_equal(found["one"], initializers(file)["one"])


def test_state_is_read_and_written_by_its_name() -> None:
    model = classifier().getModelProto()
    session, other = trained(model, range(5)), trained(model, [])
    arrays = {
        id: np.empty(shape, np.float32)
        for id, shape in (("one", (4, 5)), ("two", (5, 3)))
        for id in (id, f"Accl___{id}")
    }
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(arrays))
    other.writeWeights(popir.PyWeightsIO(arrays))
    other.weightsFromHost()
    batch = {"x": X[5], "labels": T[5]}
    for _ in range(2):
        np.testing.assert_array_equal(step(session, batch)[LOSS], step(other, batch)[LOSS])


def test_the_optimizer_s_state_may_stay_on_the_device(tmp_path: Path) -> None:
    """Weights that are read, and models that are saved, are without it; a checkpoint has it."""
    model, file = classifier().getModelProto(), tmp_path / "m.onnx"
    options = popir.SessionOptions()
    options.disableOptimizerStateTensorStreams = True
    whole, session = trained(model, range(5)), trained(model, range(5), options=options)
    session.modelToHost(file)
    assert not [id for id in initializers(file) if id.startswith("Accl")]
    session.weightsToHost()
    state = popir.PyWeightsIO({"Accl___one": floats(4, 5)})
    for method in (session.readWeights, session.writeWeights):
        with pytest.raises(popart_exception, match=r"'Accl___one' is a state .* on the device"):
            method(state)
    session.weightsFromHost()  # The state of the device stays as it is.
    step(session, {"x": X[5], "labels": T[5]})
    step(whole, {"x": X[5], "labels": T[5]})
    ends = [tmp_path / "whole.onnx", tmp_path / "apart.onnx"]
    for one, end in zip((whole, session), ends, strict=True):
        one.modelToHost(end)
    one, other = (initializers(end)["two"] for end in ends)
    np.testing.assert_array_equal(one, other)

    whole.modelToHost(file)  # A model that has the state loses it when it is saved again.
    trained(file, [], options=options).modelToHost(file)
    assert not [id for id in initializers(file) if id.startswith("Accl")]

    session = trained(model, range(5), options=options)
    session.save(tmp_path / "checkpoint")
    for again in (trained(model, []), trained(model, [], options=options)):
        again.load(tmp_path / "checkpoint")
        step(again, {"x": X[5], "labels": T[5]})
        again.modelToHost(ends[1])
        one, other = (initializers(end)["two"] for end in ends)
        np.testing.assert_array_equal(one, other)


def test_another_optimizer(tmp_path: Path) -> None:
    model, one, two = classifier().getModelProto(), tmp_path / "one.onnx", tmp_path / "two.onnx"
    trained(model, range(5)).modelToHost(one)
    with pytest.warns(UserWarning, match=r"has no use for, Accl___one, Accl___two: it is"):
        trained(one, [5], popir.ConstSGD(0.1)).modelToHost(two)
    assert set(initializers(two)) == {"one", "two"}
    changed = onnx.load(one)
    for tensor in changed.graph.initializer:
        if tensor.name == "Accl___two":
            tensor.CopyFrom(numpy_helper.from_array(floats(3, 5), tensor.name))
    with pytest.raises(
        popart_exception, match=r"'Accl___two', FLOAT\[3, 5\]; the state .* saved for"
    ):
        trained(changed, [])


def test_state_lies_beside_its_weight(tmp_path: Path) -> None:
    builder = classifier()
    builder.saveInitializersExternally(["one"], tmp_path / "one.bin")
    file, again = tmp_path / "m.onnx", tmp_path / "again.onnx"
    trained(builder.getModelProto(), range(5)).modelToHost(file)
    tensors = onnx.load(file, load_external_data=False).graph.initializer
    where = {tensor.name: location_of(tensor) for tensor in tensors}
    assert where["one"] and where["Accl___one"] == where["one"]
    assert not where["two"] and not where["Accl___two"]
    trained(file, range(5, 10)).modelToHost(again)
    trained(builder.getModelProto(), range(10)).modelToHost(file)
    for id, value in initializers(file).items():
        np.testing.assert_array_equal(initializers(again)[id], value)


def test_a_number_stays_one(tmp_path: Path) -> None:
    """An initializer without dimensions, its optimizer's state, and one that lay in a file."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2], "x")
    scale = builder.addInitializedInputTensor(np.array(0.5, np.float32), "scale")
    parts = [builder.aiOnnx.unsqueeze([each], [0]) for each in (scale, scale)]
    stacked = builder.aiOnnx.concat(parts, 0)
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.mul([x, stacked])], 1.0)
    builder.addOutputTensor(stacked)
    builder.saveInitializersExternally([scale], tmp_path / "scale.bin")
    (tmp_path / "m.onnx").write_bytes(builder.getModelProto())
    file = tmp_path / "trained.onnx"
    optimizer = popir.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)})
    given = popir.Builder(str(tmp_path / "m.onnx")).getModelProto()
    session = training_session(given, loss, [loss], optimizer)
    step(session, {"x": np.ones(2, np.float32)})
    session.modelToHost(file)
    saved = initializers(file)
    assert {id: value.shape for id, value in saved.items() if "scale" in id} == {
        "scale": (),
        "Accl___scale": (),
    }
    session.resetHostWeights(str(file))
    (found,) = elsewhere(file, {}).values()
    np.testing.assert_allclose(found, [saved["scale"]] * 2)


# Running elsewhere.


@pytest.mark.parametrize("opset", [8, 9, 17])
def test_onnxruntime_runs_it_without_labels(opset: int, tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    session = trained(classifier(opset).getModelProto(), range(3))
    session.modelToHost(file)
    ((id, found),) = elsewhere(file, {"x": X[0]}).items()
    assert id == "Softmax:0" and found.shape == (BATCH, 3)
    np.testing.assert_allclose(run(file, {"x": X[0]}, [id])[id], found, 1e-5)
    # With the loss as an anchor, what lies apart comes back.
    labels = np.array([0, 1, 2, 0, 1, 2], np.int32)
    want = -np.log(found[np.arange(BATCH), labels]).mean()
    np.testing.assert_allclose(run(file, {"x": X[0], "labels": labels}, [LOSS])[LOSS], want, 1e-5)


def test_what_was_given_comes_back_as_it_was(tmp_path: Path) -> None:
    builder = classifier()
    builder.addOutputTensor("Tanh:0")
    file = tmp_path / "m.onnx"
    trained(builder.getModelProto(), [0]).modelToHost(file)
    assert list(elsewhere(file, {"x": X[0]})) == ["Tanh:0"]
    given, whole = load(builder.getModelProto()).model.graph, joined(load(file)).model.graph
    assert list(whole.node) == list(given.node)
    assert list(whole.input) == list(given.input)
    assert {each.name for each in whole.output} == {each.name for each in given.output}


Parts = Callable[[popir.Builder, str], str]


def labels(builder: popir.Builder, shape: list[int]) -> str:
    return builder.addInputTensor("FLOAT", shape, "labels")


def squares(builder: popir.Builder, y: str) -> str:
    """The sum of squared distances from the labels, from ONNX's operators alone."""
    d = builder.aiOnnx.sub([y, labels(builder, [BATCH, 3])])
    return builder.aiOnnx.reducesum([builder.aiOnnx.mul([d, d])], axes=None, keepdims=0)


def distance(builder: popir.Builder, y: str) -> str:
    return builder.aiGraphcore.l1loss([builder.aiOnnx.sub([y, labels(builder, [BATCH, 3])])], 0.1)


def squares_identity(builder: popir.Builder, y: str) -> str:
    return builder.aiGraphcore.identityloss([squares(builder, y)])


def cast_labels(builder: popir.Builder, y: str) -> str:
    """Labels that are computed from; the loss comes before what follows in the model."""
    given = builder.aiOnnx.cast([labels(builder, [BATCH])], onnx.TensorProto.INT32)
    return builder.aiGraphcore.nllloss([builder.aiOnnx.softmax([y], axis=1), given])


def two_losses(builder: popir.Builder, y: str) -> str:
    one = builder.aiGraphcore.l1loss([builder.aiOnnx.tanh([y])], 0.1)
    two = builder.aiGraphcore.l1loss([builder.aiOnnx.sub([y, labels(builder, [BATCH, 3])])], 0.1)
    return builder.aiOnnx.add([one, two])


def decayed(builder: popir.Builder, y: str) -> str:
    """The loss of the weight itself is not the prediction."""
    weight = builder.aiGraphcore.l1loss([builder.aiOnnx.mul(["w", "w"])], 0.1)
    return builder.aiOnnx.add([weight, distance(builder, y)])


@pytest.mark.parametrize(
    ("make", "named", "outputs", "needs"),
    [
        (squares, ["loss"], ["ReduceSum:0"], True),  # Runs everywhere: nothing changes.
        (distance, ["loss"], ["MatMul:0"], False),
        (distance, [], ["MatMul:0"], False),
        (distance, ["loss", "Sub:0"], ["Sub:0"], True),
        (distance, ["Tanh:0"], ["Tanh:0"], False),
        (squares_identity, ["loss"], ["MatMul:0"], False),
        (cast_labels, ["loss"], ["Softmax:0"], False),
        (two_losses, ["loss"], ["MatMul:0", "Tanh:0/1"], False),
        (decayed, ["loss"], ["MatMul:0"], False),
    ],
)
def test_what_stays(
    make: Parts, named: list[str], outputs: list[str], needs: bool, tmp_path: Path
) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 12, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [BATCH, 4], "x")
    w = builder.addInitializedInputTensor(floats(4, 3), "w")
    y = builder.aiOnnx.matmul([builder.aiOnnx.tanh([x]), w])
    loss = make(builder, y)
    for id in named:
        builder.addOutputTensor(loss if id == "loss" else id)
    given = {"x": X[0], "labels": np.ones(builder.getTensorShape("labels"), np.float32)}
    files = [tmp_path / "one.onnx", tmp_path / "two.onnx"]
    source: Any = builder.getModelProto()
    losses = []
    for file in files:
        session = training_session(source, loss, [loss], popir.SGD(MOMENTUM))
        losses.append(float(step(session, given)[loss].item()))
        session.modelToHost(file)
        source = file
        feeds = given if needs else {"x": X[0]}
        found = elsewhere(file, feeds)
        assert sorted(found) == outputs
        weights = [id for id in outputs if id in ("MatMul:0", "Softmax:0")]
        for id, want in run(file, feeds, weights).items():
            np.testing.assert_allclose(found[id], want, 1e-5, 1e-6)
    assert losses[0] != losses[1]
    assert onnx.load(files[0]).training_info == onnx.load(files[1]).training_info


def test_what_an_exporter_says_of_weights_stays(tmp_path: Path) -> None:
    """Which initializers are parameters is among it: training must go on with the same ones."""
    model = onnx.load_from_string(classifier().getModelProto())
    for tensor in model.graph.initializer:
        tensor.doc_string = f"of {tensor.name}"
        tensor.metadata_props.add(key="kind", value="PARAMETER")
    trained(model, [0]).modelToHost(tmp_path / "m.onnx")
    saved = {t.name: t for t in onnx.load(tmp_path / "m.onnx").graph.initializer}
    for tensor in model.graph.initializer:
        assert saved[tensor.name].doc_string == tensor.doc_string
        assert list(saved[tensor.name].metadata_props) == list(tensor.metadata_props)


def test_open_sizes_stay_open(tmp_path: Path) -> None:
    model = onnx.load_from_string(classifier().getModelProto())
    for value in model.graph.input:
        value.type.tensor_type.shape.dim[0].dim_param = "n"
    shapes = popir.InputShapeInfo()
    shapes.add("x", popir.TensorInfo("FLOAT", [BATCH, 4]))
    shapes.add("labels", popir.TensorInfo("INT32", [BATCH]))
    device = popir.DeviceManager().createCpuDevice()
    session = popir.TrainingSession(
        model, popir.DataFlow(1, [LOSS]), LOSS, popir.ConstSGD(0.1), device, shapes
    )
    session.prepareDevice()
    session.modelToHost(tmp_path / "m.onnx")
    found = elsewhere(tmp_path / "m.onnx", {"x": floats(11, 4)})
    assert found["Softmax:0"].shape == (11, 3)


@pytest.mark.parametrize("positions", ["", "0", "9", "1,1", "-1", "x", "99999999999999999999"])
def test_positions_that_cannot_be(positions: str, tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    trained(classifier().getModelProto(), [0]).modelToHost(file)
    model = onnx.load(file)
    model.metadata_props[0].value = positions
    whole = joined(load(model)).model
    assert sorted(node.op_type for node in whole.graph.node) == sorted(
        node.op_type for node in load(classifier().getModelProto()).model.graph.node
    )
    assert np.isfinite(step(trained(model, []), {"x": X[0], "labels": T[0]})[LOSS])
