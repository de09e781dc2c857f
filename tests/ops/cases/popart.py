"""PopART's operators that consist of others, and those of slices at run time.

The formulas are numpy's, or PyTorch's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper

from tests.ops.cases.case import POPART, SMALL, Array, Case, distinct, ints


def u32(*values: int) -> Array:
    return np.array(values, np.uint32)


def _placed(y: Array, offset: Array, x: Array, axes: list[int]) -> tuple[slice, ...] | None:
    at = [slice(None)] * y.ndim
    for axis, o in zip(axes, offset.tolist(), strict=True):
        if o + x.shape[axis] > y.shape[axis]:
            return None
        at[axis] = slice(o, o + x.shape[axis])
    return tuple(at)


def _updated(y: Array, offset: Array, x: Array) -> Array:
    out = y.copy()
    out[_placed(y, offset, x, [1])] = x
    return out


def _added(y: Array, offset: Array, x: Array) -> Array:
    out = y.copy()
    out[_placed(y, offset, x, [0, 2])] += x
    return out


def _cleared(y: Array, offset: Array) -> Array:
    out = y.copy()
    out[int(offset[0]) : int(offset[0]) + 2] = 0
    return out


def _sequences(source: Array, out: Array, n: Array, start: Array, to: Array) -> Array:
    found = np.zeros_like(out)
    for count, s, t in zip(n.tolist(), start.tolist(), to.tolist(), strict=True):
        found[t : t + count] = source[s : s + count]
    return found


def _median(x: Array) -> tuple[Array, Array]:
    rows = x.transpose(1, 0, 2).reshape(3, -1)
    at = np.argsort(rows, 1)[:, 3:4]
    return np.take_along_axis(rows, at, 1).reshape(1, 3, 1), at.reshape(1, 3, 1).astype(np.int32)


def _median_of_all(x: Array) -> tuple[Array, Array]:
    return np.median(x), np.int32(np.argsort(x)[2])


def _sorted(axis: int, sign: int) -> Any:
    def formula(x: Array) -> tuple[Array, Array]:
        at = np.argsort(sign * x, axis, kind="stable")
        return np.take_along_axis(x, at, axis), at.astype(np.int32)

    return formula


def _packed(x: Array, first: Array, count: Array, to: Array, size: Array) -> Array:
    out = np.zeros((6, 2))
    for f, n, t, m in zip(*(v.tolist() for v in (first, count, to, size)), strict=True):
        rows = np.zeros((3, 2))
        rows[:n] = 2 * x[f : f + n]
        out[t : t + m] = rows[:m]
    return out


def _lstm(x: Array, w: Array, b: Array, state: Array) -> tuple[Array, Array]:
    h, c = state.astype(np.float64)
    found: list[Array] = []
    sigmoid = lambda t: 1 / (1 + np.exp(-t))  # noqa: E731
    for step in x.astype(np.float64):
        both = np.concatenate([step, h], 1)
        f, i, g, o = (both @ w[k] + b[k] for k in range(4))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found.append(h)
    return np.stack(found), c


def _last(*given: Array) -> tuple[Array, Array]:
    sequence, cell = _lstm(*given)
    return sequence[-1], cell


def _groups(x: Array, scale: Array, bias: Array) -> tuple[Array, Array, Array]:
    rows = x.astype(np.float64).reshape(x.shape[0] * 2, -1)
    mean, var = rows.mean(1, keepdims=True), rows.var(1, keepdims=True)
    normed = ((rows - mean) / np.sqrt(var + 1e-5)).reshape(x.shape)
    deviation = 1 / np.sqrt(var + 1e-5)
    return normed * scale[:, None] + bias[:, None], mean[:, 0], deviation[:, 0]


def _convs(*inputs: Array | None) -> Array:
    import torch

    x, w = torch.tensor(inputs[0]).double(), torch.tensor(inputs[1]).double()
    return torch.nn.functional.conv2d(x, w, padding=1, stride=2).numpy()


def _scattered(reduce: str, shape: list[int]) -> Any:
    def formula(x: Array, i: Array, first: Array | None = None) -> Array:
        import torch

        start = np.full(shape, float(reduce == "prod")) if first is None else first
        index = torch.tensor(i.astype(np.int64))
        index = index if i.ndim == x.ndim else index.reshape(1, -1, 1).expand(x.shape)
        into, data = torch.tensor(start).double(), torch.tensor(x).double()
        given = first is not None or reduce in ("sum", "prod")
        return into.scatter_reduce(1, index, data, reduce, include_self=given).numpy()

    return formula


def _spline(pseudo: Array, size: Array, opened: Array) -> tuple[Array, Array]:
    """Quadratic B-splines by the recursion of de Boor, product over the dimensions."""

    def b(i: int, d: int, v: float) -> float:
        if d == 0:
            return float(i <= v < i + 1)
        return ((v - i) * b(i, d - 1, v) + (i + d + 1 - v) * b(i + 1, d - 1, v)) / d

    out = np.zeros((len(pseudo), 9))
    index = np.zeros((len(pseudo), 9), np.int32)
    for e, point in enumerate(pseudo.astype(np.float64)):
        for s in range(9):
            out[e, s] = 1
            for d, k in enumerate((s % 3, s // 3)):
                v = point[d] * (size[d] - 2 * opened[d])
                out[e, s] *= b(k - 2, 2, v - np.floor(v))
                index[e, s] += (int(v) + k) % size[d] * (size[0] if d else 1)
    return out, index


def _spread(x: Array, weight: Array, basis: Array, index: Array) -> Array:
    return np.einsum("es,ei,esio->eo", basis, x, weight[index])


def _ctc(probs: Array, labels: Array, steps: Array, counts: Array) -> tuple[Array, Array]:
    """Sums over all alignments; the gradient is what they have in common."""
    import itertools

    _, batch, classes = probs.shape
    gradient = np.zeros(probs.shape)
    losses: list[float] = []
    for n in range(batch):
        wanted, total = labels[n, : counts[n]].tolist(), 0.0
        for path in itertools.product(range(classes), repeat=int(steps[n])):
            spelt = [k for k, _ in itertools.groupby(path) if k]
            if spelt == wanted:
                p = np.exp(sum(float(probs[t, n, c]) for t, c in enumerate(path)))
                total += p
                for t, c in enumerate(path):
                    gradient[t, n, c] -= p
        losses.append(-np.log(total) / len(wanted))
        gradient[:, n] /= total
    return np.mean(losses), gradient


def _decoded(probs: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """The two most probable labellings, of all alignments."""
    import collections
    import itertools

    time, batch, classes = probs.shape
    logs, sizes = np.zeros((batch, 2)), np.zeros((batch, 2), np.uint32)
    labels = np.zeros((batch, 2, time), np.uint32)
    for n in range(batch):
        found = collections.defaultdict[tuple[int, ...], float](float)
        for path in itertools.product(range(classes), repeat=int(lengths[n])):
            spelt = tuple(k for k, _ in itertools.groupby(path) if k != 1)
            found[spelt] += np.exp(sum(float(probs[t, n, c]) for t, c in enumerate(path)))
        for i, (spelt, p) in enumerate(sorted(found.items(), key=lambda item: -item[1])[:2]):
            logs[n, i], sizes[n, i], labels[n, i, : len(spelt)] = np.log(p), len(spelt), spelt
    return logs, sizes, labels


DOUBLED = helper.make_graph(
    [helper.make_node("Add", ["a", "a"], ["b"])],
    "doubled",
    [helper.make_value_info("a", onnx.TypeProto())],
    [helper.make_value_info("b", onnx.TypeProto())],
)
LSTM = [[3, 2, 2], [4, 5, 3], [4, 3], [2, 2, 3]]
SPLINES = [np.array([[0.1, 0.77], [0.45, 0.3]]), ints(4, 5).astype(np.int32), np.uint8([1, 0])]
MIXED: list[Any] = [[3, 2], [4, 2, 3], [3, 2], np.int32([[0, 3], [1, 1], [2, 0]])]
SCATTERED: list[Any] = [[2, 4, 3], u32(0, 2, 2, 1)]
GIVEN = {"axis_size": 3, "axis": 1}
LOGS = np.log(np.float64([[[0.2, 0.5, 0.3]], [[0.6, 0.3, 0.1]], [[0.3, 0.3, 0.4]]]))
MANY_LOGS = np.log(np.random.default_rng(7).dirichlet([1, 1, 1], (4, 2)))
CTC: list[Any] = [LOGS, u32(1, 2).reshape(1, 2), u32(3), u32(2)]
PLAIN = {**POPART, "gradient": False}

PARTS = [
    Case(
        "Reverse", [[2, 3, 4]], {"dimensions": [0, 2]}, **POPART, formula=lambda x: x[::-1, :, ::-1]
    ),
    Case("Subsample", [[5, 4]], {"strides": [2, 3]}, **POPART, formula=lambda x: x[::2, ::3]),
    Case(
        "Slice",
        [[5, 4]],
        {"ends": [9, -1], "starts": [1, 0], "axes": [0, 1]},
        **POPART,
        formula=lambda x: x[1:, :-1],
    ),
    Case(
        "DepthToSpace",
        [[1, 4, 2, 3]],
        {"blocksize": 2},
        **POPART,
        formula=lambda x: x.reshape(2, 2, 2, 3).transpose(2, 0, 3, 1).reshape(1, 1, 4, 6),
    ),
    Case("ScaledAdd", [SMALL, SMALL], {"scale1": -0.5}, **POPART, formula=lambda x, y: x - 0.5 * y),
    Case(
        "ScaledAdd",
        [SMALL, SMALL, np.float64(2), np.float64([3])],
        **POPART,
        formula=lambda x, y, a, b: a * x + b * y,
        id="inputs",
    ),
    Case(
        "IncrementMod",
        [ints(5, -5, 10, 1)],
        {"increment": 3.0, "modulus": 4.0},
        **PLAIN,
        formula=lambda x: np.fmod(x + 3, 4),
    ),
    Case(
        "IncrementMod",
        [np.array([0.3, -2.4, 1.8])],
        {"increment": 0.5, "modulus": 0.7},
        **POPART,
        formula=lambda x: np.fmod(x + 0.5, 0.7),
        id="floats",
    ),
    Case("Sort", [distinct(3, 4)], {"axis": 0}, **POPART, outputs=2, formula=_sorted(0, 1)),
    Case(
        "Sort",
        [distinct(3, 4)],
        {"descending": 1},
        **POPART,
        outputs=2,
        formula=_sorted(1, -1),
        id="descending",
    ),
    Case(
        "ReduceMedian", [distinct(2, 3, 4)], {"axes": [0, 2]}, **POPART, outputs=2, formula=_median
    ),
    Case(
        "ReduceMedian",
        [distinct(5)],
        {"keepdims": 0},
        **POPART,
        outputs=2,
        formula=_median_of_all,
        id="all",
    ),
    Case(
        "Bucketize",
        [np.array([[-1.0, 0.5, 3.0], [0.2, 0.0, 9.0]]), np.array([0.0, 0.5, 2.0])],
        **PLAIN,
        formula=lambda x, b: np.searchsorted(b, x).astype(np.int32),
    ),
    Case(
        "Bucketize",
        [ints(-1, 0, 3, 4, 9), ints(0, 3, 3, 4)],
        {"right": 1},
        **PLAIN,
        formula=lambda x, b: np.searchsorted(b, x, "right").astype(np.int32),
        id="right",
    ),
    Case(
        "NormalizeImage",
        [[2, 2, 3], [3], [3]],
        {"scale": 0.25},
        **{**POPART, "widest": "float32"},
        formula=lambda x, o, s: np.pad((x * 0.25 - o) * s, [(0, 0), (0, 0), (0, 1)]),
    ),
    Case(
        "GroupNormalization",
        [[2, 4, 3], [4], [4]],
        {"num_groups": 2},
        **POPART,
        outputs=3,
        formula=_groups,
        rtol=1e-5,
        atol=1e-5,
    ),
    Case("LSTM", LSTM, **POPART, outputs=2, formula=_lstm, rtol=1e-5),
    Case(
        "LSTM",
        LSTM,
        {"outputFullSequence": 0},
        **POPART,
        outputs=2,
        formula=_last,
        rtol=1e-5,
        id="last",
    ),
    Case(
        "MultiConv",
        [[1, 2, 5, 5], [3, 2, 3, 3], None],
        {"pads": [1] * 4, "strides": [2, 2]},
        **POPART,
        formula=_convs,
    ),
    Case(
        "ShapedDropout",
        [[2, 3]],
        {"shape": [2, 1], "ratio": 0.5},
        **POPART,
        formula=lambda x: x,
        gradient=False,
    ),
    Case(
        "Init",
        [],
        {"shape": [2, 3], "data_type": 1, "init_type": 1},
        **PLAIN,
        formula=lambda: np.zeros((2, 3), np.float32),
    ),
    Case("TensorRemap", [SMALL], **POPART, formula=lambda x: x),
    Case("PrintTensor", [SMALL], {"title": "t"}, **POPART, formula=lambda x: x),
    Case(
        "SequenceSlice",
        [[6, 2], [4, 2], u32(1, 2), u32(0, 4), u32(3, 0)],
        {"zeroUnused": 1},
        **POPART,
        frozen=[1],
        formula=_sequences,
    ),
    Case(
        "DynamicSlice",
        [[2, 5, 3], u32(3)],
        {"axes": [1], "sizes": [2]},
        **POPART,
        formula=lambda x, o: x[:, 3:5],
    ),
    Case(
        "DynamicSlice",
        [[4, 3], u32(3)],
        {"axes": [0], "sizes": [2]},
        **POPART,
        formula=lambda x, o: np.zeros_like(x[:2]),
        id="outside",
    ),
    Case(
        "DynamicUpdate",
        [[2, 5, 3], u32(2), [2, 2, 3]],
        {"axes": [1], "sizes": [2]},
        **POPART,
        formula=_updated,
    ),
    Case(
        "DynamicAdd",
        [[4, 2, 3], u32(1, 1), [2, 2, 2]],
        {"axes": [0, 2], "sizes": [2, 2]},
        **POPART,
        formula=_added,
    ),
    Case("DynamicZero", [[4, 3], u32(1)], {"axes": [0], "sizes": [2]}, **POPART, formula=_cleared),
    Case("ScatterReduce", SCATTERED, GIVEN, **POPART, formula=_scattered("sum", [2, 3, 3])),
    *(
        Case(
            "ScatterReduce",
            [distinct(2, 4, 3), u32(0, 2, 2, 0)],
            {**GIVEN, "reduction": name},
            **POPART,
            formula=_scattered(reduce, [2, 3, 3]),
            id=name,
        )
        for name, reduce in (("max", "amax"), ("min", "amin"), ("mul", "prod"))
    ),
    Case(
        "ScatterReduce",
        [[2, 2, 3], np.uint32([[[0, 1, 2], [2, 1, 0]], [[1, 1, 1], [0, 2, 2]]]), [2, 3, 3]],
        GIVEN,
        **POPART,
        formula=_scattered("sum", [2, 3, 3]),
        id="elements",
    ),
    Case(
        "SplineBasis",
        SPLINES,
        {"degree": 2},
        **{**POPART, "widest": "float32"},
        outputs=2,
        formula=_spline,
        rtol=1e-5,
    ),
    Case("SplineWeighting", MIXED, **{**POPART, "widest": "float32"}, formula=_spread, rtol=1e-5),
    Case(
        "PackedDataBlock",
        [[6, 2], u32(0, 4), u32(3, 2), u32(3, 0), u32(2, 3)],
        {
            "maxSequenceLengths": [3],
            "resultSize": 6,
            "callbackBatchSize": 1,
            "callback": DOUBLED,
        },
        **POPART,
        formula=_packed,
    ),
    Case("Ctc", CTC, **{**POPART, "widest": "float32"}, outputs=2, formula=_ctc, rtol=1e-5),
    Case(
        "CtcBeamSearchDecoder",
        [MANY_LOGS, u32(4, 2)],
        {"blank": 1, "beam_width": 31, "top_paths": 2},
        **{**PLAIN, "widest": "float32"},
        outputs=3,
        formula=_decoded,
        rtol=1e-5,
    ),
]
"""One row for each, more where there are several forms."""
