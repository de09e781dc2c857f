"""Recomputation: no bit changes but by `ROWS`, less memory is used, and marks are kept to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import RecomputationType
from popir.errors import popart_exception
from tests.large_models import ROWS, assert_same, checkpoints, data, resnet, transformer, unmarked
from tests.models import Array, floats, step, training_session

HOW = [RecomputationType.Standard, RecomputationType.NormOnly, RecomputationType.RecomputeAll]


def session(made: tuple[Any, str], how: RecomputationType, **more: Any) -> Any:
    options = popir.SessionOptions(autoRecomputation=how, **more)
    return training_session(made[0], made[1], [made[1]], popir.ConstSGD(0.05), 3, options)


def trained(made: tuple[Any, str], how: RecomputationType, **more: Any) -> dict[str, Array]:
    """The losses and all weights and states after two steps of three batches."""
    run = session(made, how, **more)
    steps = 3 * more.get("accumulationFactor", 1)
    given = data(made[0], steps)
    if steps > 3:
        given = {id: value.reshape(3, -1, *value.shape[1:]) for id, value in given.items()}
    found = {f"loss{n}": step(run, given)[made[1]].copy() for n in range(2)}
    run.weightsToHost()
    return found | {id: value.copy() for id, value in run._host.items()}


def recomputed(run: Any) -> list[str]:
    """The names of the operators that are recomputed."""
    return [d.where.partition("name='")[2].partition("'")[0] for d in _done(run)]


def _done(run: Any) -> list[Any]:
    return [d for d in run.decisions if d.what == "recomputation"]


@pytest.mark.parametrize("how", HOW, ids=lambda how: how.name)
@pytest.mark.parametrize("mark", [unmarked, checkpoints])
@pytest.mark.parametrize(("model", "without"), [(transformer, ROWS), (resnet, ROWS), (resnet, "")])
def test_recomputation_changes_no_bit(
    model: Callable[..., Any], without: str, mark: Any, how: RecomputationType
) -> None:
    """But where convolutions of what is plain in one of both have other sources: by rounding."""
    made, engine = model(mark), {"host.without": without}
    plain = trained(made, RecomputationType.NoRecompute, engineOptions=engine)
    again = trained(made, how, engineOptions=engine)
    assert _done(session(made, how))
    assert_same(plain, again, without)


def test_recomputation_with_accumulation_changes_no_bit() -> None:
    made = transformer(checkpoints)
    more: dict[str, Any] = {"enableGradientAccumulation": True, "accumulationFactor": 2}
    plain = trained(made, RecomputationType.NoRecompute, **more)
    again = trained(made, RecomputationType.RecomputeAll, **more)
    for id, value in plain.items():
        np.testing.assert_array_equal(again[id], value, err_msg=id)


@pytest.mark.parametrize("mark", [unmarked, checkpoints])
@pytest.mark.parametrize(
    ("model", "sizes", "report", "arena"),
    [
        (transformer, {"rows": 8, "length": 64, "width": 64}, 0.52, 0.47),
        (resnet, {"rows": 8, "size": 64, "width": 16}, 0.6, 0.53),
    ],
)
def test_recompute_all_takes_less_memory(
    model: Callable[..., Any], sizes: dict[str, int], report: float, arena: float, mark: Any
) -> None:
    """Of the temporary memory of the machine, and of that of the host. The machine's is more: the
    rearranged operands of a product count while it runs.
    """
    plain, less = (
        session(model(mark, **sizes), how)
        for how in (RecomputationType.NoRecompute, RecomputationType.RecomputeAll)
    )
    live = [max(each.liveBytes for each in run.getReport().steps) for run in (plain, less)]
    assert live[1] < report * live[0]
    assert less._engine.arenaBytes() < arena * plain._engine.arenaBytes()


def chain(mark: dict[str, int], keep: str = "") -> tuple[Any, str]:
    """x -> exp a -> exp b -> exp c -> exp d -> loss, with annotations."""
    builder = popir.Builder()
    h = builder.addInitializedInputTensor(floats(4, seed=1), "w")
    for name in "abcd":
        h = builder.aiOnnx.exp([builder.aiOnnx.sin([h], f"sin_{name}")], name)
        if name in mark:
            builder.recomputeOutputInBackwardPass(h, mark[name])
        if name == keep:
            h = builder.checkpointOutput([h])[0]
    loss = builder.aiGraphcore.l1loss([h], 0.1)
    return builder.getModelProto(), loss


def test_marks_say_what_is_recomputed() -> None:
    none = RecomputationType.NoRecompute
    everything = RecomputationType.RecomputeAll
    assert recomputed(session(chain({}), none)) == []
    assert recomputed(session(chain({"b": 2, "c": 1}), none)) == ["b"]
    # What follows the last mark is kept; the gradient of an exponential reads its result.
    assert recomputed(session(chain({}, "b"), everything)) == ["sin_a", "a", "sin_b", "b"]


def test_clones_run_late_and_once() -> None:
    made = session(chain({"a": 2, "b": 2, "c": 2}), RecomputationType.NoRecompute)
    order = [op.name() for op in made.graph.schedule() if op.plainType() == "Exp"]
    assert [order.count(name) for name in "abcd"] == [2, 2, 2, 1]
    again = {name: len(order) - 1 - order[::-1].index(name) for name in "abc"}
    assert order.index("d") < again["c"] < again["b"] < again["a"]


def test_both_kinds_of_recomputation_are_refused() -> None:
    with pytest.raises(popart_exception, match=r"autoRecomputation = .*recomputeOutputInBackward"):
        session(chain({"b": 2}), RecomputationType.Standard)


def test_the_json_says_what_is_recomputed_and_what_is_the_second_time() -> None:
    made = session(chain({}, "b"), RecomputationType.RecomputeAll)
    (ops,) = json.loads(made._serializeIr()).values()
    said = {op["outputs"][0]["name"]: op["attributes"] for op in ops}
    again = [id for id in said if id.endswith("/recomputed")]
    assert len(again) == 4
    for id in again:
        first = said[id.removesuffix("/recomputed")]
        assert (first["recompute"], first["recomputetype"]) == ("YES", "Recompute")
        assert (said[id]["recompute"], said[id]["recomputetype"]) == ("NO", "Recomputed")
    kept = [op["attributes"] for op in ops if op["name"] in ("c", "d")]
    assert {notes["recompute"] for notes in kept} == {"NO"}
    assert all(notes["__pipeline_stage"] == "" for notes in said.values())
