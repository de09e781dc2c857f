"""What C++ code throws arrives as the Python error of the same name, and says who threw it."""

import ctypes
import gc
from pathlib import Path

import pytest

import popir
from popir import Op, TensorInfo, pattern
from popir.errors import poplar_recoverable_runtime_error
from popir.foreign import popart
from tests.popart.graphs import add, graph, refusal
from tests.popart.libraries import isolated

KINDS = {
    "error": (popir.popart_exception, "bad luck of 3"),
    "internal_error": (popir.popart_internal_exception, "bad state"),
    "runtime_error": (popir.popart_runtime_error, "bad run"),
    "logic_error": (popir.popart_exception, "bad logic"),
    "int": (popir.popart_exception, "It threw something that is no std::exception"),
    "division": (
        popir.popart_exception,
        "Failed: it divides an integer by zero, or the least integer by -1",
    ),
    "poplar_error": (popir.poplar_exception, "bad device"),
    "index_error": (popir.errors.poplar_index_error, "bad index"),
}


def check_kinds(library: str) -> None:
    ctypes.CDLL(library)
    for what, (kind, message) in KINDS.items():
        given = {"name": "n", "where": "factory", "what": what}
        said = refusal(kind, lambda given=given: add(graph(), "Fails", ["x"], **given))
        assert said == f"{message} (test.Fails:1 'n', in the factory() of '{library}')"
    assert popart.device.liveOps() == 0


def test_each_kind(library, tmp_path: Path) -> None:
    isolated(check_kinds, library("probe"), cwd=tmp_path)


def check_recovery(library: str) -> None:
    ctypes.CDLL(library)
    with pytest.raises(poplar_recoverable_runtime_error, match="bad link") as error:
        add(graph(), "Fails", ["x"], where="factory", what="link")
    assert error.value.recoveryAction is popir.RecoveryAction.LINK_RESET


def test_recovery(library, tmp_path: Path) -> None:
    isolated(check_recovery, library("probe"), cwd=tmp_path)


def check_places(library: str) -> None:
    ctypes.CDLL(library)
    calls = {"clone": Op.clone, "getGradOps": Op.getGradOps, "hasSideEffect": Op.hasSideEffect}
    for where in calls:
        g = graph()
        op = add(g, "Fails", ["x"], name="n", where=where, what="error")
        said = refusal(popir.popart_exception, getattr(op, where))
        assert said == (
            f"bad luck of 3 (Op(0, test.Fails:1, name='n', inputs=['x'], outputs=['y']), "
            f"in {where}() of '{library}')"
        )
        assert op.outInfo(0) == TensorInfo("FLOAT", [2, 3])
    op = add(graph(), "Fails", ["x"], where="null")
    assert "It returned a null pointer in place of an operator" in refusal(
        popir.popart_exception, op.clone
    )


def test_each_function(library, tmp_path: Path) -> None:
    isolated(check_places, library("probe"), cwd=tmp_path)


def check_setup(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    said = refusal(
        popir.popart_exception, lambda: add(g, "Fails", ["x"], where="setup", what="error")
    )
    assert "in setup() of" in said
    assert g.getTensor("y").info is None  # what it had set before it threw
    good = add(g, "NoOpx", ["x"], "z")
    assert good.outInfo(0) == TensorInfo("FLOAT", [2, 3])


def test_what_a_failed_setup_has_set_is_taken_back(library, tmp_path: Path) -> None:
    isolated(check_setup, library("probe"), cwd=tmp_path)


def check_careless(library: str) -> None:
    ctypes.CDLL(library)
    (careless,) = [e.create() for e in pattern.entries() if e.name == "Careless"]

    class Python(Op):
        def setup(self) -> None:
            self.setOutInfo(0, self.inInfo(0))

    for type in "Careless", "Double":
        popir.OpCreator(Python, [popir.OperatorIdentifier("test", type, 1)])

    place = f" (The pattern 'Careless', in apply() of '{library}')"

    def apply(how: str) -> bool:
        g = graph()
        return careless.apply(add(g, "Careless", ["x"], name=how))

    for how, words in {
        "erased and connected": "is in no graph any more: it was erased",
        "erased twice": "has no operator of id 0",
        "not in the graph": "is in no graph, so it cannot be connected; call moveIntoGraph first",
        "no such input": "has no input 7",
        "no such tensor": "The main graph has no tensor 'nothing'",
    }.items():
        said = refusal(popir.popart_exception, apply, how)
        assert words in said
        assert said.endswith(place)
    said = refusal(popir.UnknownOperatorError, apply, "no such operator")
    assert "No operator test.Nothing is registered" in said and said.endswith(place)
    assert not apply("dropped")
    assert not apply("dropped built in")
    gc.collect()
    assert popart.device.liveOps() == 0


def test_broken_rules_are_errors(library, tmp_path: Path) -> None:
    isolated(check_careless, library("probe"), cwd=tmp_path)


@pytest.mark.parametrize("attribute", ["alpha", "other"])
def test_a_builder_checks_what_the_schema_says(attribute: str) -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(TensorInfo("FLOAT", [2]))
    with pytest.raises(popir.OperatorAttributeError, match=f"'{attribute}'"):
        builder.customOp("LeakyRelu", 6, "ai.onnx", [x], {attribute: "text"})
