"""Executables: what is loaded does and costs what was compiled, and damage is told."""

import re
import struct
from typing import Any

import numpy as np
import pytest

from popir import poplar, poplin, popops
from popir.errors import PopirError
from popir.poplar import program
from popir.popops import expr as pe
from tests.fuzz.formats import fnv1a


def ipu(tiles: int = 8) -> Any:
    model = poplar.IPUModel("ipu2")
    model.tilesPerIPU = tiles
    return model.createDevice()


def product(device: Any) -> tuple[Any, Any]:
    """A product on half of the tiles, between streams."""
    graph = poplar.Graph(device)
    tiles = device.getTarget().getNumTiles()
    part = graph.createVirtualGraph(0, tiles // 2) if tiles > 1 else graph
    prog = program.Sequence()
    a = poplin.createMatMulInputLHS(part, poplar.FLOAT, [8, 16], [16, 4], "a")
    b = poplin.createMatMulInputRHS(part, poplar.FLOAT, [8, 16], [16, 4], "b")
    for t, name in ((a, "a"), (b, "b")):
        stream = graph.addHostToDeviceFIFO(name, poplar.FLOAT, t.numElements())
        prog.add(program.Copy(stream, t))
    c = poplin.matMul(part, a, b, prog, poplar.FLOAT, "c")
    c = popops.map(part, pe.Add(pe._1, pe.Const(1.0)), [c], prog)
    prog.add(program.Copy(c, graph.addDeviceToHostFIFO("c", poplar.FLOAT, 32)))
    return graph, prog


def loaded(executable: bytes) -> Any:
    return poplar.Engine(poplar.Executable.deserialize(executable))


@pytest.mark.parametrize("device", [poplar.Device.createCPUDevice, ipu])
def test_what_is_loaded_does_the_same(device: Any) -> None:
    graph, prog = product(device())
    data = poplar.compileGraph(graph, [prog]).serialize()
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(n).astype(np.float32) for n in (8 * 16, 16 * 4))
    results = []
    for engine in (poplar.Engine(graph, prog), loaded(data)):
        c = np.zeros(32, np.float32)
        engine.load(device())
        for name, array in (("a", a), ("b", b), ("c", c)):
            engine.connectStream(name, array)
        engine.run(0)
        results.append(c)
    expected = a.reshape(8, 16).astype(np.float64) @ b.reshape(16, 4) + 1
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_allclose(results[1].reshape(8, 4), expected, rtol=1e-5)


def test_what_is_loaded_costs_the_same() -> None:
    graph, prog = product(ipu())
    engine = loaded(poplar.compileGraph(graph, [prog]).serialize())
    assert engine.machineReport() == poplar.Engine(graph, prog).machineReport()


def damaged(data: bytes, old: bytes, new: bytes) -> bytes:
    """The last `old` replaced by as many bytes, behind a hash made right."""
    content = data.split(b"\n", 4)[4]
    before, found, after = content.rpartition(old)
    assert found and len(old) == len(new)
    content = before + new + after
    head, version, size, _ = data.split(b"\n", 4)[:4]
    return b"\n".join((head, version, size, fnv1a(content).encode(), content))


def refused(data: bytes) -> str:
    with pytest.raises(PopirError) as told:
        loaded(data)
    return str(told.value)


def test_a_view_that_reaches_beyond_its_variable_is_refused() -> None:
    graph = poplar.Graph(ipu())
    x = graph.addVariable(poplar.FLOAT, [77], poplar.VariableMappingMethod.LINEAR, "x")
    prog = program.Sequence()
    y = graph.clone(x.slice(0, 75))
    prog.add(program.Copy(x.slice(1, 76), y))
    data = poplar.compileGraph(graph, [prog]).serialize()
    shape = struct.pack("<QQ", 1, 75)  # one dimension, of 75 elements
    assert refused(damaged(data, shape, struct.pack("<QQ", 1, 177))) == (
        "Engine: the executable is damaged: a view reaches beyond what it shows; compile the graph "
        "again"
    )


def test_operands_that_do_not_fit_the_kernel_are_refused() -> None:
    graph = poplar.Graph(ipu())
    x = graph.addVariable(poplar.FLOAT, [3, 5], poplar.VariableMappingMethod.LINEAR, "x")
    prog = program.Sequence()
    popops.reduce(graph, x, [1], popops.ReduceParams(popops.Operation.ADD), prog)
    data = poplar.compileGraph(graph, [prog]).serialize()
    flags = struct.pack("<Q", 2) + b"\0\1"  # which dimensions are reduced
    assert "an operand has another shape" in refused(
        damaged(data, flags, struct.pack("<Q", 2) + b"\1\0")
    )
    assert "a truth value is neither 0 nor 1" in refused(
        damaged(data, flags, struct.pack("<Q", 2) + b"\0\7")
    )


def test_a_kernel_that_does_not_exist_is_refused() -> None:
    graph = poplar.Graph(ipu())
    x = graph.addVariable(poplar.FLOAT, [3, 5], poplar.VariableMappingMethod.LINEAR, "x")
    prog = program.Sequence()
    popops.reduce(graph, x, [1], popops.ReduceParams(popops.Operation.LOG_ADD), prog)
    data = poplar.compileGraph(graph, [prog]).serialize()
    name = struct.pack("<Q", 6) + b"reduce"
    last = struct.pack("<I", int(popops.Operation.LOG_ADD))
    assert "a kernel is unknown" in refused(damaged(data, name, struct.pack("<Q", 6) + b"redude"))
    beyond = struct.pack("<I", int(popops.Operation.LOG_ADD) + 1)
    assert "a number stands for no enumerator" in refused(damaged(data, name + last, name + beyond))


def test_other_bytes_are_no_executable() -> None:
    graph, prog = product(ipu())
    data = poplar.compileGraph(graph, [prog]).serialize()
    for wrong, words in (
        (b"", "this is no executable that popir wrote"),
        (data.replace(b"\n0.", b"\n9.", 1), "was written by popir 9."),
        (data[:-1], "the executable is damaged"),
    ):
        with pytest.raises(PopirError, match=re.escape(words)):
            poplar.Executable.deserialize(wrong)
