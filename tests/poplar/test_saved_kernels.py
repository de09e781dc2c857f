"""Every kernel in a file: what is loaded computes and costs what was saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir import ext, poplar, poplin, popnn, popops, poprand
from popir._device.poplar import _saved_kernel_names
from popir.poplar import program
from popir.popops import expr as pe

FLOAT = poplar.FLOAT


class Case:
    """A program under construction; each input holds random numbers."""

    def __init__(self) -> None:
        model = poplar.IPUModel("ipu2")
        model.tilesPerIPU = 4
        self.device = model.createDevice()
        self.graph = poplar.Graph(self.device)
        self.prog = program.Sequence()
        self.inputs: dict[str, np.ndarray] = {}
        self.outputs: list[tuple[str, Any]] = []

    def tensor(self, shape: list[int], values: Any = None) -> Any:
        """A variable of `shape`, of `values` or of random floats."""
        array = np.asarray(values if values is not None else self._random(shape))
        name = f"in{len(self.inputs)}"
        t = self.graph.addVariable(
            poplar.typeOf(array.dtype), shape, poplar.VariableMappingMethod.LINEAR, name
        )
        self.graph.createHostWrite(name, t)
        self.inputs[name] = np.ascontiguousarray(array.reshape(shape))
        return t

    def _random(self, shape: list[int]) -> np.ndarray:
        rng = np.random.default_rng(len(self.inputs))
        return rng.uniform(0.1, 0.9, shape).astype(np.float32)

    def give(self, *tensors: Any) -> None:
        """Reads them back after the run."""
        for t in tensors:
            name = f"out{len(self.outputs)}"
            self.graph.createHostRead(name, t)
            self.outputs.append((name, t))

    def results(self, engine: Any) -> list[np.ndarray]:
        engine.load(self.device)
        for name, array in self.inputs.items():
            engine.writeTensor(name, array)
        engine.run(0)
        found = []
        for name, t in self.outputs:
            found.append(np.zeros(t.shape(), t.elementType().dtype))
            engine.readTensor(name, found[-1])
        return found


def abort(c: Case) -> None:
    condition = c.tensor([3], np.array([False] * 3))
    ext.abortOnCondition(c.graph, condition, "stop", c.prog)
    c.give(c.tensor([2]))


def arg_extremum(c: Case) -> None:
    c.give(ext.argExtremum(c.graph, c.tensor([3, 7]), False, True, c.prog))


def bias(c: Case) -> None:
    x = c.tensor([2, 3, 4])
    poplin.addBias(c.graph, x, c.tensor([3]), c.prog)
    c.give(x)


def class_loss(c: Case) -> None:
    labels = c.tensor([3], np.array([1, 0, 4], np.int32))
    loss, deltas = c.tensor([3]), c.tensor([3, 5])
    kind = popnn.LossType.CROSS_ENTROPY_LOSS
    c.prog.add(popnn.calcLoss(c.graph, c.tensor([3, 5]), labels, loss, deltas, kind))
    c.give(loss, deltas)


def conv(c: Case) -> None:
    params = poplin.ConvParams(FLOAT, 2, [5, 6], [3, 3], 4, 8, 2)
    x, w = c.tensor([2, 8, 5, 6]), c.tensor([2, 8, 4, 3, 3])
    c.give(poplin.convolution(c.graph, x, w, params, False, c.prog))


def fill(c: Case) -> None:
    x = c.tensor([4, 5])
    popops.fill(c.graph, x.slice(1, 3, 1), c.prog, 2.5)
    c.give(x)


def map_(c: Case) -> None:
    x = c.tensor([4, 5])
    c.give(popops.map(c.graph, pe.Mul(pe.Exp(pe._1), pe.Const(3.0)), [x], c.prog))


def dequantize_bits(c: Case) -> None:
    rng = np.random.default_rng(0)
    numbers = c.tensor([3, 2, 8], rng.integers(0, 256, (3, 2, 8)).astype(np.uint8))
    scales, zeros = c.tensor([2, 3]), c.tensor([2, 3])
    c.give(ext.dequantizeBits(c.graph, numbers, scales, zeros, FLOAT, 4, 20, True, c.prog))


def integer_conv(c: Case) -> None:
    rng = np.random.default_rng(0)
    x = c.tensor([1, 4, 6, 7], rng.integers(0, 255, (1, 4, 6, 7)).astype(np.uint8))
    w = c.tensor([1, 3, 4, 2, 2], rng.integers(-128, 127, (1, 3, 4, 2, 2)).astype(np.int8))
    zeros = c.tensor([1], np.array([7], np.uint8)), c.tensor([3], np.arange(3, dtype=np.int8))
    none, one, forwards = [0, 0], [1, 1], [False, False]
    same = poplin.ConvParams.InputTransform(none, none, one, one, none, forwards)
    params = poplin.ConvParams(
        *(poplar.SIGNED_CHAR, poplar.INT, 1, [6, 7], [2, 2], 4, 3, 1, same),
        poplin.ConvParams.InputTransform(none, none, one, none, none, forwards),
        poplin.ConvParams.OutputTransform(none, none, [1, 2], none, none),
    )
    c.give(ext.integerConvolution(c.graph, x, w, params, *zeros, c.prog))


def integer_product(c: Case) -> None:
    rng = np.random.default_rng(0)
    a = c.tensor([2, 5, 7], rng.integers(0, 255, (2, 5, 7)).astype(np.uint8))
    b = c.tensor([2, 7, 3], rng.integers(-128, 127, (2, 7, 3)).astype(np.int8))
    x, y = c.tensor([1], np.array([7], np.uint8)), c.tensor([2, 3], np.ones((2, 3), np.int8))
    c.give(ext.integerProduct(c.graph, a, b, x, y, c.prog))


def matmul(c: Case) -> None:
    c.give(poplin.matMul(c.graph, c.tensor([4, 6]), c.tensor([6, 5]), c.prog, FLOAT))


def max_pool_index(c: Case) -> None:
    kind = popnn.PoolingType.MAX
    params = popnn.pooling.PoolParams(kind, [6], [3], [2], [1], [1], 4, 2, FLOAT)
    c.give(
        ext.maxPoolIndices(c.graph, params, ext.PoolOptions([2]), c.tensor([2, 4, 6]), True, c.prog)
    )


def nll(c: Case) -> None:
    labels = c.tensor([3], np.array([1, 0, 4], np.int32))
    params = ext.NllParams()
    params.ignoreIndex = 0
    c.give(ext.nllLoss(c.graph, c.tensor([3, 5]), labels, params, c.prog))


def pool(c: Case) -> None:
    kind = popnn.PoolingType.AVG
    params = popnn.pooling.PoolParams(kind, [6], [3], [2], [1], [1], 4, 2, FLOAT)
    c.give(popnn.pooling.pool(c.graph, params, c.tensor([2, 4, 6]), c.prog))


def random(c: Case) -> None:
    seed = c.tensor([2], np.array([7, 9], np.uint32))
    c.give(poprand.normal(c.graph, seed, 5, c.tensor([40]), FLOAT, 1.0, 2.0, c.prog))


def reduce(c: Case) -> None:
    params = popops.ReduceParams(popops.Operation.SQUARE_ADD)
    c.give(popops.reduce(c.graph, c.tensor([3, 5, 4]), [1], params, c.prog))


def roi_pool(c: Case) -> None:
    params = ext.RoiParams()
    params.height, params.width, params.scale, params.samplingRatio = 2, 3, 0.5, 2
    regions, images = c.tensor([3, 4]), c.tensor([3], np.array([1, 0, 1], np.int32))
    c.give(ext.roiPool(c.graph, params, regions, images, c.tensor([2, 2, 5, 5]), c.prog))


def scan(c: Case) -> None:
    x, options = c.tensor([3, 5, 4]), ext.ScanOptions(True, True)
    c.give(ext.runningProduct(c.graph, x, 1, options, c.prog))


def scaled_add(c: Case) -> None:
    x = c.tensor([4, 5])
    popops.scaledAddTo(c.graph, x, c.tensor([4, 5]), 3.0, c.prog)
    c.give(x)


def slices(c: Case) -> None:
    offsets = c.tensor([3, 1], np.array([4, 0, 2], np.uint32))
    c.give(popops.multiSlice(c.graph, c.tensor([5, 6]), offsets, [0], [1], c.prog))
    plan = popops.embeddingPlan(c.graph, FLOAT, 1, 5, 6, [3])
    c.give(popops.multiSlice(c.graph, c.tensor([5, 6]), offsets, [0], [1], c.prog, plan))


def softmax(c: Case) -> None:
    c.give(popnn.logSoftmax(c.graph, c.tensor([3, 5]), c.prog))


def top_k(c: Case) -> None:
    params = popops.TopKParams(3, False, popops.SortOrder.DESCENDING)
    c.give(*popops.topKWithPermutation(c.graph, c.prog, c.tensor([4, 9]), params))


def transpose(c: Case) -> None:
    cs = c.graph.addComputeSet("turn")
    c.give(popops.rearrange.partialTranspose(c.graph, c.tensor([3, 4, 8]), cs))
    c.prog.add(program.Execute(cs))


PROGRAMS: dict[str, Callable[[Case], None]] = {
    "abort": abort,
    "arg extremum": arg_extremum,
    "bias": bias,
    "class loss": class_loss,
    "conv": conv,
    "fill": fill,
    "dequantize bits": dequantize_bits,
    "integer conv": integer_conv,
    "integer product": integer_product,
    "map": map_,
    "matmul": matmul,
    "max pool index": max_pool_index,
    "nll": nll,
    "pool": pool,
    "random": random,
    "reduce": reduce,
    "roi pool": roi_pool,
    "scaled add": scaled_add,
    "scan": scan,
    "slices": slices,
    "softmax": softmax,
    "top k": top_k,
    "transpose": transpose,
}
"""A program with a vertex of each kernel, by the kernel's name in files."""


IN_CPP = ["ctc loss", "ctc search", "gfloat", "histogram", "iota"]
IN_CPP += ["quarter cast", "quarter contraction"]
"""The kernels of functions that Python does not have: test_small_floats.py, test_quarters.py, and
test_library.py of popnn and popops save them."""


def test_every_kernel_has_a_program() -> None:
    assert sorted([*PROGRAMS, *IN_CPP]) == _saved_kernel_names()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_kernel_comes_back_as_it_was(name: str) -> None:
    case = Case()
    PROGRAMS[name](case)
    data = poplar.compileGraph(case.graph, [case.prog]).serialize()
    assert len(name).to_bytes(8, "little") + name.encode() in data
    grown = poplar.Engine(case.graph, case.prog)
    loaded = poplar.Engine(poplar.Executable.deserialize(data))
    assert loaded.machineReport() == grown.machineReport()
    results = case.results(grown)
    assert results
    for expected, found in zip(results, case.results(loaded), strict=True):
        assert expected.any()
        np.testing.assert_array_equal(found, expected)


def test_a_convolution_gradient_that_reads_halves_and_writes_floats_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ConvTranspose is the gradient of a convolution's input, summed in float."""
    rng = np.random.default_rng(0)
    w, x = (rng.standard_normal(shape).astype(np.float16) for shape in ((2, 3, 3), (1, 2, 5)))
    graph = helper.make_graph(
        [helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[2])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT16, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT16, None)],
        [numpy_helper.from_array(w, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    options = popir.SessionOptions(enableEngineCaching=True, cachePath=str(tmp_path))
    results: list[np.ndarray] = []
    for _ in range(2):
        session = popir.InferenceSession(
            model.SerializeToString(),
            popir.DataFlow(1, ["y"]),
            popir.DeviceManager().createCpuDevice(),
            userOptions=options,
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({"x": x}, anchors))
        results.append(anchors["y"])
        monkeypatch.setattr(poplar, "compileGraph", None)  # The second is loaded, not compiled.
    np.testing.assert_array_equal(*results)
