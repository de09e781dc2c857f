"""Patterns written in C++ read and rewrite the compiler's graph."""

import ctypes
import gc
import logging
from collections.abc import Iterator, ValuesView
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import popir
from popir import DataType, Graph, Op, OperatorIdentifier, TensorInfo, pattern
from popir.foreign import popart
from popir.ir import verify
from tests.popart.graphs import add, graph
from tests.popart.libraries import isolated


class Same(Op):
    """A Python operator that patterns look at."""

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))


def known(name: str) -> pattern.PreAliasPattern:
    """The pattern of that name."""
    (entry,) = [entry for entry in pattern.entries() if entry.name == name]
    return entry.create()


def register(type: str) -> None:
    popir.OpCreator(Same, [OperatorIdentifier("test", type, 1)])


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        logger = logging.getLogger("popir.pattern")
        logger.setLevel(logging.INFO)
        logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one."""
        self.lines.append(record.getMessage())


def check_walk(library: str) -> None:
    ctypes.CDLL(library)
    register("Walk")
    (entry,) = [entry for entry in pattern.entries() if entry.name == "Walk"]
    assert (entry.enabled, entry.mandatory, entry.source) == (False, False, library)
    walk = entry.create()
    g = graph()
    first = add(g, "NoOpx", ["x"], "a")
    op = add(g, "Walk", ["a"], "b", name="n")
    reader = add(g, "NoOpx", ["b"], "c")
    reader.connectInTensor(1, "b")
    assert [walk.matches(o) for o in (first, op, reader)] == [False, True, False]
    assert walk.touches(op) == [g.getTensor("a"), g.getTensor("b")]
    log = Lines()
    assert walk.apply(op) is False
    assert log.lines == [
        "class false test.Walk:1 (1)",
        "input a FLOAT [2 3] ActGrad true",
        "output b true 2",
        "ids [x, a, b, c] [0, 1, 2]",
        "opset 1 Walk",
        "consumer Op(2, test.NoOpx:1, name='', inputs=['b', 'b'], outputs=['c']) 2 b",
    ]
    assert op.name() == "walked"
    assert g.getTensor("b").info == TensorInfo("FLOAT16", [2, 3])
    assert reader.inInfo(1).dataType() is DataType.FLOAT16


def test_a_pattern_reads_the_graph(library, tmp_path: Path) -> None:
    isolated(check_walk, library("probe"), cwd=tmp_path)


def check_double(library: str) -> None:
    ctypes.CDLL(library)
    register("Double")
    g = graph()
    op = add(g, "Double", ["x"], name="n")
    assert known("Double").apply(op) is True
    second = g.getTensor("y").getProducer()
    assert isinstance(second, Same)
    assert (second.inId(0), second.name()) == ("y__t0", "n")
    assert g.getTensor("y__t0").getProducer() is op
    assert g.constraints == {second: {op: None}}
    assert g.getTensor("y__t0").info == TensorInfo("FLOAT", [2, 3])
    g.outputs.append("y")
    verify(g)


def test_a_pattern_clones_and_moves(library, tmp_path: Path) -> None:
    isolated(check_double, library("probe"), cwd=tmp_path)


def same(graph: Graph, read: str, out: str) -> Op:
    op = Same(OperatorIdentifier("test", "Same", 1), Op.Settings(graph))
    return graph.createConnectedOp(lambda: op, {0: read}, {0: out})


def test_only_what_a_pattern_makes_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not the whole graph after each application."""
    g = graph()
    for i in range(100):
        same(g, f"y{i - 1}" if i else "x", f"y{i}")
    seen: list[int] = []

    class Watched(dict[int, Op]):
        def values(self) -> Any:
            return Values(self)

    class Values(ValuesView[Op]):
        def __iter__(self) -> Iterator[Op]:
            for id in self._mapping:
                seen.append(id)
                yield self._mapping[id]

        def __reversed__(self) -> Iterator[Op]:
            for id in reversed(list(self._mapping)):
                seen.append(id)
                yield self._mapping[id]

    def apply(op: Op) -> bool:
        g.ops = Watched(g.ops)
        for i in range(3):
            same(g, op.inId(0), f"made{i}")
        return True

    twin = SimpleNamespace(apply=apply)
    monkeypatch.setattr(popart.device, "PatternTwin", lambda name: twin)
    assert popart.CppPattern("Fake").apply(g.getTensor("y0").getProducer())
    assert seen == [102, 101, 100, 99]


def check_replace(leaky_relu: str, relu_to_leaky_relu: str) -> None:
    ctypes.CDLL(relu_to_leaky_relu)
    ctypes.CDLL(leaky_relu)
    popir.OpCreator(Same, [OperatorIdentifier("ai.onnx", "Relu", 6)], override=True)
    log = Lines()
    g = graph()
    n = 50
    for i in range(n):
        add(g, "Relu", [f"y{i - 1}" if i else "x"], f"y{i}", domain="ai.onnx", name=f"n{i}")
    g.outputs.append(f"y{n - 1}")
    rewriter = known("ReluToLeakyRelu")
    for op in list(g.ops.values()):
        assert rewriter.matches(op)
        assert rewriter.touches(op) == []
        assert rewriter.apply(op)
        assert not rewriter.matches(g.getTensor(f"y{len(log.lines) - 1}").getProducer())
    verify(g)
    assert len(log.lines) == n
    assert log.lines[1] == (
        "Op(51, ai.onnx.LeakyRelu:6, name='n1:ReluToLeakyRelu', inputs=['y0'], outputs=['y1']) "
        "replaces Op(1, ai.onnx.Relu:6, name='n1')"
    )
    assert {str(op.opid) for op in g.ops.values()} == {"ai.onnx.LeakyRelu:6"}
    assert all(op.source == leaky_relu for op in g.ops.values())
    assert all(len(op.getGradOps()) == 1 for op in g.ops.values())
    assert popart.device.liveOps() == n + 1  # `op` is still held here
    del op, g
    gc.collect()
    assert popart.device.liveOps() == 0


def test_a_pattern_replaces_operators(library, tmp_path: Path) -> None:
    names = library("leaky_relu_custom_op"), library("relu_to_leaky_relu")
    isolated(check_replace, *names, cwd=tmp_path)
