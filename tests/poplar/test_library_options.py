"""Options of functions of poplin, popops, popnn and gcl, and of streams: each row of the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from popir import errors, poplar, poplin, popnn, popops
from popir.options import OptionWarning
from popir.popops import expr
from tests.toolchain import CACHED_CXX, popir_config, run

TABLE = poplar.libraryOptionTable()
FLOAT, UNSIGNED = poplar.FLOAT, poplar.UNSIGNED_INT


class Bench:
    """A graph, and one call of each family with the options given."""

    def __init__(self) -> None:
        self.graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.prog = poplar.program.Sequence()

    def tensor(self, *shape: int, type: Any = FLOAT) -> poplar.Tensor:
        linear = poplar.VariableMappingMethod.LINEAR
        return self.graph.addVariable(type, shape, linear, "t")

    def matMul(self, o: dict[str, str]) -> object:
        return poplin.matMul(self.graph, self.tensor(2, 3), self.tensor(3, 4), self.prog, options=o)

    def convolution(self, o: dict[str, str]) -> object:
        params = poplin.ConvParams(FLOAT, 1, [5], [3], 2, 2, 1)
        x, w = self.tensor(1, 2, 5), self.tensor(1, 2, 2, 3)
        return poplin.convolution(self.graph, x, w, params, False, self.prog, options=o)

    def map(self, o: dict[str, str]) -> object:
        return popops.map(self.graph, expr.Neg(expr._1), [self.tensor(3)], self.prog, options=o)

    def reduce(self, o: dict[str, str]) -> object:
        params = popops.ReduceParams(popops.Operation.ADD)
        return popops.reduce(self.graph, self.tensor(2, 3), [0], params, self.prog, options=o)

    def scaledAddTo(self, o: dict[str, str]) -> object:
        return popops.scaledAddTo(
            self.graph, self.tensor(3), self.tensor(3), 2.0, self.prog, options=o
        )

    def multiSlice(self, o: dict[str, str]) -> object:
        t, offsets = self.tensor(4, 3), self.tensor(2, 1, type=UNSIGNED)
        return popops.multiSlice(self.graph, t, offsets, [0], [1], self.prog, options=o)

    def pool(self, o: dict[str, str]) -> object:
        params = popnn.pooling.PoolParams(
            popnn.PoolingType.MAX, [4], [2], [2], [0], [0], 1, 1, FLOAT
        )
        return popnn.pooling.pool(self.graph, params, self.tensor(1, 1, 4), self.prog, options=o)


def calls(family: str) -> Callable[[dict[str, str]], object]:
    return getattr(Bench(), family.rpartition(".")[2])


CPP_ONLY = (
    "gcl.allReduceCrossReplica",
    "poplar.Graph.addHostToDeviceFIFO",
    "popnn.recurrent",  # tests/popnn/test_recurrent.py
)
ROWS = [
    (family, *row)
    for row in TABLE
    for family in {f for f in ("popnn.pooling.pool", *CPP_ONLY) if row[0].startswith(f"{f}.")}
    or {".".join(row[0].split(".")[:2])}
]
"""Each row with the function whose option it is before it."""
SAMPLES = {"a number from 0 to 1": "0.25", "a number": "0.5", "a whole number": "7", "text": "x"}


def other(type: str, otherwise: str) -> str:
    """A value that is not the default."""
    if type == "true or false":
        return "false" if otherwise == "true" else "true"
    if type.startswith("one of "):
        return next(v for v in type.removeprefix("one of ").split(", ") if v != otherwise)
    return SAMPLES[type]


IN_PYTHON = [row for row in ROWS if row[0] not in CPP_ONLY]


@pytest.mark.parametrize("row", IN_PYTHON, ids=lambda row: row[1])
def test_each_option_acts_or_says_what_it_comes_to(row: tuple[str, ...]) -> None:
    family, name, kind, type, otherwise, reason = row
    option, call = name.removeprefix(f"{family}."), calls(family)
    call({option: otherwise})
    value = other(type, otherwise)
    if kind == "acts" or "nothing is said" in reason:
        call({option: value})  # A warning is an error here.
    elif kind == "refused":
        with pytest.raises(errors.poplar_invalid_option, match=f"{option} is '{value}': a plan"):
            call({option: value})
    else:
        with pytest.warns(OptionWarning) as said:
            call({option: value})
        words = f"{option} is '{value}', which has no meaning here: {reason}"
        assert all(str(each.message).endswith(words) for each in said)
    if type == "text":
        return
    with pytest.raises(errors.poplar_invalid_option, match=f"{option} is 'odd', expected {type}"):
        call({option: "odd"})


@pytest.mark.parametrize("family", sorted({row[0] for row in IN_PYTHON}))
def test_an_option_that_there_is_not(family: str) -> None:
    with pytest.raises(errors.poplar_invalid_option, match="there is no option 'fastest'"):
        calls(family)({"fastest": "true"})


PROGRAM = r"""
#include <gcl/Collectives.hpp>
#include <iostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <popops/DynamicSlice.hpp>
int main() {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  poplar::program::Sequence prog;
  auto t = graph.addVariable(poplar::FLOAT, {4}, poplar::VariableMappingMethod::LINEAR);
  const auto mode = poplar::ReplicatedStreamMode::REPLICATE;
  const auto attempt = [&](const poplar::OptionFlags& o) {
    try {
      graph.addHostToDeviceFIFO("in" + std::to_string(o.begin()->first.size()), poplar::FLOAT, 4,
                                mode, o);
    } catch (const poplar::invalid_option& e) { std::cout << e.what() << "\n"; }
    try {
      graph.addDeviceToHostFIFO("out" + std::to_string(o.begin()->first.size()), poplar::FLOAT, 4,
                                o);
    } catch (const poplar::invalid_option& e) { std::cout << e.what() << "\n"; }
    try {
      gcl::allReduceInPlaceCrossReplica(graph, t, gcl::CollectiveOperator::ADD, prog, {}, o);
    } catch (const poplar::invalid_option& e) { std::cout << e.what() << "\n"; }
    try {
      graph.addHostFunction("f", {}, {}, o);
    } catch (const poplar::invalid_option& e) { std::cout << e.what() << "\n"; }
    try {
      popops::embedding::plan(graph, poplar::FLOAT, 4, 1, {1}, o);
    } catch (const poplar::invalid_option& e) { std::cout << e.what() << "\n"; }
  };
  attempt({{"bufferingDepth", "2"}});
  attempt({{"method", "broadcast"}});
  attempt({{"usedForUpdate", "false"}});
}
"""


def test_options_of_functions_that_only_cpp_has(tmp_path: Path) -> None:
    source, binary = tmp_path / "options.cpp", tmp_path / "options"
    source.write_text(PROGRAM)
    flags = popir_config("--cflags"), popir_config("--libs")
    words = [*CACHED_CXX, "-std=c++11", *flags[0], source, *flags[1], "-o", binary]
    run(*words, "-lpoplar", "-lpopops", "-lgcl", cwd=tmp_path)
    printed = run("bash", "-c", f"{binary} 2>&1 >{tmp_path}/out", cwd=tmp_path)
    notes = [line for line in printed.splitlines() if line]
    refused = (tmp_path / "out").read_text().splitlines()
    assert [note.split(",")[0] for note in notes] == [
        "popir: warning: Graph::addHostToDeviceFIFO: bufferingDepth is '2'",
        "popir: warning: Graph::addDeviceToHostFIFO: bufferingDepth is '2'",
        "popir: warning: gcl::allReduceInPlaceCrossReplica: method is 'broadcast'",
    ]
    who = {
        "bufferingDepth": [
            "gcl::allReduceInPlaceCrossReplica",
            "Graph::addHostFunction",
            "popops::embedding::plan",
        ],
        "method": [
            "Graph::addHostToDeviceFIFO",
            "Graph::addDeviceToHostFIFO",
            "Graph::addHostFunction",
            "popops::embedding::plan",
        ],
        "usedForUpdate": [
            "Graph::addHostToDeviceFIFO",
            "Graph::addDeviceToHostFIFO",
            "gcl::allReduceInPlaceCrossReplica",
            "Graph::addHostFunction",
        ],
    }
    assert [line.partition(".")[0] for line in refused] == [
        f"{function}: there is no option '{option}'"
        for option, them in who.items()
        for function in them
    ]
