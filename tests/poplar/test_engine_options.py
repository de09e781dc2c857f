"""Options of engines and devices: the tables, and what becomes of each row."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

import pytest

from popir import poplar
from popir.errors import poplar_exception, poplar_invalid_option
from popir.options import OptionWarning
from popir.poplar import program
from tests.toolchain import ROOT

PROGRAMS, COUNTED = "tests/poplar/test_cpp_programs.py", "tests/machine/test_counted_codelets.py"
FILE = "tests/poplar/test_engine_options.py"
SHOWN = {
    "host.numThreads": "tests/test_options.py::test_engine_options_reach_the_engine",
    "host.spinMicroseconds": "tests/poplar/test_pool.py::"
    "test_idle_threads_spin_as_long_as_said_and_sleep_then",
    "host.adaptThreads": "tests/poplar/test_pool.py::test_short_programs_try_one_thread",
    "host.fuse": "tests/poplar/test_fusion.py::test_nan_passes_a_fused_relu",
    "host.without": "tests/poplar/test_without.py::test_what_is_left_out_is_not_in_the_plan",
    "host.lendTensors": "tests/poplar/test_lent_tensors.py::test_the_option_makes_copies",
    "host.fpMath": "tests/poplin/test_tiles.py::"
    "test_an_engine_has_the_accuracy_that_it_was_asked_for",
    "host.deterministic": "tests/poplin/test_shares.py::"
    "test_deterministic_bits_are_those_of_any_number_of_threads",
    "host.overlapCollectives": "tests/replicas/test_overlap.py::test_small_sums_travel_together",
    "host.profile": "tests/poplar/test_host_profile.py::"
    "test_every_run_of_an_instruction_is_counted",
    "debug.allowOutOfMemory": "tests/machine/test_machine_report.py::"
    "test_out_of_memory_may_be_allowed_and_is_counted",
    "debug.poisonMemory": "tests/poplar/test_engine.py::"
    "test_poisoned_memory_shows_what_is_read_unwritten",
    "debug.verifyPlan": "tests/poplar/test_plans.py::"
    "test_only_what_is_wrong_is_refused_and_only_if_asked_for",
    "debug.checkBounds": "tests/poplar/test_codelets.py::test_bounds_are_checked_if_asked_for",
    "debug.instrument": f"{COUNTED}::test_the_first_execution_is_counted_and_changes_nothing_else",
    "debug.instrumentCompute": f"{COUNTED}::"
    "test_the_first_execution_is_counted_and_changes_nothing_else",
    "debug.instrumentExternalExchange": f"{PROGRAMS}::test_profiles",
    "debug.floatPointOpException": "tests/test_acting_options.py::"
    "test_floating_point_checks_name_the_operator",
    "debug.nanOverflowException": "tests/test_acting_options.py::"
    "test_floating_point_checks_name_the_operator",
    "exchange.streamBufferOverlap": f"{PROGRAMS}::test_callbacks_and_host_functions",
    "exchange.enablePrefetch": f"{PROGRAMS}::test_callbacks_and_host_functions",
    "autoReport.all": f"{PROGRAMS}::test_profiles",
    "autoReport.outputGraphProfile": f"{FILE}::test_a_profile_is_written_where_it_is_to_be",
    "autoReport.outputExecutionProfile": f"{COUNTED}::test_a_profile_that_is_written_counts",
    "autoReport.directory": f"{PROGRAMS}::test_profiles",
    "autoReport.outputArchive": f"{FILE}::test_files_about_a_graph",
    "autoReport.outputLoweredVars": f"{FILE}::test_files_about_a_graph",
    "autoReport.outputSerializedGraph": f"{FILE}::test_files_about_a_graph",
    "debug.loweredVarDumpFile": f"{FILE}::test_files_about_a_graph",
    "target.saveArchive": f"{FILE}::test_files_about_a_graph",
    "prng.enableStochasticRounding": "tests/poplar/test_rounding.py::"
    "test_an_engine_s_option_begins_every_program",
    "prng.enable": "tests/poplar/test_rounding.py::test_the_former_name_of_an_engine_s_option",
    "prng.seed": "tests/poplar/test_rounding.py::test_an_engine_s_option_begins_every_program",
    "profiler.blocks.filter": f"{PROGRAMS}::test_profiles",
    "profiler.programs.filter": f"{PROGRAMS}::"
    "test_library_operations_beside_vertices_in_one_compute_set",
}
"""The test that shows what an option does."""

TABLE = poplar.engineOptionTable()
SAMPLES = {"true or false": "true", "a whole number": "3", "text": "x"}


def engine(**options: str) -> poplar.Engine:
    graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice({"tilesPerIPU": "2"}))
    return poplar.Engine(graph, program.Sequence(), options)


def test_what_acts_is_shown_by_a_test() -> None:
    assert set(SHOWN) == {name for name, kind, *_ in TABLE if kind == "acts"}
    for test in SHOWN.values():
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text())
        assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, test


@pytest.mark.parametrize("row", [r for r in TABLE if r[1] != "acts"], ids=lambda r: r[0])
def test_what_does_not_act_says_so(row: tuple[str, str, str, str, str]) -> None:
    name, kind, type, _, reason = row
    value = SAMPLES[type]
    if kind == "refused":
        with pytest.raises(poplar_invalid_option) as error:
            engine(**{name: value})
        assert str(error.value) == f"Engine: {name} is '{value}': {reason}"
        return
    words = f"Engine: {name} is '{value}', which has no meaning here: {reason}"
    with pytest.warns(OptionWarning) as said:
        engine(**{name: value})
    assert [str(each.message) for each in said] == [words]


def test_an_option_that_is_none() -> None:
    with pytest.raises(
        poplar_invalid_option, match=r"no option 'host.profil'. Did you mean 'host.profile'"
    ):
        engine(**{"host.profil": "true"})
    with pytest.raises(poplar_invalid_option, match=r"no option 'nonsense'. `popir options`"):
        engine(nonsense="true")


@pytest.mark.parametrize("row", poplar.deviceOptionTable(), ids=lambda r: r[0])
def test_options_of_devices_that_have_no_meaning(row: tuple[str, str, str, str, str]) -> None:
    name, _, type, otherwise, _ = row
    value = "false" if otherwise == "true" else SAMPLES[type]
    with pytest.warns(OptionWarning, match=rf"target: {name} is '{value}', which has no meaning"):
        poplar.IPUModel("ipu2").createDevice({name: value})
    if otherwise:
        poplar.IPUModel("ipu2").createDevice({name: otherwise})


@pytest.mark.parametrize("option", ["autoReport.outputGraphProfile", "autoReport.all"])
def test_a_profile_is_written_where_it_is_to_be(option: str, tmp_path: Path) -> None:
    engine(**{option: "true", "autoReport.directory": str(tmp_path / "here")})
    assert (tmp_path / "here" / "profile.pop").exists()


CODELET = """#include <poplar/Vertex.hpp>
class %s : public poplar::Vertex {
 public:
  poplar::InOut<float> x;
  bool compute() { *x += 1; return true; }
};
"""


def test_files_about_a_graph(tmp_path: Path) -> None:
    graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice({"tilesPerIPU": "2"}))
    for name in ("First", "Second"):
        (tmp_path / f"{name} one.cpp").write_text(CODELET % name)
        graph.addCodelets(str(tmp_path / f"{name} one.cpp"))
    t = graph.addVariable(poplar.FLOAT, [2, 3], "t")
    graph.setTileMapping(t.flatten().slice(0, 2), 1)
    graph.setTileMapping(t.flatten().slice(2, 6), 0)
    report, vars, archive = tmp_path / "report", tmp_path / "vars", tmp_path / "new" / "archive"
    options = {
        "autoReport.outputArchive": "true",
        "autoReport.outputLoweredVars": "true",
        "autoReport.outputSerializedGraph": "true",
        "autoReport.directory": str(report),
        "debug.loweredVarDumpFile": str(vars),
        "target.saveArchive": str(archive),
    }
    poplar.Engine(graph, program.Sequence(), options)

    names = sorted(path.name for path in report.iterdir())
    assert names == ["archive.a", "serialized_graph.json", "vars.json"]
    (variable,) = json.loads(vars.read_text())["variables"]
    assert variable["name"] == "t" and variable["shape"] == [2, 3]
    assert variable["tiles"] == [[0, 2, 1], [2, 6, 0]]
    assert (report / "vars.json").read_bytes() == vars.read_bytes()
    whole = json.loads((report / "serialized_graph.json").read_text())
    assert whole["variables"] == [variable] and whole["target"]["tiles"] == 2
    assert (report / "archive.a").read_bytes() == archive.read_bytes()
    listed = subprocess.run(["ar", "t", archive], capture_output=True, text=True, check=True)
    assert listed.stdout.splitlines() == ["First one.gp", "Second one.gp"]
    subprocess.run(["ar", "x", archive, "Second one.gp"], cwd=tmp_path, check=True)
    other = poplar.Graph(poplar.Target.createCPUTarget())
    other.addCodelets(str(tmp_path / "Second one.gp"))
    set_ = other.addComputeSet("s")
    other.addVertex(set_, "Second", {"x": other.addVariable(poplar.FLOAT, [])})


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(poplar_exception, match=r"target.saveArchive: .*/x' cannot be written"):
        engine(**{"target.saveArchive": str(tmp_path / "file" / "x")})
