"""Steps that run block of rows by block of rows, against the same steps one after another."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir

TYPES = {"FLOAT": np.float32, "FLOAT16": np.float16, "DOUBLE": np.float64}


class Model:
    """Operators appended one after another to a model with the inputs given."""

    def __init__(self, inputs: dict[str, list[int]], type: str = "FLOAT") -> None:
        self.type = TensorProto.DataType.Value(type)
        self.numpy = TYPES[type]
        self.inputs = inputs
        self.nodes: list = []
        self.initializers: list = []

    def add(self, kind: str, *inputs: str, **attributes) -> str:
        out = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def constant(self, value) -> str:
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def proto(self, outputs: list[str]) -> bytes:
        def value(name: str, shape) -> object:
            return helper.make_tensor_value_info(name, self.type, shape)

        graph = helper.make_graph(
            self.nodes,
            "rows",
            [value(name, shape) for name, shape in self.inputs.items()],
            [value(name, None) for name in outputs],
            self.initializers,
        )
        opsets = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def run(proto: bytes, outputs: list[str], feeds: dict, fuse: bool = True, threads: int = 2):
    """The outputs, and the plan."""
    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": str(threads), "host.fuse": str(fuse).lower()}
    device = popir.DeviceManager().createCpuDevice()
    dataflow = popir.DataFlow(1, outputs)
    session = popir.InferenceSession(proto, dataflow, device, userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(feeds, anchors))
    return [anchors[name].copy() for name in outputs], session.planText()


def feeds_of(model: Model, seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {k: random.standard_normal(s).astype(model.numpy) for k, s in model.inputs.items()}


def check_same_bits(model: Model, outputs: list[str], threads: int = 2, seed: int = 0) -> str:
    """The plan, after a comparison with the program as it was grown."""
    proto, feeds = model.proto(outputs), feeds_of(model, seed)
    got, plan = run(proto, outputs, feeds, threads=threads)
    expected, apart = run(proto, outputs, feeds, fuse=False, threads=threads)
    assert "  rows " not in apart
    for name, a, b in zip(outputs, got, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=f"{name}\n{plan}")
    return plan


def normalized(model: Model, x: str) -> str:
    """A normalization of the last dimension, from its parts."""
    mean = model.add("ReduceMean", x, axes=[-1])
    centered = model.add("Sub", x, mean)
    square = model.add("Mul", centered, centered)
    variance = model.add("ReduceMean", square, axes=[-1])
    return model.add("Div", centered, model.add("Sqrt", variance))


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    "shape", [[640, 48], [3, 41, 16, 40], [1, 197, 33], [2, 64, 7, 96]], ids=str
)
def test_normalizations(shape: list[int], threads: int, type: str) -> None:
    model = Model({"x": shape}, type)
    out = model.add("Softmax", normalized(model, "x"), axis=-1)
    plan = check_same_bits(model, [out], threads)
    assert "run by rows" in plan and plan.count("  rows ") == 1
    assert "  softmax " not in plan


@pytest.mark.parametrize("softmax", [False, True])
def test_rows_that_fill_the_last_level_cache(softmax: bool) -> None:
    """Results are stored past it: input and result have 27 MB, the limit 24 MiB at most."""
    model = Model({"x": [3301, 1024]})
    out = normalized(model, "x")
    if softmax:
        out = model.add("Softmax", out, axis=-1)
    assert check_same_bits(model, [out]).count("  rows ") == 1


def test_values_that_others_read_are_written() -> None:
    model = Model({"x": [256, 64]})
    y = normalized(model, "x")
    plan = check_same_bits(model, [y, "Sub_1", "ReduceMean_3", model.add("LogSoftmax", y, axis=-1)])
    assert "  rows " in plan


def test_sums_over_rows_stay_apart() -> None:
    """What every row needs is known only after the last row."""
    model = Model({"x": [256, 64]})
    y = normalized(model, "x")
    total = model.add("ReduceSum", y, model.constant([0]), keepdims=1)
    plan = check_same_bits(model, [model.add("Softmax", model.add("Mul", y, total), axis=-1)])
    assert plan.count("  rows ") == 2


def test_rows_in_another_order_stay_apart() -> None:
    model = Model({"x": [128, 128]})
    y = model.add("Softmax", normalized(model, "x"), axis=-1)
    z = model.add("Transpose", y, perm=[1, 0])
    plan = check_same_bits(model, [model.add("Softmax", model.add("Add", z, y), axis=-1)])
    assert plan.count("  rows ") == 2


def test_few_rows_stay_apart() -> None:
    model = Model({"x": [7, 4096]})
    plan = check_same_bits(model, [model.add("Softmax", normalized(model, "x"), axis=-1)])
    assert "  rows " not in plan


def test_loops() -> None:
    """Steps of a loop's body and those after it stay apart."""
    builder = popir.Builder()
    onnx = builder.aiOnnxOpset11
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [64, 32]))
    body = builder.createSubgraphBuilder()
    inner = body.aiOnnxOpset11
    body.addInputTensor(popir.TensorInfo("INT64", []))
    keep = body.addInputTensor(popir.TensorInfo("BOOL", []))
    state = body.addInputTensor(popir.TensorInfo("FLOAT", [64, 32]))
    mean = inner.reducemean([state], axes=[1])
    out = inner.softmax([inner.sub([state, mean])], axis=1)
    for id in (keep, out):
        body.addOutputTensor(id)
    count = onnx.constant(np.array(3, np.int64))
    (looped,) = onnx.loop([count, onnx.constant(np.array(True)), x], 1, body)
    y = onnx.softmax([onnx.sub([looped, onnx.reducemean([looped], axes=[1])])], axis=1)
    builder.addOutputTensor(y)
    feeds = {x: np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)}
    (got,), plan = run(builder.getModelProto(), [y], feeds)
    (expected,), _ = run(builder.getModelProto(), [y], feeds, fuse=False)
    np.testing.assert_array_equal(got, expected)
    assert plan.count("  rows ") == 2


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    """Chains of reductions, element-wise operators, softmax and views over shapes of any kind."""
    random = np.random.default_rng(seed)
    shape = [int(n) for n in random.integers(1, 40, random.integers(2, 5))]
    type = random.choice(list(TYPES))
    model = Model({"x": shape, "y": shape}, type)
    values = ["x", "y"]
    rank = len(shape)
    for _ in range(random.integers(4, 16)):
        a, b = random.choice(values, 2)
        axis = int(random.integers(0, rank)) if random.random() < 0.2 else rank - 1
        kind = random.choice(["Add", "Mul", "Max", "Tanh", "Neg", "reduce", "Softmax", "view"])
        if kind in ("Add", "Mul", "Max"):
            new = model.add(kind, a, b)
        elif kind in ("Tanh", "Neg"):
            new = model.add(kind, a)
        elif kind == "Softmax":
            new = model.add(random.choice(["Softmax", "LogSoftmax"]), a, axis=axis)
        elif kind == "reduce":
            less = model.add(random.choice(["ReduceMax", "ReduceMean"]), a, axes=[axis])
            new = model.add("Sub", b, less)
        else:
            order = [int(d) for d in random.permutation(rank)]
            back = [int(d) for d in np.argsort(order)]
            turned = model.add("Tanh", model.add("Transpose", a, perm=order))
            new = model.add("Transpose", turned, perm=back)
        values.append(new)
    outputs = [values[-1], *random.choice(values[2:], 1)]
    check_same_bits(model, list(dict.fromkeys(outputs)), int(random.integers(1, 4)), seed)


def attention(model: Model, batch: int, length: int, heads: int, size: int, keys: str) -> str:
    """Attention of several heads over inputs q, k and v of [batch, length, heads * size]."""
    split = model.constant(np.array([batch, length, heads, size]))

    def heads_of(id: str, perm: list[int]) -> str:
        return model.add("Transpose", model.add("Reshape", id, split), perm=perm)

    q, k, v = heads_of("q", [0, 2, 1, 3]), heads_of("k", [0, 2, 3, 1]), heads_of("v", [0, 2, 1, 3])
    scores = model.add("Mul", model.add("MatMul", q, k), model.constant(np.float32(size**-0.5)))
    if keys:
        scores = model.add("Add", scores, keys)
    out = model.add("MatMul", model.add("Softmax", scores, axis=-1), v)
    joined = model.constant(np.array([batch, length, heads * size]))
    return model.add("Reshape", model.add("Transpose", out, perm=[0, 2, 1, 3]), joined)


@pytest.mark.parametrize("mask", [[], [1, 1, 1, -1], [1, 1, -1, -1], [-1, 1, 1, -1]], ids=str)
@pytest.mark.parametrize(
    "sizes", [(16, 64, 2, 64), (1, 128, 12, 64), (3, 197, 3, 40), (2, 300, 4, 16), (1, 9, 8, 8)]
)
def test_attention_is_one_step(sizes: tuple[int, int, int, int], mask: list[int]) -> None:
    batch, length, heads, size = sizes
    shape = [batch, length, heads * size]
    inputs = {"q": shape, "k": shape, "v": shape}
    if mask:
        inputs["mask"] = [
            batch if mask[0] < 0 else 1,
            1,
            *(length if n < 0 else 1 for n in mask[2:]),
        ]
    model = Model(inputs)
    out = attention(model, batch, length, heads, size, "mask" if mask else "")
    proto, feeds = model.proto([out]), feeds_of(model)
    (got,), plan = run(proto, [out], feeds)
    session = onnxruntime.InferenceSession(proto, providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(got, session.run(None, feeds)[0], rtol=1e-4, atol=1e-5)
    assert plan.count("  rows ") == 1 and "  matmul " not in plan
    assert plan.count("  gather ") <= 1


def test_threads_change_no_bits() -> None:
    model = Model({name: [2, 256, 128] for name in "qkv"})
    out = attention(model, 2, 256, 4, 32, "")
    feeds = feeds_of(model)
    runs = [run(model.proto([out]), [out], feeds, threads=n)[0][0] for n in (1, 2, 3)]
    for other in runs[1:]:
        np.testing.assert_array_equal(runs[0], other)
