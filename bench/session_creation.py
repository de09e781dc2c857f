"""The time to create a session (import, compile, prepareDevice) against onnxruntime's.

    python -m bench.session_creation                     every model, in two or three sizes
    python -m bench.session_creation gpt                 some of chain, mixed, gpt, networks
    python -m bench.session_creation gpt:12,48           other sizes: operators, or layers of a GPT
    python -m bench.session_creation --json FILE         the figures as JSON too

`chain` is a chain of unary element-wise operators, `mixed` repeats ten operators of several kinds,
`gpt` is a transformer of small layers, so that operators and not numbers take the time; `networks`
are ResNet-50 and four BERT layers as PyTorch's exporter writes them. The peer is
onnxruntime.InferenceSession for the inference model; training is a TrainingSession with constant
SGD, against the same. As in all measurements a ratio is the peer's time over popir's. The two take
turns in one process, and what counts is processor time. What a session leaves to the garbage
collector is collected after it, and not counted. Time that is linear has the same microseconds per
node in all sizes.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

from bench import inference, peers, training
from bench.report import Report, measurement

ROUNDS = 5
NETWORKS = ["ResNet-50, batch 1", "4 BERT-base layers, 128 tokens"]
LOSS = "loss"
Array = np.ndarray[Any, Any]


class Model:
    """A model under construction, in opset 17, with one input `x` and one output."""

    def __init__(self, shape: list[int]) -> None:
        self.shape = shape
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self._random = np.random.default_rng(0)

    def add(self, type: str, *inputs: str, **attributes: Any) -> str:
        """Adds a node and returns its output."""
        id = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(type, list(inputs), [id], name=f"n{id}", **attributes))
        return id

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """Adds an initializer with a value."""
        id = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype), id))
        return id

    def weight(self, *shape: int) -> str:
        """Adds a weight of random numbers."""
        return self.constant(self._random.standard_normal(shape) / np.sqrt(shape[0]))

    def made(self, output: str, training: bool) -> bytes:
        """The bytes of the model; for training, with the mean of the output as its loss."""
        nodes, shape = list(self.nodes), self.shape
        if training:
            nodes.append(helper.make_node("ReduceMean", [output], [LOSS], keepdims=0))
            output, shape = LOSS, []
        kind = TensorProto.FLOAT
        graph = helper.make_graph(
            nodes,
            "creation",
            [helper.make_tensor_value_info("x", kind, self.shape)],
            [helper.make_tensor_value_info(output, kind, shape)],
            self.initializers,
        )
        opset = helper.make_opsetid("", 17)
        model: ModelProto = helper.make_model(graph, opset_imports=[opset], ir_version=8)
        return model.SerializeToString()


def chain(count: int) -> tuple[Model, str]:
    """Unary operators, one after another."""
    model, at = Model([8, 16]), "x"
    for i in range(count):
        at = model.add(["Relu", "Exp", "Tanh", "Sigmoid", "Neg", "Abs"][i % 6], at)
    return model, at


def mixed(count: int) -> tuple[Model, str]:
    """Products, views, softmax and element-wise operators, ten a round."""
    model, at = Model([8, 16]), "x"
    weights = [model.weight(16, 16) for _ in range(8)]
    flat, stacked = model.constant([8, 16], np.int64), model.constant([2, 4, 16], np.int64)
    for i in range(count // 10):
        t = model.add("Relu", model.add("MatMul", at, weights[i % 8]))
        t = model.add("Transpose", model.add("Reshape", t, stacked), perm=[1, 0, 2])
        t = model.add("Transpose", model.add("Softmax", t, axis=-1), perm=[1, 0, 2])
        t = model.add("Add", model.add("Reshape", t, flat), at)
        at = model.add("Tanh", model.add("Mul", t, t))
    return model, at


def gpt(layers: int, width: int = 64, heads: int = 4, length: int = 32) -> tuple[Model, str]:
    """A transformer as exporters write it: normalisation, GELU and attention in small operators."""
    model, at = Model([1, length, width]), "x"
    add, constant, weight = model.add, model.constant, model.weight
    mask = constant(np.triu(np.full((length, length), -1e9), 1))

    def norm(t: str) -> str:
        centred = add("Sub", t, add("ReduceMean", t, axes=[-1]))
        variance = add("ReduceMean", add("Pow", centred, constant(2)), axes=[-1])
        t = add("Div", centred, add("Sqrt", add("Add", variance, constant(1e-5))))
        return add("Add", add("Mul", t, weight(width)), weight(width))

    def dense(t: str, rows: int, columns: int) -> str:
        return add("Add", add("MatMul", t, weight(rows, columns)), weight(columns))

    def by_head(t: str, perm: list[int]) -> str:
        shape = constant([1, length, heads, width // heads], np.int64)
        return add("Transpose", add("Reshape", dense(t, width, width), shape), perm=perm)

    for _ in range(layers):
        t = norm(at)
        query, value = by_head(t, [0, 2, 1, 3]), by_head(t, [0, 2, 1, 3])
        scores = add("MatMul", query, by_head(t, [0, 2, 3, 1]))
        scores = add("Add", add("Div", scores, constant(np.sqrt(width / heads))), mask)
        t = add("MatMul", add("Softmax", scores, axis=-1), value)
        shape = constant([1, length, width], np.int64)
        t = add("Reshape", add("Transpose", t, perm=[0, 2, 1, 3]), shape)
        at = add("Add", at, dense(t, width, width))
        t = dense(norm(at), width, 4 * width)
        bell = add("Add", add("Erf", add("Div", t, constant(np.sqrt(2)))), constant(1))
        t = add("Mul", add("Mul", t, constant(0.5)), bell)
        at = add("Add", at, dense(t, 4 * width, width))
    return model, at


MODELS: dict[str, tuple[Callable[[int], tuple[Model, str]], list[int], bool]] = {
    "chain": (chain, [2_500, 5_000, 10_000], False),
    "mixed": (mixed, [2_500, 5_000, 10_000], True),
    "gpt": (gpt, [12, 24, 48], True),
}
"""For each model: how it is made, its sizes, and whether it has weights to train."""


def seconds(call: Callable[[], object]) -> float:
    """The processor time of a call, without that to remove its result."""
    start = time.process_time()
    made = call()
    taken = time.process_time() - start
    del made
    gc.collect()
    return taken


def measure(inference: bytes, trained: bytes | None, output: str) -> peers.Result:
    """The times of popir, for the model to train if there is one, and of onnxruntime."""
    import onnxruntime

    import popir

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    device = popir.DeviceManager().createCpuDevice()

    def theirs() -> object:
        return onnxruntime.InferenceSession(inference, options, providers=["CPUExecutionProvider"])

    def ours() -> object:
        if trained is not None:
            flow, optimizer = popir.DataFlow(1, [LOSS]), popir.ConstSGD(0.01)
            session = popir.TrainingSession(trained, flow, LOSS, optimizer, device)
        else:
            session = popir.InferenceSession(inference, popir.DataFlow(1, [output]), device)
        session.prepareDevice()
        return session

    rounds = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    return peers.Result.of(*zip(*rounds, strict=True))


def generated(asked: str) -> Iterator[tuple[str, int, bytes, bytes | None, str]]:
    """For a name of MODELS, with sizes or without: the row's name, nodes, the model of inference,
    the one to train where that is measured, and the output.
    """
    name, _, given = asked.partition(":")
    make, sizes, is_trained = MODELS[name]
    for size in map(int, given.split(",")) if given else sizes:
        model, output = make(size)
        count, plain = len(model.nodes), model.made(output, False)
        yield f"{name} {size}", count, plain, None, output
        if is_trained:
            yield f"{name} {size}, training", count, plain, model.made(output, True), output


def exported(asked: str) -> Iterator[tuple[str, int, bytes, bytes | None, str]]:
    """The same for networks of `bench.networks`."""
    from bench import networks

    for name in NETWORKS:
        with tempfile.TemporaryDirectory() as made:
            file = Path(made) / "model.onnx"
            inference.write(*networks.made(name), Path(made))
            plain = file.read_bytes()
            count = len(onnx.load_from_string(plain).graph.node)
            yield name, count, plain, None, "y"
            network, x = networks.made(name)
            training.write(network.train(), x, Path(made))
            yield f"{name}, training", count, plain, file.read_bytes(), "y"


@measurement()
def main(report: Report) -> None:
    """Measure and print."""
    names = report.asked.words or [*MODELS, "networks"]
    if unknown := [n for n in names if n.partition(":")[0] not in (*MODELS, "networks")]:
        raise SystemExit(f"no model {', '.join(unknown)}; there are: {', '.join(MODELS)}, networks")
    columns = peers.Result.columns("onnxruntime")[:-1]
    report.table("model", "nodes", *columns, "popir us a node")
    for each in names:
        for name, count, *models in (exported if each == "networks" else generated)(each):
            found = measure(*models)
            report.row(name, count, *found.cells()[:-1], 1e6 * found.popir / count)


if __name__ == "__main__":
    main(sys.argv[1:])
