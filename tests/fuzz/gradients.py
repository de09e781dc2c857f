"""Random training graphs in double: the gradient of every input and initializer against PyTorch's.

A finding is a gradient that differs, is missing or is too much, an error, or a step on another way
to run the graph that gives others.
"""

from __future__ import annotations

import dataclasses
import random
import shutil
import traceback
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper

import popir
from popir.errors import PopirError
from tests.fuzz import torch_ops
from tests.fuzz.generator import Array, Graph, Value
from tests.fuzz.graphs import OTHER_WAYS, Verdict, Way, words
from tests.fuzz.operators import grow
from tests.fuzz.programs import Program

DOUBLE = np.dtype(np.float64)
POSITIVE = {
    *("Log", "Sqrt", "Reciprocal", "Log1p", "Pow", "Div", "Mod", "Fmod", "Remainder", "Atan2"),
    *("ReduceLogSum", "ReduceL2"),
}
"""Operators whose operands are made to be positive: elsewhere they may have no derivative."""
BOUNDED = {"Acos", "Asin", "Atanh"}
"""Operators whose operands are made to be between -1 and 1."""
LOSS = "loss"
NOISE, DRAWS = 1e-13, 3
"""How far values are off, relatively, to see what roundings may do, and how often that is tried."""


def make(seed: str, number: int) -> tuple[Program, Way]:
    """The case of this number, and the second way to run it."""
    rng = random.Random(f"{seed}/{number}")
    graph = Graph(rng, rng.choice(range(7, 27)), [DOUBLE])
    graph.smooth = True
    for _ in range(rng.choice([1, 1, 2, 3, 5, 8])):
        before = len(graph.nodes)
        while len(graph.nodes) == before:
            grow(graph, before + 1, sorted(torch_ops.OPERATORS))
        _domain(graph, before)
    if rng.random() < 0.25:
        graph.repeat()
    sum_up(graph)
    ways = [way for way in OTHER_WAYS if way.batches == 1]  # Weights change with each batch.
    return Program.of(graph, [LOSS]), rng.choice(ways)


def _domain(g: Graph, before: int) -> None:
    """Brings operands of the new nodes to where these are defined: |x| + 0.4 where they must be
    positive, and the like.
    """
    made = g.nodes[before:]
    del g.nodes[before:]
    for node in made:
        type = node.op_type
        for i, name in enumerate(node.input):
            if not name or g.values[name].dtype != DOUBLE:
                continue
            value = g.values[name]
            if type in POSITIVE or type == "Acosh":
                least = 1.4 if type == "Acosh" else 0.4
                node.input[i] = _added(
                    g, "Add", [_added(g, "Abs", [value]), _number(g, least)]
                ).name
            elif type in BOUNDED:
                size = _added(g, "Add", [_added(g, "Abs", [value]), _number(g, 1.1)])
                node.input[i] = _added(g, "Div", [value, size]).name
        g.nodes.append(node)


def _number(g: Graph, number: float) -> Value:
    return g.constant(number, DOUBLE)


def _added(g: Graph, type: str, inputs: Sequence[Value]) -> Value:
    """The result of a new node, which has the shape of its first input."""
    value = Value(f"d{len(g.nodes)}{type}", DOUBLE, inputs[0].shape)
    names = [each.name for each in inputs]
    g.nodes.append(helper.make_node(type, names, [value.name], f"{value.name}n"))
    g.values[value.name] = value
    return value


def sum_up(g: Graph) -> None:
    """Adds the loss: the sum over all results, each element with a weight of its own."""
    terms = []
    for name in g.results():
        value = g.values[name]
        if value.dtype == DOUBLE:
            weight = g.fresh(DOUBLE, value.shape).name
            g.nodes.append(helper.make_node("Mul", [name, weight], [f"{name}w"], f"{name}wn"))
            g.nodes.append(
                helper.make_node("ReduceSum", [f"{name}w"], [f"{name}s"], f"{name}sn", keepdims=0)
            )
            g.values[f"{name}w"] = Value(f"{name}w", DOUBLE, value.shape)
            g.values[f"{name}s"] = Value(f"{name}s", DOUBLE, ())
            terms.append(f"{name}s")
    g.nodes.append(helper.make_node("Sum", terms, [LOSS], "lossn"))
    g.values[LOSS] = Value(LOSS, DOUBLE, ())


def by_torch(program: Program, noise: float = 0, draw: int = 0) -> dict[str, Array]:
    """The loss, and the gradient of each floating-point input and initializer that has one, by id.

    With noise, what is given and the gradient of each result are off by up to that much, in each
    draw otherwise: gradients that cancel each other are rounded too. Raises `torch_ops.Unknown`.
    """
    given, values = _values(program, noise, draw)
    loss = values[LOSS]
    if loss.requires_grad:
        loss.backward()
    found = {LOSS: loss.detach().numpy()}
    for name, tensor in given.items():
        if tensor.grad is not None:
            found[name] = tensor.grad.numpy()
    return found


def _values(
    program: Program, noise: float, draw: int, roundings: float = 0
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """What is given, and all values; each result but integers is off by up to `roundings`."""
    rng = np.random.default_rng(draw)
    given = {}

    def noisy(gradient: torch.Tensor) -> torch.Tensor:
        return gradient * torch.tensor(1 + noise * rng.uniform(-1, 1, tuple(gradient.shape)))

    def rounded(result: torch.Tensor) -> torch.Tensor:
        if noise and result.requires_grad:
            result.register_hook(noisy)
        if not roundings or result.dtype != torch.float64:
            return result
        is_exact = (result == result.round()) & (result.abs() < 2**53)
        factor = torch.tensor(1 + roundings * rng.uniform(-1, 1, tuple(result.shape)))
        return torch.where(is_exact, result, result * factor)

    states = _statistics(program.nodes, program.initializers)
    for name, array in program.given.items():
        if array.dtype == DOUBLE:
            array = array * (1 + noise * rng.uniform(-1, 1, array.shape))
        given[name] = torch.tensor(
            array, requires_grad=array.dtype == DOUBLE and name not in states
        )
    nodes, _ = in_turn(program.nodes, program.opset, states)
    values = torch_ops.evaluate(nodes, program.opset, given, rounded)
    for name, value in values.items():
        assert tuple(value.shape) == program.values[name].shape, f"{name} by PyTorch"
    return given, values


def _statistics(nodes: Sequence[onnx.NodeProto], initializers: Collection[str]) -> set[str]:
    """The initializers that are running statistics: state, without a gradient."""
    norms = [node for node in nodes if node.op_type == "BatchNormalization"]
    return {name for node in norms for name in node.input[3:]} & set(initializers)


def in_turn(
    nodes: Sequence[onnx.NodeProto], opset: int, states: Collection[str]
) -> tuple[list[onnx.NodeProto], set[str]]:
    """The nodes as a training session runs them by docs/sessions.md, and the states of which one
    layer computes two next values, which are refused.

    Layers that share a running statistic update it in turn: each reads what the one before it has
    left.
    """
    found, twice = [], set[str]()
    behind = {name: (name, True) for name in states}
    """The state that a value is of, and whether it is that before the batch."""
    latest: dict[str, str] = {}
    merged = set(states) & {
        name
        for node in nodes
        for i, name in enumerate(node.input)
        if node.op_type != "BatchNormalization" or i < 3
    }
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        found.append(copy)
        if node.op_type in ("Identity", "Nop", "Detach") and node.input[0] in behind:
            behind[node.output[0]] = behind[node.input[0]]
        if node.op_type != "BatchNormalization" or not torch_ops.trains(node, opset):
            continue
        made = {}
        for i, out in ((3, 1), (4, 2)):
            state, is_first = behind.get(node.input[i], ("", False))
            if node.input[i] in merged:  # A statistic of its own.
                state += f"/{i}"
            if state:
                if is_first:
                    copy.input[i] = latest.get(state, node.input[i])
                twice |= {state} & made.keys()
                made[state] = node.output[out]
                behind[node.output[out]] = (state, False)
        latest |= made
    return found, twice


def by_popir(program: Program, names: Sequence[str], way: Way) -> dict[str, Array]:
    """The same by a training session."""
    anchors = {LOSS: LOSS} | {name: f"Gradient___{name}" for name in names}
    session = popir.TrainingSession(
        program.with_function() if way.function else program.model(),
        popir.DataFlow(1, list(anchors.values())),
        LOSS,
        popir.ConstSGD(0.125),
        way.device(),
        patterns=way.patterns(),
        userOptions=way.options(),
    )
    session.prepareDevice()
    outputs = session.initAnchorArrays()
    session.run(popir.PyStepIO(dict(program.inputs), outputs))
    return {name: outputs[anchor] for name, anchor in anchors.items()}


def judge(program: Program, other: Way) -> Verdict:
    """Differentiates the program by both, and by popir both ways."""
    try:
        want = by_torch(program)
        near = [by_torch(program, NOISE, draw) for draw in range(DRAWS)]
    except torch_ops.Unknown:
        return Verdict("no counterpart")
    if len(want) == 1:
        return Verdict("nothing to differentiate")
    names = [name for name in want if name != LOSS]
    try:
        got = by_popir(program, names, Way())
    except PopirError as error:
        states = _statistics(program.nodes, program.initializers)
        _, twice = in_turn(program.nodes, program.opset, states)
        if twice and "the operator would compute two next values" in str(error):
            return Verdict("refused as documented")
        return Verdict("refused", f"refused: {type(error).__name__} {words(error)}", repr(error))
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Verdict("error", f"{type(error).__name__}: {words(error)}", text)
    lines = []
    allowed = {name: _allowed(want[name], [each[name] for each in near]) for name in want}
    for name in want:
        with np.errstate(all="ignore"):
            wrong = np.atleast_1d(
                ~(np.abs(got[name] - want[name]) <= allowed[name]) & np.isfinite(want[name])
            )
        if wrong.any():
            at = tuple(int(i[0]) for i in np.nonzero(wrong))
            values = [np.atleast_1d(a)[at] for a in (got[name], want[name])]
            lines.append(
                f"{'gradient of ' if name != LOSS else ''}{name}: {wrong.sum()} of {wrong.size} "
                f"elements; at {list(at)} popir has {values[0]!r}, PyTorch {values[1]!r}"
            )
    if lines and not _has_digits(program):
        return Verdict("differs where no digit is left")
    if lines:
        return Verdict("differs", "differs", "\n".join(lines))
    try:
        again = by_popir(program, names, other)
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Verdict("error", f"{other} alone: {type(error).__name__} {words(error)}", text)
    for name in want:
        with np.errstate(all="ignore"):
            close = np.abs(again[name] - got[name]) <= allowed[name]
        if (~close & np.isfinite(want[name])).any():
            return Verdict("differs", f"depends on {other}", name)
    finite = all(np.isfinite(array).all() for array in want.values())
    return Verdict("equal" if finite else "equal where finite")


def _has_digits(program: Program) -> bool:
    """Whether each value keeps three digits under the noise and roundings on the way to it, as the
    sine of 1e40 does not. The values alone are asked: a gradient that jumps where two elements are
    equal is compared.
    """
    (_, want), (_, near) = (_values(program, noise, 0, noise) for noise in (0, NOISE))
    for name, value in want.items():
        exact, moved = value.detach().numpy(), near[name].detach().numpy()
        if exact.dtype == DOUBLE and exact.size:
            with np.errstate(all="ignore"):
                off, scale = np.abs(moved - exact), np.abs(exact)
            finite = np.isfinite(off)
            if off[finite].max(initial=0) > 1e-3 * scale[finite].max(initial=0) + 1e-12:
                return False
    return True


def _allowed(want: Array, near: Sequence[Array]) -> float:
    """What roundings of values and sums may make of it."""
    with np.errstate(all="ignore"):
        scale = np.abs(want[np.isfinite(want)]).max(initial=0)
        moved = np.abs(np.stack(near) - want)
        largest = moved[np.isfinite(moved)].max(initial=0)
    return float(1e-11 * scale + 1e-13 + 0.3 * largest)


def start() -> None:
    """One thread: graphs are small."""
    torch.set_num_threads(1)


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Makes one case in the folder, and says what became of it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program, other = make(seed, number)
    program.save(folder)
    verdict = judge(program, other)
    if not verdict.kind:
        return {"stage": "gradient", "outcome": verdict.outcome}

    def still(smaller: Program) -> bool:
        return judge(smaller, other).kind == verdict.kind

    small = program.reduced(still, step=_smaller)
    small.save(folder)
    types = " ".join(sorted({n.op_type for n in small.nodes} - {"Mul", "Sum", "ReduceSum"}))
    return {
        "stage": "gradient",
        "outcome": verdict.outcome,
        "signature": f"{verdict.kind} | {types}",
        "finding": f"{verdict.kind}\n{judge(small, other).text}\n\n{small.text()}",
    }


def _smaller(program: Program) -> Sequence[Program]:
    """Programs with fewer terms in the loss, and with values in the place of nodes."""
    found = []
    loss = program.nodes[-1]
    for i in range(len(loss.input)) if len(loss.input) > 1 else ():
        last = helper.make_node("Sum", [loss.input[i]], [LOSS], "lossn")
        found.append(dataclasses.replace(program, nodes=[*program.nodes[:-1], last]).pruned())
    try:
        given = {name: torch.tensor(array) for name, array in program.given.items()}
        known = torch_ops.evaluate(program.nodes, program.opset, given)
    except torch_ops.Unknown:
        return found
    for i, node in enumerate(program.nodes[:-3]):
        inputs = {**program.inputs, **{name: known[name].numpy() for name in node.output}}
        rest = [*program.nodes[:i], *program.nodes[i + 1 :]]
        found.append(dataclasses.replace(program, nodes=rest, inputs=inputs).pruned())
    return found
