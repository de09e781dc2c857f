"""The examples of TensorFlow's documents on custom operations, with the C++ of the documents' text.

The documents are not part of the project: the tests run where they lie beside it. The example with
attributes asserts what does not hold for its own parser, so that all are compiled with -DNDEBUG; it
needs jsoncpp's headers and library.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.custom_ops import codelet_expression_op, cpu_user_operation, precompiled_user_op
from tests.foreign.tensorflow.conftest import CONFIG
from tests.foreign.tensorflow.programs import (
    builder,
    floats,
    given,
    gradients,
    inference,
    outs,
    stepped,
)
from tests.toolchain import CACHED_CXX, CXX, ROOT, run

SEEDS = ROOT.parent / "shared" / "seeds"
NUMBERED = next(iter(SEEDS.glob("000_*.txt")), None)
SOURCE = next(iter(SEEDS.glob("001_*.txt")), None)
JSON = Path("/usr/include/jsoncpp")

pytestmark = pytest.mark.skipif(NUMBERED is None, reason="the documents are not beside the project")


def listings(text: str) -> list[str]:
    """The listings whose lines are numbered from 1, without the numbers."""
    found: list[list[str]] = []
    for line in text.splitlines():
        for number in (len(found[-1]) + 1 if found else 1, 1):
            if begin := re.match(rf" *{number}", line):
                if number == 1:
                    found.append([])
                found[-1].append(line[begin.end() :])
                break
    return ["\n".join(lines) + "\n" for lines in found]


def listing(*words: str) -> str:
    """The one listing of document 000 that has these words."""
    assert NUMBERED is not None
    found = [
        each
        for each in listings(NUMBERED.read_text(encoding="utf-8"))
        if all(word in each for word in words)
    ]
    assert len(found) == 1, words
    return found[0]


def compiled(folder: Path, name: str, text: str, *flags: str) -> str:
    """The library of a listing."""
    (folder / f"{name}.cc").write_text(text)
    cflags, libs = (run(CONFIG, words, cwd=folder).split() for words in ("--cflags", "--libs"))
    options = ["-std=c++17", "-O2", "-fPIC", "-DNDEBUG", f"-I{folder}"]
    run(*CACHED_CXX, *options, "-c", f"{name}.cc", *cflags, "-o", f"{name}.o", cwd=folder)
    run(CXX, "-shared", f"{name}.o", *libs, *flags, "-o", f"lib{name}.so", cwd=folder)
    return str(folder / f"lib{name}.so")


def test_the_listings_are_found() -> None:
    lengths = [len(each.splitlines()) for each in listings(listing_text())]
    assert {53, 54, 59, 146, 150, 36, 55} <= set(lengths)


def listing_text() -> str:
    """Document 000."""
    assert NUMBERED is not None
    return NUMBERED.read_text(encoding="utf-8")


def test_add_in_place(tmp_path: Path) -> None:
    library = compiled(tmp_path, "custom_add_inplace", listing("custom_add_inplace", "Build("))
    model = builder()
    weights = model.addInitializedInputTensor(np.zeros(4, np.float32), "weights")
    x = model.addInputTensor("FLOAT", [4])
    (added,) = precompiled_user_op([weights, x], library, outs=outs([4]))
    now = model.aiGraphcore.copyvarupdate([weights, added])
    model.addOutputTensor(now)
    session = inference(model, [now])
    fed = {x: np.float32([2, 4, 6, -1])}
    assert stepped(session, fed)[now].tolist() == [2, 4, 6, -1]
    assert stepped(session, fed)[now].tolist() == [4, 8, 12, -2]
    model = builder()
    pair = [model.addInitializedInputTensor(floats(n)) for n in (3, 4)]
    (bad,) = precompiled_user_op(pair, library, outs=outs([3]))
    with pytest.raises(popir.poplibs_exception, match="Inputs must have identical shapes"):
        given(model, bad)


@pytest.mark.skipif(not JSON.exists(), reason="jsoncpp is not installed (libjsoncpp-dev)")
def test_serialized_matmul_with_attributes(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "json").symlink_to(JSON / "json")
    text = listing("serialization_factor", "Build_allocator")
    library = compiled(tmp_path, "tutorial_attributes_example", text, "-ljsoncpp")
    for lhs, rhs in (
        (np.full((128, 1024), 10, np.float32), np.full((1024, 64), 12, np.float32)),
        (floats(6, 8), floats(8, 5, seed=1)),
    ):
        model = builder()
        x, y = (model.addInputTensor("FLOAT", v.shape) for v in (lhs, rhs))
        (z,) = precompiled_user_op(
            [x, y],
            library,
            attributes=json.dumps(
                {"serialization_factor": 2, "lhs_shape": lhs.shape, "rhs_shape": rhs.shape}
            ),
            outs=outs([lhs.shape[0], rhs.shape[1]]),
        )
        model.addOutputTensor(z)
        for device in (None, popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16})):
            found = stepped(inference(model, [z], device), {x: lhs, y: rhs})[z]
            assert np.allclose(found, lhs @ rhs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("as_source", [False, True])
def test_rotate_with_its_codelet(tmp_path: Path, dtype: Any, as_source: bool) -> None:
    library = compiled(tmp_path, "custom_rotate_op", listing("Rotate requires 3 inputs"))
    codelet = tmp_path / "custom_codelet.cpp"
    codelet.write_text(listing("class Rotate : public Vertex"))
    gp = tmp_path / "custom_codelet.gp"
    if not as_source:
        run(CONFIG.parent / "popc", codelet, "-o", gp, cwd=tmp_path)
    values = [
        np.array(v, dtype)
        for v in (
            [2.0, 4.0, 6.0, -1.0],
            [2.0, 3.0, 8.0, -1.0],
            [math.pi, math.pi / 2, 3 * math.pi / 2, 0],
        )
    ]
    model = builder()
    ids = [model.addInitializedInputTensor(v) for v in values]
    found = given(
        model,
        *precompiled_user_op(
            ids, library, codelet if as_source else gp, outs=outs([4], [4], dtype=dtype)
        ),
    )
    x, y, a = (v.astype(np.float64) for v in values)
    expected = x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)
    assert np.allclose(found, expected, atol=1e-5 if dtype is np.float32 else 2e-2)


def test_nothing_is_rotated(tmp_path: Path) -> None:
    """The function gives no outputs then; popir makes those without elements."""
    library = compiled(tmp_path, "custom_rotate_op", listing("Rotate requires 3 inputs"))
    model = builder()
    ids = [model.addInitializedInputTensor(np.zeros(0, np.float32)) for _ in range(3)]
    found = given(model, *precompiled_user_op(ids, library, outs=outs([0], [0])))
    assert [v.shape for v in found] == [(0,), (0,)]


def test_the_signatures_compile(tmp_path: Path) -> None:
    """The declarations of both documents, with bodies that use their arguments."""
    assert SOURCE is not None
    text = SOURCE.read_text(encoding="utf-8")
    heads = re.findall(r"\.\. code-block:: (?:cpp|C\+\+)\n\n((?:  .*\n|\n)+)", text)
    callback = next(head for head in heads if "Callback" in head).replace(";", "")
    build = next(head for head in heads if " Build(" in head)
    numbered = [re.sub(r"\s", "", each) for each in listings(listing_text())]
    assert re.sub(r"\s", "", build) in numbered
    source = (
        "#include <poplar/Graph.hpp>\n#include <poplar/Program.hpp>\n"
        "#include <popops/ElementWise.hpp>\n"
        'extern "C" { int32_t custom_op_api_level = 2; }\n'
        f"{build} {{ poplar::program::Sequence s; outputs.push_back(popops::add(graph, inputs[0], "
        "inputs[1], s, debug_prefix + attributes)); return s; }\n"
        f"{callback} {{ for (unsigned i = 0; i < number_of_elements[0]; ++i) "
        "static_cast<float*>(outputs[0])[i] = static_cast<float*>(data[0])[i] + name.size(); }\n"
    )
    library = compiled(tmp_path, "signatures", source)
    model = builder()
    x = model.addInitializedInputTensor(floats(3))
    (y,) = precompiled_user_op([x, x], library, outs=outs([3]), attributes="text")
    (z,) = cpu_user_operation([y], library, outs=outs([3]), callback_abi="documented")
    assert (given(model, z)[0] > 2 * floats(3)).all()


def test_the_expression() -> None:
    """The function of both documents; it has a gradient here."""
    assert SOURCE is not None
    text = SOURCE.read_text(encoding="utf-8")
    match = re.search(r"  def my_custom_op.*\n.*\n", text)
    assert match is not None
    scope: dict[str, Any] = {}
    exec("\n".join(line[2:] for line in match[0].splitlines()), scope)
    function = scope["my_custom_op"]
    a, b, c = floats(8, 1), floats(1, seed=1), floats(1, 8, seed=2)
    model = builder()
    ids = [model.addInitializedInputTensor(v) for v in (a, b, c)]
    y = codelet_expression_op(function, *ids)
    found = gradients(model, y, *ids)
    expected = [8 * 2 * a, np.float32([8 * c.sum()]), np.full((1, 8), 8 * b)]
    assert all(np.allclose(x, y, rtol=1e-4) for x, y in zip(found, expected, strict=True))
    model = builder()
    ids = [model.addInitializedInputTensor(v) for v in (a, b, c)]
    assert np.allclose(given(model, codelet_expression_op(function, *ids))[0], function(a, b, c))
