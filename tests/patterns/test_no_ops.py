"""OpToIdentity, PreUniRepl, PostNRepl: operators that do nothing go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from tests.models import floats
from tests.patterns.graphs import assert_same, compiled, plain

X = floats(2, 3)


def around(inner: Callable[[popir.Builder, str], str]) -> Callable[[popir.Builder], list[str]]:
    """An operator between an Exp and a Neg."""

    def build(builder: popir.Builder) -> list[str]:
        x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", list(X.shape), "x")])
        return [builder.aiOnnx.neg([inner(builder, x)])]

    return build


def const(builder: popir.Builder, *values: int) -> str:
    return builder.aiOnnx.constant(np.array(values, np.int64))


NOTHING: dict[str, Callable[[popir.Builder, str], str]] = {
    "Reshape": lambda b, x: b.reshape_const(b.aiOnnx, [x], [2, 3]),
    "Transpose": lambda b, x: b.aiOnnx.transpose([x], perm=[0, 1]),
    "Cast": lambda b, x: b.aiOnnx.cast([x], to=1),
    "Concat": lambda b, x: b.aiOnnx.concat([x], axis=0),
    "Expand": lambda b, x: b.aiOnnx.expand([x, const(b, 2, 3)]),
    "Tile": lambda b, x: b.aiOnnx.tile([x, const(b, 1, 1)]),
    "Slice": lambda b, x: b.aiOnnx.slice([x, const(b, 0, 0), const(b, 9, 9)]),
    "Split": lambda b, x: b.aiOnnx.split([x], 1, axis=0)[0],
    "Dropout": lambda b, x: b.aiOnnx.dropout([x], 1)[0],
    "Mean": lambda b, x: b.aiOnnx.mean([x]),
    "Max": lambda b, x: b.aiOnnx.max([x]),
    "Scale": lambda b, x: b.aiGraphcore.scale([x], 1.0),
    "Clip": lambda b, x: b.aiOnnx.clip([x]),
}
SOMETHING: dict[str, Callable[[popir.Builder, str], str]] = {
    "Reshape": lambda b, x: b.reshape_const(b.aiOnnx, [x], [3, 2]),
    "Transpose": lambda b, x: b.aiOnnx.transpose([x], perm=[1, 0]),
    "Cast": lambda b, x: b.aiOnnx.cast([b.aiOnnx.cast([x], to=10)], to=1),
    "Concat": lambda b, x: b.aiOnnx.concat([x, x], axis=0),
    "Expand": lambda b, x: b.aiOnnx.expand([x, const(b, 2, 2, 3)]),
    "Tile": lambda b, x: b.aiOnnx.tile([x, const(b, 1, 2)]),
    "Slice": lambda b, x: b.aiOnnx.slice([x, *(const(b, n) for n in (-1, -9, 0, -1))]),
    "Split": lambda b, x: b.aiOnnx.split([x], 2, axis=0)[0],
    "Mean": lambda b, x: b.aiOnnx.mean([x, x]),
    "Scale": lambda b, x: b.aiGraphcore.scale([x], 2.0),
    "Clip": lambda b, x: b.aiOnnx.clip([x, b.aiOnnx.constant(np.float32(1.5))]),
    "Nop": lambda b, x: b.aiGraphcore.nop([x]),
    "Detach": lambda b, x: b.aiGraphcore.detach([x]),
}  # fmt: skip


@pytest.mark.parametrize("type", NOTHING)
def test_an_operator_that_does_nothing_becomes_an_identity(type: str) -> None:
    build = around(NOTHING[type])
    found = compiled("OpToIdentity", build, {"x": X})
    assert found.types == ["Exp", "Identity", "Neg"]
    assert (found.done, found.reasons) == (1, [])
    before = plain(build, {"x": X})
    assert type in before.types
    assert_same(found, before)


@pytest.mark.parametrize("type", SOMETHING)
def test_one_that_does_something_stays(type: str) -> None:
    found = compiled("OpToIdentity", around(SOMETHING[type]), {"x": X})
    assert type in found.types
    assert (found.done, found.reasons) == (0, [])


def test_an_operator_with_another_output_that_is_read_is_no_identity() -> None:
    def build(builder: popir.Builder) -> list[str]:
        x = builder.addInputTensor("FLOAT", [2, 3], "x")
        y, mask = builder.aiOnnx.dropout([x], 2)
        return [builder.aiOnnx.neg([y]), builder.aiOnnx.cast([mask], to=1)]

    found = compiled("OpToIdentity", build, {"x": X}, opset=12)
    assert found.types.count("Dropout") == 1
    assert found.reasons == ["its output 'Dropout:1' is used too"]


def test_pooling_over_windows_of_one_element() -> None:
    def build(builder: popir.Builder, **given: Any) -> list[str]:
        x = builder.addInputTensor("FLOAT", [1, 2, 3, 3], "x")
        return [
            builder.aiOnnx.maxpool([builder.aiOnnx.exp([x])], 1, kernel_shape=[1, 1], **given)[0]
        ]

    x = floats(1, 2, 3, 3)
    found = compiled("OpToIdentity", build, {"x": x})
    assert found.types == ["Exp", "Identity"]
    assert_same(found, plain(build, {"x": x}))
    assert "MaxPool" in compiled("OpToIdentity", lambda b: build(b, strides=[2, 2]), {"x": x}).types


def test_a_reduction_of_one_element_that_keeps_its_shape() -> None:
    def build(keep: int, size: int) -> Any:
        def fill(builder: popir.Builder) -> list[str]:
            x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [2, size], "x")])
            return [builder.aiOnnx.reducemax([x], axes=[1], keepdims=keep)]

        return fill

    found = compiled("OpToIdentity", build(1, 1), {"x": floats(2, 1)})
    assert found.types == ["Exp", "Identity"]
    assert_same(found, plain(build(1, 1), {"x": floats(2, 1)}))
    for keep, size in ((0, 1), (1, 3)):
        types = compiled("OpToIdentity", build(keep, size), {"x": floats(2, size)}).types
        assert "ReduceMax" in types


def identity(builder: popir.Builder, x: str) -> str:
    return builder.aiOnnx.identity([x])


def test_the_readers_of_an_identity_read_its_input() -> None:
    found = compiled("PostNRepl", around(identity), {"x": X})
    assert found.types == ["Exp", "Neg"]
    assert_same(found, plain(around(identity), {"x": X}))
    found = compiled("PostNRepl", around(lambda b, x: b.aiOnnx.sum([x])), {"x": X})
    assert found.types == ["Exp", "Neg"]
    # Several readers, one of them twice.
    many = around(lambda b, x: b.aiOnnx.mul([y := identity(b, x), b.aiOnnx.add([y, y])]))
    found = compiled("PostNRepl", many, {"x": X})
    assert found.types == ["Exp", "Add", "Mul", "Neg"]
    assert_same(found, plain(many, {"x": X}))


def test_an_identity_that_is_an_anchor_stays() -> None:
    def build(builder: popir.Builder) -> list[str]:
        x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [2, 3], "x")])
        y = builder.aiOnnx.identity([x])
        return [y, builder.aiOnnx.neg([y])]

    found = compiled("PostNRepl", build, {"x": X})
    assert found.types == ["Exp", "Identity", "Neg"]
    assert found.reasons == ["'Identity:0' is kept: an anchor, the loss, or an output"]


def test_an_identity_whose_gradient_is_an_anchor_stays() -> None:
    def build(builder: popir.Builder) -> list[str]:
        w = builder.addInitializedInputTensor(X, "w")
        y = builder.aiOnnx.identity([w])
        loss = builder.aiGraphcore.l1loss([y], 1.0)
        return [loss, f"Gradient___{y}"]

    found = compiled("PostNRepl", build, {}, training=True)
    assert "Identity" in found.types
    assert_same(found, plain(build, {}, training=True))


def test_a_weights_gradient_stays_where_an_identity_makes_it() -> None:
    def build(builder: popir.Builder) -> list[str]:
        w = builder.addInitializedInputTensor(X, "w")
        y = builder.reshape_const(builder.aiOnnx, [w], [3, 2])
        return [builder.aiGraphcore.l1loss([builder.aiOnnx.sum([y])], 1.0), w]

    name = ["PostNRepl", "PreUniRepl", "OpToIdentity", "ViewSimplify"]
    for each in name:
        assert_same(compiled(each, build, {}, training=True), plain(build, {}, training=True))


def test_a_sum_of_one_tensor_gives_its_name_to_what_it_sums() -> None:
    def build(builder: popir.Builder, anchor: bool = False) -> list[str]:
        x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [2, 3], "x")])
        y = builder.aiOnnx.sum([x])
        return [y, x] if anchor else [y]

    found = compiled("PreUniRepl", build, {"x": X})
    assert found.types == ["Exp"]
    assert_same(found, plain(build, {"x": X}))
    found = compiled("PreUniRepl", lambda b: build(b, True), {"x": X})
    assert found.types == ["Exp", "Sum"]
    assert found.reasons == ["'Exp:0' is kept: an anchor, the loss, or an output"]


def test_why_a_sum_of_one_tensor_stays() -> None:
    def of_input(builder: popir.Builder) -> list[str]:
        return [builder.aiOnnx.sum([builder.addInputTensor("FLOAT", [2, 3], "x")])]

    assert compiled("PreUniRepl", of_input, {"x": X}).reasons == ["no operator makes 'x'"]

    def read_twice(builder: popir.Builder) -> list[str]:
        x = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [2, 3], "x")])
        return [builder.aiOnnx.sum([x]), builder.aiOnnx.neg([x])]

    assert compiled("PreUniRepl", read_twice, {"x": X}).reasons == ["'Exp:0' has other readers"]
    two = around(lambda b, x: b.aiOnnx.sum([x, x]))
    assert compiled("PreUniRepl", two, {"x": X}).types == ["Exp", "Sum", "Neg"]


def test_a_checkpoint_stays() -> None:
    build = around(lambda b, x: b.checkpointOutput([x])[0])
    found = compiled("PostNRepl", build, {"x": X})
    assert "Identity" in found.types
    assert found.reasons == ["the operator excludes the pattern"]
