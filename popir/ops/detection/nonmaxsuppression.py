"""NonMaxSuppression: the boxes that are best where several overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, host_operator, shown

Array = np.ndarray[Any, Any]


@host_operator(
    *("ai.onnx", "NonMaxSuppression", 10, 11),
    why="the shape of its result is the number of boxes that are left",
)
def nonmaxsuppression(
    call: Call,
    boxes: Array,
    scores: Array,
    most: Array | None = None,
    iou: Array | None = None,
    least: Array | None = None,
) -> Array:
    """ONNX's NonMaxSuppression, versions 10 and 11: [n, 3], batch, class and box of the boxes
    chosen. For each batch and class, boxes are taken in the order of their scores, the greatest
    first, unless they overlap one taken before by more than the threshold.

    Inputs: boxes [batches, n, 4], by two corners (y, x) or, with `center_point_box` 1, by centre
    and size (x, y, width, height); scores [batches, classes, n]; the most boxes of a class (0 by
    default); the thresholds of overlap, intersection over union (0 by default), and of the score.
    """
    if boxes.ndim != 3 or boxes.shape[2] != 4 or scores.ndim != 3:
        raise call.wrong(
            f"the boxes are {shown(boxes)}, the scores {shown(scores)}; expected are [batches, n, "
            "4] and [batches, classes, n]."
        )
    if (boxes.shape[0], boxes.shape[1]) != (scores.shape[0], scores.shape[2]):
        raise call.wrong(
            f"the boxes have shape {list(boxes.shape)}, the scores {list(scores.shape)}; batches "
            "and boxes must be as many in both."
        )
    limit = 0 if most is None else int(_one(call, most, "the most boxes of a class"))
    threshold = 0.0 if iou is None else float(_one(call, iou, "the threshold of overlap"))
    if not 0 <= threshold <= 1:
        raise call.wrong(f"the threshold of overlap is {threshold}; it must be in [0, 1].")
    floor = None if least is None else float(_one(call, least, "the threshold of the score"))
    chosen: list[Array] = [np.zeros([0, 3], np.int64)]
    for b in range(len(boxes)):
        corners = _corners(boxes[b], bool(call["center_point_box"]))
        for c in range(scores.shape[1]):
            kept = _kept(corners, scores[b, c], limit, threshold, floor)
            chosen.append(np.stack([np.full(len(kept), b), np.full(len(kept), c), kept], axis=1))
    return np.concatenate(chosen).astype(np.int64)


def _one(call: Call, value: Array, what: str) -> Any:
    if value.size != 1:
        raise call.wrong(f"{what} is {shown(value)}; expected is one number.")
    return value.reshape(-1)[0]


def _corners(boxes: Array, is_centre: bool) -> Array:
    """The boxes as [n, 4]: low y, low x, high y, high x. An axis' order does not matter."""
    if is_centre:
        x, y, w, h = boxes.T
        return np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], axis=1)
    one, other = boxes[:, :2], boxes[:, 2:]
    return np.concatenate([np.minimum(one, other), np.maximum(one, other)], axis=1)


def _kept(boxes: Array, scores: Array, limit: int, threshold: float, floor: float | None) -> Array:
    """The numbers of the boxes that are kept, the best first."""
    order = np.argsort(-scores, kind="stable")
    if floor is not None:
        order = order[scores[order] > floor]
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    kept: list[int] = []
    while len(order) and len(kept) < limit:
        best, order = order[0], order[1:]
        kept.append(int(best))
        low = np.maximum(boxes[best, :2], boxes[order, :2])
        high = np.minimum(boxes[best, 2:], boxes[order, 2:])
        shared = np.prod(np.maximum(high - low, 0), axis=1)
        union = areas[best] + areas[order] - shared
        overlap = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
        order = order[~(overlap > threshold)]
    return np.array(kept, np.int64)
