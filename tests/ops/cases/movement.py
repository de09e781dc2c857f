"""Operators that move elements."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.cases.case import POPART, SMALL, Array, Case, distinct, ints


def _centred(x: Array, sizes: Array, axes: Sequence[int] = (0, 1)) -> Array:
    """Each dimension by itself: the middle of what is there, between zeros."""
    for d, size in zip(axes, sizes.tolist(), strict=True):
        less, more = max(x.shape[d] - size, 0), max(size - x.shape[d], 0)
        x = np.take(x, np.arange(less // 2, less // 2 + min(size, x.shape[d])), d)
        pads = [(0, 0)] * x.ndim
        pads[d] = (more // 2, more - more // 2)
        x = np.pad(x, pads)
    return x


def _groups(data: Any, indices: Array, axis: int, groups: int, id: str, **given: Any) -> Case:
    """A row of GroupedGather: torch gathers one element of a group at a time."""

    def formula(x: Array, i: Array) -> Array:
        import torch  # not for the fuzzer, which imports this module and bounds its memory

        along = axis % x.ndim
        if groups == 1:
            x, i, along = x[None], i[None], along + 1
        data, rows = torch.tensor(x), torch.tensor(i.reshape(len(x), -1) % x.shape[along])
        shape = [*x.shape[:along], rows.shape[1], *x.shape[along + 1 :]]
        rows = rows.reshape([len(x), *[1] * (along - 1), -1, *[1] * (x.ndim - along - 1)])
        found = torch.gather(data, along, rows.long().expand(shape))
        found = found.reshape(x.shape[:along] + i.shape[1:] + x.shape[along + 1 :]).numpy()
        return found[0] if groups == 1 else found

    attributes = {"axis": axis, "group_size": groups}
    rest = {"formula": formula, "id": id, **POPART, **given}
    return Case("GroupedGather", [data, indices], attributes, **rest)


_FAR = 2**63 - 1
"""The largest INT64; the smallest is -_FAR - 1."""


def _all_or_nothing(x: Array, k: Array, all: bool) -> Array:
    return x if all else np.zeros_like(x)


def _zeros_of(x: Array, _: Array, rows: int) -> Array:
    return np.zeros_like(x[:rows])


MOVEMENT = [
    Case("Identity", [SMALL]),
    Case("Nop", [SMALL], **POPART, formula=lambda x: x),
    Case("Detach", [SMALL], **POPART, formula=lambda x: x, gradient=False),
    Case("Reshape", [[2, 6], ints(3, -1)], constants=[1], opsets=(6, 13, 14, 19)),
    Case("Reshape", [[2, 6, 1], ints(0, 2, 3)], constants=[1], opsets=(6, 14), id="zero"),
    Case(
        "Reshape",
        [[2, 6]],
        {"shape": [4, -1]},
        **POPART,
        formula=lambda x: x.reshape(4, 3),
        id="attribute",
    ),
    Case("Flatten", [[2, 3, 4]], {"axis": 2}),
    Case("Flatten", [[2, 3]], {"axis": 0}, opsets=(9,), id="axis 0"),
    Case("Flatten", [[2, 3]], {"axis": -1}, opsets=(11,), id="negative"),
    Case("Squeeze", [[1, 2, 1]], {"axes": [2]}, opsets=(6, 11)),
    Case("Squeeze", [[1, 2, 1]], opsets=(6, 11, 13), id="all"),
    Case("Squeeze", [[1, 2, 1], ints(-1)], constants=[1], opsets=(13, 21), id="input"),
    Case("Unsqueeze", [SMALL], {"axes": [0, 3]}, opsets=(6, 11)),
    Case("Unsqueeze", [SMALL, ints(-1, 1)], constants=[1], opsets=(13, 21), id="input"),
    Case("Transpose", [[2, 3, 4]], {"perm": [2, 0, 1]}),
    Case("Transpose", [SMALL], opsets=(6,), id="reversed"),
    Case("Concat", [[2, 3], [2, 1], [2, 2]], {"axis": 1}),
    Case("Concat", [[2, 3], [1, 3]], {"axis": -2}, opsets=(11,), id="negative"),
    Case("Slice", [[5, 4]], {"starts": [1, -3], "ends": [9, -1]}, opsets=(6,)),
    Case("Slice", [[5, 4]], {"starts": [0], "ends": [2], "axes": [1]}, opsets=(6,), id="axes"),
    Case("Slice", [[5, 4], ints(1), ints(4)], constants=[1, 2], opsets=(10, 11, 13), id="inputs"),
    Case(
        "Slice",
        [[5, 7, 2], ints(-1, 1), ints(-99, 6), ints(0, 1), ints(-2, 3)],
        constants=[1, 2, 3, 4],
        opsets=(10, 13),
        id="steps",
    ),
    Case(
        "Slice",
        [[5, 4], ints(-9, 9), ints(-99, -99), ints(0, 1), ints(-1, -2)],
        constants=[1, 2, 3, 4],
        opsets=(10, 13),
        id="backwards from outside",
    ),
    *(
        Case(
            "Slice",
            [[5, 4], ints(start, 1), ints(end, _FAR), ints(0, 1), ints(step, 1)],
            constants=[1, 2, 3, 4],
            opsets=(13,),
            id=f"far, {step}",
        )
        for start, end, step in (
            (1, _FAR, _FAR),
            (-1, -_FAR - 1, -_FAR - 1),
            (_FAR, -_FAR - 1, -(2**32)),
            (-_FAR - 1, _FAR, 2**32),
        )
    ),
    Case("Split", [[5, 4]], {"axis": 0, "split": [2, 3]}, opsets=(6, 11), outputs=2),
    Case(
        "Split",
        [[4, 6], ints(1, 2, 3)],
        {"axis": -1},
        constants=[1],
        opsets=(13,),
        outputs=3,
        id="sizes",
    ),
    Case("Split", [[4, 5]], {"axis": 1, "num_outputs": 2}, opsets=(18,), outputs=2, id="uneven"),
    Case("Cast", [np.array([-1.7, 0.3, 2.5])], {"to": 6}, gradient=False, opsets=(6, 9, 13)),
    Case("CastLike", [SMALL, ints(1)], gradient=False),
    Case("CastLike", [SMALL, SMALL], id="same", frozen=[1]),
    Case("Pad", [[2, 3]], {"pads": [1, 0, 0, 2], "value": 1.5}, opsets=(6,)),
    Case(
        "Pad",
        [[2, 3], ints(1, 0, 0, 2), np.float64(1.5)],
        constants=[1],
        opsets=(11, 13, 18, 19, 21, 23, 24, 25),
        id="value",
    ),
    Case("Pad", [[2, 3], ints(1, -1, 2, 2)], constants=[1], opsets=(13,), id="cut"),
    *(
        Case(
            "Pad",
            [[2, 3], ints(before, 0, after, 0)],
            constants=[1],
            opsets=(13,),
            formula=functools.partial(_zeros_of, rows=2 + before + after),
            id=f"far, {before}",
        )
        for before, after in ((_FAR, -_FAR), (-_FAR, _FAR), (-_FAR - 1, _FAR))
    ),
    Case("Pad", [[2, 0, 2], ints(0, 1, 0, 0, 2, 1)], constants=[1], opsets=(13,), id="nothing"),
    Case("Pad", [[2, 3], ints(1, 2), None, ints(-1)], constants=[1, 3], opsets=(18,), id="axes"),
    *(
        Case(
            "Pad",
            [[2, 4, 3], ints(1, 3, 0, 0, 2, 2)],
            {"mode": mode},
            constants=[1],
            opsets=(version,),
            id=mode,
        )
        for mode, version in (("reflect", 11), ("edge", 11), ("wrap", 19))
    ),
    Case(
        "Pad",
        [[4, 3], ints(-1, 1, 2, -1)],
        {"mode": "edge"},
        constants=[1],
        opsets=(13,),
        id="edge-cut",
    ),
    Case("Expand", [[2, 1, 3], ints(2, 1, 4, 1)], constants=[1]),
    Case("Expand", [[2, 3], ints(1, 3)], constants=[1], opsets=(13,), id="same"),
    Case("Tile", [[2, 3], ints(2, 3)], constants=[1]),
    Case("Tile", [[2, 3], ints(1, 1)], constants=[1], opsets=(13,), id="once"),
    Case("DepthToSpace", [[2, 8, 2, 3]], {"blocksize": 2}, opsets=(6, 11, 13)),
    Case("DepthToSpace", [[1, 9, 1, 2]], {"blocksize": 3, "mode": "CRD"}, opsets=(11,), id="CRD"),
    Case("SpaceToDepth", [[2, 2, 4, 6]], {"blocksize": 2}, opsets=(6, 13)),
    Case(
        "SpaceToDepth",
        [np.arange(96.0, dtype=np.float32).reshape(2, 2, 4, 6)],
        {"blocksize": 2, "mode": "CRD"},
        opsets=(28,),
        formula=lambda x: (
            x.reshape(2, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(2, 8, 2, 3)
        ),
        id="columns first",
    ),
    *(
        Case(
            "CenterCropPad",
            [[5, 4], ints(*size, dtype=kind)],
            given,
            constants=[1],
            formula=functools.partial(_centred, **given),  # onnxruntime takes no INT32 here.
            id=f"{size}",
        )
        for size, given, kind in (
            ([2, 9], {}, np.int64),
            ([8, 1], {}, np.int32),
            ([7], {"axes": [-1]}, np.int64),
            ([0, 4], {"axes": [1, 0]}, np.int32),
        )
    ),
    Case("Trilu", [[2, 3, 4]]),
    Case("Trilu", [[4, 3], np.int64(-1)], {"upper": 0}, constants=[1], id="lower"),
    Case("Trilu", [ints(1, 2, 3, 4).reshape(2, 2)], gradient=False, id="integers"),
    *(
        Case(
            "Trilu",
            [[3, 4], np.int64(k)],
            {"upper": upper},
            constants=[1],
            formula=functools.partial(_all_or_nothing, all=(k < 0) == bool(upper)),
            id=f"far, {k}, {upper}",
        )
        for k in (_FAR, -_FAR - 1)
        for upper in (0, 1)
    ),
    Case("Gather", [[5, 4], ints(1, -1, 1, 3)]),
    Case("Gather", [[2, 5, 3], ints(4, 0, 0, -5).reshape(2, 2)], {"axis": 1}, id="middle"),
    Case("Gather", [[4, 3], ints(2, 0, dtype=np.int32)], opsets=(13,), id="int32"),
    Case("Gather", [[2, 3, 4], np.int64(-2)], {"axis": -2}, constants=[1], opsets=(13,), id="view"),
    Case("Gather", [[4, 3], ints(2, 2, 0)], constants=[1], opsets=(13,), id="views, doubled"),
    Case(
        "Gather",
        [[4, 3], np.arange(40).reshape(4, 10) % 4],
        constants=[1],
        opsets=(13,),
        id="many constants",
    ),
    Case("Gather", [ints(7, 8, 9), ints(2, 0)], opsets=(13,), gradient=False, id="of integers"),
    _groups([3, 5, 4], ints(1, -1, 1, 4, 0, 0).reshape(3, 2), 1, 3, "rows"),
    _groups([2, 3, 4, 5], ints(0, 4, -5, 4, 4, 1, 3, 2).reshape(2, 2, 2), -1, 2, "last"),
    _groups([2, 6], ints(-1, 2, dtype=np.int32), 1, 2, "one of each"),
    _groups([2, 3, 4], ints(1, -2, 0, 2).reshape(2, 2), -2, 2, "views", constants=[1]),
    _groups([2, 3], ints(2, 2, 0, 1).reshape(2, 2), -1, 2, "views, doubled", constants=[1]),
    _groups([2, 4], np.arange(40).reshape(2, 20) % 4, 1, 2, "many constants", constants=[1]),
    _groups([5, 3], ints(4, 4, 0), 0, 1, "no groups"),
    _groups(
        ints(7, 8, 9, 6).reshape(2, 2), ints(1, 0).reshape(2, 1), 1, 2, "integers", gradient=False
    ),
]

ROWS_AND_COLUMNS = ints(0, -1, 1, 1, 2, 0).reshape(3, 2)

MOVEMENT += [
    Case("GatherElements", [[3, 2], ROWS_AND_COLUMNS]),
    Case("GatherElements", [[3, 2], ints(1, 0, 0, -1).reshape(2, 2)], {"axis": 1}, id="fewer"),
    Case(
        "GatherElements",
        [[2, 3, 4], ints(*range(-2, 2), dtype=np.int32).reshape(1, 2, 2)],
        {"axis": -2},
        opsets=(13,),
        id="middle",
    ),
    Case(
        "GatherElements",
        [[3, 2], ROWS_AND_COLUMNS],
        constants=[1],
        opsets=(13,),
        id="constant",
    ),
    Case("GatherElements", [[4], ints(3, 3, -4, 0, 1)], opsets=(13,), id="vector"),
    Case("GatherElements", [ints(7, 8), ints(1)], opsets=(13,), gradient=False, id="integers"),
    Case("GatherND", [[3, 2, 4], ints(0, 1, -1, 0).reshape(2, 2)]),
    Case("GatherND", [[3, 2], ints(2, 1, 0, 0).reshape(2, 1, 2)], opsets=(13,), id="elements"),
    Case("GatherND", [[3, 2], ints(-3)], opsets=(13,), id="one row"),
    Case(
        "GatherND",
        [[2, 3, 4, 2], ints(1, 0, 2, -1).reshape(2, 1, 2)],
        {"batch_dims": 1},
        opsets=(12, 13),
        id="batches",
    ),
    Case(
        "GatherND",
        [[2, 2, 3], ints(0, -1, 2, 1).reshape(2, 2, 1)],
        {"batch_dims": 2},
        opsets=(13,),
        id="batches of batches",
    ),
    Case(
        "GatherND",
        [[3, 2, 4], ints(0, 1, 2, 1).reshape(2, 2)],
        constants=[1],
        opsets=(13,),
        id="constant",
    ),
    Case("Scatter", [[3, 2], ints(2, 0).reshape(1, 2), [1, 2]], opsets=(9, 10)),
    Case("Scatter", [[3, 4], ints(3, 0).reshape(2, 1), [2, 1]], {"axis": 1}, opsets=(9,), id="row"),
    Case("ScatterElements", [[3, 4], ints(2, 0, -2, 2).reshape(1, 4), [1, 4]]),
    Case(
        "ScatterElements",
        [[2, 3, 4], ints(2, 1, 0, -1, dtype=np.int32).reshape(1, 2, 2), [1, 2, 2]],
        {"axis": -1},
        opsets=(18,),
        id="last",
    ),
    Case(
        "ScatterElements",
        [[3, 4], ints(2, 0, 1, 2).reshape(1, 4), [1, 4]],
        constants=[1],
        opsets=(18,),
        id="constant",
    ),
    *(
        Case(
            "ScatterElements",
            [distinct(3, 2), ints(2, 0, 0, -1, 2, -3).reshape(3, 2), distinct(3, 2) + 0.1],
            {"reduction": reduction},
            opsets=opsets,
            id=reduction,
        )
        for reduction, opsets in (
            ("add", (16, 18)),
            ("mul", (16, 18)),
            ("max", (18,)),
            ("min", (18,)),
        )
    ),
    *(
        Case(
            "ScatterND",
            [distinct(4, 3), ints(1, -1, 1).reshape(3, 1), distinct(3, 3) + 0.1],
            {"reduction": reduction},
            opsets=opsets,
            id=reduction,
        )
        for reduction, opsets in (
            ("add", (16, 18)),
            ("mul", (16, 18)),
            ("max", (18,)),
            ("min", (18,)),
        )
    ),
    Case("ScatterND", [[4, 3, 2], ints(0, 1, 3, -1).reshape(2, 2), [2, 2]]),
    Case("ScatterND", [[4], ints(3, 0).reshape(1, 2, 1), [1, 2]], opsets=(18,), id="elements"),
    Case(
        "ScatterND",
        [[4, 3], ints(3, 0).reshape(2, 1), [2, 3]],
        constants=[1],
        opsets=(18,),
        id="constant",
    ),
    Case("ReverseSequence", [[4, 3, 2], ints(4, 1, 3)], opsets=(10,)),
    Case(
        "ReverseSequence",
        [[3, 4], ints(2, 4, 1)],
        {"batch_axis": 0, "time_axis": 1},
        constants=[1],
        opsets=(10,),
        id="batch first",
    ),
    Case(
        "ReverseSequence",
        [[3, 2], ints(2, 3)],
        opsets=(28,),
        formula=lambda x, _: np.stack([x[[1, 0, 2], 0], x[[2, 1, 0], 1]], 1),
        id="newest",
    ),
    Case("TensorScatter", [[2, 3, 4], [2, 2, 4], ints(1, 0)]),
    Case("TensorScatter", [[2, 2, 3, 4], [2, 2, 2, 4]], opsets=(24,), id="from the start"),
    Case(
        "TensorScatter",
        [[2, 2, 3, 4], [2, 2, 2, 4], ints(2, 1)],
        {"mode": "circular"},
        opsets=(24,),
        id="circular",
    ),
    Case(
        "TensorScatter",
        [[2, 4, 3], [2, 1, 3], ints(3, 0)],
        {"axis": 1},
        constants=[2],
        opsets=(24,),
        id="constant",
    ),
    Case("TensorScatter", [[2, 3, 4], [2, 3, 1], ints(3, 0)], {"axis": -1}, id="last"),
    Case(
        "Compress",
        [[3, 4], np.array([False, True, True])],
        {"axis": 0},
        constants=[1],
        opsets=(9, 11),
    ),
    Case(
        "Compress",
        [[3, 4], np.array([True, False, True])],
        {"axis": -1},
        constants=[1],
        opsets=(11,),
        id="shorter",
    ),
    Case(
        "Compress",
        [[3, 2], np.array([True, False, True, True, False])],
        {"axis": 0},
        constants=[1],
        opsets=(11,),
        id="longer",
    ),
    Case(
        "Compress",
        [[2, 3], np.array([False, True, False, True, True])],
        constants=[1],
        opsets=(11,),
        id="flat",
    ),
    Case(
        "Compress",
        [[2, 3], np.array([False, True])],
        {"axis": 0},
        constants=[1],
        opsets=(28,),
        formula=lambda x, _: x[1:],
        id="newest",
    ),
    Case("Col2Im", [[1, 8, 6], ints(3, 4), ints(2, 2)], constants=[1, 2]),
    Case(
        "Col2Im",
        [[2, 6, 6], ints(5, 6), ints(1, 3)],
        {"pads": [1, 1, 0, 1], "strides": [2, 2], "dilations": [1, 2]},
        constants=[1, 2],
        id="strides",
    ),
    Case("Col2Im", [[2, 6, 4], ints(9), ints(3)], {"strides": [2]}, constants=[1, 2], id="1-D"),
    Case(
        "Col2Im",
        [[1, 8, 8], ints(2, 3, 4), ints(2, 2, 2)],
        {"pads": [0, 0, 0, 0, 0, 1]},
        constants=[1, 2],
        id="3-D",
    ),
]
