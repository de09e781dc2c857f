"""ViewSimplify, ExpandCast, PadSum."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import popir
from tests.models import floats
from tests.patterns.graphs import assert_same, compiled, plain

X = floats(4, 6)


def const(builder: popir.Builder, *values: int) -> str:
    return builder.aiOnnx.constant(np.array(values, np.int64))


def reshaped(*shapes: Sequence[int], anchor: int | None = None, twice: bool = False) -> Any:
    def build(builder: popir.Builder) -> list[str]:
        found = [builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [4, 6], "x")])]
        for shape in shapes:
            found.append(builder.reshape_const(builder.aiOnnx, [found[-1]], shape))
        anchors = [builder.aiOnnx.neg([found[-1]])]
        if anchor is not None:
            anchors.append(found[anchor])
        if twice:
            anchors.append(builder.aiOnnx.neg([found[1]]))
        return anchors

    return build


def test_a_chain_of_reshapes_is_one() -> None:
    build = reshaped([24], [2, 12], [0, 3, -1])
    found = compiled("ViewSimplify", build, {"x": X})
    assert found.types == ["Exp", "Reshape", "Neg"]
    assert_same(found, plain(build, {"x": X}))


def test_squeezes_and_flattens_too() -> None:
    def build(builder: popir.Builder) -> list[str]:
        x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [4, 6], "x")])
        x = builder.aiOnnx.unsqueeze([x, const(builder, 1)])
        x = builder.aiOnnx.flatten([x], axis=2)
        return [builder.aiOnnx.neg([builder.aiOnnx.squeeze([x])])]

    found = compiled("ViewSimplify", build, {"x": X})
    assert found.types == ["Exp", "Reshape", "Neg"]
    assert_same(found, plain(build, {"x": X}))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"anchor": 1}, "'Reshape:0' is kept: an anchor, the loss, or an output"),
        ({"twice": True}, "'Reshape:0' has other readers"),
    ],
)
def test_a_reshape_that_is_needed_stays(more: dict[str, Any], reason: str) -> None:
    found = compiled("ViewSimplify", reshaped([24], [2, 12], **more), {"x": X})
    assert found.types.count("Reshape") == 2
    assert found.reasons == [reason]


def test_reshapes_of_nothing_stay() -> None:
    def build(builder: popir.Builder) -> list[str]:
        x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [3, 0], "x")])
        flat = builder.aiOnnx.flatten([x], axis=0)
        return [builder.aiOnnx.unsqueeze([flat, const(builder, 2)])]

    found = compiled("ViewSimplify", build, {"x": np.empty((3, 0), np.float32)})
    assert found.types == ["Exp", "Flatten", "Unsqueeze"]
    (reason,) = found.reasons
    assert reason.startswith("it has no elements")


def expanded(*shape: int, twice: bool = False) -> Callable[[popir.Builder], list[str]]:
    def build(builder: popir.Builder) -> list[str]:
        x = builder.addInputTensor("FLOAT", [4, 1], "x")
        wide = builder.aiOnnx.expand([x, const(builder, *shape)])
        anchors = [builder.aiOnnx.cast([wide], to=10)]
        return [*anchors, builder.aiOnnx.neg([wide])] if twice else anchors

    return build


def test_what_is_expanded_is_cast_before() -> None:
    x = floats(4, 1)
    found = compiled("ExpandCast", expanded(3, 4, 50), {"x": x})
    assert found.types == ["Cast", "Expand"]
    before = plain(expanded(3, 4, 50), {"x": x})
    assert before.types == ["Expand", "Cast"]
    assert_same(found, before)


def test_why_a_cast_stays_behind() -> None:
    x = floats(4, 1)
    found = compiled("ExpandCast", expanded(4, 1), {"x": x})
    assert (found.types, found.reasons) == (["Expand", "Cast"], ["the Expand repeats no element"])
    found = compiled("ExpandCast", expanded(3, 4, 50, twice=True), {"x": x})
    assert found.reasons == ["'Expand:0' has other readers"]


def sliced(
    *parts: tuple[int, int], axis: int = 1, steps: int = 1, more: str = ""
) -> Callable[[popir.Builder], list[str]]:
    """The loss of a weight [4, 6] through slices of it."""

    def build(builder: popir.Builder) -> list[str]:
        w = builder.addInitializedInputTensor(X, "w")
        along = 1 - axis if more == "axes" else axis
        losses = []
        for n, (begin, end) in enumerate(parts):
            given = [const(builder, v) for v in (begin, end, along if n else axis, steps)]
            piece = builder.aiOnnx.slice([w, *given])
            scaled = builder.aiGraphcore.scale([builder.aiOnnx.tanh([piece])], 1.5 + n)
            losses.append(builder.aiGraphcore.identityloss([scaled], popir.ReductionType.Sum))
        if more == "whole":
            losses.append(builder.aiGraphcore.l1loss([w], 0.5, popir.ReductionType.Sum))
        return [builder.aiOnnx.sum(losses), f"Gradient___{w}"]

    return build


@pytest.mark.parametrize(
    ("parts", "axis", "expands"),
    [
        ([(0, 2), (2, 6)], 1, 0),
        ([(4, 6), (0, 1), (1, 4)], 1, 0),
        ([(1, 2), (4, 5)], 1, 3),
        ([(0, 1), (1, 4)], 0, 0),
    ],
)
def test_gradients_of_slices_are_put_side_by_side(
    parts: list[tuple[int, int]], axis: int, expands: int
) -> None:
    build = sliced(*parts, axis=axis)
    found = compiled("PadSum", build, {}, training=True)
    assert (found.done, found.reasons) == (1, [])
    assert "SliceGrad" not in found.types
    assert found.types.count("Expand") == expands
    before = plain(build, {}, training=True)
    assert before.types.count("SliceGrad") == len(parts)
    assert_same(found, before)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (sliced((0, 3), (2, 6)), "slices overlap, at 2 of axis 1"),
        (sliced((0, 3), (3, 6), steps=2), "'.*' is the gradient of a slice with steps"),
        (sliced((0, 3), (3, 6), more="whole"), "'.*' is no slice's gradient"),
        (sliced((0, 3), (0, 2), more="axes"), r"the slices are along the axes \[0, 1\]"),
        (sliced((0, 6), (0, 6)), r"the slices are along the axes \[\]; one is expected"),
        (sliced((0, 6), (2, 3)), "slices overlap, at 2 of axis 1"),
        (sliced((0, 3), (3, 3)), "'.*' is the gradient of a slice of nothing"),
    ],
    ids=range(7),
)
def test_why_a_sum_of_gradients_stays(build: Any, reason: str) -> None:
    found = compiled("PadSum", build, {}, training=True)
    assert found.done == 0
    assert "SliceGrad" in found.types
    assert len(found.reasons) == 1
    assert re.match(reason, found.reasons[0])
