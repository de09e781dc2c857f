"""popops.groupedMultiSlice and the updates of groups; multiUpdateMax, multiUpdateMin and
multiUpdateMul.
"""

import numpy as np
import pytest

from popir import errors, popops
from tests.popops.rig import Rig

COMPUTED = [np.float16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]
RNG = np.random.default_rng(1)
# The last group's first offset is not within it, nor within the group after it.
OFFSETS = np.array([[[1], [3], [1]], [[0], [0], [2]], [[-1], [2], [1]]], np.int32)


def numbers(shape, dtype=np.float32):
    return RNG.integers(-9 if np.issubdtype(dtype, np.signedinteger) else 0, 9, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32], ids=lambda t: t.__name__)
def test_slices_of_each_group(dtype):
    x, offsets = numbers((3, 4, 5)), OFFSETS.astype(dtype)
    rig = Rig()
    out = popops.groupedMultiSlice(
        rig.graph, rig.tensor(x), rig.tensor(offsets), [0], [2], rig.prog
    )
    name = rig.result(out)
    found = rig.run()[name]
    for g in range(3):
        for i, o in enumerate(OFFSETS[g, :, 0]):
            inside = 0 <= o <= 2
            expected = x[g, o : o + 2] if inside else np.zeros((2, 5))
            np.testing.assert_array_equal(found[g, i], expected)


def test_another_dimension_of_each_group():
    x = numbers((3, 5, 4))
    rig = Rig()
    out = popops.groupedMultiSlice(
        rig.graph, rig.tensor(x), rig.tensor(OFFSETS), [1], [1], rig.prog
    )
    name = rig.result(out)
    found = rig.run()[name]
    assert found.shape == (3, 3, 5, 1)
    np.testing.assert_array_equal(found[1, 2, :, 0], x[1, :, 2])


def computed(kind, old, new):
    wide = np.float32 if old.dtype == np.float16 else old.dtype
    a, b = old.astype(wide), new.astype(wide)
    values = {"": b, "Add": a + 2 * b, "Max": np.maximum(a, b), "Mul": a * b}
    values["Min"] = np.minimum(a, b)
    return values[kind].astype(old.dtype)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["", "Add", "Max", "Mul"])
@pytest.mark.parametrize("dtype", COMPUTED, ids=lambda t: t.__name__)
def test_updates_of_each_group(dtype, kind, threads):
    x, s = numbers((3, 4, 5), dtype), numbers((3, 3, 1, 5), dtype)
    expected = x.copy()
    for g in range(3):
        for i, o in enumerate(OFFSETS[g, :, 0]):
            if o >= 0:
                expected[g, o] = computed(kind, expected[g, o], s[g, i, 0])
    rig = Rig(threads)
    t = rig.tensor(x)
    scale = [rig.tensor(np.array(2, dtype))] if kind == "Add" else []
    update = getattr(popops, f"groupedMultiUpdate{kind}")
    update(
        rig.graph, t, rig.tensor(s), rig.tensor(OFFSETS), *scale, dims=[0], sizes=[1], prog=rig.prog
    )
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], expected)


@pytest.mark.parametrize("dtype", COMPUTED, ids=lambda t: t.__name__)
@pytest.mark.parametrize("kind", ["Max", "Min", "Mul"])
def test_updates_without_groups(kind, dtype):
    x, s = numbers((4, 5), dtype), numbers((6, 2, 5), dtype)
    offsets = RNG.integers(0, 3, (6, 1)).astype("uint32")
    expected = x.copy()
    for o, rows in zip(offsets[:, 0], s, strict=True):
        expected[o : o + 2] = computed(kind, expected[o : o + 2], rows)
    rig = Rig()
    t = rig.tensor(x)
    update = getattr(popops, f"multiUpdate{kind}")
    update(rig.graph, t, rig.tensor(s), rig.tensor(offsets), [0], [2], rig.prog)
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("kind", ["Max", "Min"])
def test_nan_stays(kind, dtype):
    x, s = np.array([np.nan, 1, 1], dtype), np.array([[1], [np.nan], [2], [0]], dtype)
    rig = Rig()
    t, offsets = rig.tensor(x), rig.tensor(np.array([[0], [1], [1], [2]], np.int32))
    update = getattr(popops, f"multiUpdate{kind}")
    update(rig.graph, t, rig.tensor(s), offsets, [0], [1], rig.prog)
    name = rig.result(t)
    expected = np.array([np.nan, np.nan, {"Max": 1, "Min": 0}[kind]], dtype)
    np.testing.assert_array_equal(rig.run()[name], expected)


def test_half_slices_with_a_scale_in_float():
    x, s = numbers((3, 4), np.float16), numbers((2, 1, 4), np.float16)
    offsets, scale = np.array([[2], [0]], np.uint32), np.float32(0.123456789)
    rig = Rig()
    t = rig.tensor(x)
    popops.multiUpdateAdd(
        *(rig.graph, t, rig.tensor(s), rig.tensor(offsets), rig.tensor(scale)),
        *([0], [1], rig.prog),
    )
    name = rig.result(t)
    expected = x.copy()
    expected[[2, 0]] = (x[[2, 0]].astype("f4") + scale * s[:, 0].astype("f4")).astype("f2")
    np.testing.assert_array_equal(rig.run()[name], expected)


def test_what_does_not_fit_is_said():
    rig = Rig()
    x, offsets = rig.tensor(numbers((3, 4, 5))), rig.tensor(OFFSETS)
    with pytest.raises(errors.PopirError, match=r"offsets \[2,3,1\]; give \[groups, \.\.\.\] and"):
        popops.groupedMultiSlice(rig.graph, x, offsets.slice(0, 2, 0), [0], [1], rig.prog)
    wrong = rig.tensor(numbers((3, 2, 1, 5)))
    with pytest.raises(errors.PopirError, match=r"give \[groups, slices, the shape of a slice"):
        popops.groupedMultiUpdate(rig.graph, x, wrong, offsets, [0], [1], rig.prog)
    flags = rig.tensor(np.ones((3, 4, 5), bool))
    with pytest.raises(errors.PopirError, match="multiUpdateMax: the tensor is bool; give FLOAT"):
        slices = rig.tensor(np.ones((3, 3, 1, 5), bool))
        popops.groupedMultiUpdateMax(rig.graph, flags, slices, offsets, [0], [1], rig.prog)
