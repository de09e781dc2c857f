"""TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier: forests of decision trees.

All rows go down all trees at once, a level in each step.

Long, because two ways of writing trees become one forest, and three operators read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.host import Call, host_operator, shown
from popir.memory import require
from popir.ops.ml import scores

Array = np.ndarray[Any, Any]
WHY = "each row takes its own way down the trees"

_MODES = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")
_COMPARE: tuple[Callable[[Array, Array], Array], ...] = (
    *(np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal),
)
_MEMBER = _MODES.index("MEMBER")
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_AT_ONCE = 1 << 22
"""The most pairs of a row and a tree that go down at once."""


@dataclass
class _Forest:
    """Nodes and leaves of all trees. A child of `n` or more is the leaf of that number less n."""

    features: Array
    modes: Array
    splits: Array
    missing: Array
    """Whether NaN goes where what is true goes."""
    true: Array
    false: Array
    roots: Array
    starts: Array
    """For each leaf where its votes begin; one more at the end."""
    targets: Array
    weights: Array
    members: Array
    """The values of all sets, each in order."""
    ends: Array
    """For each node where its set begins and ends, [n, 2]."""
    width: int
    """The number of targets."""

    def leaves(self, x: Array) -> Array:
        """The leaf that each row reaches in each tree, [n, trees]."""
        n = len(self.features)
        at = np.broadcast_to(self.roots, [len(x), len(self.roots)]).copy().reshape(-1)
        going = np.flatnonzero(at < n)
        while len(going):
            node = at[going]
            value = x[going // len(self.roots), self.features[node]]
            holds = self._holds(node, value)
            at[going] = np.where(holds, self.true[node], self.false[node])
            going = going[at[going] < n]
        return at.reshape(len(x), -1) - n

    def _holds(self, node: Array, value: Array) -> Array:
        mode, split = self.modes[node], self.splits[node]
        holds = np.zeros(len(node), bool)
        for each in np.unique(mode):
            some = mode == each
            if each == _MEMBER:
                holds[some] = self._belongs(node[some], value[some])
            else:
                holds[some] = _COMPARE[each](value[some], split[some])
        return holds | (self.missing[node] & np.isnan(value))

    def _belongs(self, node: Array, value: Array) -> Array:
        """Whether each value is in the set of its node: a binary search in all sets at once."""
        low, high = self.ends[node].T
        end = high.copy()
        while (low < high).any():
            middle = (low + high) // 2
            less = self.members[np.minimum(middle, len(self.members) - 1)] < value
            open_ = low < high
            low = np.where(open_ & less, middle + 1, low)
            high = np.where(open_ & ~less, middle, high)
        last = np.minimum(low, len(self.members) - 1)
        return (low < end) & (self.members[last] == value)

    def sums(self, call: Call, x: Array, how: str) -> Array:
        """What the trees add up to for each row and target, [n, targets]."""
        need = int(self.features.max(initial=-1)) + 1
        if x.ndim != 2 or x.shape[1] < need:
            raise call.wrong(f"its input is {shown(x)}; it must be [n, {need} or more features].")
        require(call.who, 8 * len(x) * self.width)
        found = np.zeros([len(x), self.width])
        x = x if x.dtype.kind == "f" else x.astype(np.float64)
        step = max(1, _AT_ONCE // max(len(self.roots), 1))
        for i in range(0, len(x), step):
            found[i : i + step] = self._summed(self.leaves(x[i : i + step]), how)
        return found / max(len(self.roots), 1) if how == "AVERAGE" else found

    def _summed(self, leaves: Array, how: str) -> Array:
        rows, flat = len(leaves), leaves.reshape(-1)
        counts = self.starts[flat + 1] - self.starts[flat]
        row = np.repeat(np.repeat(np.arange(rows), leaves.shape[1]), counts)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        vote = np.arange(len(row)) - before + np.repeat(self.starts[flat], counts)
        place, weight = row * self.width + self.targets[vote], self.weights[vote]
        size = rows * self.width
        if how in ("SUM", "AVERAGE"):
            return np.bincount(place, weight, size).reshape(rows, self.width)
        least = how == "MIN"
        found = np.full(size, np.inf if least else -np.inf)
        (np.minimum if least else np.maximum).at(found, place, weight)
        seen = np.bincount(place, minlength=size) > 0
        return np.where(seen, found, 0).reshape(rows, self.width)


def _column(call: Call, name: str, count: int | None, kind: Any = np.int64) -> Array:
    """A list in an attribute, or in the attribute of that name for doubles, as an array."""
    given, wide = call[name], call[f"{name}_as_tensor"]
    if wide is not None:
        if given:
            raise call.wrong_attribute(f"it has both '{name}' and '{name}_as_tensor'.")
        found = np.asarray(wide)
        if found.dtype.kind != "f":
            raise call.wrong_attribute(f"'{name}_as_tensor' is {shown(found)}; it must be floats.")
    else:
        found = np.array(given if given is not None else [], kind)
    if found.ndim != 1 or (count is not None and len(found) != count):
        raise call.wrong_attribute(
            f"'{name}' has {found.size} values; expected are {count}, as many as its like have."
        )
    return found


def _inside(call: Call, name: str, values: Array, most: int) -> Array:
    """The values. Raises OperatorAttributeError unless they are in [0, most)."""
    if len(values) and not (values.min() >= 0 and values.max() < most):
        raise call.wrong_attribute(
            f"'{name}' has values of {values.min()} to {values.max()}; they must be in "
            f"[0, {most - 1}]."
        )
    return values


def _check_trees(call: Call, forest: _Forest, every: bool) -> None:
    """Raises OperatorAttributeError unless the nodes are trees: each has one node above at most,
    and a root none. Then no way down is endless. `every` node must be below a root.
    """
    n = len(forest.features)
    above = np.zeros(n, np.int64)
    sides = forest.true, np.where(forest.true == forest.false, n, forest.false)
    for side in sides:
        above += np.bincount(side[side < n], minlength=n)
    roots = forest.roots[forest.roots < n]
    wrong = bool((above > 1).any() or above[roots].any())
    if every and not wrong:
        ahead, count = roots, 0
        while len(ahead):
            count += len(ahead)
            below = np.concatenate([side[ahead] for side in sides])
            ahead = below[below < n]
        wrong = count != n
    if wrong:
        raise call.wrong_attribute(
            "its nodes are no trees: a node is below two others, or below itself, or a root below "
            "another node."
        )


# Versions 1 and 3: nodes by tree and number, leaves among them.


def _by_names(call: Call, votes: str, ids: str, width: int) -> _Forest:
    """The forest of a TreeEnsembleRegressor or TreeEnsembleClassifier. `votes` begins the names of
    the attributes of votes, `ids` is the one that says for what they are.
    """
    modes = call["nodes_modes"] or []
    n = len(modes)
    if not n:
        raise call.wrong_attribute("it has no nodes, in 'nodes_modes' and its like.")
    kinds = {f"BRANCH_{mode}": i for i, mode in enumerate(_MODES[:_MEMBER])} | {"LEAF": -1}
    strange = set(modes) - set(kinds)
    if strange:
        raise call.wrong_attribute(
            f"'nodes_modes' has {min(strange, key=str)!r}; expected are {', '.join(kinds)}."
        )
    mode = np.array([kinds[each] for each in modes])
    is_leaf = mode < 0
    tree, number = _column(call, "nodes_treeids", n), _column(call, "nodes_nodeids", n)
    find = _Finder(call, tree, number)
    place = np.empty(n, np.int64)
    place[~is_leaf] = np.arange(n - is_leaf.sum())
    place[is_leaf] = n - is_leaf.sum() + np.arange(is_leaf.sum())
    inner = ~is_leaf
    true, false = (
        place[find(tree[inner], _column(call, name, n)[inner], name)]
        for name in ("nodes_truenodeids", "nodes_falsenodeids")
    )
    feature = _column(call, "nodes_featureids", n)[inner]
    if (feature < 0).any():
        raise call.wrong_attribute(f"'nodes_featureids' has {feature.min()}; they count from 0.")
    missing = call["nodes_missing_value_tracks_true"]
    tracks = _column(call, "nodes_missing_value_tracks_true", n if missing else None)
    if "nodes_hitrates" in call.given:
        _column(call, "nodes_hitrates", n, np.float32)
    target = _column(call, ids, None)
    count = len(target)
    at = find(
        _column(call, f"{votes}_treeids", count),
        _column(call, f"{votes}_nodeids", count),
        f"{votes}_nodeids",
    )
    weight = _column(call, f"{votes}_weights", count, np.float32)
    # Votes of nodes that are no leaves have no effect.
    kept = is_leaf[at]
    leaf = place[at[kept]] - (n - is_leaf.sum())
    order = np.argsort(leaf, kind="stable")
    starts = np.searchsorted(leaf[order], np.arange(is_leaf.sum() + 1))
    below = np.zeros(n, bool)
    below[np.concatenate([true, false])] = True  # By place, not by node.
    roots = np.flatnonzero(~below[place])
    if len(np.unique(tree)) != len(roots) or len(np.unique(tree[roots])) != len(roots):
        raise call.wrong_attribute("a tree has not exactly one node that is below no other.")
    return _Forest(
        feature,
        mode[inner],
        _column(call, "nodes_values", n, np.float32)[inner],
        tracks[inner] != 0 if missing else np.zeros(int(inner.sum()), bool),
        true,
        false,
        place[roots],
        starts,
        _inside(call, ids, target, width)[kept][order],
        weight[kept][order].astype(np.float64),
        np.zeros(1),
        np.zeros([int(inner.sum()), 2], np.int64),
        width,
    )


class _Finder:
    """The index of a node by its tree and number."""

    def __init__(self, call: Call, tree: Array, number: Array) -> None:
        self._call = call
        self._order = np.lexsort((number, tree))
        self._keys = np.stack([tree, number], axis=1)[self._order]
        again = (self._keys[1:] == self._keys[:-1]).all(axis=1)
        if again.any():
            one, other = self._keys[:-1][again][0]
            raise call.wrong_attribute(f"tree {one} has two nodes of the number {other}.")
        self._trees, starts = np.unique(self._keys[:, 0], return_index=True)
        self._ends = np.append(starts, len(tree))

    def __call__(self, tree: Array, number: Array, name: str) -> Array:
        at = np.minimum(np.searchsorted(self._trees, tree), len(self._trees) - 1)
        low, high = self._ends[at], self._ends[at + 1]
        last = high - 1
        while (low < high).any():
            middle = (low + high) // 2
            less = self._keys[np.minimum(middle, len(self._keys) - 1), 1] < number
            open_ = low < high
            low = np.where(open_ & less, middle + 1, low)
            high = np.where(open_ & ~less, middle, high)
        low = np.minimum(low, last)
        wrong = (self._keys[low, 0] != tree) | (self._keys[low, 1] != number)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise self._call.wrong_attribute(
                f"'{name}' names the node {number[i]} of tree {tree[i]}, which is not there."
            )
        return self._order[low]


@dataclass
class _Regressor:
    forest: _Forest
    base: Array
    how: str
    transform: str


def _regressor(call: Call) -> _Regressor:
    width, how = call["n_targets"] or 0, call["aggregate_function"]
    if how not in _AGGREGATES or width < 1:
        raise call.wrong_attribute(
            f"'aggregate_function' is {how!r} and 'n_targets' {width}; expected are one of "
            f"{', '.join(_AGGREGATES)}, and 1 or more."
        )
    forest = _by_names(call, "target", "target_ids", width)
    _check_trees(call, forest, every=True)
    base = _column(call, "base_values", None, np.float32)
    if len(base) not in (0, width):
        raise call.wrong_attribute(f"there are {len(base)} 'base_values' for {width} targets.")
    return _Regressor(forest, base.astype(np.float64), how, scores.checked(call))


@host_operator("ai.onnx.ml", "TreeEnsembleRegressor", 1, 3, why=WHY)
def tree_ensemble_regressor(call: Call, x: Array) -> Array:
    """TreeEnsembleRegressor of ai.onnx.ml, versions 1 and 3: the sum, average, minimum or maximum
    of the weights at the leaves that a row reaches, for each target, plus a base value, after the
    transform.

    The base value is also that of a target without a leaf, and a transform acts on a single target,
    too; onnxruntime leaves both out.
    """
    known = call.once(_regressor)
    found = known.forest.sums(call, x, known.how)
    found = found + known.base if len(known.base) else found
    return scores.transformed(found, known.transform).astype(np.float32)


@dataclass
class _Classifier:
    forest: _Forest
    base: Array
    labels: Array
    transform: str
    single: int | None
    """The class that all votes are for, if there are two; None if they are for both, or more."""
    mixed: bool
    """Whether weights are of both signs."""


def _classifier(call: Call) -> _Classifier:
    names = scores.labels(call, "classlabels_int64s")
    forest = _by_names(call, "class", "class_ids", len(names))
    _check_trees(call, forest, every=True)
    base = _column(call, "base_values", None, np.float32).astype(np.float32)
    voted = np.unique(forest.targets)
    single = int(voted[0]) if len(names) == 2 and len(voted) == 1 and len(base) != 2 else None
    if len(base) not in (0, len(names)) and not (single is not None and len(base) == 1):
        raise call.wrong_attribute(f"there are {len(base)} 'base_values' for {len(names)} classes.")
    mixed = bool((forest.weights < 0).any())
    return _Classifier(forest, base, names, scores.checked(call), single, mixed)


@host_operator("ai.onnx.ml", "TreeEnsembleClassifier", 1, 3, why=WHY)
def tree_ensemble_classifier(call: Call, x: Array) -> tuple[Array, Array]:
    """TreeEnsembleClassifier of ai.onnx.ml, versions 1 and 3: the label of the class with the
    greatest sum of votes, the first of several, and the sums after the transform.

    Where two classes have votes for one alone, the second label is that of a sum above 0.5, or
    above 0 if weights are of both signs. If that class is the first, the scores are 1 minus the
    sum, or minus the sum, and the sum.

    onnxruntime differs where two classes have votes for both: it gives the label 1 or 0 by the sign
    of the second sum.
    """
    known = call.once(_classifier)
    # Rounded first: the label is that of the score that is returned.
    found = known.forest.sums(call, x, "SUM").astype(np.float32)
    if known.single is None:
        found = found + known.base if len(known.base) else found
        label = known.labels[scores.best(found)]
        return label, scores.transformed(found, known.transform).astype(np.float32)
    one = found[:, known.single] + (known.base[0] if len(known.base) else 0)
    label = known.labels[(one > (0 if known.mixed else 0.5)).astype(int)]
    if known.single == 0:
        return label, scores.both(one, known.transform, known.mixed).astype(np.float32)
    found[:, 1] = one
    return label, scores.transformed(found, known.transform).astype(np.float32)


# Version 5: nodes by index, leaves apart.


def _ensemble(call: Call) -> _Regressor:
    how, transform, width = call["aggregate_function"], call["post_transform"], call["n_targets"]
    width = 1 if width is None else width
    if not (0 <= how < len(_AGGREGATES) and 0 <= transform < len(scores.NAMES) and width >= 1):
        raise call.wrong_attribute(
            f"'aggregate_function' is {how}, 'post_transform' {transform} and 'n_targets' {width}; "
            f"expected are 0 to {len(_AGGREGATES) - 1}, 0 to {len(scores.NAMES) - 1}, and 1 or "
            "more."
        )
    mode = np.asarray(call["nodes_modes"])
    n = len(mode) if mode.ndim == 1 else 0
    if not n or mode.max() >= len(_MODES) or mode.dtype.kind not in "ui" or mode.min() < 0:
        raise call.wrong_attribute(
            f"'nodes_modes' is {shown(mode)}; it must be a vector of 0 to {_MEMBER}."
        )
    weights = np.asarray(call["leaf_weights"])
    if weights.ndim != 1 or not len(weights):
        raise call.wrong_attribute(f"'leaf_weights' is {shown(weights)}; it must be a vector.")
    leaves = len(weights)
    sides: list[Array] = []
    for side in ("true", "false"):
        is_leaf = _column(call, f"nodes_{side}leafs", n) != 0
        name = f"nodes_{side}nodeids"
        ids = _column(call, name, n)
        _inside(call, name, ids[is_leaf], leaves)
        _inside(call, name, ids[~is_leaf], n)
        sides.append(np.where(is_leaf, ids + n, ids))
    missing = call["nodes_missing_value_tracks_true"]
    tracks = _column(call, "nodes_missing_value_tracks_true", n if missing else None)
    splits = np.asarray(call["nodes_splits"])
    for name in ("nodes_splits", "nodes_hitrates"):
        given = call[name]
        if given is not None and np.shape(given) != (n,):
            raise call.wrong_attribute(
                f"'{name}' has the shape {list(np.shape(given))}; expected is [{n}]."
            )
    members, ends = _sets(call, mode)
    feature = _column(call, "nodes_featureids", n)
    if (feature < 0).any():
        raise call.wrong_attribute(f"'nodes_featureids' has {feature.min()}; they count from 0.")
    forest = _Forest(
        feature,
        mode.astype(np.int64),
        splits,
        tracks != 0 if missing else np.zeros(n, bool),
        sides[0],
        sides[1],
        _inside(call, "tree_roots", _column(call, "tree_roots", None), n),
        np.arange(leaves + 1),
        _inside(call, "leaf_targetids", _column(call, "leaf_targetids", leaves), width),
        weights.astype(np.float64),
        members,
        ends,
        width,
    )
    _check_trees(call, forest, every=False)
    return _Regressor(forest, np.zeros(0), _AGGREGATES[how], scores.NAMES[transform])


def _sets(call: Call, mode: Array) -> tuple[Array, Array]:
    """The values of the sets of nodes, and where each begins and ends."""
    nodes = np.flatnonzero(mode == _MEMBER)
    given = call["membership_values"]
    values = np.zeros(0) if given is None else np.asarray(given).reshape(-1)
    stops = np.flatnonzero(np.isnan(values))
    if len(values) and (not len(stops) or stops[-1] != len(values) - 1):
        stops = np.append(stops, len(values))
    if len(stops) != len(nodes):
        raise call.wrong_attribute(
            f"'membership_values' has {len(stops)} sets, each ended by NaN; {len(nodes)} nodes ask "
            "for one."
        )
    ends = np.zeros([len(mode), 2], np.int64)
    parts: Sequence[Array] = [
        np.sort(values[start:stop])
        for start, stop in zip([0, *(stops[:-1] + 1)], stops, strict=False)
    ]
    sizes = np.cumsum([len(part) for part in parts], dtype=np.int64)
    if len(nodes):
        ends[nodes, 1] = sizes
        ends[nodes, 0] = sizes - [len(part) for part in parts]
    return np.concatenate([*parts, np.full(1, np.nan)]), ends


@host_operator("ai.onnx.ml", "TreeEnsemble", 5, why=WHY)
def tree_ensemble(call: Call, x: Array) -> Array:
    """TreeEnsemble of ai.onnx.ml, version 5: as TreeEnsembleRegressor, with nodes by index, leaves
    apart, and nodes that ask whether a feature is in a set; in the type of the input.
    """
    known = call.once(_ensemble)
    found = known.forest.sums(call, x, known.how)
    return scores.transformed(found, known.transform).astype(x.dtype)
