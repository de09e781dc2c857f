"""The format of saved executables: its number changes with it, and others are refused by it."""

import hashlib
import re

import numpy as np
import pytest

from popir import errors, poplar
from popir.poplar import program
from tests.conftest import Golden
from tests.poplar.test_saved_kernels import PROGRAMS, Case


def _writer(saved: bytes) -> str:
    """What an executable says of who wrote it."""
    return saved.split(b"\n", 2)[1].decode()


def _streams(c: Case) -> None:
    """Streams, a host function, a remote buffer, a loop and a function of the graph."""
    graph, prog = c.graph, c.prog
    t = c.tensor([4])
    prog.add(program.Copy(graph.addHostToDeviceFIFO("in", poplar.FLOAT, 4), t))
    called = graph.addFunction(program.Copy(t, c.tensor([4])))
    prog.add(program.Repeat(3, program.Call(called)))
    twice = graph.addHostFunction("twice", [(poplar.FLOAT, 4)], [(poplar.FLOAT, 4)])
    prog.add(program.Call(twice, [t], [t]))
    row = c.tensor([1], np.zeros(1, np.uint32))
    prog.add(program.Copy(t, graph.addRemoteBuffer("rows", poplar.FLOAT, 4), row))
    prog.add(program.Copy(t, graph.addDeviceToHostFIFO("out", poplar.FLOAT, 4)))


def test_a_change_of_the_format_takes_another_number(golden: Golden) -> None:
    """What a program of each kernel, and one of the other parts, is written as. If this differs and
    the number does not, kGraphFormat (cpp/executable/saved_graph.hpp) takes the next one.
    """
    rows = []
    for name, make in [*PROGRAMS.items(), ("streams and calls", _streams)]:
        case = Case()
        make(case)
        saved = poplar.compileGraph(case.graph, [case.prog]).serialize()
        number = _writer(saved).partition(", ")[2]
        body = saved.split(b"\n", 4)[4]
        rows.append(f"{number} {hashlib.sha256(body).hexdigest()[:16]} {name}\n")
    path = golden.folder / "saved_format.txt"
    if golden.update and path.exists():
        before = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = {row.split(" ", 3)[3]: row for row in before}
        changed = [row for row in rows if kept.get(row.split(" ", 3)[3]) not in (None, row)]
        stale = [r for r in changed if r.split(" ")[1] == kept[r.split(" ", 3)[3]].split(" ")[1]]
        assert not stale, f"kGraphFormat is what it was, and these have changed: {stale}"
    golden("saved_format.txt", "".join(rows))


@pytest.mark.parametrize("older", ["0.1.0", "0.1.0, format 1", "0.1.0, format 20"])
def test_an_executable_of_another_format_is_refused_by_name(older: str) -> None:
    """One that was written before formats had numbers, one of an older, one of a newer number."""
    case = Case()
    _streams(case)
    saved = poplar.compileGraph(case.graph, [case.prog]).serialize()
    writer = _writer(saved)
    other = saved.replace(writer.encode(), older.encode(), 1)
    words = (
        f"Executable::deserialize: the executable was written by popir {older}, this is {writer}"
    )
    with pytest.raises(errors.poplar_exception, match=re.escape(words)):
        poplar.Executable.deserialize(other)
