"""`popir.training.Validation`, against PyTorch and NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.data import Batches
from popir.errors import popart_exception
from popir.training import Score, Validation, train
from tests.models import floats, training_session
from tests.training.model import BATCH, LOSS, batches, data, model, session

CPU = popir.DeviceManager().createCpuDevice()


def weights(trained: Any, *ids: str) -> list[np.ndarray]:
    found = {id: np.empty(trained.choices[id].info.shape(), np.float32) for id in ids}
    trained.weightsToHost()
    trained.readWeights(popir.PyWeightsIO(found))
    return list(found.values())


def test_loss_and_accuracy_are_pytorchs() -> None:
    """Batch norm with running statistics, and no dropout, whatever training does."""
    other = data(100, seed=4)
    made = Validation(model(), LOSS, Batches(other, BATCH), CPU)
    trained, found = session(), []
    done = train(trained, batches(), LOSS, 3, validation=made, report=found.append)
    assert [score.step for score in done.scores] == [12, 24, 36]
    assert [each for each in found if isinstance(each, Score)] == done.scores
    one, two, *norm = weights(trained, "one", "two", "scale", "shift", "mean", "var")
    x, labels = (torch.tensor(other[id][:96]) for id in ("x", "labels"))
    scale, shift, mean, var = map(torch.tensor, norm)
    h = torch.nn.functional.batch_norm(x @ torch.tensor(one), mean, var, scale, shift)
    scores = torch.tanh(h) @ torch.tensor(two)
    last = done.scores[-1]
    want = torch.nn.functional.cross_entropy(scores, labels.long()).item()
    assert last.loss == pytest.approx(want, rel=1e-5)
    assert last.accuracy == (scores.argmax(1) == labels).double().mean().item()
    assert last.batches == 6
    assert last.loss < done.scores[0].loss and last.accuracy > 0.3


def test_training_is_the_same_with_and_without_it() -> None:
    made = Validation(model(), LOSS, Batches(data(50, seed=4), BATCH), CPU)
    ends = []
    for given in ({}, {"validation": made, "validate_every": 5}):
        done = train(trained := session(), batches(), LOSS, 2, **given)
        ends.append([e.loss for e in done.epochs] + [w.tobytes() for w in weights(trained, "one")])
        if given:
            assert [score.step for score in done.scores] == [5, 10, 15, 20, 24]
    assert ends[0] == ends[1]


def test_its_data_begin_anew_each_time() -> None:
    """Also if their order depends on the epoch."""
    asked: list[int] = []

    def source(epoch: int) -> Any:
        asked.append(epoch)
        return [{id: array[:BATCH] for id, array in data(seed=epoch).items()}]

    made = Validation(model(), LOSS, Batches(source), CPU)
    trained = session()
    assert made.score(trained) == made.score(trained)
    assert asked == [1, 1]


@pytest.mark.parametrize("type", ["SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"])
def test_labels_that_are_ignored(type: str) -> None:
    """Classes along axis 1 of three, labels that a Cast makes, and a loss that a Mul follows."""
    nodes = [
        helper.make_node("MatMul", ["w", "x"], ["s"]),
        helper.make_node("Cast", ["labels"], ["classes"], to=TensorProto.INT64),
        helper.make_node("LogSoftmax", ["s"], ["logs"], axis=1),
        helper.make_node(type, ["logs", "classes"], ["mean"], ignore_index=2),
        helper.make_node("Mul", ["mean", "half"], ["loss"]),
    ]
    w = floats(3, 5, seed=1)
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 5, 6]),
        helper.make_tensor_value_info("labels", TensorProto.INT32, [4, 6]),
    ]
    tensors = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(np.float32(0.5), "half")]
    outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    given = {
        "x": floats(8, 5, 6, seed=2),
        "labels": np.random.default_rng(3).integers(0, 3, (8, 6)).astype(np.int32),
    }
    trained = training_session(proto.SerializeToString(), "loss", ["loss"], trained=["w"])
    score = Validation(proto, "loss", Batches(given, 4), CPU).score(trained)
    labels = torch.tensor(given["labels"]).long()
    scores = torch.tensor(np.einsum("ij,njk->nik", w, given["x"]))
    want = [
        0.5 * torch.nn.functional.cross_entropy(part, of, ignore_index=2).item()
        for part, of in zip(scores.split(4), labels.split(4), strict=True)
    ]
    assert score.loss == pytest.approx(np.mean(want), rel=1e-5)
    counts = labels != 2
    right = ((scores.argmax(1) == labels) & counts).sum() / counts.sum()
    assert score.accuracy == pytest.approx(right.item(), rel=1e-6)
    given["labels"][:] = 2
    ignored = Validation(proto, "loss", Batches(given, 4), CPU).score(trained)
    assert ignored.accuracy is None


def test_a_loss_without_labels(tmp_path: Path) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(floats(3, 2, seed=1), "w")
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.matmul([x, w])], 0.5)
    proto = builder.getModelProto()
    trained = training_session(proto, loss, [loss])
    arrays = {"x": floats(8, 3, seed=2)}
    score = Validation(proto, loss, Batches(arrays, 4), CPU).score(trained)
    want = 0.5 * np.abs(arrays["x"] @ floats(3, 2, seed=1)).mean()
    assert score.loss == pytest.approx(want, rel=1e-5)
    assert (score.accuracy, score.step, score.batches) == (None, 0, 2)
    with pytest.raises(popart_exception, match="'one'"):
        Validation(proto, loss, Batches(arrays, 4), CPU).score(session())


@pytest.mark.parametrize("mode", ["OnePerGroup", "AllReduceReplicas"])
def test_the_weights_of_replicas(mode: str) -> None:
    """Also where the host gets the sum of what replicas have."""
    settings = popir.VariableSettings(popir.VariableRetrievalMode[mode])
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(floats(3, 2, seed=1), settings, "w")
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.matmul([x, w])], 0.5)
    options = popir.SessionOptions(enableReplicatedGraphs=True, replicatedGraphCount=2)
    trained = training_session(builder.getModelProto(), loss, [loss], options=options)
    arrays = {"x": floats(8, 3, seed=2)}
    score = Validation(builder.getModelProto(), loss, Batches(arrays, 4), CPU).score(trained)
    want = 0.5 * np.abs(arrays["x"] @ floats(3, 2, seed=1)).mean()
    assert score.loss == pytest.approx(want, rel=1e-5)
