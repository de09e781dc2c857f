"""popir train."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pyarrow
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from pyarrow import parquet

from tests.cli.commands import WEIGHT, call, call_json, classifier, failure, samples, save


@pytest.fixture
def model(tmp_path: Path) -> Path:
    classifier(tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return samples(tmp_path / "data.npz")


def words(model: Path, data: Path, *more: object) -> list[object]:
    target = model.with_name("out.onnx")
    return ["train", model, "--data", data, "--loss", "Nll:0", "--output", target, *more]


def weights(file: Path) -> np.ndarray:
    tensors = onnx.load(file).graph.initializer
    return next(numpy_helper.to_array(tensor) for tensor in tensors if tensor.name == "w")


def test_the_loss_falls_and_the_trained_model_is_written(model: Path, data: Path) -> None:
    found = call_json(*words(model, data, "--epochs", 5, "--lr", 0.5))
    losses = [epoch["loss"] for epoch in found["epochs"]]
    assert len(losses) == 5
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.6 * losses[0]
    assert (found["samples"], found["batch_size"], found["interrupted"]) == (200, 16, False)
    assert {epoch["batches"] for epoch in found["epochs"]} == {200 // 16}
    trained = weights(Path(found["output"]))
    assert trained.shape == WEIGHT.shape
    assert not np.array_equal(trained, WEIGHT * 0.1)


def test_one_step_is_that_of_numpy(model: Path, data: Path) -> None:
    """Softmax, mean negative log likelihood, momentum that begins at zero, weight decay."""
    options = ["--lr", 0.25, "--momentum", 0.5, "--weight-decay", 0.125, "--no-shuffle"]
    arrays = dict(np.load(data))
    np.savez(data, x=arrays["x"][:16], labels=arrays["labels"][:16])
    call(*words(model, data, *options))
    x, w = arrays["x"][:16].astype(np.float64), WEIGHT.astype(np.float64) * 0.1
    p = np.exp(x @ w)
    p /= p.sum(1, keepdims=True)
    gradient = x.T @ (p - np.eye(4)[arrays["labels"][:16]]) / 16
    np.testing.assert_allclose(
        weights(model.with_name("out.onnx")),
        w - 0.25 * (gradient + 0.125 * w),
        rtol=1e-4,
        atol=1e-6,
    )


def test_the_seed_decides_the_order(model: Path, data: Path) -> None:
    losses = [
        call_json(*words(model, data, *more))["epochs"][0]["loss"]
        for more in ([], ["--seed", 0], ["--seed", 1], ["--no-shuffle"])
    ]
    assert losses[0] == losses[1]
    assert len(set(losses)) == 3


def test_labels_of_64_bits_are_those_of_32(model: Path, data: Path) -> None:
    """NumPy's own integers, for a model with INT32 labels."""
    arrays = dict(np.load(data))
    first = call_json(*words(model, data))["epochs"][0]["loss"]
    np.savez(data, x=arrays["x"], labels=arrays["labels"].astype(np.int64))
    assert call_json(*words(model, data))["epochs"][0]["loss"] == first
    np.savez(data, x=arrays["x"], labels=arrays["labels"].astype(np.int64) + (1 << 32))
    said = failure(*words(model, data), code=2)
    assert f"'labels' is int64 and has {1 << 32}, which the model's int32 does not hold." in said


def test_parquet(model: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns, lists of numbers among them, train as the arrays of an .npz file do."""
    arrays = dict(np.load(data))
    columns = {
        "x": pyarrow.array(arrays["x"].tolist(), pyarrow.list_(pyarrow.float32())),
        "labels": arrays["labels"],
    }
    table = data.with_suffix(".parquet")
    parquet.write_table(pyarrow.table(columns), table)
    losses = [call_json(*words(model, file))["epochs"][0]["loss"] for file in (data, table)]
    assert losses[0] == losses[1]
    parquet.write_table(pyarrow.table({**columns, "labels": arrays["x"][:, 0]}), table)
    said = failure(*words(model, table), code=2)
    assert "the column 'labels' is float32; the model takes int32" in said
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = failure(*words(model, table), code=4)
    assert "read by pyarrow, which is not installed: pip install 'popir[parquet]'" in said


def test_text_is_a_line_for_each_epoch(model: Path, data: Path) -> None:
    result = call(*words(model, data, "--epochs", 2))
    lines = result.stdout.splitlines()
    assert lines[0] == "trained: 32 elements in 1 tensor: w"
    assert lines[1].startswith("epoch 1/2: loss ")
    assert lines[2].startswith("epoch 2/2: loss ")
    assert lines[3] == f"wrote {model.with_name('out.onnx')}"
    assert result.stderr == ""


def test_a_loss_that_is_no_number_ends_it(model: Path, data: Path) -> None:
    arrays = dict(np.load(data))
    arrays["x"][40] = np.nan
    np.savez(data, **arrays)
    result = call(*words(model, data, "--no-shuffle"), code=1)
    assert (
        "The loss is nan in batch 3 of epoch 1. A smaller learning rate may help. " in result.stderr
    )
    arrays["x"][:] = np.nan
    np.savez(data, **arrays)
    result = call(*words(model, data), code=1)
    assert "batch 1 of epoch 1. Look for NaN and infinity" in result.stderr
    assert not model.with_name("out.onnx").exists()


def test_the_batch_size_of_a_model_that_leaves_it_open(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("ReduceMean", ["h"], ["loss"], keepdims=0),
    ]
    model = save(tmp_path / "m.onnx", nodes, {"x": ["n", 8]}, ["loss"], {"w": WEIGHT})
    np.savez(tmp_path / "d.npz", x=np.ones((50, 8), np.float32))
    start = ["train", model, "--data", tmp_path / "d.npz", "--loss", "loss"]
    start += ["--output", tmp_path / "out.onnx"]
    for more, batch in (([], 32), (["--batch-size", 7], 7), (["--dim", "n=9"], 9)):
        found = call_json(*start, *more)
        assert (found["batch_size"], found["epochs"][0]["batches"]) == (batch, 50 // batch)
    assert "takes batches of 9" in failure(*start, "--dim", "n=9", "--batch-size", 7, code=2)


@pytest.mark.parametrize(
    ("arrays", "options", "expected"),
    [
        ({}, ["--loss", "Nll"], "--loss Nll: no node of the model computes such a tensor. Did you"),
        ({}, ["--batch-size", 8], "--batch-size 8: the input 'x' takes batches of 16."),
        ({}, ["--output", "/no/such/out.onnx"], "its folder does not exist."),
        ({}, ["--lr", "-1"], "Invalid value for '--lr'"),
        ({"labels": np.zeros(10, np.int32)}, [], "differ in samples: 'x' 200, 'labels' 10."),
        ({"x": np.zeros((200, 9), np.float32)}, [], "the model takes [samples, 8]."),
        ({"x": np.float32(0)}, [], "the array 'x' has no dimension"),
        ({"labels": np.zeros(200)}, [], "'labels' is float64; the model takes int32."),
        (
            {"x": np.zeros((3, 8), np.float32), "labels": np.zeros(3, np.int32)},
            [],
            "data.npz has 3 samples; a batch takes 16.",
        ),
    ],
)
def test_what_does_not_fit(
    model: Path, data: Path, arrays: dict[str, np.ndarray], options: list[object], expected: str
) -> None:
    np.savez(data, **{**np.load(data), **arrays})
    assert expected in failure(*words(model, data), *options, code=2)


def test_a_model_with_nothing_to_train(tmp_path: Path) -> None:
    nodes = [helper.make_node("ReduceMean", ["x"], ["loss"], keepdims=0)]
    model = save(tmp_path / "m.onnx", nodes, {"x": [4]}, ["loss"], {"w": WEIGHT})
    np.savez(tmp_path / "d.npz", x=np.ones(8, np.float32))
    said = failure("train", model, "--data", tmp_path / "d.npz", "--loss", "loss", code=3)
    assert "None of the model's 1 floating-point initializers is trained" in said


def test_what_is_trained_is_said_and_may_be_named(model: Path, data: Path) -> None:
    found = call_json(*words(model, data))["initializers"]
    assert [(row["name"], row["role"], row["reason"]) for row in found] == [
        ("w", "trained", "a Builder initialised it")
    ]
    said = failure(*words(model, data, "--freeze", "w"), code=3)
    assert "'w': the caller says so, by its name" in said
    said = failure(*words(model, data, "--freeze", "w", "--train", "w"), code=3)
    assert "which contradict each other. Leave one out." in said
    said = failure(*words(model, data, "--train", "v.*"), code=3)
    assert "trained: 'v.*' fits no initializer of the model" in said


def test_a_constant_and_a_state_are_lines_of_their_own(tmp_path: Path) -> None:
    channels = {name: np.full(4, n + 1, np.float32) for n, name in enumerate("sbmv")}
    nodes = [
        helper.make_node("BatchNormalization", ["x", *channels], ["y", "M", "V"], training_mode=1),
        helper.make_node("Mul", ["y", "eighth"], ["z"]),
        helper.make_node("ReduceMean", ["z"], ["loss"], keepdims=0),
    ]
    weights = {**channels, "eighth": np.array(0.125, np.float32)}
    model = save(tmp_path / "m.onnx", nodes, {"x": [8, 4]}, ["loss"], weights)
    np.savez(tmp_path / "d.npz", x=np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32))
    arguments = ["--data", tmp_path / "d.npz", "--loss", "loss", "--output", tmp_path / "o.onnx"]
    assert call("train", model, *arguments).stdout.splitlines()[:3] == [
        "trained: 8 elements in 2 tensors: s, b",
        "state: 8 elements in 2 tensors: m, v",
        "constant: 1 element in 1 tensor: eighth",
    ]
    rows = {row["name"]: row for row in call_json("info", model)["initializers"]}
    assert rows["m"]["role"] == "state" and rows["eighth"]["reason"].startswith("a number of rank")
    assert "eighth  float32  []     constant  a number of rank 0, " in call("info", model).stdout
    saved = {
        t.name: numpy_helper.to_array(t) for t in onnx.load(tmp_path / "o.onnx").graph.initializer
    }
    assert not np.array_equal(saved["m"], channels["m"])
    assert saved["eighth"] == 0.125


def test_training_goes_on(model: Path, data: Path) -> None:
    """Two epochs, or one and then the other: the same order, momentum and weights."""
    options = ["--lr", 0.25, "--momentum", 0.5, "--seed", 3]
    one, two, again = (model.with_name(name) for name in ("one.onnx", "two.onnx", "again.onnx"))
    whole = call_json(*words(model, data, *options, "--epochs", 2), "--output", two)
    call(*words(model, data, *options), "--output", one)
    found = call_json(*words(one, data, *options, "--first-epoch", 2), "--output", again)
    assert found["epochs"][0]["epoch"] == 2
    assert found["epochs"][0]["loss"] == whole["epochs"][1]["loss"]
    assert again.read_bytes() == two.read_bytes() != one.read_bytes()
    tensors = {tensor.name for tensor in onnx.load(two).graph.initializer}
    assert tensors == {"w", "Accl___w"}


def test_info_tells_state_from_parameters(model: Path, data: Path) -> None:
    call(*words(model, data, "--momentum", 0.5))
    found = call_json("info", model.with_name("out.onnx"))
    assert (found["parameters"]["tensors"], found["states"]["tensors"]) == (1, 1)
    assert [row["name"] for row in found["initializers"]] == ["w"]
    said = call("info", model.with_name("out.onnx")).stdout
    assert "state of training: 32 in 1 tensors" in said


def test_the_trained_model_runs_without_labels(model: Path, data: Path) -> None:
    call(*words(model, data))
    found = call_json("run", model.with_name("out.onnx"), "--check")
    assert [each["name"] for each in found["outputs"]] == ["Softmax:0"]


@pytest.mark.parametrize("type", ["SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"])
def test_the_losses_of_onnx(type: str, data: Path, tmp_path: Path) -> None:
    """Three batches in order, with weights of classes and a label to ignore, as PyTorch."""
    of = np.array([0.5, 1, 2, 1], np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["scores"])]
    given = "scores"
    if type == "NegativeLogLikelihoodLoss":
        nodes.append(helper.make_node("LogSoftmax", ["scores"], [given := "logs"], axis=1))
    names = [given, "labels", "of"]
    nodes.append(helper.make_node(type, names, ["loss"], ignore_index=3))
    inputs = {"x": ["batch", 8], "labels": ["batch"]}
    start = WEIGHT * np.float32(20)
    model = save(tmp_path / "m.onnx", nodes, inputs, ["loss"], {"w": start, "of": of})
    proto = onnx.load(model)
    proto.graph.input[1].type.tensor_type.elem_type = TensorProto.INT64
    onnx.save(proto, model)
    arrays = {name: array[:48] for name, array in np.load(data).items()}
    np.savez(data, x=arrays["x"], labels=arrays["labels"].astype(np.int64))
    options = ["--loss", "loss", "--batch-size", 16, "--no-shuffle", "--lr", 0.5]
    found = call_json("train", model, "--data", data, "--output", tmp_path / "out.onnx", *options)
    w = torch.tensor(start, requires_grad=True)
    losses = []
    for i in range(0, 48, 16):
        x, labels = (torch.tensor(arrays[name][i : i + 16]) for name in ("x", "labels"))
        loss = torch.nn.functional.cross_entropy(
            x @ w, labels.long(), torch.tensor(of), ignore_index=3
        )
        (gradient,) = torch.autograd.grad(loss, w)
        w = (w - 0.5 * gradient).detach().requires_grad_()
        losses.append(loss.item())
    assert found["epochs"][0]["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    saved = {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in onnx.load(found["output"]).graph.initializer
    }
    np.testing.assert_allclose(saved["w"], w.detach().numpy(), 1e-3, 1e-4)
    np.testing.assert_array_equal(saved["of"], of)
