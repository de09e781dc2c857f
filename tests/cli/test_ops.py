"""`popir ops`: what is registered, from where, and what is known of it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import popir
from popir import host, registry
from popir.cli import catalogue
from popir.onnxio import schemas
from tests.cli.commands import call, call_json, failure
from tests.toolchain import ROOT, python, run

BASE = """
#include <popart/opmanager.hpp>
using popart::Op;
using GradOps = std::vector<std::unique_ptr<Op>>;
struct Plain : Op {
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Plain>(*this); }
  void setup() override {}
  float getSubgraphValue() const override { return 0; }
};
struct Own : Plain { using Plain::Plain; GradOps getGradOps() override { return {}; } };
struct Inherited : Own { using Own::Own; };
class Private : public Plain {
 public:
  using Plain::Plain;
 private:
  GradOps getGradOps() override { return {}; }
};
const auto T = {popart::DataType::FLOAT, popart::DataType::INT32};
popart::OpDefinition defined({{"x", T}, {"w", T, true}}, {{"y", T}}, {{"axis", {"[01]"}}});
popart::OpDefinitions named(const char* name) { return {{{"acme.ops", name, 1}, {}}}; }
popart::OpCreator<Plain> plain(popart::OpDefinitions({{{"acme.ops", "Plain", 2}, defined}}));
popart::OpCreator<Own> own(named("Own"));
popart::OpCreator<Inherited> inherited(named("Inherited"));
popart::OpCreator<Private> hidden(named("Private"));
"""


@pytest.fixture
def own_registry():
    with registry.scoped():
        yield


def by_name(*words: object) -> dict[str, dict]:
    found = call_json("ops", *words)["operators"]
    return {f"{each['domain']}.{each['name']}": each for each in found}


def test_coverage() -> None:
    rows = {f"{r['domain']}.{r['type']}": r for r in call_json("ops", "--coverage")["coverage"]}
    hows = {
        "ai.onnx.Relu": "kernel",
        "ai.onnx.LpNormalization": "operators",
        "ai.onnx.Swish": "function",
        "ai.onnx.SequenceAt": "import",
        "ai.onnx.ml.TreeEnsemble": "host",
        "ai.onnx.NonZero": "host",
        "ai.onnx.Compress": "operators",
        "ai.graphcore.Abort": "kernel",
    }
    assert {name: rows[name]["how"] for name in hows} == hows
    assert (rows["ai.onnx.Relu"]["gradient"], rows["ai.onnx.Relu"]["missing"]) == (True, [])
    text = call("ops", "--coverage", "--domain", "ai.onnx").stdout
    assert "ai.graphcore" not in text
    last = text.splitlines()[-1]
    assert last.startswith("ai.onnx: ") and last.endswith(f" of {text.count('  ai.onnx.')}")


def test_coverage_excludes() -> None:
    for words in (["Relu"], ["--custom"]):
        said = failure("ops", "--coverage", *words, code=2)
        assert "--coverage takes --domain, and neither OPERATORS nor --custom." in said
    said = failure("ops", "--coverage", "--domain", "ai.onx", code=2)
    assert "domain 'ai.onx' has a schema; the domains are ai.graphcore, " in said
    assert "Did you mean 'ai.onnx' or" in said


def test_the_page_of_operators_is_up_to_date() -> None:
    code = "from tools.operators_page import PAGE, page; print(page() == PAGE.read_text())"
    said = python(code, ROOT)  # in a process where tests have registered nothing
    assert said.strip() == "True", "run: python -m tools.operators_page"


def test_built_in_operators() -> None:
    found = by_name()
    assert set(found) == {
        f"{entry.opid.domain}.{entry.opid.type}"
        for entry in [*registry.entries(), *host.registered()]
        if getattr(entry, "isPublic", True)
    }
    gemm = found["ai.onnx.Gemm"]
    assert [each["name"] for each in gemm["inputs"]] == ["A", "B", "C"]
    assert [each["optional"] for each in gemm["inputs"]] == [False, False, True]
    assert (gemm["gradient"], gemm["from"], gemm["lowerings"]) == (True, "built in", ["built in"])
    assert gemm["versions"][-1] == gemm["version"] == 13
    assert gemm["attributes"][0]["default"] == 1.0
    without = "Equal Not Shape Constant"
    assert not any(
        found[f"ai.onnx.{name}"]["gradient"] for name in without.split() if name in found
    )
    assert not found["ai.graphcore.BitwiseAnd"]["gradient"]
    assert not found["ai.graphcore.Detach"]["gradient"]
    own = {n for n in found if n.rpartition(".")[0] == "ai.graphcore"}
    assert set(by_name("--domain", "ai.graphcore")) == own
    lines = call("ops", "--domain", "ai.graphcore").stdout.splitlines()
    assert lines[:2] == ["operators:", lines[1]]
    columns = ["operator", "version", "inputs", "outputs", "attributes", "gradient", "from"]
    assert lines[1].split() == columns
    (row,) = [line for line in lines if "graphcore.Scale " in line]
    assert row.split() == ["ai.graphcore.Scale", "1", "X", "Y", "scale", "yes", "built", "in"]


def test_operators_of_the_host() -> None:
    found = by_name()["ai.onnx.NonZero"]
    assert (found["from"], found["versions"]) == ("built in, on the host", [9, 13])
    assert (found["gradient"], found["lowerings"]) == (False, [])
    assert [each["name"] for each in found["inputs"]] == ["X"]
    text = call("ops", "NonZero:9").stdout
    assert "version: 9 of 9, 13\nfrom: built in, on the host\n" in text
    assert "host: always: the shape of its result is the number of elements found\n" in text
    assert "lowering: none: it runs on the host\n" in text
    text = call("ops", "Compress").stdout
    assert "host: at times: its condition is computed at run time\n" in text
    assert by_name("TreeEnsemble")["ai.onnx.ml.TreeEnsemble"]["version"] == 5
    assert not any("NonZero" in name for name in by_name("--custom"))
    assert "No operator 'NonZero:8' is registered" in failure("ops", "NonZero:8", code=3)


def test_operators_in_python(own_registry: None) -> None:
    class ShownOp(popir.Op):
        axes: list[int]
        alpha: float = 0.5
        mode: str | None

        def getGradOps(self) -> list[popir.Op]:
            return []

    for version in 1, 3:
        popir.OpCreator(ShownOp, [popir.OperatorIdentifier("acme.py", "Shown", version)])
    popir.OpCreator(ShownOp, [popir.OperatorIdentifier("acme.py", "Hidden", 1)], isPublic=False)
    # Libraries of other tests may be loaded, too.
    assert [name for name in by_name("--custom") if "acme" in name] == ["acme.py.Shown"]
    shown = by_name("Shown")["acme.py.Shown"]
    assert (shown["from"], shown["versions"], shown["version"]) == (__file__, [1, 3], 3)
    assert (shown["inputs"], shown["gradient"], shown["lowerings"]) == (None, True, [])
    attributes = [(a["name"], a["type"], a["required"], a["default"]) for a in shown["attributes"]]
    assert attributes == [
        ("axes", "INTS", True, None),
        ("alpha", "FLOAT", False, 0.5),
        ("mode", "STRING", False, None),
    ]
    text = call("ops", "acme.py.Shown:1").stdout
    assert "version: 1 of 1, 3\n" in text
    assert "lowering: none: it cannot run\n" in text
    assert "inputs: not known; its definition names none\n" in text
    assert [line.split() for line in text.splitlines()][-3:] == [
        ["axes", "INTS", "required", "-"],
        ["alpha", "FLOAT", "0.5", "-"],
        ["mode", "STRING", "-", "-"],
    ]
    assert "  axes, [alpha], [mode]  yes" in call("ops", "--custom").stdout


def test_operators_of_a_library(tmp_path: Path) -> None:
    source = tmp_path / "classes.cpp"
    source.write_text(BASE)
    command = [sys.executable, "-m", "popir", "ops", "--custom", "--json", "--op-library", source]
    env = {"PYTHONPATH": str(ROOT), "POPIR_CACHE": str(tmp_path / "cache")}
    found = json.loads(run(*command, cwd=tmp_path, env=env))["operators"]
    assert {each["name"]: each["gradient"] for each in found} == {
        "Plain": False,
        "Own": True,
        "Inherited": True,
        "Private": True,
    }
    (plain,) = [each for each in found if each["name"] == "Plain"]
    assert plain["from"] == str(source)
    assert [each["name"] for each in plain["inputs"]] == ["x", "w"]
    assert plain["inputs"][0]["types"] == ["FLOAT", "INT32"]
    assert plain["attributes"][0]["values"] == "[01]"
    (own,) = [each for each in found if each["name"] == "Own"]
    assert own["inputs"] is own["outputs"] is own["attributes"] is None


def test_names_that_nobody_has() -> None:
    assert "Did you mean 'ai.onnx' or 'ai.onnx.ml'?" in failure("ops", "--domain", "ai.onx", code=2)
    assert "Did you mean 'Softmax'" in failure("ops", "Softmx", code=3)


@pytest.mark.parametrize("entry", registry.entries(), ids=lambda entry: str(entry.opid))
def test_defaults_are_shown_as_people_write_them(entry: registry.OpEntry) -> None:
    """The shortest number that a model stores as the same 32-bit float."""
    specs = schemas.attributes(entry.opid) or {}
    for shown in catalogue.attributes(entry) or []:
        spec = specs.get(shown["name"])
        if spec is not None and isinstance(spec.default, float):
            assert np.float32(shown["default"]) == np.float32(spec.default)
            digits = str(np.float32(spec.default))
            assert shown["default"] == float(digits) and len(digits) < 15


def test_a_default_of_popir_s_own_schemas_is_shown_so_too() -> None:
    (found,) = call_json("ops", "ai.graphcore.BatchNormalization")["operators"]
    assert {a["name"]: a["default"] for a in found["attributes"]} == {
        "epsilon": 1e-05,
        "momentum": 0.9,
    }
    said = call("ops", "LeakyRelu").stdout.splitlines()
    assert said[-1].split()[:3] == ["alpha", "FLOAT", "0.01"]
