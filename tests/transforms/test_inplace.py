"""In-place variants, from text to text; and each reason to leave an operator, by its words."""

from __future__ import annotations

import warnings

import pytest

import popir
from popir.ir import verify
from popir.ir.text import print_graph
from popir.transforms.inplace import inplace
from tests.transforms.graphs import graph_of

HEAD = """opset ai.onnx 13
stream %x: FLOAT[4]
variable %w: FLOAT[4] = [1.0, 2.0, 3.0, 4.0]
const %k: FLOAT[4] = [0.5, 0.5, 0.5, 0.5]
"""
TAIL = """
inputs %x
outputs %out
"""


def after(body: str, *kept: str) -> tuple[str, dict[str, str | None]]:
    """The operators' lines afterwards, and for each variant that was tried why it was left."""
    graph = graph_of(HEAD + body + TAIL)
    decisions = inplace(graph, kept)
    verify(graph)
    lines = [line.strip() for line in print_graph(graph).splitlines()]
    ops = [line for line in lines if line[0].isdigit() or line.startswith("after")]
    return "\n".join(ops), {d.what: d.reason for d in decisions}


def test_a_chain_works_in_one_memory() -> None:
    found, _ = after(
        """0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
        1: %b: FLOAT[4] = ai.onnx.LeakyRelu:6(%a) {alpha = 0.1}
        2: %out: FLOAT[4] = ai.onnx.Add:13(%b, %w)"""
    )
    assert (
        found
        == """0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
1: %b: FLOAT[4] = ai.graphcore.LeakyReluInplace:1(%a) {alpha = 0.1}
2: %out: FLOAT[4] = ai.graphcore.AddLhsInplace:1(%b, %w)"""
    )


def test_the_other_readers_come_first() -> None:
    found, _ = after(
        """0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
        2: %c: FLOAT[2, 2] = ai.graphcore.Reshape:1(%a) {shape = [2, 2]}
        3: %d: FLOAT[2, 2] = ai.onnx.Softmax:13(%c)
        4: %b: FLOAT[4] = ai.onnx.Exp:13(%a)
        5: %e: FLOAT[4] = ai.graphcore.Reshape:1(%d) {shape = [4]}
        6: %out: FLOAT[4] = ai.onnx.Add:13(%b, %e)""",
    )
    assert "4: %b: FLOAT[4] = ai.graphcore.ExpInplace:1(%a)" in found
    assert "after 4: 2, 3" in found  # the view of %a, and who reads it


def test_the_operator_made_last_is_tried_first_and_the_other_one_has_to_wait_for_nothing() -> None:
    found, reasons = after(
        """0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
        1: %b: FLOAT[4] = ai.onnx.Exp:13(%a)
        2: %c: FLOAT[4] = ai.onnx.Neg:13(%a)
        3: %out: FLOAT[4] = ai.onnx.Add:13(%c, %b)"""
    )
    assert "2: %c: FLOAT[4] = ai.graphcore.NegInplace:1(%a)" in found
    assert "1: %b: FLOAT[4] = ai.onnx.Exp:13(%a)" in found
    assert "reads the value and runs later" in str(reasons["ExpInplace"])


def test_preferences_of_the_model_go_before_the_defaults() -> None:
    notes = '{__inplace_op_names = ["AddLhsInplace", "AddRhsInplace"], '
    notes += "__inplace_op_priorities = [-1.0, 20.0]}"
    found, reasons = after(
        f"""0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
        1: %b: FLOAT[4] = ai.onnx.Mul:13(%x, %k)
        2: %out: FLOAT[4] = ai.onnx.Add:13(%a, %b) notes {notes}"""
    )
    assert "ai.graphcore.AddRhsInplace:1(%a, %b)" in found
    assert "AddLhsInplace" not in reasons


ASKED = 'notes {__inplace_op_names = ["ExpInplace"], __inplace_op_priorities = [1e-8]}'


def test_what_the_program_asks_for_moves_behind_the_other_readers() -> None:
    """And overwrites what the host sends."""
    body = """0: %%b: FLOAT[4] = ai.onnx.Exp:13(%%x) %s
        1: %%c: FLOAT[4] = ai.onnx.Sin:7(%%x)
        2: %%d: FLOAT[4] = ai.onnx.Cos:7(%%x)
        3: %%e: FLOAT[4] = ai.onnx.Add:13(%%b, %%c)
        4: %%out: FLOAT[4] = ai.onnx.Add:13(%%e, %%d)"""
    found, _ = after(body % ASKED)
    lines = found.splitlines()
    first = [n for n, line in enumerate(lines) if "Sin" in line or "Cos" in line]
    overwrites = next(n for n, line in enumerate(lines) if "ExpInplace" in line)
    assert len(first) == 2
    assert max(first) < overwrites
    assert "after 0: 1, 2" in found
    _, reasons = after(body % "")
    assert "is an input of the graph" in str(reasons["ExpInplace"])


def test_what_the_program_asks_for_stays_where_another_reader_needs_it() -> None:
    _, reasons = after(
        f"""0: %b: FLOAT[4] = ai.onnx.Exp:13(%x) {ASKED}
        1: %out: FLOAT[4] = ai.onnx.Mul:13(%x, %b)"""
    )
    assert "reads the value and runs later" in str(reasons["ExpInplace"])


def test_an_operator_that_excludes_the_pattern() -> None:
    body = """0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
    1: %out: FLOAT[4] = ai.onnx.Neg:13(%a)"""
    assert "NegInplace" in after(body)[0]
    assert "NegInplace" not in after(body + ' notes {__exclude_patterns = ["InPlace"]}')[0]


REFUSED = [
    ("%x", "'x', in the same memory, is an input of the graph"),
    ("%w", "'w', in the same memory, is a weight or state"),
    ("%k", "'k', in the same memory, is a constant"),
    ("%kept", "'kept', in the same memory, is kept: an anchor or an output"),
    ("%viewed", "'w', in the same memory, is a weight or state"),
    ("%keptView", "'kept', in the same memory, is kept: an anchor or an output"),
    ("%wide", "'wide', in the same memory, shows elements several times"),
]


@pytest.mark.parametrize(("source", "reason"), REFUSED)
def test_memory_that_somebody_else_has_stays(source: str, reason: str) -> None:
    shape = "[2, 4]" if source == "%wide" else "[2, 2]" if "iew" in source else "[4]"
    body = f"""const %rows: INT64[2] = [2, 4]
    0: %kept: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
    1: %viewed: FLOAT[2, 2] = ai.graphcore.Reshape:1(%w) {{shape = [2, 2]}}
    2: %keptView: FLOAT[2, 2] = ai.graphcore.Reshape:1(%kept) {{shape = [2, 2]}}
    3: %fresh: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
    4: %wide: FLOAT[2, 4] = ai.onnx.Expand:13(%fresh, %rows)
    5: %out: FLOAT{shape} = ai.onnx.Exp:13({source})"""
    found, reasons = after(body, "kept")
    assert reasons["ExpInplace"] == reason
    assert f"ai.onnx.Exp:13({source})" in found


VIEWS = [
    ("[3, 2]", "ai.onnx.Transpose:13(%a) {perm = [1, 0]}", False),
    ("[2, 1, 3]", "ai.onnx.Transpose:13(%high) {perm = [0, 2, 1]}", True),
    ("[1, 3]", "ai.onnx.Slice:1(%a) {starts = [1], ends = [2], axes = [0]}", True),
    ("[2, 2]", "ai.onnx.Slice:1(%a) {starts = [0], ends = [2], axes = [1]}", False),
    ("[2, 2]", "ai.onnx.Slice:13(%a, %zero, %three, %one, %two)", False),
    ("[2, 1]", "ai.onnx.Gather:13(%a, %one) {axis = 1}", False),
    ("[1, 3]", "ai.onnx.Gather:13(%a, %one) {axis = 0}", True),
    ("[2, 3]", "ai.onnx.Gather:13(%a, %down) {axis = 0}", False),
    ("[3, 1, 2]", "ai.graphcore.Reshape:1(%turned) {shape = [3, 1, 2]}", False),
]


@pytest.mark.parametrize(("shape", "view", "in_order"), VIEWS)
def test_results_lie_in_memory_row_by_row(shape: str, view: str, in_order: bool) -> None:
    """Else a sum over them would be rounded in another order."""
    names = {"zero": 0, "one": 1, "two": 2, "three": 3}
    lines = [f"const %{name}: INT64[1] = [{n}]" for name, n in names.items()]
    turned = "3: %turned: FLOAT[3, 2] = ai.onnx.Transpose:13(%a) {perm = [1, 0]}"
    body = f"""const %down: INT64[2] = [1, 0]
    variable %m: FLOAT[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    0: %a: FLOAT[2, 3] = ai.onnx.Mul:13(%m, %m)
    1: %high: FLOAT[2, 3, 1] = ai.graphcore.Reshape:1(%a) {{shape = [2, 3, 1]}}
    {turned if "turned" in view else ""}
    4: %v: FLOAT{shape} = {view}
    5: %out: FLOAT{shape} = ai.onnx.Exp:13(%v)"""
    found, reasons = after("\n".join([*lines, body]))
    assert ("ExpInplace" in found) == in_order
    wrong = "turned" if "turned" in view else "v"
    expected = f"'{wrong}', in the same memory, has its elements in another order there"
    assert reasons["ExpInplace"] == (None if in_order else expected)


def test_an_operator_that_sees_its_input_twice() -> None:
    body = """0: %a: FLOAT[2, 2] = ai.onnx.MatMul:13(%m, %m)
    1: %b: FLOAT[2, 2] = ai.onnx.Transpose:13(%a) {perm = [1, 0]}
    2: %out: FLOAT[2, 2] = ai.onnx.Add:13(%a, %b)"""
    _, reasons = after("variable %m: FLOAT[2, 2] = [1.0, 2.0, 3.0, 4.0]\n" + body)
    assert reasons["AddLhsInplace"] == "the operator reads the memory of 'a' through 2 inputs"


def test_a_variant_that_the_operator_does_not_have() -> None:
    notes = '{__inplace_op_names = ["NoInplace"], __inplace_op_priorities = [20.0]}'
    _, reasons = after(f"0: %out: FLOAT[4] = ai.onnx.Neg:13(%x) notes {notes}")
    assert "no such variant" in str(reasons["NoInplace"])


def test_only_inputs_of_the_output_s_type_and_shape() -> None:
    body = """0: %a: FLOAT[1] = ai.onnx.MatMul:13(%x, %w)
    1: %b: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
    2: %out: FLOAT[4] = ai.onnx.Add:13(%a, %b)"""
    found, reasons = after(
        body.replace(
            "%a: FLOAT[1] = ai.onnx.MatMul:13(%x, %w)", "%a: FLOAT[1] = ai.onnx.ReduceSum:11(%x)"
        )
    )
    assert "AddRhsInplace" in found
    assert "AddLhsInplace" not in reasons


@pytest.mark.parametrize("priority", [10.0, -10.0])
def test_a_view_is_in_place_whatever_is_preferred(priority: float) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    y = builder.reshape_const(builder.aiOnnx, [builder.aiOnnx.exp([x])], [6])
    builder.setInplacePreferences(y, {"ReshapeInplace": priority})
    flow, device = popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        popir.InferenceSession(builder.getModelProto(), flow, device)
    said = [str(warning.message) for warning in given]
    assert [("'ReshapeInplace'" in words) for words in said] == ([] if priority > 0 else [True])
