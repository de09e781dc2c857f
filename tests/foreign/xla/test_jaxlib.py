"""The same libraries through jaxlib on the CPU and through popir: results and errors are equal."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops
from popir.foreign.xla import shapes
from tests.foreign.xla import functions, oracle
from tests.foreign.xla.models import Array, call, leaves, run
from tests.toolchain import ROOT

if importlib.util.find_spec("jax") is None:
    pytest.skip(
        "jax is not installed, which is what popir is compared with", allow_module_level=True
    )

R = np.random.default_rng(0)
ARRAYS = {
    "one": np.float32(1.5),
    "two": np.float32(-2),
    "row": R.standard_normal(6).astype(np.float32),
    "matrix": R.standard_normal((2, 3)).astype(np.float32),
    "three": np.array([1, 2, 3], np.float32),
    "ints": np.array([1, -2, 3], np.int32),
    "w": R.standard_normal((4, 3)).astype(np.float32),
    "x": R.standard_normal((5, 4)).astype(np.float32),
    "t": R.standard_normal((5, 3)).astype(np.float32),
    **{
        f"of_{k}": (R.standard_normal(4) * 5).astype(k)
        for k in ("int8", "int16", "float16", "bool")
    },
}
F32: Any = ["float32", []]


def v(symbol: str, version: int, operands: list[str], result: Any, **more: Any) -> dict[str, Any]:
    return {"symbol": symbol, "version": version, "operands": operands, "result": result, **more}


CALLS = {
    "original": v("by_name", 1, ["one"], F32),
    "tuple": v("by_name_swap", 1, ["one", "two"], [F32, F32]),
    "opaque": v("by_name_opaque", 3, ["one"], ["int32", [16]], opaque="abc\0def"),
    "failure": v("by_name_fails", 2, ["one"], F32),
    "column_major": v(
        "by_name_copy",
        1,
        ["matrix"],
        ["float32", [6]],
        options={"input_layouts": [[0, 1]], "output_layouts": [[0]]},
    ),
    "column_major_result": v(
        "by_name_copy",
        1,
        ["row"],
        ["float32", [2, 3]],
        options={"input_layouts": [[0]], "output_layouts": [[0, 1]]},
    ),
    "in_place": v(
        "by_name_in_place", 1, ["three"], ["float32", [3]], options={"aliases": [[0, 0]]}
    ),
    "axpy": v("Axpy", 4, ["three", "three"], ["float32", [3]], attributes={"a": {"float32": 0.1}}),
    "norm": v(
        "Norm",
        4,
        ["matrix"],
        [["float32", [2, 3]], ["float32", [2]]],
        attributes={"eps": {"float32": 1e-5}},
    ),
    "swap": v("Swap", 4, ["one", "two"], [F32, F32]),
    "variadic": v("Variadic", 4, ["one", "row", "three"], [["float32", [3]], ["float32", [6]]]),
    "attributes": v(
        "Attributes",
        4,
        ["matrix", "ints", "of_int8", "of_int16", "of_float16", "of_bool"],
        ["uint8", [500]],
        attributes={
            "pred": True,
            "s64": -3,
            "f64": 0.1,
            "text": 'hi "é"',
            "s8": {"int8": -4},
            "u64": {"uint64": 1 << 62},
            "f32": {"float32": 1e-5},
            "s32s": {"int32": [1, 2]},
            "f64s": {"float64": [0.5, -1]},
            "s64s": {"int64": []},
            "inner": {"dictionary": {"s64": 5, "text": "in"}},
        },
    ),
    "future": v("Future", 4, ["row"], ["float32", [6]]),
    "late_failure": v("LateFailure", 4, ["row"], ["float32", [6]]),
    "too_many": v("Swap", 4, ["one", "one", "one"], [F32, F32]),
    "too_few_results": v("Swap", 4, ["one", "one"], F32),
    "no_attribute": v("Axpy", 4, ["three", "three"], ["float32", [3]]),
    "other_attribute": v(
        "Axpy", 4, ["three"] * 2, ["float32", [3]], attributes={"b": {"float32": 1}}
    ),
    "more_attributes": v(
        "Axpy", 4, ["three"] * 2, ["float32", [3]], attributes={"a": {"float32": 1}, "n": 2}
    ),
    "text_for_a_number": v("Axpy", 4, ["three"] * 2, ["float32", [3]], attributes={"a": "x"}),
    "double_for_a_float": v("Axpy", 4, ["three"] * 2, ["float32", [3]], attributes={"a": 1.5}),
    "other_type": v(
        "Axpy", 4, ["three", "ints"], ["float32", [3]], attributes={"a": {"float32": 1}}
    ),
    "other_rank": v("Rank", 4, ["row"], F32),
    "rank": v("Rank", 4, ["matrix"], F32),
    "failed": v("Fail", 4, ["one"], F32, attributes={"message": "what is wrong", "code": 12}),
    "thrown": v("Throw", 4, ["one"], F32),
    "no_stream": v("Stream", 4, ["one"], ["int32", []]),
}
ERRORS = [
    "failure",
    "late_failure",
    "too_many",
    "too_few_results",
    "no_attribute",
    "other_attribute",
    "more_attributes",
    "text_for_a_number",
    "double_for_a_float",
    "other_type",
    "other_rank",
    "failed",
    "thrown",
    "no_stream",
]


@pytest.fixture(scope="session")
def asked(
    tmp_path_factory: pytest.TempPathFactory, targets: popir.OpLibrary, handlers: popir.OpLibrary
) -> tuple[Path, Mapping[str, Array], dict[str, str]]:
    """The folder with programs, the results of jaxlib, and its errors by call."""
    folder = tmp_path_factory.mktemp("jaxlib")
    calls = [{**c, "library": library(c, targets, handlers)} for c in CALLS.values()]
    (folder / "calls.json").write_text(json.dumps({"calls": calls, "handlers": handlers.path}))
    np.savez(folder / "arrays.npz", **ARRAYS)
    command = [sys.executable, "-m", oracle.__name__, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    answers = json.loads((folder / "answers.json").read_text())
    return folder, np.load(folder / "results.npz"), dict(zip(CALLS, answers, strict=True))


def library(c: Mapping[str, Any], targets: popir.OpLibrary, handlers: popir.OpLibrary) -> str:
    return handlers.path if c["version"] == 4 else targets.path


def own(c: Mapping[str, Any], path: str) -> list[Array]:
    """The results of popir."""
    options: dict[str, Any] = {}
    given = c.get("options", {})
    if "input_layouts" in given:
        options["operand_layouts"] = given["input_layouts"]
    if "aliases" in given:
        options["output_operand_aliases"] = dict(given["aliases"])
    if c["version"] == 4:
        values = c.get("attributes", {})
        options["attributes"] = {name: oracle.attribute(each) for name, each in values.items()}
    else:
        options["opaque"] = c.get("opaque", "")
    result = shape(c["result"], given.get("output_layouts"))
    values = [ARRAYS[name] for name in c["operands"]]
    return call(c["symbol"], values, result, library=path, api_version=c["version"], **options)


def shape(given: Any, layouts: Any) -> Any:
    if not isinstance(given[0], str):
        return [shape(each, None) for each in given]
    array = shapes.shape_of("test", tuple(given))
    assert isinstance(array, shapes.Array)
    return shapes.Array(array.kind, array.dims, tuple(layouts[0])) if layouts else array


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ERRORS])
def test_results(
    name: str, asked: Any, targets: popir.OpLibrary, handlers: popir.OpLibrary
) -> None:
    _, results, answers = asked
    assert answers[name] == ""
    found = own(CALLS[name], library(CALLS[name], targets, handlers))
    number = [*CALLS].index(name)
    for i, y in enumerate(found):
        np.testing.assert_array_equal(y, results[f"{number}.{i}"])


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str, asked: Any, targets: popir.OpLibrary, handlers: popir.OpLibrary) -> None:
    """popir says the same, with its operator in front."""
    _, _, answers = asked
    assert answers[name] != "", "jaxlib has no error"
    with pytest.raises(popir.PopirError) as error:
        own(CALLS[name], library(CALLS[name], targets, handlers))
    if name == "no_stream":  # The words are jaxlib's own; the code is the same.
        assert answers[name].partition(":")[0] in str(error.value)
        return
    said = str(error.value).partition(": ")[2]
    assert said == answers[name].strip()


@pytest.mark.parametrize("name", ["network", "gradient", "arithmetic"])
def test_programs(name: str, asked: Any, handlers: popir.OpLibrary) -> None:
    """A function of JAX becomes a model, by the text of its HLO."""
    folder, results, _ = asked
    popir.load_op_library(handlers.path)
    program = custom_ops.xla_program((folder / f"{name}.hlo").read_text(), library=handlers.path)
    inputs = dict(zip(leaves(program.inputs), (ARRAYS[n] for n in ("w", "x", "t")), strict=False))
    found = run(program.builder.getModelProto(), inputs, leaves(program.output))
    assert len(found) == sum(key.startswith(f"{name}.") for key in results)
    for i, y in enumerate(found):
        expected = results[f"{name}.{i}"]
        assert y.shape == expected.shape and y.dtype == expected.dtype
        np.testing.assert_allclose(y, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", [*functions.OPERANDS])
def test_instructions(name: str, asked: Any, targets: popir.OpLibrary) -> None:
    """Single operators of HLO: types of results, numbers out of range, orders of dimensions."""
    folder, results, _ = asked
    program = custom_ops.xla_program((folder / f"{name}.hlo").read_text())
    inputs = dict(zip(leaves(program.inputs), functions.OPERANDS[name], strict=True))
    found = run(program.builder.getModelProto(), inputs, leaves(program.output))
    assert len(found) == sum(key.startswith(f"{name}.") for key in results)
    for i, y in enumerate(found):
        expected = results[f"{name}.{i}"]
        assert y.shape == expected.shape
        assert y.dtype == expected.dtype or y.dtype.name == "bfloat16"
        given = y.astype(np.float32) if y.dtype.name == "bfloat16" else y
        rtol = 1e-2 if given is not y else 4e-6
        np.testing.assert_allclose(given, expected, rtol=rtol if y.dtype.kind not in "iub" else 0)
