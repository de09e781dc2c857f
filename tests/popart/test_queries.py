"""What operators, graphs and the whole program answer to patterns written in C++."""

import ctypes
from pathlib import Path

import numpy as np

import popir
from popir import Graph, Op, TensorInfo, pattern
from popir.ir import verify
from popir.testing import run
from tests.popart.conftest import Library
from tests.popart.graphs import add, refusal
from tests.popart.libraries import isolated
from tests.popart.test_cpp_patterns import Lines, known

DOMAIN = "test.queries"


def chain(name: str = "n") -> tuple[Graph, Op]:
    """A Times between a Relu and a Relu."""
    g = Graph("g")
    g.opsets = {"ai.onnx": 17, DOMAIN: 1}
    g.addStream("x", TensorInfo("FLOAT", [3, 2]))
    g.addConstInit("one", np.ones(2, np.float32))
    add(g, "Relu", ["x"], "a", domain="ai.onnx")
    times = add(g, "Times", ["a", "one"], "b", domain=DOMAIN, name=name)
    add(g, "Relu", ["b"], "c", domain="ai.onnx")
    add(g, "Neg", ["a"], "d", domain="ai.onnx")
    g.outputs += ["c", "d"]
    return g, times


def check_answers(library: str) -> None:
    ctypes.CDLL(library)
    g, times = chain()
    times.settings.nodeAttributes = {"__pipeline_stage": 2, "__exclude_patterns": ["Ask"]}
    log = Lines()
    ask = known("Ask")
    # C++ code looks at an operator's annotations once, when it is made.
    settings = Op.Settings(g, "n", dict(times.settings.nodeAttributes))
    made = popir.registry.createOp(
        DOMAIN, "Times", 1, settings, {}, [g.getTensor("a"), g.getTensor("one")], ["b"]
    )
    g.replaceOp(times, made)
    assert ask.matches(made) and not ask.apply(made)
    assert log.lines == [
        "neighbours ai.onnx.Relu:14 1 true false",
        "indices 1 0",
        "kinds true false false false",
        "memory false true false false",
        "bytes 24 axis 0",
        "equal test.queries.Times:1 of 0 FLOAT [3 2] 1 FLOAT [2] to 0 FLOAT [3 2]",
        "excluded true",
        "stage true 2 false",
        "vgraph true 3",
        f"ops [{made.id}] 4 4",
        "tensors [x] FLOAT [3 2]",
        "ir false false false",
        "orders true false 1 1",
        "orders false false",
        "type 4 FLOAT float32 false true",
        "box [1, 2, 0] to [3, 4, 7]; [2, 6, 2] to [4, 8, 9]; 14 [2, 2, 0]",
        "bounds [0, 3] to [8, 6]",
        "numbers [1, 0]",
    ]
    assert g.constraints.get(made, {}) == {}
    g.isTraining = g.has_gradients = True
    del log.lines[:]
    ask.apply(made)
    assert "ir true true false" in log.lines


def test_answers(library: Library, tmp_path: Path) -> None:
    isolated(check_answers, library("queries"), cwd=tmp_path)


def check_refusals(library: str) -> None:
    ctypes.CDLL(library)
    wrong = known("AskWrong")
    for name, words in {
        "vgraph": "inputs=['a', 'one'], outputs=['b']) has no virtual graph",
        "preceding": "The tensor 'one' (Const) has no producer",
        "class": "which is of another class than asked for",
        "following": "output 0 has 2 readers; expected one",
        "index": "'b' is no input of Op(1, test.queries.Times:1, name='index'",
        "disconnect": "has 'a' at input 0, not 'one'",
        "transpose": "[1, 1] is no order of the 2 dimensions of a region",
        "reverse": "A region of rank 2 has no dimension 2",
        "element": "The region [0, 0] to [2, 3] has no element [2, 0]",
        "number": "The region [0, 0] to [2, 3] has no element number 6",
        "bounds": "Regions of rank 2 and 1 have no bounds",
        "axes": "Mean: the axis 2 is outside of [-2, 2)",
        "broadcast": "outputs=['b'])', frames [2] and [3] are not aligned",
    }.items():
        said = refusal(popir.popart_exception, wrong.apply, chain(name)[1])
        assert words in said and said.endswith(f"in apply() of '{library}')"), said


def test_what_there_is_not(library: Library, tmp_path: Path) -> None:
    isolated(check_refusals, library("queries"), cwd=tmp_path)


def check_rewrites(library: str) -> None:
    ctypes.CDLL(library)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype("f4") for shape in ((4, 3), (3,)))
    np.testing.assert_array_equal(run(f"{DOMAIN}.Times", [a, b])[0], a * b)

    g, times = chain()
    assert known("OneToTwo").apply(times)
    assert times.inId(1) == "two" and not g.hasTensor("one")
    data = g.getTensor("two").data
    assert data is not None
    np.testing.assert_array_equal(data, np.float32([2, 2]))
    verify(g)

    g.opsets["ai.onnx"] = 17
    total = add(g, "Sum", ["a", "b", "c"], "s", domain="ai.onnx")
    neg = g.getTensor("d").producer
    assert neg is not None
    g.addConstraint(neg, total)
    g.outputs.append("s")
    assert known("SumBackwards").apply(total)
    made = g.getTensor("s").producer
    assert made is not None and made.source == library
    assert {op: befores for op, befores in g.constraints.items() if befores} == {made: {neg: None}}
    verify(g)

    inputs = [rng.standard_normal((4, 3)).astype("f4") for _ in range(4)]
    builder = popir.Builder(opsets={"ai.onnx": 17})
    names = [builder.addInputTensor("FLOAT", [4, 3], f"x{i}") for i in range(4)]
    out = builder.aiOnnx.sum(names)
    builder.addOutputTensor(out)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [out]),
        popir.DeviceManager().createCpuDevice(),
        patterns=popir.Patterns().enablePattern("SumBackwards", True),
    )
    assert [op.source for op in session.graph.ops.values()] == [library]
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(dict(zip(names, inputs, strict=True)), anchors))
    np.testing.assert_array_equal(anchors[out], ((inputs[3] + inputs[2]) + inputs[1]) + inputs[0])
    assert {e.name for e in pattern.entries()} >= {"SumBackwards", "OneToTwo"}


def test_what_operators_and_patterns_make_of_it(library: Library, tmp_path: Path) -> None:
    isolated(check_rewrites, library("queries"), cwd=tmp_path)
