"""What the compiler offers to lowerings, factories and settings written in C++."""

import ctypes
from pathlib import Path

import numpy as np

import popir
from popir import Op, OperatorIdentifier, TensorInfo, poplar, registry
from popir.ir.traits import OpSerialiser
from popir.lowering.lowering import Lowering
from popir.patterns import Patterns, apply_patterns
from popir.poplar import program
from popir.testing import run
from popir.transforms.prune import prune
from tests.popart.graphs import graph, refusal
from tests.popart.libraries import isolated

DOMAIN = "test.services"
LINEAR = poplar.VariableMappingMethod.LINEAR


def add(g: popir.Graph, type: str, inputs: list[str], out: str, **attributes: object) -> Op:
    g.opsets[DOMAIN] = 1
    tensors = [g.getTensor(id) for id in inputs]
    op = registry.createOp(DOMAIN, type, 1, Op.Settings(g, ""), attributes, tensors, [out])
    return g.createConnectedOp(lambda: op, dict(enumerate(inputs)), {0: out})


def texts(op: Op) -> dict[str, str]:
    os = OpSerialiser()
    op.appendAttributes(os)
    return os.attributes


def check_steps(library: str) -> None:
    ctypes.CDLL(library)
    x, t = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([10, 20, 30])
    (y,) = run(f"{DOMAIN}.Steps", [x, t])
    np.testing.assert_array_equal(y, 2 * x + 30)
    g = graph(t=("FLOAT", [3]), x=("FLOAT", [2, 3]))
    add(g, "Steps", ["x", "t"], "y")
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})
    lowering = Lowering(g, device.device, ["y"])
    lowering.grow()
    made = lowering.tensor("x")
    tiles = [i for i, spans in enumerate(lowering.graph.getTileMapping(made)) if spans]
    assert tiles == [0]
    wrong = add(graph(t=("FLOAT", [3]), x=("FLOAT", [2, 3])), "Late", ["x", "t"], "y")
    said = refusal(popir.MissingOpxError, registry.createOpx, wrong, None)
    assert f"no Opx is registered for {DOMAIN}.Late:1" in said


def test_what_a_lowering_asks_for(library, tmp_path: Path) -> None:
    isolated(check_steps, library("services"), cwd=tmp_path)


def check_product(library: str) -> None:
    ctypes.CDLL(library)
    a, b = np.float32([[1, 2], [3, 4], [5, 6]]), np.float32([[7, 8, 9], [1, 2, 3]])
    (y,) = run(f"{DOMAIN}.Product", [a, b])
    np.testing.assert_array_equal(y, a @ b)
    g = graph(a=("FLOAT", [1, 2]), b=("FLOAT", [2, 3]))
    op = add(g, "Product", ["a", "b"], "y")
    devicex = Lowering(g, popir.DeviceManager().createCpuDevice().device, ["y"]).devicex
    opx = registry.createOpx(op, devicex)
    assert opx.mustExistBeforeCreateDNF(1) == [["a", "b"], ["a"]]
    assert opx.mustExistBeforeCreate(0) == ["a", "b"]
    assert [opx.canUnwind(i, 0) for i in (0, 1)] == [True, False]
    for id, shape in (("a", [1, 2]), ("b", [2, 3])):
        devicex.insert(id, devicex.graph().addVariable(poplar.FLOAT, shape, LINEAR, id))
    said = refusal(popir.popart_exception, opx.grow, program.Sequence())
    assert "its Opx does not say what creates an input as it does input 0" in said


def check_options(library: str) -> None:
    ctypes.CDLL(library)

    def cycles(**options: object) -> int:
        builder = popir.Builder(opsets={"ai.onnx": 17, DOMAIN: 1})
        inputs = [builder.addInputTensor("FLOAT16", [512, 512], name) for name in "ab"]
        (y,) = builder.customOp("Product", 1, DOMAIN, inputs, {})
        session = popir.InferenceSession(
            *(builder.getModelProto(), popir.DataFlow(1, [y])),
            popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 64}),
            userOptions=popir.SessionOptions(**options),
        )
        session.prepareDevice()
        return session.getCycleCount()

    usual = cycles()
    assert cycles(matmulOptions={"availableMemoryProportion": "0.02"}) > usual
    assert cycles(partialsTypeMatMuls="half") < usual
    assert cycles(lstmOptions={"partialsType": "half"}) == usual


def test_options_of_the_session_are_those_of_the_lowering(library, tmp_path: Path) -> None:
    isolated(check_options, library("services"), cwd=tmp_path)


def test_caches_options_and_graphs_of_a_lowering(library, tmp_path: Path) -> None:
    isolated(check_product, library("services"), cwd=tmp_path)


def check_aligned(library: str) -> None:
    ctypes.CDLL(library)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    y, grouped = run(f"{DOMAIN}.Aligned", [x], outputs=2)
    np.testing.assert_array_equal(y, 2 * x.reshape(4, 2, 3).transpose(1, 0, 2))
    np.testing.assert_array_equal(grouped, x.reshape(2, 4, 3).transpose(0, 2, 1))


def test_tensors_for_plans(library, tmp_path: Path) -> None:
    isolated(check_aligned, library("services"), cwd=tmp_path)


def check_rows(library: str) -> None:
    ctypes.CDLL(library)
    rng = np.random.default_rng(0)
    tables, rows = (rng.standard_normal((2, n, 4)).astype("f4") for n in (5, 3))
    indices = np.int32([[0, 4, 4], [2, 1, 2]])
    (found,) = run(f"{DOMAIN}.Rows", [tables, indices, rows], {"how": "slice"})
    np.testing.assert_array_equal(found, np.take_along_axis(tables, indices[..., None], 1))
    for how, function in {"add": np.add, "max": np.maximum, "write": lambda old, new: new}.items():
        (found,) = run(f"{DOMAIN}.Rows", [tables, indices, rows], {"how": how})
        expected = tables.copy()
        for group, table in enumerate(expected):
            for i, row in zip(indices[group], rows[group], strict=True):
                table[i] = function(table[i], row)
        np.testing.assert_array_equal(found, expected, err_msg=how)


def test_slices_of_groups_by_plans(library, tmp_path: Path) -> None:
    isolated(check_rows, library("services"), cwd=tmp_path)


def check_settings(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    alone, other = add(g, "Prefers", ["x"], "a", alone=1), add(g, "Prefers", ["x"], "b")
    reasons = [decision.reason for decision in apply_patterns(g, Patterns())]
    assert reasons == [None, "the operator excludes the pattern"]
    assert [alone.name(), other.name()] == ["", "marked"]
    for op in alone, other, other.clone():
        assert op.inplacePriorityVeto() == [("PrefersInplace", 7.5)]
        assert texts(op) == {"color": "green"}
    # What the class says of its settings comes before what a model's annotations say.
    assert list(alone.excludePatterns()) == ["Mark"] and not list(other.excludePatterns())
    prune(g, [])
    assert list(g.ops.values()) == [alone]


def test_settings_that_a_class_gives_itself(library, tmp_path: Path) -> None:
    isolated(check_settings, library("services"), cwd=tmp_path)


def check_connections(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [2]), z=("FLOAT", [2]))
    op = add(g, "Counted", ["x", "z"], "y")
    assert texts(op) == {"seen": "[x, z]"} and op.inId(1) == "z"
    assert g.getTensor("z").consumers == [op]
    said = refusal(popir.popart_exception, op.connectInTensor, 2, "x")
    assert said.startswith("It reads 'x' already; it has [x, z] (Op(")
    assert said.endswith(f"in connectInTensor() of '{library}')")
    assert not op.hasInput(2)
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor(TensorInfo("FLOAT", [2]), "x")
    (y,) = builder.customOp("Counted", 1, DOMAIN, [x, x], {})
    assert "in connectInTensor() of" in refusal(popir.popart_exception, builder.getTensorShape, y)


def test_a_class_that_connects_itself(library, tmp_path: Path) -> None:
    isolated(check_connections, library("services"), cwd=tmp_path)


def check_words(library: str) -> None:
    ctypes.CDLL(library)
    assert texts(add(graph(), "Words", ["x"], "y")) == {
        "text": "{(a, 1), (b, 2)}{3, 4}[0.5]",
        "padded": "'12   '",
        "numbers": "[3, 1]",
        "axes": "[2, 0]",
        "left": "2",
        "near": "true",
        "far": "false",
        "known": "true",
        "defined": "a|b",
    }
    assert OperatorIdentifier(DOMAIN, "Late", 1) in {e.opid for e in registry.entries()}


def test_small_helpers(library, tmp_path: Path) -> None:
    isolated(check_words, library("services"), cwd=tmp_path)
