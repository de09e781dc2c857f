"""What the host cannot hold is refused before it is allocated, and failures have a name."""

import subprocess
import sys

import pytest

import popir
from popir import memory, poplar

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
    done = subprocess.run(
        [sys.executable, "-c", LIMITED + program], capture_output=True, text=True, check=False
    )
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
    )
    with pytest.raises(popir.poplar_exception) as error:
        session.prepareDevice()
    assert type(error.value).__name__ == "poplar_graph_memory_allocation_error"
    assert "Engine: the program needs" in str(error.value) and "the host has" in str(error.value)
