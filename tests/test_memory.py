"""What the host cannot hold is refused before it is allocated, and failures have a name."""

import ctypes
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import memory, poplar, popops
from tests.models import training_session
from tests.toolchain import ROOT, attempt

GIB = 1 << 30

LIMITED = """
import resource
import popir
from popir import memory, poplar

pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (1 << 29)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
assert poplar.availableMemory() <= 1 << 29, poplar.availableMemory()
"""


def limited(program: str) -> str:
    """What a process prints that has 512 MiB of address space left."""
    words = [sys.executable, "-c", LIMITED + program]
    done = attempt(*words, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_available() -> None:
    with open("/proc/meminfo", encoding="ascii") as stream:
        total = next(int(line.split()[1]) for line in stream if line.startswith("MemTotal:"))
    assert 1 << 20 < poplar.availableMemory() <= total * 1024


def test_more_than_is_available() -> None:
    memory.require("A tensor", 1 << 20)
    with pytest.raises(
        popir.OutOfMemoryException,
        match=rf"^A tensor needs {1 << 50} bytes of memory; \d+ are available\.$",
    ):
        memory.require("A tensor", 1 << 50)
    with (
        pytest.raises(popir.OutOfMemoryException, match=r"^It needs more memory than the host"),
        memory.guarded("It"),
    ):
        raise MemoryError


def test_the_limit_of_the_process_counts() -> None:
    printed = limited(
        "try:\n    memory.require('It', 1 << 30)\n"
        "except popir.OutOfMemoryException as error:\n    print(error)"
    )
    assert printed.startswith(f"It needs {1 << 30} bytes of memory; ")


def test_a_failed_allocation_in_cpp() -> None:
    printed = limited(
        "graph = poplar.Graph(popir.DeviceManager().createCpuDevice().device)\n"
        "try:\n    graph.addConstant(poplar.FLOAT, [1 << 28], 1.0)\n"
        "except popir.poplar_exception as error:\n    print(type(error).__name__, error)"
    )
    assert printed == (
        "poplar_graph_memory_allocation_error The host cannot give the memory that was asked for.\n"
    )


def test_a_program_whose_variables_do_not_fit_all_together() -> None:
    """Each of the tensors would; no page of them is touched."""
    count = poplar.availableMemory() // (2 * GIB) + 2
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [1024, 512, 1024])
    ys = [builder.aiOnnxOpset11.softmax([x], 2) for _ in range(count)]
    total = ys[-1]
    for y in ys[-2::-1]:
        total = builder.aiOnnxOpset11.add([total, y])
    builder.addOutputTensor(total)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [total]),
        popir.DeviceManager().createCpuDevice(),
        # By rows, the softmaxes would need no memory of their own.
        userOptions=popir.SessionOptions(engineOptions={"host.fuse": "false"}),
    )
    with pytest.raises(popir.poplar_exception) as error:
        session.prepareDevice()
    assert type(error.value).__name__ == "poplar_graph_memory_allocation_error"
    assert "Engine: the program needs" in str(error.value) and "the host has" in str(error.value)


def added(graph: Any, prog: Any, x: Any) -> Any:
    popops.addInPlace(graph, x, popops.add(graph, x, x, prog), prog)


def nested(graph: Any, prog: Any, x: Any) -> Any:
    body = poplar.program.Sequence()
    y = popops.neg(graph, x, body)
    body.add(poplar.program.Copy(y, x))
    prog.add(poplar.program.Repeat(3, body))
    prog.add(poplar.program.Call(graph.addFunction(prog)))
    return body


def executed(graph: Any, prog: Any, x: Any) -> Any:
    set = graph.addComputeSet("set")
    prog.add(poplar.program.Execute(set))
    return set


@pytest.mark.parametrize("build", [added, nested, executed])
def test_what_is_dropped_is_given_back(build: Callable[[Any, Any, Any], Any]) -> None:
    """Python's objects of a graph keep it alive, and none keeps another in a circle."""
    graph = poplar.Graph(popir.DeviceManager().createCpuDevice().device)
    prog = poplar.program.Sequence()
    x = graph.addVariable(poplar.FLOAT, [4], "x")
    graph.setTileMapping(x, 0)
    other = build(graph, prog, x)
    known = [weakref.ref(each) for each in (graph, prog, x, other) if each is not None]
    del graph
    gc.collect()
    assert x.flatten().numElements() == 4  # its graph is still there
    del prog, x, other
    gc.collect()
    assert [each() for each in known] == [None] * len(known)


class Mallinfo2(ctypes.Structure):
    """What glibc's mallinfo2 returns."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def in_use() -> tuple[int, int]:
    """Bytes that C++ holds, whatever fragments lie between them, and blocks that Python holds."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = Mallinfo2
    gc.collect()
    info = mallinfo2()
    return info.uordblks + info.hblkhd, sys.getallocatedblocks()


def test_sessions_leave_nothing_behind() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [4, 8], "x")
    for _ in range(10):
        w = builder.addInitializedInputTensor(np.ones((8, 8), np.float32))
        x = builder.aiOnnx.relu([builder.aiOnnx.matmul([x, w])])
    loss = builder.aiGraphcore.l1loss([x], 0.1)
    proto = builder.getModelProto()

    def held(sessions: int) -> tuple[int, int]:
        for _ in range(sessions):
            training_session(proto, loss)
        return in_use()

    (bytes_before, blocks_before), (bytes_after, blocks_after) = held(10), held(30)
    assert bytes_after - bytes_before < 30 * 1_000, "a session is 100 kB"
    assert blocks_after - blocks_before < 30 * 50, "a session is thousands of blocks"
