"""How nodes are made of operators that run on the host, and of others with what these compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.fuzz.generator import BOOL, INT64, Invalid
from tests.fuzz.host_values import FLOAT, NUMBERS, TEXT, TYPES, HostGraph, Item

Maker = Callable[[HostGraph, str], object]
ML = "ai.onnx.ml"
FLOATS = (FLOAT, np.dtype(np.float64))


def _maybe(g: HostGraph, chance: float = 0.5) -> bool:
    return g.rng.random() < chance


def _axis(g: HostGraph, rank: int) -> int:
    return g.rng.randrange(-rank, rank)


def _ranked(least: int) -> Callable[[Any], bool]:
    return lambda a: a.ndim >= least


def _ints(g: HostGraph, values: Any) -> Item:
    return g.fresh(values, INT64)


# Shapes that depend on data.


def nonzero(g: HostGraph, type: str) -> None:
    """Of any type but strings, and what it finds."""
    x = g.tensor((*NUMBERS, BOOL), _ranked(1))
    where = g.node(type, [x])[0]
    if _maybe(g):
        turned = g.node("Transpose", [where])[0]
        g.node("GatherND", [x, turned])


def compress(g: HostGraph, type: str) -> None:
    """Along an axis, or flat; the condition may be shorter."""
    x = g.tensor(TYPES)
    axis = _axis(g, len(x.shape)) if x.shape and _maybe(g) else None
    most = x.array.size if axis is None else x.shape[axis]
    count = g.rng.randint(0, most)
    condition = g.fresh(g.data(BOOL, [count]))
    g.node(type, [x, condition], {"axis": axis})


def unique(g: HostGraph, type: str) -> None:
    """All outputs or the first ones."""
    x = g.tensor((FLOAT, INT64, TEXT, np.dtype(np.float64), np.dtype(np.uint8)), least=1)
    axis = _axis(g, len(x.shape)) if x.shape and _maybe(g) else None
    attributes = {"axis": axis, "sorted": g.rng.choice([None, 0, 1])}
    g.node(type, [x], attributes, g.rng.choice([1, 2, 4, 4]))


def suppress(g: HostGraph, type: str) -> None:
    """Boxes that overlap, with scores."""
    batch, classes, n = g.rng.choice([1, 2]), g.rng.choice([1, 3]), g.rng.choice([0, 1, 5, 9])
    corner = g.arrays.uniform(0, 3, (batch, n, 2))
    size = g.arrays.uniform(0.2, 2, (batch, n, 2))
    center = g.rng.choice([0, 1])
    boxes = np.concatenate([corner, size if center else corner + size], 2)
    scores = g.arrays.random((batch, classes, n))
    numbers = [
        (_ints(g, [g.rng.choice([0, 1, 3, 100])])),
        g.fresh([g.rng.choice([0.0, 0.3, 0.7])], FLOAT) if _maybe(g) else None,
        g.fresh([g.rng.choice([0.2, 0.6])], FLOAT) if _maybe(g) else None,
    ]
    inputs = [g.fresh(boxes, FLOAT), g.fresh(scores, FLOAT), *numbers]
    g.node(type, inputs, {"center_point_box": center})


def top(g: HostGraph, type: str) -> None:
    """As many as a value says."""
    x = g.tensor((FLOAT, INT64), lambda a: a.ndim > 0 and np.unique(a).size == a.size)
    axis = _axis(g, len(x.shape))
    k = _ints(g, [g.rng.randint(0, x.shape[axis])])
    g.node(type, [x, k], {"axis": axis, "largest": g.rng.choice([0, 1])}, 2)


def reshape(g: HostGraph, type: str) -> None:
    """To a shape that is a value."""
    x = g.tensor(TYPES)
    size = x.array.size
    shape = g.rng.choice([[size], [-1] if size else [size], [1, size], [size, 1, 1]])
    g.node(type, [x, _ints(g, shape)])


def expand(g: HostGraph, type: str) -> None:
    """More rows."""
    x = g.tensor(TYPES)
    g.node(type, [x, _ints(g, [g.rng.choice([1, 2, 3]), *x.shape])])


def tile(g: HostGraph, type: str) -> None:
    """By numbers that may be 0."""
    x = g.tensor(TYPES, _ranked(1))
    g.node(type, [x, _ints(g, [g.rng.choice([0, 1, 2]) for _ in x.shape])])


def ranges(g: HostGraph, type: str) -> None:
    """Upwards and downwards."""
    start, limit, step = g.rng.randint(-3, 3), g.rng.randint(-3, 6), g.rng.choice([1, 2, -1])
    g.node(type, [_ints(g, start), _ints(g, limit), _ints(g, step)])


def filled(g: HostGraph, type: str) -> None:
    """Of a shape that is a value."""
    value = g.rng.choice([None, helper.make_tensor("v", TensorProto.INT64, [1], [7])])
    g.node(type, [_ints(g, g.shape())], {"value": value})


def cut(g: HostGraph, type: str) -> None:
    """Starts, ends, axes and steps are values."""
    x = g.tensor(TYPES, _ranked(1))
    rank = len(x.shape)
    axes = g.rng.sample(range(rank), g.rng.randint(1, rank))
    starts = [g.rng.randint(-5, 5) for _ in axes]
    ends = [g.rng.choice([-2, -1, 0, 1, 3, 9]) for _ in axes]
    inputs = [x, _ints(g, starts), _ints(g, ends), _ints(g, axes)]
    if _maybe(g):
        inputs.append(_ints(g, [g.rng.choice([1, 2, -1]) for _ in axes]))
    g.node(type, inputs)


def pad(g: HostGraph, type: str) -> None:
    """Amounts that are values."""
    x = g.tensor((FLOAT, INT64), lambda a: a.ndim > 0 and a.size > 0)
    amounts = [g.rng.choice([0, 1, 2]) for _ in range(2 * len(x.shape))]
    g.node(type, [x, _ints(g, amounts)], {"mode": g.rng.choice(["constant", "edge"])})


def one_hot(g: HostGraph, type: str) -> None:
    """As deep as a value says."""
    x = g.tensor((INT64,), lambda a: a.ndim < 4)
    depth = _ints(g, g.rng.choice([1, 3, 5]))
    g.node(type, [x, depth, g.fresh([0, 1], FLOAT)])


# What goes on between: operators of the device.


def one(g: HostGraph, type: str) -> None:
    """Functions of one tensor of floats."""
    g.node(type, [g.tensor((FLOAT,))])


def two(g: HostGraph, type: str) -> None:
    """A tensor with itself, a scalar, or another one of its shape."""
    x = g.tensor((FLOAT, INT64))
    same = [
        item
        for item in g.items.values()
        if isinstance(item.value, np.ndarray)
        and (item.array.dtype, item.shape) == (x.array.dtype, x.shape)
    ]
    scalar = g.fresh(g.data(x.array.dtype, []))
    g.node(type, [x, g.rng.choice([*same, scalar])])


def reduce(g: HostGraph, type: str) -> None:
    """Over one axis."""
    x = g.tensor((FLOAT, INT64), lambda a: a.ndim > 0 and a.size > 0)
    given = _ints(g, [_axis(g, len(x.shape))])
    g.node(type, [x, given], {"keepdims": g.rng.choice([0, 1])})


def shape_of(g: HostGraph, type: str) -> None:
    """Shape and Size of anything."""
    g.node(type, [g.tensor(TYPES)])


def transpose(g: HostGraph, type: str) -> None:
    """Any order."""
    x = g.tensor(TYPES)
    g.node(type, [x], {"perm": g.rng.sample(range(len(x.shape)), len(x.shape)) or None})


def concat(g: HostGraph, type: str) -> None:
    """A tensor twice or three times."""
    x = g.tensor(TYPES, _ranked(1))
    g.node(type, [x] * g.rng.choice([2, 3]), {"axis": _axis(g, len(x.shape))})


def gather(g: HostGraph, type: str) -> None:
    """Rows of anything."""
    x = g.tensor(TYPES, lambda a: a.ndim > 0 and a.shape[0] > 0 and (a.dtype != TEXT or a.ndim < 2))
    # Of strings onnxruntime mixes up rows, and places that count from the end.
    least = 0 if x.array.dtype == TEXT else -x.shape[0]
    places = g.arrays.integers(least, x.shape[0], g.shape(g.rng.choice([0, 1, 2])))
    g.node(type, [x, _ints(g, places)])


def where(g: HostGraph, type: str) -> None:
    """Of anything."""
    x = g.tensor(TYPES)
    g.node(type, [g.fresh(g.data(BOOL, x.shape)), x, x])


def cast(g: HostGraph, type: str) -> None:
    """Between numbers, and from whole numbers to strings."""
    x = g.tensor((*NUMBERS[:4], BOOL))
    whole = x.array.dtype.kind in "i"
    target = g.rng.choice([TensorProto.FLOAT, TensorProto.INT64] + [TensorProto.STRING] * whole)
    made = g.node(type, [x], {"to": target})[0]
    if target == TensorProto.STRING and _maybe(g):
        g.node(type, [made], {"to": g.rng.choice([TensorProto.INT64, TensorProto.FLOAT])})


def equal(g: HostGraph, type: str) -> None:
    """Strings and numbers."""
    x = g.tensor((TEXT, INT64) if g.opset >= 19 else (INT64,))
    g.node(type, [x, g.fresh(g.data(x.array.dtype, g.rng.choice([(), x.shape])))])


# Sequences and optional values.


def _sequence_of(item: Item) -> onnx.TypeProto:
    return helper.make_sequence_type_proto(item.type)


def construct(g: HostGraph, type: str) -> None:
    """One to three tensors of a type."""
    x = g.tensor(TYPES)
    same = [
        item
        for item in g.items.values()
        if isinstance(item.value, np.ndarray) and item.array.dtype == x.array.dtype
    ]
    g.node(type, [g.rng.choice(same) for _ in range(g.rng.choice([1, 2, 3]))])


def empty(g: HostGraph, type: str) -> None:
    """Of floats, with something put in."""
    x = g.tensor((FLOAT, INT64))
    code = x.type.tensor_type.elem_type
    kind = [_sequence_of(x)]
    made = g.node(type, [], {"dtype": code}, types=kind)[0]
    if _maybe(g, 0.7):
        g.node("SequenceInsert", [made, x], types=kind)


def insert(g: HostGraph, type: str) -> None:
    """At any place, or at the end."""
    sequence = g.sequence()
    code = sequence.type.sequence_type.elem_type.tensor_type.elem_type
    fitting = [
        item
        for item in g.items.values()
        if isinstance(item.value, np.ndarray) and item.type.tensor_type.elem_type == code
    ]
    if not fitting:
        raise Invalid("no tensor of the type")
    n = len(sequence.value)
    place = [_ints(g, g.rng.randint(-n, n))] if _maybe(g) else []
    g.node(type, [sequence, g.rng.choice(fitting), *place], types=[sequence.type])


def erase(g: HostGraph, type: str) -> None:
    """Any, or the last one."""
    sequence = g.sequence(lambda v: len(v) > 0)
    n = len(sequence.value)
    place = [_ints(g, g.rng.randrange(-n, n))] if _maybe(g) else []
    g.node(type, [sequence, *place], types=[sequence.type])


def at(g: HostGraph, type: str) -> None:
    """Any."""
    sequence = g.sequence(lambda v: len(v) > 0)
    n = len(sequence.value)
    g.node(type, [sequence, _ints(g, g.rng.randrange(-n, n))])


def length(g: HostGraph, type: str) -> None:
    """Of any sequence."""
    g.node(type, [g.sequence()])


def split(g: HostGraph, type: str) -> None:
    """Into parts of one size, of several, or of one each."""
    x = g.tensor((FLOAT, INT64, TEXT), lambda a: a.ndim > 0 and a.size > 0)
    axis = _axis(g, len(x.shape))
    size, kind = x.shape[axis], g.rng.randrange(3)
    parts = []
    if kind == 1:
        parts = [_ints(g, g.rng.choice([1, 2]))]
    if kind == 2:
        first = g.rng.randint(0, size)
        parts = [_ints(g, [first, size - first])]
    attributes = {"axis": axis, "keepdims": g.rng.choice([None, 0, 1]) if not parts else None}
    g.node(type, [x, *parts], attributes)


def join(g: HostGraph, type: str) -> None:
    """Along an axis that there is, or a new one."""
    sequence = g.sequence(lambda v: len(v) > 0)
    new, rank = g.rng.choice([0, 1]), sequence.value[0].ndim
    if not rank + new or len({each.ndim for each in sequence.value}) > 1:
        raise Invalid("no axis")
    axis = _axis(g, rank + new)
    around = [
        [d for i, d in enumerate(v.shape) if i != axis % rank] for v in sequence.value if rank
    ]
    if len({v.shape for v in sequence.value}) > 1 and (
        new or around.count(around[0]) < len(around)
    ):
        raise Invalid("onnxruntime joins what is empty with anything")
    g.node(type, [sequence], {"axis": axis, "new_axis": new})


def mapped(g: HostGraph, type: str) -> None:
    """A function of each tensor."""
    sequence = g.sequence(lambda v: bool(v) and v[0].dtype == FLOAT)
    info = onnx.ValueInfoProto(name="each", type=sequence.type.sequence_type.elem_type)
    function = g.rng.choice(["Neg", "Abs", "Relu"])
    made = helper.make_tensor_value_info("made", TensorProto.FLOAT, None)
    body = helper.make_graph([helper.make_node(function, ["each"], ["made"])], "b", [info], [made])
    g.node(type, [sequence], {"body": body}, types=[sequence.type])


def optional(g: HostGraph, type: str) -> None:
    """A tensor or a sequence, and what is in it; or nothing."""
    items = [i for i in g.items.values() if not i.type.HasField("optional_type")]
    items = [i for i in items if isinstance(i.value, (np.ndarray, list))]
    x = g.rng.choice(items) if items else g.tensor()
    kind = helper.make_optional_type_proto(x.type)
    if _maybe(g, 0.3):
        made = g.node(type, [], {"type": x.type}, types=[kind])[0]
    else:
        made = g.node(type, [x], types=[kind])[0]
    g.node("OptionalHasElement", [made])
    if made.value is not None and _maybe(g, 0.7):
        g.node("OptionalGetElement", [made], types=[x.type])


# Strings.


def words(g: HostGraph, type: str) -> None:
    """StringConcat of two that broadcast."""
    x = g.tensor((TEXT,))
    g.node(type, [x, g.fresh(g.data(TEXT, g.rng.choice([(), x.shape])))])


def parts(g: HostGraph, type: str) -> None:
    """At white space, or at a word."""
    x = g.tensor((TEXT,), lambda a: a.size > 0)
    attributes = {
        "delimiter": g.rng.choice([None, "", " ", ",", "b"]),
        "maxsplit": g.rng.choice([None, 0, 1, 2]),
    }
    g.node(type, [x], attributes, 2)


def normalize(g: HostGraph, type: str) -> None:
    """Rows of plain words."""
    x = g.fresh(g.data(TEXT, g.rng.choice([(0,), (3,), (5,), (1, 4)])))
    if any("ß" in word for word in x.array.reshape(-1)):
        raise Invalid("onnxruntime's locale")
    attributes = {
        "case_change_action": g.rng.choice([None, "NONE", "LOWER", "UPPER"]),
        "is_case_sensitive": g.rng.choice([None, 0, 1]),
        "stopwords": g.rng.choice([None, ["a"], ["AB", "the"]]),
    }
    g.node(type, [x], attributes)


def match(g: HostGraph, type: str) -> None:
    """A few patterns."""
    pattern = g.rng.choice([".*", "a*", "[a-z ]+", r"-?\d+(\.\d)?", "", "(a|b)(?: |,)?.?", r"\w+"])
    g.node(type, [g.tensor((TEXT,))], {"pattern": pattern})


def count(g: HostGraph, type: str) -> None:
    """TfIdfVectorizer of words or numbers."""
    strings = _maybe(g)
    x = g.tensor((TEXT,) if strings else (INT64,), lambda a: 0 < a.ndim < 3 and a.size > 0)
    pool: dict[str, Any] = (
        {"pool_strings": ["a", "ab", "a", "b"]} if strings else {"pool_int64s": [1, 2, 0, 1]}
    )
    mode = g.rng.choice(["TF", "IDF", "TFIDF"])
    attributes = {
        **pool,
        "min_gram_length": g.rng.choice([1, 2]),
        "max_gram_length": 2,
        "max_skip_count": g.rng.choice([0, 1, 3]),
        "mode": mode,
        "ngram_counts": [0, 2],
        "ngram_indexes": g.rng.choice([[0, 1, 2], [2, 0, 1]]),
        "weights": g.rng.choice([None, [0.5, 2.0, 3.0]]),
    }
    g.node(type, [x], attributes)


# ai.onnx.ml.


def labels(g: HostGraph, type: str) -> None:
    """Words to numbers and back, or numbers to numbers."""
    if g.learning < 2:
        raise Invalid("another operator")
    strings = _maybe(g)
    x = g.tensor((TEXT,) if strings else (INT64,))
    attributes: dict[str, Any] = (
        {"keys_strings": ["a", "b", "ab"]} if strings else {"keys_int64s": [0, 1, -2]}
    )
    if _maybe(g):
        attributes |= {"values_int64s": [5, 6, 7], "default_int64": g.rng.choice([None, 9])}
    elif _maybe(g):
        attributes |= {"values_floats": [0.5, 6, 7], "default_float": g.rng.choice([None, 9.5])}
    else:
        attributes |= {"values_strings": ["x", "", "z"]}
        attributes["default_string"] = g.rng.choice([None, "else"])
    g.node(type, [x], attributes, domain=ML)


def categories(g: HostGraph, type: str) -> None:
    """Words to numbers, or numbers to words."""
    x = g.tensor((TEXT, INT64))
    given = {"cats_strings": ["a", "b", "ab"], "cats_int64s": [0, 1, -2]}
    default = {"default_int64": -7} if x.array.dtype == TEXT else {"default_string": "else"}
    g.node(type, [x], {**given, **(default if _maybe(g) else {})}, domain=ML)


def encode(g: HostGraph, type: str) -> None:
    """OneHotEncoder of strings and of numbers."""
    x = g.tensor((TEXT, INT64), lambda a: a.ndim > 0)
    given = {"cats_strings": ["a", "b", "ab"]} if x.array.dtype == TEXT else {"cats_int64s": [0, 1]}
    g.node(type, [x], given, domain=ML)


def extract(g: HostGraph, type: str) -> None:
    """Places of the last axis, one of which may be out of range."""
    x = g.tensor((TEXT, FLOAT, INT64), lambda a: 0 < a.ndim < 3 and a.shape[-1] > 0 and a.size > 0)
    places = g.arrays.integers(0, x.shape[-1], [g.rng.choice([1, 2, 4])])
    g.node(type, [x, _ints(g, places)], domain=ML)


def zipped(g: HostGraph, type: str) -> None:
    """Maps of rows."""
    x = g.tensor((FLOAT,), lambda a: a.ndim == 2 and a.shape[1] == 2 and a.shape[0] > 0)
    names = {"classlabels_strings": ["a", "b"]} if _maybe(g) else {"classlabels_int64s": [4, 2]}
    g.node(type, [x], names, domain=ML)


def _points(g: HostGraph) -> Item:
    if _maybe(g):
        return g.fresh(g.data(FLOAT, (g.rng.choice([1, 2, 5]), 2)))
    return g.tensor((FLOAT,), lambda a: a.ndim == 2 and a.shape[1] == 2 and a.shape[0] > 0)


def _tree(g: HostGraph, prefix: str) -> dict[str, Any]:
    """Two trees of one decision each."""
    modes = [g.rng.choice(["LEQ", "LT", "GTE", "GT", "EQ", "NEQ"]) for _ in range(2)]
    first, second = (f"BRANCH_{mode}" for mode in modes)
    ids = [0, 0, 1, 1]
    return {
        "nodes_treeids": [0, 0, 0, 1, 1, 1],
        "nodes_nodeids": [0, 1, 2, 0, 1, 2],
        "nodes_featureids": [g.rng.choice([0, 1]), 0, 0, g.rng.choice([0, 1]), 0, 0],
        "nodes_values": [g.rng.choice([0.0, 0.5]), 0.0, 0.0, g.rng.choice([0.25, -1.0]), 0.0, 0.0],
        "nodes_modes": [first, "LEAF", "LEAF", second, "LEAF", "LEAF"],
        "nodes_truenodeids": [1, 0, 0, 1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0, 2, 0, 0],
        f"{prefix}_treeids": ids,
        f"{prefix}_nodeids": [1, 2, 1, 2],
        f"{prefix}_ids": [0, 1, 1, 0],
        f"{prefix}_weights": [round(g.rng.uniform(-1, 1), 2) for _ in ids],
        "post_transform": g.rng.choice(["NONE", "SOFTMAX", "LOGISTIC"]),
    }


def regress(g: HostGraph, type: str) -> None:
    """Two trees of two targets."""
    more = {"n_targets": 2, "aggregate_function": g.rng.choice(["SUM", "AVERAGE", "MIN", "MAX"])}
    g.node(type, [_points(g)], {**_tree(g, "target"), **more}, domain=ML)


def classify(g: HostGraph, type: str) -> None:
    """Two trees of three classes. Without negative votes: of classes that get none onnxruntime
    takes no notice.
    """
    names: dict[str, Any] = {"classlabels_int64s": [4, 2, 9]}
    if _maybe(g):
        names = {"classlabels_strings": ["x", "y", "z"]}
    given = {**_tree(g, "class"), **names}
    given["class_ids"] = [0, 1, 2, 0]
    given["class_weights"] = [abs(w) + 0.01 for w in given["class_weights"]]
    g.node(type, [_points(g)], given, 2, domain=ML)


def ensemble(g: HostGraph, type: str) -> None:
    """TreeEnsemble: two decisions, the second one a leaf on both sides. No transform: onnxruntime
    leaves out a target without a leaf.
    """
    x = _points(g)
    modes = np.array([g.rng.randrange(6) for _ in range(2)], np.uint8)
    splits = np.array([g.rng.choice([0.0, 0.5]), g.rng.choice([0.25, -1.0])], np.float32)
    attributes = {
        "nodes_splits": numpy_helper.from_array(splits),
        "nodes_modes": numpy_helper.from_array(modes),
        "leaf_weights": numpy_helper.from_array(g.data(FLOAT, [3])),
        "nodes_featureids": [0, 1],
        "nodes_truenodeids": [1, 0],
        "nodes_trueleafs": [0, 1],
        "nodes_falsenodeids": [2, 1],
        "nodes_falseleafs": [1, 1],
        "leaf_targetids": [0, 1, 0],
        "tree_roots": [0],
        "n_targets": 2,
        "aggregate_function": g.rng.choice([0, 1, 2, 3]),
    }
    g.node(type, [x], attributes, domain=ML)


def machine(g: HostGraph, type: str) -> None:
    """Three support vectors of two classes, with coefficients of both signs: where all are
    positive onnxruntime has a rule of its own for the label.
    """
    attributes = {
        "classlabels_ints": [3, 8],
        "coefficients": [0.75, round(g.rng.uniform(-1, 1), 2), -0.5],
        "kernel_params": [0.5, 0.25, 2.0],
        "kernel_type": g.rng.choice(["LINEAR", "POLY", "RBF", "SIGMOID"]),
        "rho": [0.125],
        "support_vectors": [round(g.rng.uniform(-1, 1), 2) for _ in range(6)],
        "vectors_per_class": [2, 1],
    }
    g.node(type, [_points(g)], attributes, 2, domain=ML)


# Control flow.


def choose(g: HostGraph, type: str) -> None:
    """One of two graphs, whose results have different shapes."""
    x = g.tensor((FLOAT, INT64, TEXT), _ranked(1))
    made = [onnx.ValueInfoProto(name=name, type=x.type) for name in ("a", "b")]
    graphs = [
        helper.make_graph([helper.make_node("Identity", [x.name], ["a"])], "f", [], made[:1]),
        helper.make_graph(
            [helper.make_node("Concat", [x.name, x.name], ["b"], axis=0)], "s", [], made[1:]
        ),
    ]
    condition = g.fresh(g.data(BOOL, []))
    g.node(type, [condition], {"then_branch": graphs[0], "else_branch": graphs[1]})


def repeat(g: HostGraph, type: str) -> None:
    """A value that grows, as often as another value says, and a row for each iteration."""
    x = g.tensor((FLOAT, INT64), _ranked(1))
    shapeless = x.type
    inputs = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        onnx.ValueInfoProto(name="before", type=shapeless),
    ]
    outputs = [
        helper.make_tensor_value_info("again", TensorProto.BOOL, []),
        onnx.ValueInfoProto(name="after", type=shapeless),
        helper.make_tensor_value_info("row", TensorProto.INT64, None),
    ]
    nodes = [
        helper.make_node("Identity", ["c"], ["again"]),
        helper.make_node("Add", ["i", "i"], ["row"]),
    ]
    if _maybe(g):
        nodes.append(helper.make_node("Concat", ["before", x.name], ["after"], axis=0))
    else:
        nodes.append(helper.make_node("Add", ["before", x.name], ["after"]))
    body = helper.make_graph(nodes, "body", inputs, outputs)
    trip = _ints(g, g.rng.choice([0, 1, 3]))
    g.node(type, [trip, g.fresh(True), x], {"body": body}, 2)


_HOST: dict[str, Maker] = {
    "NonZero": nonzero,
    "Compress": compress,
    "Unique": unique,
    "NonMaxSuppression": suppress,
    "TopK": top,
    "Reshape": reshape,
    "Expand": expand,
    "Tile": tile,
    "Range": ranges,
    "ConstantOfShape": filled,
    "Slice": cut,
    "Pad": pad,
    "OneHot": one_hot,
    "SequenceConstruct": construct,
    "SequenceEmpty": empty,
    "SequenceInsert": insert,
    "SequenceErase": erase,
    "SequenceAt": at,
    "SequenceLength": length,
    "SplitToSequence": split,
    "ConcatFromSequence": join,
    "SequenceMap": mapped,
    "Optional": optional,
    "StringConcat": words,
    "StringSplit": parts,
    "StringNormalizer": normalize,
    "RegexFullMatch": match,
    "TfIdfVectorizer": count,
    "If": choose,
    "Loop": repeat,
}
_LEARNING: dict[str, Maker] = {
    "LabelEncoder": labels,
    "CategoryMapper": categories,
    "OneHotEncoder": encode,
    "ArrayFeatureExtractor": extract,
    "ZipMap": zipped,
    "TreeEnsembleRegressor": regress,
    "TreeEnsembleClassifier": classify,
    "TreeEnsemble": ensemble,
    "SVMClassifier": machine,
}
_BETWEEN: dict[str, Maker] = {
    **dict.fromkeys(("Neg", "Abs", "Relu", "Tanh", "Exp"), one),
    **dict.fromkeys(("Add", "Sub", "Mul"), two),
    "ReduceSum": reduce,
    **dict.fromkeys(("Shape", "Size"), shape_of),
    "Transpose": transpose,
    "Concat": concat,
    "Gather": gather,
    "Where": where,
    "Cast": cast,
    "Equal": equal,
}
MAKERS = {**_HOST, **_LEARNING, **_BETWEEN}
"""What makes a node, by its type; it may add a few more."""


def grow(g: HostGraph, nodes: int) -> None:
    """Adds that many nodes and more."""
    failed = 0
    while len(g.nodes) < nodes and failed < 200:
        type = g.rng.choice(sorted(g.rng.choice([_HOST, _HOST, _LEARNING, _BETWEEN])))
        try:
            MAKERS[type](g, type)
        except Invalid:
            failed += 1
