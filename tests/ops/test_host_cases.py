"""Every row of the table of operators that run on the host: against onnxruntime or a formula.

Long, because it is the table of one kind of operators: a row is a few lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, TypeProto, helper, numpy_helper

from popir import host
from popir.errors import PopirError
from popir.onnxio import schemas
from popir.segments import SegmentedModel
from popir.types import DataType

Array = np.ndarray[Any, Any]
ML = "ai.onnx.ml"


@dataclass(frozen=True)
class Row:
    """One use of an operator on the host."""

    type: str
    inputs: Sequence[Any]
    """Arrays, lists for sequences, dicts for maps, None for an input that is left out."""
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = "ai.onnx"
    outputs: int = 1
    opset: int | None = None
    """The opset of the domain; by default each that changed the operator and runs on the host."""
    want: Sequence[Any] | None = None
    """The outputs, where onnxruntime does not have the row, or does otherwise; else None."""
    error: str = ""
    """What the error says, as a regular expression; for a row that is refused."""
    rtol: float = 1e-5
    id: str = ""


def text(*values: str, shape: Sequence[int] | None = None) -> Array:
    found = np.array(values, dtype=object)
    return found if shape is None else found.reshape(shape)


def ints(*values: int, dtype: Any = np.int64) -> Array:
    return np.array(values, dtype)


def floats(*values: Any, dtype: Any = np.float32) -> Array:
    return np.array(values, dtype)


def stored(values: Any, dtype: Any = None) -> TensorProto:
    return numpy_helper.from_array(np.array(values, dtype))


def ml(type: str, inputs: Sequence[Any], outputs: int = 1, **more: Any) -> Row:
    """A row of ai.onnx.ml; `want`, `error`, `opset`, `rtol` and `id` are the row's own."""
    own = {k: more.pop(k) for k in ("want", "error", "opset", "rtol", "id") if k in more}
    return Row(type, inputs, more, ML, outputs, **own)


def plain(type: str, inputs: Sequence[Any], outputs: int = 1, **more: Any) -> Row:
    own = {k: more.pop(k) for k in ("want", "error", "opset", "rtol", "id") if k in more}
    return Row(type, inputs, more, "ai.onnx", outputs, **own)


# Models and oracles.


def type_of(value: Any) -> TypeProto:
    if isinstance(value, list):
        element = type_of(value[0]) if value else helper.make_tensor_type_proto(1, None)
        return helper.make_sequence_type_proto(element)
    if isinstance(value, dict):
        key, each = next(iter(value.items()))
        kind = 8 if isinstance(key, str) else 7
        inner = 8 if isinstance(each, str) else 1 if isinstance(each, float) else 7
        return helper.make_map_type_proto(kind, helper.make_tensor_type_proto(inner, []))
    kind = 8 if value.dtype == object else DataType.of(value.dtype).onnx
    return helper.make_tensor_type_proto(kind, value.shape)


def opsets_of(row: Row) -> list[int]:
    if row.opset is not None:
        return [row.opset]
    known = {(e.opid.domain, e.opid.type): [] for e in host.registered()}
    for entry in host.registered():
        known[entry.opid.domain, entry.opid.type].append(entry.opid.version)
    found = known.get((row.domain, row.type), [schemas.versions(row.domain, row.type)[-1]])
    return [v for v in found if v >= 6 or row.domain != "ai.onnx"]


def model_of(row: Row, opset: int) -> onnx.ModelProto:
    names = ["" if value is None else f"x{i}" for i, value in enumerate(row.inputs)]
    outputs = [f"y{i}" for i in range(row.outputs)]
    domain = "" if row.domain == "ai.onnx" else row.domain
    node = helper.make_node(row.type, names, outputs, "node", domain=domain)
    kinds = schemas.find(row.domain, row.type, opset)
    for name, value in row.attributes.items():
        if value is None:
            continue
        if isinstance(value, list) and not value:
            kind = getattr(onnx.AttributeProto, kinds.attributes[name].kind.name)
            node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
        else:
            node.attribute.append(helper.make_attribute(name, value))
    graph = helper.make_graph(
        [node],
        "row",
        [
            onnx.ValueInfoProto(name=name, type=type_of(value))
            for name, value in zip(names, row.inputs, strict=True)
            if name
        ],
        [onnx.ValueInfoProto(name=name) for name in outputs],
    )
    plain = opset if not domain else 21
    imports = [helper.make_opsetid("", plain)]
    imports += [helper.make_opsetid(domain, opset)] if domain else []
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def feeds(row: Row) -> dict[str, Any]:
    return {f"x{i}": value for i, value in enumerate(row.inputs) if value is not None}


def by_popir(row: Row, opset: int) -> list[Any]:
    return [*SegmentedModel(model_of(row, opset).SerializeToString()).run(feeds(row)).values()]


def by_onnxruntime(row: Row, opset: int) -> list[Any]:
    if row.domain == "ai.onnx" and opset > NEWEST:
        opset = opsets_of(row)[-2]
    model = onnx.shape_inference.infer_shapes(model_of(row, opset))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # Threads take eight times as long to start as this to run.
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, feeds(row))


NEWEST = 26
"""The newest opset of ai.onnx that onnxruntime takes."""


def check(found: Any, want: Any, rtol: float) -> None:
    if isinstance(want, list):
        assert isinstance(found, list)
        assert len(found) == len(want)
        for one, other in zip(found, want, strict=True):
            check(one, other, rtol)
    elif isinstance(want, dict):
        assert found.keys() == want.keys()
        for key, value in want.items():
            np.testing.assert_allclose(found[key], value, rtol)
    elif want is None:
        assert found is None
    else:
        want = np.asarray(want)
        assert found.shape == want.shape
        assert found.dtype == want.dtype
        if want.dtype == object:
            assert found.tolist() == want.tolist()
        else:
            np.testing.assert_allclose(found, want, rtol, 1e-6)


# Strings.

WORDS = text("a", "B", "", "ß", "İ", "a B", shape=[2, 3])

TEXTS = [
    plain("StringNormalizer", [text("a", "B")], case_change_action="UPPER", want=[text("A", "B")]),
    plain("StringNormalizer", [text("ß", "I")], case_change_action="LOWER", want=[text("ß", "i")]),
    plain("StringNormalizer", [text("ß")], case_change_action="UPPER", want=[text("SS")]),
    plain("StringNormalizer", [text("a", "b", shape=[1, 2])], stopwords=["a"],
          want=[text("b", shape=[1, 1])]),
    plain("StringNormalizer", [text("Ab", "c")], stopwords=["aB"], want=[text("c")]),
    plain("StringNormalizer", [text("Ab", "c")], stopwords=["aB"], is_case_sensitive=1,
          want=[text("Ab", "c")]),
    plain("StringNormalizer", [text("a", "a")], stopwords=["a"], want=[text("")]),
    plain("StringNormalizer", [text(shape=[0])], want=[text("")]),
    plain("StringNormalizer", [text(shape=[1, 0])], want=[text("", shape=[1, 1])]),
    plain("StringNormalizer", [WORDS], error=r"its input is STRING\[2, 3\]; it must be \[C\]"),
    plain("StringNormalizer", [text("a", shape=[])], error=r"it must be \[C\] or \[1, C\]"),
    plain("StringNormalizer", [text("a")], case_change_action="TITLE", error="'TITLE'; expected"),
    plain("StringNormalizer", [text("a")], case_change_action="UPPER", locale="tr_TR.UTF-8",
          error="'tr_TR.UTF-8' has rules of its own"),
    plain("StringNormalizer", [text("a")], stopwords=["b"], locale="?!", error="'locale' is '"),
    plain("StringNormalizer", [ints(1)], error="input 0 .* of type INT64; .* takes STRING"),
    plain("StringConcat", [WORDS, text("x", "y", "z")], want=[
        text("ax", "By", "z", "ßx", "İy", "a Bz", shape=[2, 3])]),
    plain("StringConcat", [text("a", shape=[]), text("b", shape=[])]),
    plain("StringConcat", [text(shape=[0, 3]), text("b")]),
    plain("StringConcat", [text("a", "b"), text("c", "d", "e")], error="do not broadcast"),
    *(
        plain("StringSplit", [text("a b", "", "  c\u00a0d\u3000e f ", "\x1cg")], 2, **more)
        for more in ({}, {"maxsplit": 0}, {"maxsplit": 1}, {"delimiter": ""},
                     {"delimiter": " "}, {"delimiter": " ", "maxsplit": 1},
                     {"maxsplit": 2**63 - 1, "want": None})
    ),
    plain("StringSplit", [text("a\tb\n\vc")], 2, want=[text("a", "b", "c", shape=[1, 3]), ints(3)]),
    plain("StringSplit", [text("a,b", "", ",c,", "d,,e", shape=[2, 2])], 2, delimiter=","),
    plain("StringSplit", [text("a--b---c")], 2, delimiter="--"),
    plain("StringSplit", [text(shape=[0])], 2),
    plain("StringSplit", [text("", "")], 2),
    plain("StringSplit", [text("a b", shape=[])], 2,
          want=[text("a", "b"), np.array(2, np.int64)]),
    plain("StringSplit", [text("a b")], 2, maxsplit=-1, error="'maxsplit' is -1"),
    plain("Equal", [WORDS, text("a", "B", "x")], opset=19),
    plain("Equal", [text("a", shape=[]), text("b", shape=[])], opset=19),
    plain("Equal", [text(shape=[0, 2]), text("b")], opset=19),
    plain("Equal", [text("a", "b"), text("c", "d", "e")], opset=19, error="do not broadcast"),
]  # fmt: skip

EXPRESSIONS = r"""a* (a|b)+c \d+ \w+@\w+\.com [^a-c] (?i)abc (?i)straße a.c (?s)a.c ^a$ a{2,3}
\bfoo\b \pL+ \p{Lu}\p{Ll}* \PL+ [[:alpha:]]+ [[:^digit:]]+ \Qa.c\E \x41 \x{1F600} \101 (?P<n>a)b
(?:a|b)c (?m)^a$\n^b$ a|b| x*? [\d-] []a] [^\D] a\z \Aa (?-i)a (?U)a+ (?i)[k-l] (?i)\w""".split()
TEXT = [
    "",
    "a",
    "aa",
    "aaa",
    "abc",
    "ABC",
    "bc",
    "ac",
    "5",
    "٥",
    "x@y.com",
    "d",
    "é",
    "a\nc",
    "a.c",
]
TEXT += ["foo", "A", "Aa", "\U0001f600", "ab", "a\nb", "]", "-", "STRASSE", "STRAßE", "K", "K", "ſ"]
REFUSED = r"""a** a*+ (?=a) (?!a) (?<=a) \1 (a)\1 \8 (a a) [a [z-a] [a-\d] a{1001} a{2,1}
(a{500}){3} a|* \Z (?z) \pX \p{Nope} [[:nope:]] (?P<n (?P<>a) (?P<n>a)(?P<n>b) \ \x{110000} \xg (?i-
(?i-) *a \E \g""".split()
EXPRESSION_ROWS = [
    *(plain("RegexFullMatch", [text(*TEXT)], pattern=each, id=each) for each in EXPRESSIONS),
    *(
        plain("RegexFullMatch", [text("a")], pattern=each, error="no regular expression", id=each)
        for each in REFUSED
    ),
    plain("RegexFullMatch", [text("a", shape=[])], pattern="a"),
    plain("RegexFullMatch", [text(shape=[0, 2])], pattern="a"),
    plain("RegexFullMatch", [text("a" * 5000 + "b")], pattern="(a*)*(a|aa)+", want=[ints(0) > 0]),
    plain("RegexFullMatch", [text("a" * 40)], pattern="(a?){40}a{40}", want=[ints(1) > 0]),
    plain("RegexFullMatch", [text("a")], pattern="(" * 500 + "a" + ")" * 500, error="100 groups"),
    plain("RegexFullMatch", [text("a")], pattern="((a{9}){9}){9}" * 300, error="131072 states"),
    plain("RegexFullMatch", [text("α")], pattern=r"\p{Greek}", error="scripts are not available"),
    plain("RegexFullMatch", [text("a")], pattern=r"\C", error="one byte, is not available"),
]

POOL = {
    "mode": "TF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0,
    "ngram_counts": [0, 4], "ngram_indexes": [0, 1, 2, 3, 4, 5, 6],
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
}  # fmt: skip
WEIGHTS = [0.5, 1.0, -2.0, 3.0, 4.0, 0.25, 6.0]
NUMBERS = ints(1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8).reshape(2, 6)


def pool(**more: Any) -> Row:
    x = more.pop("x", NUMBERS)
    return plain("TfIdfVectorizer", [x], **{**POOL, **more})


GRAMS = [
    *(pool(mode=mode, weights=WEIGHTS) for mode in ("TF", "IDF", "TFIDF")),
    *(pool(mode=mode) for mode in ("IDF", "TFIDF")),
    *(pool(max_skip_count=n) for n in (1, 5)),
    pool(max_skip_count=2**40, x=NUMBERS[:, :0], want=[np.zeros([2, 7], np.float32)]),
    pool(min_gram_length=2, max_skip_count=5),
    pool(max_gram_length=1),
    pool(x=NUMBERS[0]),
    pool(x=NUMBERS.astype(np.int32)),
    pool(x=np.zeros([2, 0], np.int64)),
    pool(x=np.zeros([0, 3], np.int64), want=[np.zeros([0, 7], np.float32)]),
    pool(ngram_indexes=[6, 0, 3, 2, 5, 1, 9]),
    pool(ngram_indexes=[1, 0, 3, 2, 5, 1, 9], mode="TFIDF", weights=WEIGHTS, want=[floats(
        [3, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, -2, 0, 4, 0, 0, 0, 6])],
        id="shared"),
    pool(x=text("a", "b", "c", "a"), pool_int64s=[], pool_strings=["a", "b", "b", "c"],
         ngram_counts=[0, 2], ngram_indexes=[0, 1, 2]),
    pool(x=ints(3).reshape([]), error=r"INT64\[\]; it must be \[C\]|INT64.*it must be \[C\]"),
    pool(x=text("a"), error="must be of the type of the pool"),
    pool(mode="COUNT", error="'mode' is 'COUNT'"),
    pool(min_gram_length=3, error="lengths of 3 to 2"),
    pool(max_skip_count=-1, error="-1 skips"),
    pool(ngram_counts=[0], error="has 1 lengths"),
    pool(ngram_counts=[0, 99], error="must ascend"),
    pool(ngram_counts=[0, 3], error="7 words for 2-grams"),
    pool(ngram_indexes=[0, 1, 2, 3, 4, 5, -1], error="0 or more, for each of 7"),
    pool(ngram_indexes=[0, 1, 2, 3, 4, 5, 2**62], error="of memory"),
    pool(weights=[1.0], error="1 weights for 7"),
    pool(pool_int64s=[], error="one of 'pool_strings'"),
]  # fmt: skip

INTEGER_TYPES = [np.dtype(f"{s}{b}") for s in ("int", "uint") for b in (8, 16, 32, 64)]
CASTS = [
    *(plain("Cast", [ints(0, 1, 100, dtype=t)], to=8, opset=13) for t in INTEGER_TYPES),
    plain("Cast", [np.array([True, False])], to=8, opset=13),
    plain("Cast", [floats(0, 1, -0.0, 0.5, 1e20, math.inf, -math.inf, math.nan)], to=8, opset=13),
    plain("Cast", [floats(3.14159, 1e-5)], to=8, opset=21, want=[text("3.14159", "1e-05")]),
    plain("Cast", [floats(0.1, 1e300, dtype=np.float64)], to=8, opset=21),
    plain("Cast", [floats(0.1, 512, dtype=np.float16)], to=8, opset=21,
          want=[text("0.1", "512")]),
    plain("Cast", [np.zeros([0, 2], np.float32)], to=8, opset=13),
    plain("Cast", [np.array(2.0, np.float32)], to=8, opset=13),
    *(
        plain("Cast", [text("1", "-1.5", "1e3", " 7 ", "+INF", "-inf", "nan", ".5", "5.")], to=to,
              opset=13)
        for to in (1, 10, 11)
    ),
    *(plain("Cast", [text("1", "100", "+5", " 7")], to=to, opset=13) for to in (2, 3, 5, 6, 7, 12)),
    plain("Cast", [text("9223372036854775807", "-9223372036854775808")], to=7, opset=13),
    plain("Cast", [text("100.5", "-2.9")], to=6, opset=13),
    plain("Cast", [text("0", "1", "-3")], to=9, opset=13),
    plain("Cast", [text("a", "b")], to=8, opset=13),
    plain("Cast", [text("7x")], to=1, opset=13, error="'7x' is no number"),
    plain("Cast", [text("")], to=7, opset=13, error="'' is no number"),
    plain("Cast", [text("0x10")], to=7, opset=13, error="'0x10' is no number"),
    plain("Cast", [text("٥")], to=7, opset=13, error="is no number"),
    plain("Cast", [text("300")], to=2, opset=13, error=r"'300' is outside .* UINT8, \[0, 255\]"),
    plain("Cast", [text("inf")], to=7, opset=13, error="'inf' is no integer, which INT64"),
    plain("Cast", [text("1" * 500)], to=1, opset=13, error="is no number"),
    plain("Cast", [text("1")], to=17, opset=21, error="STRING to FLOAT8E4M3FN is not available"),
    plain("CastLike", [text("1.5"), floats(0)], opset=21, want=[floats(1.5)]),
    plain("CastLike", [floats(1.5), text("")], opset=21, want=[text("1.5")]),
]  # fmt: skip

# Tables and maps.

NAN = math.nan
LABELS = [
    ml("LabelEncoder", [text("a", "c", "b")], opset=1, classes_strings=["a", "b"]),
    ml("LabelEncoder", [ints(0, 5, -1)], opset=1, classes_strings=["a", "b"]),
    ml("LabelEncoder", [ints(0, 5)], opset=1, classes_strings=["a"], default_string="?"),
    ml("LabelEncoder", [text("a", "z")], opset=1, classes_strings=["a"], default_int64=7),
    ml("LabelEncoder", [text("a")], opset=1, error="needs the attribute 'classes_strings'"),
    *(
        ml("LabelEncoder", [x], opset=opset, **{f"keys_{k}": keys, f"values_{v}": values}, **more)
        for opset in (2, 4)
        for k, x, keys in (
            ("strings", text("a", "b", "z", "", shape=[2, 2]), ["b", "a", ""]),
            ("int64s", ints(1, 2, 3, 4), [4, 1, -5]),
            ("floats", floats(1, 0.5, -0.0, math.inf), [0.5, 0.0, math.inf]),
        )
        for v, values in (
            ("strings", ["x", "y", "z"]), ("int64s", [7, 8, 9]), ("floats", [0.5, NAN, 2.0]),
        )
        for more in ({}, {f"default_{v[:-1]}": values[2]})
    ),
    ml("LabelEncoder", [floats(NAN, 2)], opset=4, keys_floats=[NAN, 1.0], values_int64s=[3, 4]),
    ml("LabelEncoder", [text("a", "b")], opset=4, keys_strings=["a", "a"], values_int64s=[3, 4],
       want=[ints(4, -1)], id="last"),
    ml("LabelEncoder", [ints(1, 1, 2)], opset=4, keys_int64s=[1, 1], values_int64s=[3, 4],
       want=[ints(4, 4, -1)], id="last"),
    ml("LabelEncoder", [np.zeros([0, 3], np.int64)], opset=4, keys_int64s=[1], values_floats=[3.0]),
    ml("LabelEncoder", [np.array(1, np.int64)], opset=4, keys_int64s=[1], values_floats=[3.0]),
    ml("LabelEncoder", [ints(1, 2)], opset=4, keys_tensor=stored([2]), values_tensor=stored([1.5])),
    ml("LabelEncoder", [ints(1, 2)], opset=4, keys_tensor=stored([2]),
       values_tensor=stored([1.5]), default_tensor=stored([9.0])),
    ml("LabelEncoder", [ints(1, 2, dtype=np.int16)], opset=4, keys_tensor=stored([2], np.int16),
       values_tensor=stored([5], np.int16), want=[ints(-1, 5, dtype=np.int16)]),
    ml("LabelEncoder", [ints(1)], opset=4, keys_floats=[1.0], values_floats=[1.0],
       error="INT64.*; its keys are FLOAT"),
    ml("LabelEncoder", [ints(1)], opset=4, keys_int64s=[1], error="has none of values_strings"),
    ml("LabelEncoder", [ints(1)], opset=4, keys_int64s=[1], values_int64s=[1, 2],
       error="1 keys and 2 values"),
    ml("LabelEncoder", [ints(1)], opset=4, keys_int64s=[1], values_int64s=[1],
       values_floats=[1.0], error="has values_int64s, values_floats of"),
    ml("LabelEncoder", [ints(1)], opset=4, keys_tensor=stored([[2]]), values_tensor=stored([1]),
       error="must have one axis"),
    ml("LabelEncoder", [ints(1)], opset=4, keys_tensor=stored([2]), values_tensor=stored([1]),
       default_tensor=stored([1.5]), error="one element of type INT64"),
    *(
        ml("CategoryMapper", [x], cats_strings=["a", "b"], cats_int64s=[3, 4], **more)
        for x in (text("a", "z", "b"), ints(4, 9, 3), np.zeros([0], np.int64))
        for more in ({}, {"default_int64": -7, "default_string": "?"})
    ),
    ml("CategoryMapper", [ints(1)], cats_strings=["a"], error="1 'cats_strings' and 0"),
]  # fmt: skip

SCORES = floats([1, 2], [3, NAN])
MAPS = [
    *(
        ml("CastMap", [{3: 1.5, 1: 2.5}], cast_to=to, **more)
        for to in ("TO_FLOAT", "TO_INT64")
        for more in ({}, {"map_form": "SPARSE", "max_map": 5})
    ),
    ml("CastMap", [{3: 1.5, 1: 2.0}], cast_to="TO_STRING", want=[text("2", "1.5", shape=[1, 2])]),
    ml("CastMap", [{3: "1.5", 1: "2"}], want=[floats([2, 1.5])]),
    ml("CastMap", [{3: 1.5}], map_form="SPARSE", max_map=2, error=r"key 3 is outside of \[0, "),
    ml("CastMap", [{3: 1.5}], map_form="SPARSE", max_map=2**50, error="of memory"),
    ml("CastMap", [{3: 1.5}], map_form="THIN", error="'map_form' 'THIN'"),
    ml("CastMap", [{3: 1.5}], cast_to="TO_BOOL", error="'cast_to' is 'TO_BOOL'"),
    ml("CastMap", [{3: "x"}], error="'x' does not convert"),
    ml("CastMap", [{3: NAN}], cast_to="TO_INT64", error="nan does not convert"),
    ml("DictVectorizer", [{"a": 1.5, "c": 2.0}], string_vocabulary=["c", "b", "a"]),
    ml("DictVectorizer", [{"a": 1.5, "z": 2.0}], string_vocabulary=["c", "b", "a"]),
    ml("DictVectorizer", [{"a": 2, "c": 3}], string_vocabulary=["c", "b", "a"],
       want=[np.array([[3, 0, 2]])]),
    ml("DictVectorizer", [{1: 1.5, 2: 2.5}], int64_vocabulary=[5, 1, 2]),
    ml("DictVectorizer", [{1: "q"}], int64_vocabulary=[0, 1], want=[text("", "q", shape=[1, 2])]),
    ml("DictVectorizer", [{1: 1.5}], error="needs a vocabulary"),
    ml("DictVectorizer", [{1: 1.5}], string_vocabulary=["a"], error="must be strings"),
    ml("ZipMap", [SCORES], classlabels_int64s=[5, 7]),
    ml("ZipMap", [SCORES], classlabels_strings=["a", "b"]),
    ml("ZipMap", [SCORES[0]], classlabels_strings=["a", "b"]),
    ml("ZipMap", [np.zeros([0, 2], np.float32)], classlabels_int64s=[5, 7], want=[[]]),
    ml("ZipMap", [floats([1, 2, 3])], classlabels_int64s=[5, 7], error=r"must be \[n, 2\]"),
    ml("ZipMap", [SCORES], error="needs labels of classes"),
    ml("ZipMap", [SCORES], classlabels_int64s=[5, 7], classlabels_strings=["a", "b"],
       error="needs labels"),
]  # fmt: skip

# What runs on the device for numbers.

HALVES = [
    ml("ArrayFeatureExtractor", [text("a", "b", "c", "d", shape=[2, 2]), ints(1)]),
    ml("ArrayFeatureExtractor", [text("a", "b", "c"), ints(2, 0, 2)]),
    ml("ArrayFeatureExtractor", [text("a", "b"), ints(2)], error=r"must be in \[0, 1\]"),
    ml("ArrayFeatureExtractor", [text("a", "b"), ints(-1)], error=r"must be in \[0, 1\]"),
    ml("ArrayFeatureExtractor", [text("a", shape=[]), ints(0)], error="must be in"),
    ml("ArrayFeatureExtractor", [text(shape=[0, 2]), ints(0)], want=[text(shape=[0, 1])]),
    ml("OneHotEncoder", [text("a", "c", "b", shape=[3, 1])], cats_strings=["a", "b"]),
    ml("OneHotEncoder", [text(shape=[0])], cats_strings=["a"], want=[np.zeros([0, 1], "f4")]),
    ml("OneHotEncoder", [ints(1, 3)], cats_int64s=[3, 1], zeros=0),
    ml("OneHotEncoder", [ints(1, 4)], cats_int64s=[3, 1], zeros=0, error="4 is none of the 2"),
    ml("OneHotEncoder", [text("a")], cats_int64s=[1], error="needs the attribute 'cats_strings'"),
    ml("LinearClassifier", [SCORES], 2, coefficients=[1.0, 2.0, 3.0, -1.0], intercepts=[0.0, 1.0],
       classlabels_strings=["a", "b"]),
    *(
        ml("LinearClassifier", [floats([1, -2], [0.5, 0])], 2, coefficients=factors,
           intercepts=intercepts, classlabels_strings=labels, post_transform=transform)
        for transform in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
        for labels, factors, intercepts in (
            (["a", "b"], [1.0, 0.5], [0.25]),
            (["a", "b", "c"], [1.0, 0.5, 0.0, -1.0, 2.0, 0.0], [0.25, 0.0, -1.0]),
        )
    ),
    ml("LinearClassifier", [SCORES], 2, coefficients=[1.0], intercepts=[0.0, 1.0],
       classlabels_strings=["a", "b"], error="1 coefficients and 2 intercepts for 2 scores of 2"),
]  # fmt: skip

# Support vectors.

VECTORS = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]
POINTS = floats([1, 2], [0, 0], [0.5, -1], [-3, 4], [100, 100])


def svm(labels: int, counts: list[int], kind: str = "RBF", **more: Any) -> Row:
    n, pairs = len(counts), len(counts) * (len(counts) - 1) // 2
    rng = np.random.default_rng(n)
    more.setdefault("coefficients", rng.standard_normal((n - 1) * sum(counts)).tolist())
    more.setdefault("rho", (rng.standard_normal(pairs) / 4).tolist())
    more.setdefault("support_vectors", rng.standard_normal(2 * sum(counts)).tolist())
    names = {"classlabels_ints": [5, 7, 9, 11][:n]}
    if labels:
        names = {"classlabels_strings": list("abcd")[:n]}
    x = more.pop("x", POINTS)
    return ml("SVMClassifier", [x], 2, vectors_per_class=counts, kernel_type=kind,
              kernel_params=[0.5, 0.1, 3.0], **names, **more)  # fmt: skip


PAIRED = {"prob_a": [-1.5, -1.0, 0.5], "prob_b": [0.2, 0.1, 0.0]}
MACHINES = [
    *(svm(n % 2, [2, 1], kind) for n, kind in enumerate(("LINEAR", "POLY", "RBF", "SIGMOID"))),
    *(svm(n % 2, [1, 2, 1], kind) for n, kind in enumerate(("LINEAR", "POLY", "RBF", "SIGMOID"))),
    *(svm(0, [1, 2, 1, 3], transform_) for transform_ in ("LINEAR", "RBF")),
    *(svm(0, [2, 1], post_transform=t) for t in ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")),
    *(svm(0, [2, 1, 2], post_transform=t) for t in ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")),
    *(svm(1, [2, 1], prob_a=[-1.5], prob_b=[0.2], post_transform=t, rtol=1e-4)
      for t in ("NONE", "SOFTMAX", "LOGISTIC")),
    *(svm(0, [2, 1, 1], **PAIRED, post_transform=t, rtol=1e-4) for t in ("NONE", "SOFTMAX")),
    svm(0, [2, 1], x=POINTS.astype(np.float64)),
    svm(0, [2, 1], x=POINTS[0]),
    svm(0, [2, 1], x=np.zeros([0, 2], np.float32), want=[ints(), np.zeros([0, 2], np.float32)]),
    svm(0, [2, 1], x=floats([NAN, 1]), want=[ints(7), floats([NAN, NAN])]),
    ml("SVMClassifier", [POINTS], 2, coefficients=[1.0, 0.0, 0.0, 1.0, -1.0, 0.5], rho=[0.1],
       classlabels_ints=[1, 2, 3], want=[
           ints(2, 1, 1, 3, 1), floats(*([a + 0.1, b + 0.1, b / 2 - a + 0.1] for a, b in POINTS))]),
    svm(0, [2, 1], "TANH", error="'kernel_type' is 'TANH'"),
    svm(0, [2, -1], error="is \\[2, -1\\] for 2 labels"),
    svm(0, [2, 1], rho=[], error="1 'rho'; expected are 1|0 'rho'"),
    svm(0, [2, 1], coefficients=[1.0], error="1 coefficients; expected are 3"),
    svm(0, [2, 1], support_vectors=[1.0], error="1 numbers for 3 support vectors"),
    svm(0, [2, 1], prob_a=[1.0], error="1 'prob_a' and 0 'prob_b'"),
    svm(0, [2, 1], x=floats([1, 2, 3]), error=r"must be \[n, 2\]"),
    svm(0, [2, 1], post_transform="RELU", error="'post_transform' is 'RELU'"),
]  # fmt: skip
MACHINES = [row for row in MACHINES if "rho'; expected are 1|0" not in row.error]

# Trees.

STUMPS = {
    "nodes_treeids": [0, 0, 0, 1, 1, 1], "nodes_nodeids": [0, 1, 2, 0, 1, 2],
    "nodes_featureids": [0, 0, 0, 1, 0, 0], "nodes_values": [0.5, 0.0, 0.0, 1.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
    "nodes_truenodeids": [1, 0, 0, 1, 0, 0], "nodes_falsenodeids": [2, 0, 0, 2, 0, 0],
}  # fmt: skip
VOTES = {"treeids": [0, 0, 1, 1, 1], "nodeids": [1, 2, 1, 2, 2]}
TREE_POINTS = floats([0, 0], [1, 2], [0.5, 1.5], [-3, 4], [math.inf, -math.inf])


def regressor(*, x: Array = TREE_POINTS, targets: int = 2, **more: Any) -> Row:
    given = {
        **STUMPS,
        **{f"target_{k}": v for k, v in VOTES.items()},
        "target_ids": [0, 1 % targets, 0, 1 % targets, 0],
        "target_weights": [1.0, -2.0, 3.0, 0.5, 4.0],
        "n_targets": targets,
    }
    if targets == 1:  # onnxruntime counts one vote of a leaf then.
        given |= {k: v[:4] for k, v in given.items() if k.startswith("target_")}
    return ml("TreeEnsembleRegressor", [x], **{"opset": 3, **given, **more})


def classifier(ids: list[int], labels: Any, *, x: Array = TREE_POINTS, **more: Any) -> Row:
    name = "classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s"
    given = {**STUMPS, **{f"class_{k}": v for k, v in VOTES.items()}, "class_ids": ids}
    given |= {"class_weights": [0.1, 0.2, 0.3, 0.25, 0.25], name: labels}
    return ml("TreeEnsembleClassifier", [x], 2, **{"opset": 3, **given, **more})


MODES = [f"BRANCH_{mode}" for mode in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")]
TRANSFORMS = ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
WIDE = {
    name: stored([0.5, 0.0, 0.0, 1.5, 0.0, 0.0], np.float64) for name in ("nodes_values_as_tensor",)
}
NEW = {
    "nodes_featureids": [0, 1], "nodes_truenodeids": [1, 0], "nodes_trueleafs": [0, 1],
    "nodes_falsenodeids": [2, 1], "nodes_falseleafs": [1, 1], "leaf_targetids": [0, 1, 0],
    "tree_roots": [0], "n_targets": 2,
}  # fmt: skip


def ensemble(modes: list[int], *, x: Array = TREE_POINTS, **more: Any) -> Row:
    given = {
        "nodes_splits": stored([0.5, 1.5], x.dtype),
        "nodes_modes": stored(modes, np.uint8),
        "leaf_weights": stored([5.0, -3.0, 2.0], x.dtype),
    }
    return ml("TreeEnsemble", [x], **{**NEW, **given, **more})


def chain(n: int) -> dict[str, Any]:
    """A tree of n nodes that each go on by the right, and n + 1 leaves."""
    inner, leaves = list(range(n)), list(range(n, 2 * n + 1))
    return {
        "nodes_treeids": [0] * (2 * n + 1), "nodes_nodeids": inner + leaves,
        "nodes_featureids": [0] * (2 * n + 1),
        "nodes_values": [float(i) for i in inner] + [0.0] * (n + 1),
        "nodes_modes": ["BRANCH_LT"] * n + ["LEAF"] * (n + 1),
        "nodes_truenodeids": leaves[:-1] + [0] * (n + 1),
        "nodes_falsenodeids": [*inner[1:], leaves[-1]] + [0] * (n + 1),
        "target_treeids": [0] * (n + 1), "target_nodeids": leaves, "target_ids": [0] * (n + 1),
        "target_weights": [float(i) for i in range(n + 1)],
    }  # fmt: skip


TREES = [
    *(regressor(aggregate_function=how) for how in ("SUM", "AVERAGE", "MIN", "MAX")),
    *(regressor(aggregate_function=how, targets=1, base_values=[10.0])
      for how in ("SUM", "AVERAGE", "MIN", "MAX")),
    *(regressor(nodes_modes=[mode, "LEAF", "LEAF"] * 2) for mode in MODES),
    *(regressor(nodes_modes=[mode, "LEAF", "LEAF"] * 2, x=floats([NAN, 1], [1, NAN]),
                nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 0]) for mode in MODES),
    *(regressor(post_transform=t) for t in TRANSFORMS),
    regressor(opset=1),
    regressor(nodes_nodeids=[0, 1, 2, 5, 8, 9], nodes_truenodeids=[1, 0, 0, 8, 0, 0],
              nodes_falsenodeids=[2, 0, 0, 9, 0, 0], target_nodeids=[1, 2, 8, 9, 9],
              x=floats([0, 0], [1, 2]), want=[floats([4, 0], [4, -1.5])], id="numbers"),
    regressor(x=TREE_POINTS.astype(np.float64), opset=3, nodes_values=None, target_weights=None,
              **WIDE, target_weights_as_tensor=stored([1.0, -2.0, 3.0, 0.5, 4.0])),
    regressor(x=TREE_POINTS[:4].astype(np.int64), want=[
        floats([4, 0], [4, -1.5], [4, 0], [5, 0.5])]),
    regressor(x=np.zeros([0, 2], np.float32)),
    regressor(base_values=[1.0, 2.0], x=floats([0, 0], [1, 2]), want=[
        floats([5, 2], [5, 0.5])], id="base"),
    regressor(**chain(300), x=floats([-1], [5], [5.5], [1000], [NAN]), targets=1),
    regressor(x=floats([1]), error=r"must be \[n, 2 or more features\]"),
    regressor(x=floats(1, 2), error="must be"),
    regressor(nodes_truenodeids=[1, 0, 0, 77, 0, 0], error="the node 77 of tree 1"),
    regressor(nodes_truenodeids=[0, 0, 0, 1, 0, 0], error="its nodes are no trees"),
    regressor(nodes_truenodeids=[1, 0, 0, 0, 0, 0], error="its nodes are no trees"),
    regressor(nodes_nodeids=[0, 1, 1, 0, 1, 2], error="two nodes of the number 1"),
    regressor(nodes_featureids=[-1, 0, 0, 1, 0, 0], error="'nodes_featureids' has -1"),
    regressor(nodes_featureids=[2**40, 0, 0, 1, 0, 0], error="or more features"),
    regressor(nodes_values=[0.5], error="'nodes_values' has 1 values; expected are 6"),
    regressor(nodes_modes=["BRANCH_UP", "LEAF", "LEAF"] * 2, error="has 'BRANCH_UP'; expected"),
    regressor(nodes_modes=[], error="it has no nodes"),
    regressor(target_ids=[0, 5, 0, 0, 0], error=r"'target_ids' has values of 0 to 5"),
    regressor(n_targets=2**60, error="of memory"),
    regressor(n_targets=-1, error="'n_targets' -1"),
    regressor(aggregate_function="MEDIAN", error="'MEDIAN'"),
    regressor(base_values=[1.0, 2.0, 3.0], error="3 'base_values' for 2"),
    regressor(nodes_values_as_tensor=stored([1.0]), error="both 'nodes_values' and"),
    *(classifier(ids, [5, 7, 9], post_transform=t, base_values=[0.1, 0.2, 0.0])
      for ids in ([0, 1, 2, 0, 1], [2, 2, 1, 1, 0]) for t in ("NONE", *TRANSFORMS)),
    *(classifier([0] * 5, ["a", "b"], class_weights=weights, base_values=base)
      for weights in ([0.1, 0.2, 0.3, 0.25, 0.25], [0.1, -0.2, 0.3, -0.5, 0.125])
      for base in ([], [0.25])),
    *(classifier([0] * 5, [5, 7], class_weights=[0.1, -0.2, 0.3, -0.5, 0.125], post_transform=t)
      for t in TRANSFORMS),
    classifier([1] * 5, [5, 7]),
    classifier([0, 1, 1, 0, 1], [5, 7], want=[
        ints(7, 7, 7, 5, 7), floats([0.1, 0.3], [0.25, 0.45], [0.1, 0.3], [0.35, 0.25],
                                    [0.0, 0.5])], id="both"),
    classifier([0] * 5, [5], want=[ints(5, 5, 5, 5, 5), floats(
        [0.4], [0.7], [0.4], [0.6], [0.5])], id="one"),
    classifier([0, 1, 2, 0, 1], ["a", "b", "c"], x=TREE_POINTS.astype(np.float64)),
    classifier([0, 1, 2, 0, 1], ["a", "b", "c"], opset=1),
    classifier([0, 1, 2, 0, 1], [5, 7, 9], x=np.zeros([0, 2], np.float32)),
    classifier([0, 1, 3, 0, 1], [5, 7, 9], error=r"'class_ids' has values of 0 to 3"),
    classifier([0, 1, 0, 0, 1], [5, 7], base_values=[1.0], error="1 'base_values' for 2"),
    *(ensemble([mode, 0]) for mode in range(6)),
    *(ensemble([0, 3], aggregate_function=n) for n in range(4)),
    *(ensemble([0, 3], x=floats([1, 2]), post_transform=n, want=[floats(want)]) for n, want in
      enumerate(([2, 0], [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2))],
                 [1 / (1 + math.exp(-2)), 0.5], [1, 0]))),
    ensemble([6, 6], membership_values=stored([-3.0, 0.5, NAN, 7.0, 4.0, NAN], np.float32), want=[
        floats([2, 0], [2, 0], [0, -3], [5, 0], [2, 0])], id="sets"),
    ensemble([6, 0], membership_values=stored([-3.0, 0.5], np.float32), want=[floats(
        [2, 0], [2, 0], [5, 0], [0, -3], [2, 0])], id="open"),
    ensemble([0, 0], x=TREE_POINTS.astype(np.float64)),
    ensemble([0, 0], x=floats([NAN, 1], [0, NAN]), nodes_missing_value_tracks_true=[1, 1]),
    ensemble([0, 0], tree_roots=[0], nodes_truenodeids=[0, 0], nodes_trueleafs=[1, 1],
             nodes_falsenodeids=[0, 1], nodes_falseleafs=[1, 1]),
    ensemble([7, 0], error="must be a vector of 0 to 6"),
    ensemble([6, 0], error="has 0 sets, each ended by NaN; 1 nodes"),
    ensemble([0, 0], nodes_truenodeids=[0, 0], error="its nodes are no trees"),
    ensemble([0, 0], nodes_truenodeids=[9, 0], error="'nodes_truenodeids' has values of 9 to 9"),
    ensemble([0, 0], tree_roots=[5], error="'tree_roots' has values of 5 to 5"),
    ensemble([0, 0], tree_roots=[1, 0], error="a root below another"),
    ensemble([0, 0], leaf_targetids=[0, 2, 0], error="'leaf_targetids' has values"),
    ensemble([0, 0], aggregate_function=4, error="'aggregate_function' is 4"),
    ensemble([0, 0], post_transform=-1, error="'post_transform' -1"),
    ensemble([0, 0], nodes_splits=stored([1.0], np.float32), error=r"expected is \[2\]"),
]  # fmt: skip

# What was there before: positions, boxes, sequences, optional values.

BOXES = floats([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11], [0, 0, 1, 1]])
SCORED = floats([[0.9, 0.75, 0.6, NAN]], [[0.5, 0.5, 0.5, 0.5]])[:1]
PARTS = [floats(1, 2), floats(3), floats()]
OTHERS = [
    *(plain("NonZero", [x]) for x in (
        ints(1, 0, -3), floats([0, NAN], [math.inf, -0.0]), np.zeros([0, 3], np.float32),
        np.zeros([2, 0], bool), np.array([[True, False]]), np.array(5.0, np.float32))),
    plain("NonZero", [np.array(0, np.int64)]),
    plain("NonZero", [text("a", "")], want=[ints(0).reshape(1, 1)]),
    *(plain("Unique", [x], 4, **more) for x in (
        ints(3, 1, 3, 2, 1), floats(2.5, -1, 2.5), np.zeros([0], np.float32), text("b", "a", "b"))
      for more in ({}, {"sorted": 0})),
    *(plain("Unique", [ints(1, 0, 1, 1, 0, 1, 2, 2, 2).reshape(3, 3)], 4, axis=axis, sorted=s)
      for axis in (0, 1, -1, -2) for s in (0, 1)),
    plain("Unique", [ints(1)], 4, axis=1, error=r"axis 1 is outside of a tensor of rank 1"),
    plain("Unique", [np.array(1, np.int64)], 4, want=[ints(1), ints(0), ints(0), ints(1)]),
    plain("Unique", [floats(NAN, 1, NAN)], 4, want=[
        floats(1, NAN, NAN), ints(1, 0, 2), ints(1, 0, 2), ints(1, 1, 1)]),
    *(plain("NonMaxSuppression", [BOXES, floats([[0.9, 0.75, 0.6, 0.95]]), ints(most),
                                  floats(iou), floats(least)], **more)
      for most in (0, 2, 2**62) for iou in (0.0, 0.5, 1.0) for least in (0.0, 0.7)
      for more in ({}, {"center_point_box": 1})),
    plain("NonMaxSuppression", [BOXES, floats([[1, 2, 3, 4]])]),
    plain("NonMaxSuppression", [BOXES[:, :0], np.zeros([1, 1, 0], np.float32), ints(3)],
          want=[np.zeros([0, 3], np.int64)]),
    plain("NonMaxSuppression", [BOXES[0], floats([[1, 2, 3, 4]])], error=r"\[batches, n, 4\]"),
    plain("NonMaxSuppression", [BOXES, floats([[1, 2]])], error="as many in both"),
    plain("NonMaxSuppression", [BOXES, floats([[1, 2, 3, 4]]), ints(1, 2)], error="one number"),
    plain("NonMaxSuppression", [BOXES, floats([[1, 2, 3, 4]]), ints(1), floats(2)],
          error=r"2.0; it must be in \[0, 1\]"),
    plain("Compress", [floats([1, 2], [3, 4]), np.array([True, False, True])]),
    *(plain("Compress", [floats([1, 2], [3, 4]), np.array([False, True])], axis=axis)
      for axis in (0, 1, -1)),
    plain("Compress", [floats([1, 2], [3, 4]), np.zeros([0], bool)], axis=0),
    plain("Compress", [np.zeros([0, 2], np.float32), np.zeros([0], bool)], axis=0),
    plain("Compress", [floats(1, 2), np.ones([3], bool)]),
    plain("Compress", [floats([1, 2], [3, 4]), np.array([False, True, True])], axis=1),
    plain("Compress", [floats(1, 2), np.array([[True]])], error=r"it must be \[n\]"),
    plain("SequenceConstruct", PARTS[:2]),
    plain("SequenceAt", [PARTS[:2], np.array(-1, np.int64)]),
    plain("SequenceAt", [PARTS[:2], np.array(2, np.int64)], error=r"outside of \[-2, 1\]"),
    plain("SequenceAt", [PARTS[:2], np.array(-(2**63), np.int64)], error="outside of"),
    plain("SequenceAt", [[], np.array(0, np.int64)], error="the sequence is empty"),
    plain("SequenceAt", [PARTS, ints(0, 1)], error="must be one integer"),
    plain("SequenceInsert", [PARTS[:1], floats(9)]),
    *(plain("SequenceInsert", [PARTS[:2], floats(9), np.array(n, np.int64)])
      for n in (0, 1, 2, -1, -2)),
    plain("SequenceInsert", [PARTS[:2], floats(9), np.array(3, np.int64)], error="outside of"),
    plain("SequenceErase", [PARTS[:2]]),
    plain("SequenceErase", [PARTS, np.array(-2, np.int64)]),
    plain("SequenceErase", [PARTS, np.array(7, np.int64)], error="outside of"),
    plain("SequenceErase", [[]], error="nothing can be erased"),
    plain("SequenceLength", [PARTS]),
    plain("SequenceLength", [[]], want=[np.array(0, np.int64)]),
    *(plain("SplitToSequence", [floats([1, 2, 3], [4, 5, 6]), sizes], axis=axis)
      for sizes, axis in ((None, 1), (None, -2), (ints(1, 2), 1), (np.array(2), -1))),
    plain("SplitToSequence", [floats([1, 2, 3])], axis=1, keepdims=0),
    plain("SplitToSequence", [floats(1, 2), ints(1, 2)], error="not (add up|split)"),
    plain("SplitToSequence", [floats(1, 2), ints(3, -1)], error="not (add up|split)"),
    plain("SplitToSequence", [floats(1, 2), np.array(0)], error="in parts of 0"),
    plain("SplitToSequence", [floats(1, 2)], axis=1, error="axis 1 is outside"),
    plain("SplitToSequence", [np.array(1.0, np.float32)], error="axis 0 is outside"),
    *(plain("ConcatFromSequence", [[floats([1, 2]), floats([3, 4])]], axis=a, new_axis=n)
      for a, n in ((0, 0), (1, 0), (-1, 0), (0, 1), (2, 1), (-1, 1))),
    plain("ConcatFromSequence", [PARTS], axis=0),
    plain("ConcatFromSequence", [PARTS], axis=1, error="axis 1 is outside"),
    plain("ConcatFromSequence", [PARTS], axis=0, new_axis=1, error="do not join along axis 0"),
    plain("ConcatFromSequence", [[]], axis=0, error="the sequence is empty"),
    plain("OptionalHasElement", [floats(1)], opset=18),
    plain("OptionalGetElement", [floats(1)], opset=18),
]  # fmt: skip

ROWS = [
    *(*TEXTS, *EXPRESSION_ROWS, *GRAMS, *CASTS),
    *(*LABELS, *MAPS, *HALVES, *MACHINES, *TREES, *OTHERS),
]


def cases() -> list[Any]:
    found = []
    for row in ROWS:
        for opset in opsets_of(row):
            n = len(found)
            found.append(pytest.param(row, opset, id=f"{row.type}-{opset}-{row.id or n}"))
    return found


@pytest.mark.parametrize(("row", "opset"), cases())
def test_row(row: Row, opset: int) -> None:
    if row.error:
        with pytest.raises(PopirError, match=row.error):
            by_popir(row, opset)
        return
    found = by_popir(row, opset)
    wanted = by_onnxruntime(row, opset) if row.want is None else row.want
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        check(one, other, row.rtol)
