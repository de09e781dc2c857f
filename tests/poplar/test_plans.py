"""The engine's plan: its verifier, shown by passes that break plans, and what passes say."""

import re
from pathlib import Path

import numpy as np
import pytest

from popir import poplar, poplin, popops
from popir.poplar import program
from tests.plans import instructions, passes
from tests.toolchain import CACHED_CXX, ROOT, popir_config, run

SAID = {
    "undefined": r"Step 0 'neg' of program 0 reads variable \d+ 't' before all of it is written",
    "dropped": r"Step 3 'more' of program 0 reads variable \d+ 'u' before all of it is written",
    "overlap": r"Variable \d+ 'u' has bytes in common with variable \d+ 't', which lives at the",
    "low": r"Variable \d+ 'u' has bytes of what is always live",
    "end": r"Variable \d+ 'u' ends at byte \d+ of an arena of \d+",
    "mortal": r"Variable \d+ 'result' outlives a run, and its buffer does not",
    "homeless": r"Variable \d+ 'u' is used and has no buffer",
    "constant's": r"Variable \d+ 'u' lives with constants and is none",
    "host's": r"Variable \d+ 'u' lives in the host's buffer, and no stream moves it",
    "blocked copy": r"Step 1 'neg' of program 0 moves variable \d+ 'u', which lies in blocks",
    "tied": r"Step 0 'exp' of program 0 has operands 0 and 1 in different blocks of channels, "
    "which its kernel 'map' ties to one another",
    "refused": r"Step 0 'exp' of program 0 has operand \d, variable \d+ 't' in blocks of 8 "
    "channels, which its kernel 'plain' does not accept",
    "part": r"Step 1 'neg' of program 0 has operand \d, variable \d+ 't' in blocks of 8 "
    "channels, and not as a whole",
    "block of 5": r"Variable \d+ 't' of shape \[1,16,2,2\] lies in blocks of 5 channels",
    "visible block": r"Variable \d+ 'x' lies in blocks, and the host may see it",
    "gap": r"Variable \d+ 't' does not begin at byte \d+, where variable \d+ 'u' ends",
    "jump": r"Step 7 'choice' of program 0 jumps to step 99 of 9",
    "into a loop": r"Step 7 'choice' of program 0 jumps back to step 3, where no loop begins",
    "into a loop's end": r"jumps to step 4, in the middle of the loop or conditional of steps 2 to",
    "endless": r"Step 2 'loop' of program 0 repeats up to step 7, where no loop of its own ends",
    "unnested": r"the loops or conditionals of steps 2 to 5 and steps 3 to 7 do not nest",
    "leaf": r"In program 0, the leaf of steps 1 to 2 is out of order",
    "outside": r"Step 1 'neg' of program 0 has an operand \[1,16,2,2\] that goes beyond",
    "unknown": r"Step 1 'neg' of program 0 has an operand \[1,16,2,2\] that goes beyond",
    "constant": r"Step 8 'end' of program 0 writes the constant variable \d+ 'one'",
    "sizes": r"Step 8 'end' of program 0 copies between tensors of different sizes",
    "always live": r"Variable \d+ 'result' is always live, and others have its bytes",
    "unaligned": r"Variable \d+ 'u' begins at byte \d+, no multiple of 64",
    "short life": r"Variable \d+ 't' is live from step 0 to 1 of program 0, and its buffer is not",
    "few": r"Step 1 'neg' of program 0 has operands that its kernel 'map' cannot take: ",
    "other type": r"Step 1 'neg' of program 0 has operands that its kernel 'map' cannot take: ",
    "lost": r"Step 1 'neg' of program 0 has operands that its kernel 'map' cannot take: ",
    "twice": r"Step 1 'neg' .* \[1,16,2,2\] that it writes, and that has an element twice",
    "shifted": r"Step 1 'neg' .* writes operand \d over other elements of operand \d, which it",
    "never written": r"No step writes variable \d+ 'result' any more, which the host reads",
    "many predicates": r"Step 5 'choice' of program 0 has no predicate of one element",
    "unconditional": r"Step 5 'choice' of program 0 may leave out step 6, which is in no cond",
    "concatenation": r"A concatenation has variable 999999 of \d+",
    "circle": r"[Vv]ariable \d+ 't' holds a later one's value",
    "threads": r"The plan has no thread",
    "block of -7": r"Variable \d+ 't' of shape \[1,16,2,2\] lies in blocks of -7 channels",
    "stream's size": r"Step 0 '.*' of program 1 moves a tensor of another size than its stream",
    "stream's direction": r"Step 0 '.*' of program 1 uses a stream of the other direction",
    "stream's buffer": r"Variable \d+ 'w' lives in the host's buffer where variable \d+ 'z' does",
    "stream's program": r"Variable \d+ 'z' is live from step 1 to 2 of program 1, and its buffer",
    "other stream": r"Step 2 '.*' of program 1 moves variable \d+ 'z', which lives in another",
    "written late": r"Step 1 '.*' of program 1 reads variable \d+ 'z' before all of it is written",
    "one group": r"In program 0, the groups from step 0 on, which run side by side, are not two",
    "groups' data": r"Step 0 'exp' of program 0 writes variable \d+ '\w', which step 1 uses in a",
    "group's stream": r"Step 0 '.*' of program 1 runs beside others, and does more than compute",
    "nothing to run": r"Step 0 'exp' of program 0 has no vertex",
    "invariant": r"Step 1 'neg' of program 0 writes variable \d+ 'u', which is invariant",
    "hoisted": r"Step 0 'exp' of the prologue \w+ variable \d+ '[xt]', which is not invariant",
}
"""What the verifier says of each fault of broken_plans.cpp."""
WHEN = (
    "Engine: the plan is wrong after the pass 'break' (something is wrong); before it ran "
    "'overlap collectives', 'assign buffers', 'block channels', 'assign offsets'. "
)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the program prints of each plan."""
    folder = tmp_path_factory.mktemp("plans")
    source = Path(__file__).with_name("broken_plans.cpp")
    flags = popir_config("--cflags"), popir_config("--libs")
    own = ["-std=c++17", "-I", ROOT / "cpp", ROOT / "cpp/kernels/kernel.cpp"]
    run(*CACHED_CXX, *own, *flags[0], source, *flags[1], "-o", folder / "program", cwd=folder)
    lines = run(folder / "program", cwd=folder).splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_every_fault_is_looked_for(said: dict[str, str]) -> None:
    assert said.keys() == SAID.keys() | {"nothing", "unasked"}


@pytest.mark.parametrize("fault", SAID)
def test_a_broken_plan_names_pass_step_and_variable(said: dict[str, str], fault: str) -> None:
    assert said[fault].startswith(WHEN)
    assert re.search(SAID[fault], said[fault].removeprefix(WHEN)), said[fault]
    assert said[fault].endswith("the option host.fuse = 'false' leaves out what can be left out")


def test_only_what_is_wrong_is_refused_and_only_if_asked_for(said: dict[str, str]) -> None:
    assert said["nothing"] == "accepted"
    assert said["unasked"] == "accepted"


def engine(fuse: str) -> poplar.Engine:
    """One whose plan gives each pass something to do, or but for channel blocks."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 4)
    x, weight = (graph.addVariable(poplar.FLOAT, [4], linear, name) for name in "xw")
    graph.setInitialValue(weight, np.ones(4, np.float32))
    prog = program.Sequence([program.Copy(stream, x)])
    once = popops.exp(graph, weight, prog, "once")
    a = popops.exp(graph, popops.neg(graph, x, prog, "negated"), prog, "a")
    b = popops.add(graph, x, once, prog, "b")
    joined = popops.tanh(graph, poplar.concat([a, b]), prog, "joined")
    copy = graph.addVariable(poplar.FLOAT, [8], linear, "copy")
    prog.add(program.Copy(joined, copy))
    graph.createHostRead("out", popops.sqrt(graph, copy, prog, "last"))
    return poplar.Engine(graph, [prog], {"host.fuse": fuse})


def test_the_plan_says_what_each_pass_did() -> None:
    done = passes(engine("true"))
    assert done.pop("assign offsets").endswith("of them always live")
    assert done == {
        "coalesce copies": "1 copy gone",
        "hoist": "1 step to run before the first run",
        "fuse": "2 steps joined to others",
        "assign buffers": "1 input and 0 outputs in the host's buffers",
        "alias concatenations": "2 variables in 1 concatenation",
    }


def test_passes_that_are_off_say_nothing() -> None:
    plain = engine("false")
    assert passes(plain).keys() == {"assign buffers", "assign offsets"}
    assert "before the first run" not in instructions(plain)


@pytest.mark.parametrize(("readers", "gathers"), [(1, 1), (2, 0), (6, 0)])
def test_a_copy_that_brings_parts_together_for_several_readers_stays(
    readers: int, gathers: int
) -> None:
    """Else each of the products would gather the parts of its weights."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    prog = program.Sequence()
    streamed: list[poplar.Tensor] = []
    for name, shape in (("x", [8, 16]), ("w", [16, 16])):
        stream = graph.addHostToDeviceFIFO(name, poplar.FLOAT, shape[0] * shape[1])
        streamed.append(graph.addVariable(poplar.FLOAT, shape, linear, name))
        prog.add(program.Copy(stream, streamed[-1]))
    x, w = streamed
    turned = poplar.concat([w.slice(8, 16), w.slice(0, 8)])
    whole = graph.addVariable(poplar.FLOAT, [16, 16], linear, "whole")
    prog.add(program.Copy(turned, whole))
    for i in range(readers):
        x = poplin.matMul(graph, x, whole, prog, f"product {i}")
    graph.createHostRead("out", x)
    text = poplar.Engine(graph, [prog]).planText()
    assert sum("gather" in line and "product" in line for line in text.splitlines()) == gathers


@pytest.mark.parametrize("case", ["whole", "part", "reversed", "source changes"])
def test_a_copy_that_fills_a_variable_in_another_order_goes(case: str) -> None:
    """As those into a function do, whose operand lies as its product wants it."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 4 * 6 * 5)
    x = graph.addVariable(poplar.FLOAT, [4, 6, 5], linear, "x")
    operand = graph.addVariable(poplar.FLOAT, [6, 2, 5, 2], linear, "operand")
    seen = operand.dimShuffle([1, 3, 0, 2]).reshape([4, 6, 5])  # as x lies
    if case == "reversed":
        seen = seen.reverse(1)
    prog = program.Sequence([program.Copy(stream, x)])
    source = popops.neg(graph, x, prog, "negated")
    if case == "part":
        popops.zero(graph, operand, prog, "cleared")
        prog.add(program.Copy(source.slice(0, 2).flatten(), seen.slice(0, 2).flatten()))
    else:
        prog.add(program.Copy(source.flatten(), seen.flatten()))
    if case == "source changes":
        popops.expInPlace(graph, source, prog, "changed")
        graph.createHostRead("source", source)
    first = popops.tanh(graph, seen.slice(0, 2), prog, "first")
    graph.createHostRead("out", poplar.concat([first, popops.tanh(graph, seen.slice(2, 4), prog)]))
    engine = poplar.Engine(graph, [prog], {"debug.verifyPlan": "true"})
    assert ("coalesce copies" in passes(engine)) == (case == "whole")
    values = np.random.default_rng(2).normal(size=(4, 6, 5)).astype(np.float32)
    engine.connectStream("in", values)
    engine.run(0)
    found = np.empty((4, 6, 5), np.float32)
    engine.readTensor("out", found)
    expected = np.tanh(-values)
    if case == "part":
        expected[2:] = 0
    np.testing.assert_allclose(found, expected, 1e-5, 1e-5)


def test_a_result_lies_over_an_operand_that_ends_there() -> None:
    """tanh(x w) over the product, unless that is read again; nothing over what the host gives."""

    def made(again: bool) -> tuple[poplar.Engine, poplar.Graph]:
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        linear = poplar.VariableMappingMethod.LINEAR
        stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 64 * 64)
        x, w = (graph.addVariable(poplar.FLOAT, [64, 64], linear, name) for name in "xw")
        graph.setInitialValue(w, np.eye(64, dtype=np.float32))
        prog = program.Sequence([program.Copy(stream, x)])
        product = poplin.matMul(graph, x, w, prog, "product")
        y = popops.tanh(graph, product, prog, "y")
        z = poplin.matMul(graph, y, product if again else w, prog, "z")
        graph.createHostRead("out", z)
        return poplar.Engine(graph, [prog], {"debug.verifyPlan": "true"}), graph

    x = np.random.default_rng(1).normal(size=(64, 64)).astype(np.float32)
    once, twice = made(False)[0], made(True)[0]
    assert passes(once)["reuse operands"] == "1 result over an operand"
    assert "reuse operands" not in passes(twice)
    arenas = [int(passes(e)["assign offsets"].partition(" ")[0]) for e in (once, twice)]
    assert arenas[1] - arenas[0] == x.nbytes
    for engine, factor in ((once, np.eye(64)), (twice, x)):
        engine.connectStream("in", x)
        engine.run(0)
        found = np.empty((64, 64), np.float32)
        engine.readTensor("out", found)
        np.testing.assert_allclose(found, np.tanh(x) @ factor, 1e-5, 1e-5)


def test_nothing_at_the_end_of_a_variable_is_no_part_of_it() -> None:
    """A slice without elements that begins where the variable ends stays as it is."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 5)
    x = graph.addVariable(poplar.FLOAT, [5], poplar.VariableMappingMethod.LINEAR, "x")
    prog = program.Sequence([program.Copy(stream, x)])
    add = popops.ReduceParams(popops.Operation.ADD)
    graph.createHostRead("out", popops.reduce(graph, x.slice(5, 5), poplar.FLOAT, [0], add, prog))
    engine = poplar.Engine(graph, [prog], {"debug.verifyPlan": "true"})
    engine.connectStream("in", np.ones(5, np.float32))
    engine.run(0)
    found = np.ones((), np.float32)
    engine.readTensor("out", found)
    assert found == 0


@pytest.mark.parametrize("again", [False, True])
def test_steps_that_gather_one_view_share_a_copy(again: bool) -> None:
    """Heads side by side, read by a product, as A transposed by another, and by a sum: one copy;
    unless one more step reads the heads where they lie, for then these would live on beside it.
    """
    heads, rows, width = 4, 24, 8
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    given = np.random.default_rng(1).normal(size=(heads, rows, width)).astype(np.float32)
    stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, given.size)
    x = graph.addVariable(poplar.FLOAT, given.shape, linear, "x")
    prog = program.Sequence([program.Copy(stream, x)])
    x = popops.tanh(graph, x, prog, "tanh")
    joined = x.dimShuffle([1, 0, 2]).reshape([rows, heads * width])
    w = graph.addVariable(poplar.FLOAT, [heads * width, 5], linear, "w")
    graph.setInitialValue(w, np.eye(heads * width, 5, dtype=np.float32))
    y = poplin.matMul(graph, joined, w, prog, "product")
    add = popops.ReduceParams(popops.Operation.ADD)
    found = {
        "y": y,
        "w": poplin.matMul(graph, joined.transpose(), y, prog, "of weights"),
        "b": popops.reduce(graph, joined, [0], add, prog, "bias"),
    }
    if again:
        turned = x.dimShuffle([0, 2, 1])
        found["again"] = poplin.matMulGrouped(graph, x, turned, prog, poplar.FLOAT, "again")
    for name, t in found.items():
        graph.createHostRead(name, t)
    engine = poplar.Engine(graph, [prog], {"debug.verifyPlan": "true"})
    lines = instructions(engine).splitlines()
    assert sum("gather " in line for line in lines) == (3 if again else 0)
    assert passes(engine).get("share gathers") == (None if again else "2 gathers left out")
    engine.connectStream("in", given)
    engine.run(0)
    a = np.tanh(given).transpose(1, 0, 2).reshape(rows, -1)
    scores = np.tanh(given) @ np.tanh(given).transpose(0, 2, 1)
    expected = {"y": a[:, :5], "w": a.T @ a[:, :5], "b": a.sum(0), "again": scores}
    for name, t in found.items():
        result = np.empty(t.shape(), np.float32)
        engine.readTensor(name, result)
        np.testing.assert_allclose(result, expected[name], 1e-5, 1e-5)


@pytest.mark.parametrize("changes", [False, True])
def test_what_a_loop_gathers_and_does_not_change_is_copied_before_it(changes: bool) -> None:
    """Weights put together from parts, read in each iteration; a loop that changes them gathers
    them each time.
    """
    linear = poplar.VariableMappingMethod.LINEAR

    def run(fuse: str) -> tuple[poplar.Engine, np.ndarray]:
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        rng = np.random.default_rng(2)
        x, w = (graph.addVariable(poplar.FLOAT, [16, 16], linear, name) for name in "xw")
        for t in (x, w):
            graph.setInitialValue(t, rng.normal(size=(16, 16)).astype(np.float32) / 4)
        body = program.Sequence()
        turned = poplar.concat([w.slice(4, 16), w.slice(0, 4)])
        body.add(program.Copy(poplin.matMul(graph, x, turned, body, "product"), x))
        if changes:
            popops.mulInPlace(graph, w, x, body, "change")
        graph.createHostRead("out", x)
        engine = poplar.Engine(
            graph, [program.Repeat(5, body)], {"host.fuse": fuse, "debug.verifyPlan": "true"}
        )
        engine.run(0)
        found = np.empty((16, 16), np.float32)
        engine.readTensor("out", found)
        return engine, found

    (engine, found), (_, expected) = run("true"), run("false")
    lines = instructions(engine).splitlines()
    repeat = next(i for i, line in enumerate(lines) if "repeat" in line)
    assert sum("gather " in line for line in lines) == int(changes)
    assert any("copy product" in line for line in lines[:repeat]) != changes
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("side", [0, 1])
def test_a_loop_that_is_a_whole_branch_gathers_within_the_branch(side: int) -> None:
    """What it gathers is copied once, before the loop, in the conditional."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    prog = program.Sequence()
    x, chosen = (graph.addVariable(poplar.FLOAT, n, linear) for n in ([2, 3, 4], []))
    for name, tensor in (("x", x), ("chosen", chosen)):
        stream = graph.addHostToDeviceFIFO(name, poplar.FLOAT, tensor.numElements())
        prog.add(program.Copy(stream, tensor))
    total = graph.addVariable(poplar.FLOAT, [4, 6], linear, "total")
    popops.zero(graph, total, prog)
    negated = popops.neg(graph, x, prog)
    body = program.Sequence()
    popops.addInPlace(graph, total, negated.dimShuffle([2, 1, 0]).reshape([4, 6]), body)
    branches = [program.Sequence([program.Repeat(3, body)]), program.Sequence()]
    condition = popops.gt(graph, chosen, 0.0, prog)
    prog.add(program.If(condition, *(branches if side == 0 else branches[::-1])))
    graph.createHostRead("total", total)
    engine = poplar.Engine(graph, [prog], {"debug.verifyPlan": "true"})
    values = np.random.default_rng(1).normal(size=(2, 3, 4)).astype(np.float32)
    engine.connectStream("x", values)
    for sign in (1, -1):
        engine.connectStream("chosen", np.array([sign], np.float32))
        engine.run(0)
        found = np.empty((4, 6), np.float32)
        engine.readTensor("total", found)
        runs = (sign > 0) == (side == 0)
        expected = -3 * values.transpose(2, 1, 0).reshape(4, 6) if runs else np.zeros((4, 6))
        np.testing.assert_allclose(found, expected, 1e-6)


def test_steps_that_are_alike_read_one_packed_form() -> None:
    """Each of three products packs weights that stay, and those that are equal do it once."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    rows, width = 40, 96
    weights = [graph.addVariable(poplar.FLOAT, [width, width], name) for name in ("w", "v")]
    given = np.random.default_rng(0).standard_normal((2, width, width)).astype(np.float32) / 8
    x = graph.addVariable(poplar.FLOAT, [rows, width], "x")
    for t in [*weights, x]:
        graph.setTileMapping(t, 0)
    sequence = program.Sequence()
    y = x
    for w in (weights[0], weights[0], weights[1]):
        y = poplin.matMul(graph, y, w, sequence, "product")
    for i, t in enumerate([*weights, x, y]):
        graph.createHostWrite(f"in{i}", t)
        graph.createHostRead(f"out{i}", t)
    engine = poplar.Engine(graph, [sequence])
    engine.load(poplar.Device.createCPUDevice())
    values = np.random.default_rng(1).standard_normal((rows, width)).astype(np.float32)
    for i, value in enumerate([*given, values]):
        engine.writeTensor(f"in{i}", value)
    engine.run(0)
    found = np.zeros((rows, width), np.float32)
    engine.readTensor("out3", found)
    text = engine.planText()
    assert text.count(", packed") == 3
    assert text.count("pack product") == 2
    expected = values.astype(np.float64) @ given[0] @ given[0] @ given[1]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_weights_in_the_same_memory_are_packed_each() -> None:
    """Both products run before the first run, and the second one's weights are made where the
    first one's were.
    """
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    rng = np.random.default_rng(0)
    x, *weights = (rng.standard_normal((96, 96)).astype(np.float32) for _ in range(3))
    linear = poplar.VariableMappingMethod.LINEAR

    def given(value: np.ndarray) -> poplar.Tensor:
        t = graph.addVariable(poplar.FLOAT, list(value.shape), linear, "given")
        graph.setInitialValue(t, value)
        return t

    sequence, left = program.Sequence(), given(x)
    for i, w in enumerate(weights):
        turned = popops.neg(graph, given(w), sequence, f"turned{i}")
        graph.createHostRead(f"out{i}", poplin.matMul(graph, left, turned, sequence, f"product{i}"))
    engine = poplar.Engine(graph, [sequence])
    engine.run(0)
    text = engine.planText()
    assert text.count(", packed") == text.count("pack product") == 2
    for i, w in enumerate(weights):
        found = np.zeros((96, 96), np.float32)
        engine.readTensor(f"out{i}", found)
        np.testing.assert_allclose(found, x @ -w, rtol=1e-4, atol=1e-4)
