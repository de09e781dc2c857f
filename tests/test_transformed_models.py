"""Outlining and in-place variants change no bit: random graphs and networks, with and without."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import popir
from models import light
from popir.ir.graph import called_graphs
from tests.models import floats, step, transformed
from tests.plans import instructions

Arrays = dict[str, np.ndarray[Any, Any]]
SIZES = 6, 17
"""All tensors of a random graph are squares of one of these."""


def side(seed: int) -> int:
    """The size of the graph of that seed."""
    return SIZES[seed // 2 % 2]


def random_model(seed: int) -> tuple[Any, str, list[str]]:
    """A graph of element-wise operators, views, products and repeated blocks; its loss, and tensors
    to return.
    """
    generator = np.random.default_rng(seed)
    N = side(seed)
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    on, own = builder.aiOnnx, builder.aiGraphcore
    known = [builder.addInputTensor("FLOAT", [N, N], "x")]
    known += [builder.addInitializedInputTensor(floats(N, N, seed=i), f"w{i}") for i in range(3)]
    half = on.constant(np.full((N, N), 0.5, np.float32))

    def pick() -> str:
        recent = known[-4:] if generator.random() < 0.7 else known
        return recent[generator.integers(len(recent))]

    def weight() -> str:
        return known[1 + generator.integers(3)]

    def block(t: str) -> str:
        return on.tanh([on.add([on.matmul([t, weight()]), t])])

    def ints(values: list[int]) -> str:
        return on.constant(np.array(values, np.int64))

    def halves(t: str, axis: int) -> str:
        parts = [on.slice([t, *map(ints, ([b], [e], [axis]))]) for b, e in ((3, N), (0, 3))]
        return on.concat([on.sigmoid([parts[0]]), parts[1]], axis)

    def sums(t: str, axis: int) -> str:
        part = on.tanh([on.slice([t, *map(ints, ([1], [N], [axis]))])])
        return on.mul([on.reducesum([part, ints([0, 1])]), half])

    ways = [
        lambda: on.relu([pick()]),
        lambda: on.leakyrelu([pick()], 0.25),
        lambda: own.scale([pick()], 0.5),
        lambda: on.add([pick(), pick()]),
        lambda: on.mul([pick(), half]),
        lambda: on.sub([weight(), pick()]),
        lambda: on.transpose([pick()], [1, 0]),
        lambda: on.reshape([on.reshape([pick(), ints([N * N])]), ints([N, N])]),
        lambda: on.identity([pick()]),
        lambda: halves(pick(), 0),
        lambda: halves(pick(), 1),
        lambda: sums(pick(), generator.integers(2)),
        lambda: on.softmax([pick()], 1),
        lambda: on.expand([on.reducemean([pick()], [0]), ints([N, N])]),
        lambda: block(pick()),
        lambda: block(block(block(pick()))),
    ]
    for _ in range(25):
        known.append(on.tanh([ways[generator.integers(len(ways))]()]))
    loss = own.l1loss([on.add([on.add([known[-1], known[-2]]), known[1]])], 1.0)
    builder.addOutputTensor(loss)
    kept = [known[i] for i in generator.choice(np.arange(4, len(known)), 3, replace=False)]
    return builder.getModelProto(), loss, kept


def results(seed: int, outlining: bool, inplace: bool, threshold: float) -> tuple[Arrays, Any]:
    """Anchors and weights of a training step of two batches."""
    model, loss, kept = random_model(seed)
    options = popir.SessionOptions(enableOutlining=outlining)
    if outlining:
        options.outlineThreshold = threshold
        options.enableOutliningCopyCostPruning = threshold > 0
    session = popir.TrainingSession(
        model,
        popir.DataFlow(2, {id: popir.AnchorReturnType("All") for id in [loss, *kept]}),
        loss,
        popir.ConstSGD(0.01),
        popir.DeviceManager().createCpuDevice(),
        patterns=popir.Patterns().enablePattern("InPlace", inplace),
        userOptions=options,
    )
    session.prepareDevice()
    N = side(seed)
    found = step(session, {"x": floats(2, N, N, seed=9)})
    weights = {f"w{i}": np.empty((N, N), np.float32) for i in range(3)}
    session.weightsToHost()
    used = {id: a for id, a in weights.items() if session.graph.hasTensor(id)}
    session.readWeights(popir.PyWeightsIO(used))
    return {**found, **used}, session


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int) -> None:
    threshold = (1.0, -1.0)[seed % 2]
    plain, _ = results(seed, False, False, threshold)
    for outlining, inplace in ((False, True), (True, False), (True, True)):
        found, _ = results(seed, outlining, inplace, threshold)
        for id, array in plain.items():
            np.testing.assert_array_equal(found[id], array, f"{id} {outlining} {inplace}")


def test_an_input_that_all_calls_share_in_the_memory_of_a_function_that_they_call() -> None:
    def result(outlining: bool) -> np.ndarray[Any, Any]:
        builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
        on = builder.aiOnnx
        x = builder.addInputTensor("FLOAT", [N, N], "x")
        shared = on.tanh([on.relu([x])])  # the function of Tanh leaves it
        last, parts = on.exp([x]), list[str]()
        for _ in range(2):  # calls of one function, which calls that of Tanh before it reads
            parts.append(on.tanh([last]))
            last = on.transpose([shared], [1, 0])
        parts += [on.tanh([last]), on.tanh([on.sin([last])])]
        out = on.concat(parts, 0)
        builder.addOutputTensor(out)
        options = {"outlineThreshold": -1.0, "enableOutliningCopyCostPruning": False}
        session = transformed(
            builder.getModelProto(), out, outlining, False, **options if outlining else {}
        )
        called = [
            sorted(op.opid.type for op in g.ops.values()) for g in called_graphs(session.graph)[1:]
        ]
        assert not outlining or sorted(called) == [["Call", "Transpose"], ["Tanh"]]
        return step(session, {"x": floats(N, N, seed=3)})[out]

    N = SIZES[0]
    np.testing.assert_array_equal(result(True), result(False))


def layered(layers: int) -> tuple[Any, str]:
    """A chain of layers, each a product, a bias, an activation and a residual."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    h = builder.addInputTensor("FLOAT", [32, 64], "x")
    for i in range(layers):
        w = builder.addInitializedInputTensor(floats(64, 64, seed=i), f"w{i}")
        b = builder.addInitializedInputTensor(floats(64, seed=i), f"b{i}")
        y = builder.aiOnnx.add([builder.aiOnnx.matmul([h, w], f"layer{i}/fc"), b])
        h = builder.aiOnnx.add([builder.aiOnnx.relu([y]), h])
    builder.addOutputTensor(h)
    return builder.getModelProto(), h


def machine(outlining: bool, inplace: bool) -> popir.InferenceSession:
    """A session of eight layers on a simulated machine of 16 tiles."""
    return on_machine(*layered(8), outlining, inplace)


def on_machine(model: Any, out: str, outlining: bool, inplace: bool) -> popir.InferenceSession:
    """A session of a model on the same machine."""
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16})
    engine = {"debug.allowOutOfMemory": "true"}
    return transformed(model, out, outlining, inplace, device, engineOptions=engine)


def memory(session: popir.InferenceSession) -> dict[str, int]:
    return {row.category: row.totalBytes for row in session.getReport().memory}


def test_outlining_saves_code_and_vertices_on_the_machine() -> None:
    plain, outlined = memory(machine(False, False)), memory(machine(True, False))
    assert outlined["vertex state"] < plain["vertex state"]
    assert outlined["exchange code"] < plain["exchange code"]
    code = ("vertex code", "control code", "exchange code", "vertex state")
    assert sum(outlined[c] for c in code) < 0.95 * sum(plain[c] for c in code)


def test_in_place_variants_save_temporaries() -> None:
    def temporaries(inplace: bool) -> int:
        builder = popir.Builder(opsets={"ai.onnx": 13})
        column = builder.addInitializedInputTensor(floats(128, 1), "w")
        h = builder.aiOnnx.add([builder.addInputTensor("FLOAT", [1, 128], "x"), column])
        for way in (builder.aiOnnx.tanh, builder.aiOnnx.sigmoid, builder.aiOnnx.relu) * 2:
            h = way([h])
        builder.addOutputTensor(h)
        return memory(on_machine(builder.getModelProto(), h, False, inplace))["temporaries"]

    whole = 128 * 128 * 4
    assert 2 * whole <= temporaries(False) < 2.1 * whole
    assert whole <= temporaries(True) < 1.1 * whole


@pytest.mark.parametrize("name", ["squeezenet", "resnet50", "shufflenet"])
def test_classifiers(name: str) -> None:
    model = light.randomized(light.path(name))
    model.graph.output[0].name = out = light.logits(model)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    id, shape = light.image_input(model)
    image = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    found: list[Any] = []
    for outlining, inplace in itertools.product((False, True), repeat=2):
        session = transformed(model, out, outlining, inplace)
        types = {op.opid.type for op in session.graph.ops.values()}
        assert (("Call" in types) or ("ReluInplace" in types)) == (outlining or inplace)
        found.append(step(session, {id: image})[out])
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_the_host_runs_the_same_steps() -> None:
    def kernels(outlining: bool, inplace: bool) -> list[list[str]]:
        text = instructions(machine(outlining, inplace)._engine)
        rows = (line.split() for line in text.splitlines())
        return [[word for word in row if "/" not in word and word != "+"] for row in rows]

    plain = kernels(False, False)
    assert kernels(True, False) == plain
    assert kernels(True, True) == plain


def test_the_host_s_profile_names_the_model_s_operators() -> None:
    model, out = layered(3)
    session = transformed(model, out, True, True, engineOptions={"host.profile": "true"})
    assert "Call" in {op.opid.type for op in session.graph.ops.values()}
    rows = session.getHostProfile().instructions
    assert [row.operator for row in rows if row.type == "MatMul"] == [
        f"layer{i}/fc" for i in range(3)
    ]


def test_the_machine_s_profile_names_the_model_s_operators() -> None:
    plain, outlined = (machine(outlining, False).getProfile().data for outlining in (False, True))

    def products(profile: dict[str, Any], key: str) -> dict[str, Any]:
        rows = [row for row in profile["operators"] if row["type"] == "MatMul"]
        return {row["name"]: row[key] for row in rows}

    names = [f"layer{i}/fc" for i in range(8)]
    assert list(products(outlined, "cycles")) == list(products(plain, "cycles")) == names
    for key in ("flops", "weight_bytes", "output_bytes"):
        assert products(outlined, key) == products(plain, key)
    assert min(products(outlined, "cycles").values()) > 0
    state = list(products(outlined, "vertex_state_bytes").values())
    assert state[0] > 0 and not any(state[1:])
    streams = sum(s["cycles"] * s["times"] for s in outlined["steps"] if s["operator"] is None)
    operators = sum(row["cycles"] for row in outlined["operators"])
    assert operators + streams == outlined["totals"]["cycles"]
