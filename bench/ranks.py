"""Two processes that share replicas by MPI, against MPI alone and against one process.

    python -m bench.ranks [--turns 15] [--realtime] [--json FILE]

Each rank has one core and one thread. In each turn all rows are measured one after the other, so
that other load meets all of them; the table has medians and quartiles over the turns.

- The sum of 1 MiB over the ranks: MPI_Allreduce of the same library; and a step with this sum, less
  a step without it.
- A step that sleeps between its gradients, so that their sums have a core to themselves: without
  sums, with sums where they are needed, and with sums that travel while it goes on. What is hidden
  is the part of the sums' time that this saves.
- A step of training, whose ranks leave no core free: of one rank while the other one sleeps; of
  both without sums of gradients (each has a model of its own); and of both with sums of both kinds.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.peers import ROOT, set_priority
from bench.report import Report, measurement, quartiles

RANKS, ELEMENTS = 2, 1 << 18
PARTS, SLEEP = 8, 0.003
"""The sums of a step that sleeps, and its seconds after each."""
RUNS, STEPS = 50, 5
"""In a turn: sums, and steps of training."""
WIDTH, HEADS, LENGTH, ROWS = 256, 8, 128, 4
"""Of the transformer of two blocks."""
Once = Callable[[], Any]
FOUND = "found: "
"""Begins the line in which the first rank says what it found."""


def bare() -> Once:
    """The sum by MPI alone, with the constants of its standard ABI."""
    from popir import popdist

    mpi = ctypes.CDLL(popdist.library())
    world, kind, add = (ctypes.c_void_p(number) for number in (0x101, 0x210, 0x21))
    given, made = (np.ones(ELEMENTS, np.float32) for _ in range(2))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (given, made)]

    def once() -> Any:
        assert mpi.MPI_Allreduce(*pointers, ELEMENTS, kind, add, world) == 0
        return made, given

    once()
    assert (made == RANKS).all()
    return once


def options(is_spread: bool, **engine: str) -> Any:
    """One thread; replicas in all ranks, or none."""
    import popir
    from popir import popdist

    asked = popir.SessionOptions(engineOptions={"host.numThreads": "1", **engine})
    if is_spread:
        popdist.configureSessionOptions(asked)
        asked.accumulationAndReplicationReductionType = popir.ReductionType.Mean
    return asked


def step_of_sum(sums: bool) -> Once:
    """A step that copies its input, with or without the sum of a variable of 1 MiB."""
    import popir

    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [1], "x")
    y = builder.aiOnnx.neg([x])
    if sums:
        w = builder.addInitializedInputTensor(np.ones(ELEMENTS, np.float32), "w")
        builder.addOutputTensor(builder.aiGraphcore.replicatedallreduce([w]))
    session = popir.InferenceSession(
        *(builder.getModelProto(), popir.DataFlow(1, [y])),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options(True),
    )
    session.prepareDevice()
    has_sum = any(op.opid.type == "ReplicatedAllReduce" for op in session.graph.ops.values())
    assert has_sum == sums
    io = popir.PyStepIO({"x": np.ones(1, np.float32)}, session.initAnchorArrays())
    return lambda: session.run(io)


def training(is_spread: bool, overlaps: bool = True) -> Once:
    """A step of training the transformer on ROWS samples of this rank."""
    import popir
    from tests.large_models import data, transformer

    model, loss = transformer(
        rows=ROWS, length=LENGTH, width=WIDTH, heads=HEADS, blocks=2, dropout=0.0
    )
    rate = {"defaultLearningRate": (1e-4, True), "defaultMomentum": (0.9, True)}
    session = popir.TrainingSession(
        *(model, popir.DataFlow(1, [loss]), loss, popir.SGD(rate)),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options(is_spread, **{"host.overlapCollectives": str(overlaps).lower()}),
    )
    session.prepareDevice()
    io = popir.PyStepIO(dict(data(model)), session.initAnchorArrays())
    return lambda: session.run(io)


def waiting(sums: bool, overlaps: bool = True) -> Once:
    """A step as a backward pass has it that leaves its core to others: PARTS gradients of 1 MiB, a
    sleep behind each, and then their sums, each of which is used.
    """
    from popir import gcl, popdist, poplar, popops
    from popir.poplar import program

    graph = poplar.Graph(poplar.Device.createCPUDevice(), RANKS)
    prog = program.Sequence()
    linear = poplar.VariableMappingMethod.LINEAR
    x = graph.addVariable(poplar.FLOAT, [ELEMENTS], linear, "x")
    graph.createHostWrite("x", x)
    # What no run changes would be computed once, before any, in the step without sums alone.
    popops.negInPlace(graph, x, prog)
    sleep = graph.addHostFunction("sleep", [], [])
    parts: list[poplar.Tensor] = []
    for _ in range(PARTS):
        parts.append(popops.add(graph, x, parts[-1] if parts else x, prog))
        prog.add(program.Call(sleep, [], []))
    for n, part in enumerate(parts):
        if sums:
            add, group = gcl.CollectiveOperator.ADD, gcl.CommGroup(0, 1)
            part = gcl.allReduceCrossReplica(graph, part, add, prog, group, f"sum {n}")
        graph.createHostRead(f"result {n}", popops.neg(graph, part, prog))
    # Without sums the additions and the uses of their results would be one pass over memory.
    asked = {"host.numThreads": "1", "host.fuse": "false"}
    asked["host.overlapCollectives"] = str(overlaps).lower()
    engine = poplar.Engine(graph, [prog], asked)
    engine.connectHostFunction("sleep", lambda given, made: time.sleep(SLEEP))
    together = poplar.Replicas([engine], popdist.peers("bench.ranks"))
    return together.run


def seconds(once: Once, runs: int) -> float:
    """Of one of several runs."""
    begin = time.perf_counter()
    for _ in range(runs):
        once()
    return (time.perf_counter() - begin) / runs


def as_rank(turns: int, realtime: bool) -> None:
    """What each rank does; the first one prints the times as JSON."""
    from popir import popdist

    popdist.init()
    rank = popdist.getInstanceIndex()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    rows: dict[str, tuple[Once, int, bool]] = {
        "MPI_Allreduce": (bare(), RUNS, True),
        "step without sum": (step_of_sum(False), RUNS, True),
        "step with sum": (step_of_sum(True), RUNS, True),
        "sleeping, no sums": (waiting(False), STEPS, True),
        "sleeping, sums in turn": (waiting(True, overlaps=False), STEPS, True),
        "sleeping, sums that travel": (waiting(True), STEPS, True),
        "one rank": (training(False), STEPS, False),
        "no sums": (training(False), STEPS, True),
        "sums in turn": (training(True, overlaps=False), STEPS, True),
        "sums that travel": (training(True), STEPS, True),
    }
    found: dict[str, list[float]] = {name: [] for name in rows}
    for turn in range(turns + 1):  # the first one does not count
        for name, (once, runs, by_all) in rows.items():
            popdist.gather("turn", turn)
            took = 0.0
            if by_all or rank == 0:
                set_priority(realtime)
                took = seconds(once, runs)
                set_priority(False)
            slowest = max(popdist.gather("took", took))
            if turn:
                found[name].append(slowest)
    if rank == 0:
        print(f"\n{FOUND}{json.dumps(found)}", flush=True)


def show(report: Report, found: dict[str, list[float]]) -> None:
    """Reports medians, and the quartiles of single turns."""
    t = {name: np.array(times) for name, times in found.items()}
    rows = {
        "1 MiB by MPI_Allreduce, us": 1e6 * t["MPI_Allreduce"],
        "1 MiB in a step, us": 1e6 * (t["step with sum"] - t["step without sum"]),
    }
    rows["in a step, above MPI_Allreduce, us"] = (
        rows["1 MiB in a step, us"] - rows["1 MiB by MPI_Allreduce, us"]
    )
    for kind in ("sleeping, ", ""):
        base = t[f"{kind}no sums"]
        for name in ("no sums", "sums in turn", "sums that travel"):
            rows[f"{kind or 'training, '}{name}, ms"] = 1e3 * t[kind + name]
        in_turn, travel = (t[kind + name] - base for name in ("sums in turn", "sums that travel"))
        rows[f"{kind or 'training, '}part of the sums that is hidden"] = 1 - travel / in_turn
    rows["training, one rank, ms"] = 1e3 * t["one rank"]
    rows["samples a second, 2 ranks over 1"] = RANKS * t["one rank"] / t["sums that travel"]
    report.table("two ranks", "median", "lower quartile", "upper quartile")
    for name, values in rows.items():
        low, middle, high = quartiles(values.tolist())
        report.row(name, middle, low, high)


@measurement(realtime=True, words=False)
def main(report: Report) -> None:
    """Starts the ranks."""
    made = [sys.executable, "-m", "popir", "run-distributed", "-n", str(RANKS), __file__]
    made += ["--rank", "--turns", str(report.asked.turns), *["--realtime"] * report.realtime]
    done = subprocess.run(made, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    (line,) = (line for line in done.stdout.splitlines() if FOUND in line)
    show(report, json.loads(line.partition(FOUND)[2]))


main.parser.add_argument("--turns", type=int, default=15)
main.parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)


if __name__ == "__main__":
    asked = main.parser.parse_args()
    if asked.rank:
        as_rank(asked.turns, asked.realtime)
    else:
        main(sys.argv[1:])
