"""Decides which initializers of a model are trained, which are state and which are constants:
`choose`.

An ONNX file does not contain this. The first rule that applies decides, and gives its reason in
words:

1. An initializer that is not floating-point, or that is needed at compile time, is a constant.
2. The caller's `trained` and `frozen` decide.
3. An initializer that an operator updates, such as running statistics, is state. Statistics that
   are only read are constants.
4. In a model made by a Builder, all others are trained, as in PopART.
5. If the exporter declares a kind, parameters are trained and all others are constants. What it
   folded from one parameter alone is trained, and what it folded from no tensor of the module, such
   as the scale of ones of a normalisation without weights, is a constant.
6. Names like those of PyTorch's parameters or TensorFlow's variables are trained, except names that
   buffers usually have. PyTorch's tracing exporter does not mark buffers; unless the name is one of
   torch.nn's own parameters, the reason says that the file leaves it open.
7. An input that is a weight by its position (of Conv, MatMul, LSTM, ...), or is added to a product
   with a weight, is trained, whatever its name.
8. A name that an exporter generates is that of a literal: a constant.
9. Of the rest, exponents, bounds, tensors of rank 0 and masks are constants; all others are
   trained.

Example: in a traced PyTorch model, "fc.weight" is trained by rule 6, "bn.running_mean" is state if
BatchNormalization runs in training mode (rule 3), and "onnx::Pow_12" is a constant by rule 8.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ir.origin import BUILDER
from popir.ir.states import states
from popir.naming import told
from popir.reserved import OF_SESSION, weight_of_state
from popir.types import TRAINABLE, TensorInfo


class Role(enum.Enum):
    """What a training session does with an initializer."""

    TRAINED = "trained"
    """The optimizer updates it."""
    STATE = "state"
    """An operator of the model updates it, in each batch."""
    CONSTANT = "constant"
    """It is never changed."""


@dataclass(frozen=True)
class Choice:
    """The role of one initializer, and the reason in words."""

    role: Role
    reason: str
    info: TensorInfo
    """The initializer's type and shape."""

    @property
    def is_untold(self) -> bool:
        """Whether it is trained although it may be a buffer: the file does not tell."""
        return self.reason == UNTOLD


def _table(*rows: tuple[str, dict[int, str]]) -> dict[str, dict[int, str]]:
    """A dict from rows ("TypeA TypeB", {input index: what the input is})."""
    return {type: inputs for types, inputs in rows for type in types.split()}


PARAMETERS = _table(
    ("Conv ConvTranspose", {1: "weight", 2: "bias"}),
    ("Gemm", {0: "weight", 1: "weight", 2: "bias"}),
    ("MatMul Einsum", {0: "weight", 1: "weight"}),
    ("BatchNormalization LayerNormalization GroupNormalization", {1: "scale", 2: "bias"}),
    ("InstanceNormalization RMSNormalization", {1: "scale", 2: "bias"}),
    (
        "LSTM GRU RNN",
        {1: "input weight", 2: "recurrent weight", 3: "bias", 7: "peephole weight"},
    ),
    ("PRelu", {1: "slope"}),
)
"""Inputs that are learned parameters: operator type to input index to a name for messages."""

TABLES = {"Gather", "GroupedGather"}
"""The operators in which input 0 with two or more dimensions is a table of embeddings."""

LITERALS = _table(
    ("Clip", {1: "lower bound", 2: "upper bound"}),
    ("Pow", {1: "exponent"}),
    ("Dropout", {1: "ratio"}),
    ("Pad", {2: "padding value"}),
    ("OneHot", {2: "values"}),
    ("Mod Fmod Remainder", {1: "divisor"}),
    ("Greater Less GreaterOrEqual LessOrEqual Equal", {0: "operand", 1: "operand"}),
    ("LSTM GRU RNN", {5: "initial state", 6: "initial cell state"}),
    ("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", {2: "class weights"}),
    ("QuantizeLinear DequantizeLinear QLinearConv QLinearMatMul", {1: "scale"}),
    ("MatMulNBits GatherBlockQuantized", {2: "scales"}),
    ("RotaryEmbedding", {1: "cosines", 2: "sines", 3: "sines"}),
    ("GroupQueryAttention", {7: "cosines", 8: "sines", 10: "added mask"}),
    ("MultiHeadAttention Attention", {5: "added mask"}),
    ("Resize Upsample", {1: "scales", 2: "scales"}),
    ("Range", {0: "start", 1: "limit", 2: "step"}),
    ("Shape Size", {0: "operand"}),
)
"""Inputs that are settings of the operator, not learned, such as the bounds of Clip."""

STATISTICS = _table(("BatchNormalization", {3: "mean", 4: "variance"}))
"""Inputs that are statistics of the data."""

VIEWS = {
    *("Identity", "Nop", "Cast", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"),
    *("Expand", "Tile", "Concat", "Slice", "Split"),
}
"""Operators that only copy, convert or rearrange: a reader of the result counts as a reader of the
input.
"""

CONTRACTIONS = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum"}

GENERATED = re.compile(
    r"onnx::\w+_\d+"  # PyTorch's tracing exporter: type of the first reader and a number
    r"|_?val_\d+|scalar_tensor_default(_\d+)?|_tensor_constant\d+|(c_)?lifted_tensor_\d+"  # dynamo
    r"|(.*/)?Constant(_\d+)?(_output_\d+)?(:\d+)?"
    r"|(.*/)?const_fold_opt__\d+(:\d+)?|(.*/)?Const(_\d+)?(:\d+)?"  # tf2onnx
)
"""Names that exporters generate for literals and for results of constant folding."""

TF_VARIABLE = re.compile(
    r".*(ReadVariableOp|/Read|/read)(_\d+)?(/\w+)?(:\d+)?"
    r"|(.*/)?(kernel|bias|gamma|beta|embeddings|(recurrent|depthwise|pointwise)_kernel|alpha)"
    r"(_\d+)?(:\d+)?"
)
"""Names of TensorFlow's variables in files of tf2onnx; all other initializers were literals."""

REARRANGED = re.compile(
    r"(view|reshape|flatten|unflatten|permute|transpose|t|unsqueeze|squeeze|expand|clone)(_\d+)?"
)
"""Names that the default exporter gives to what rearranges elements."""

BUFFER = re.compile(
    r"(.*[._])?(running_(mean|var)|num_batches_tracked|inv_freq|masked_bias|mask|pe"
    r"|(cos|sin)(_cached|_table)?|freqs_(cis|cos|sin)|(norm|pixel|image|input)_(mean|std)"
    r"|mean|std|anchors|window)"
)
"""Names that buffers of PyTorch modules usually have. A traced file has no other mark of them."""

PARAMETER = re.compile(
    r"(.*\.)?(weight|bias|(weight|bias)_(ih|hh|hr)(_l\d+)?(_reverse)?|(in|[qkv])_proj_(weight|bias)"
    r"|bias_[kv]|weight_[gv])|.*\.parametrizations\..*"
)
"""Names that the modules of torch.nn give their parameters."""

UNTOLD = (
    "it has a name as PyTorch's parameters and buffers have; the tracing exporter does not tell "
    "them apart: freeze it if it is a buffer"
)
"""The reason for an initializer that is trained although it may be a buffer. A traced file has only
names, values, readers and the order of the state_dict (each module's parameters, then its buffers,
without a separator). `requires_grad` is lost.
"""

_MOST_VIEWS = 256
"""The most views that are followed from one tensor: bounds the time."""

MASKED = -1e4
"""In attention masks, a number of at most this is minus infinity."""


_KNOWN: dict[str, dict[int, tuple[str, str]]] = {}
"""What is known of the inputs of each type of operator, by index: the kind of use, and its name."""
for _kind, _rows in (
    ("statistics", STATISTICS),
    ("literal", LITERALS),
    ("parameter", PARAMETERS),
):
    for _type, _inputs in _rows.items():
        _KNOWN.setdefault(_type, {}).update({i: (_kind, what) for i, what in _inputs.items()})


class _Use(NamedTuple):
    """An operator that reads an initializer at input `at`, directly or through views."""

    op: Op
    at: int
    kind: str
    """The purpose of the input: "parameter", "literal", "statistics", "detached", "state",
    "written", or "" if it is not known.
    """
    what: str
    """A name of the input for messages, such as "bias"."""

    def __str__(self) -> str:
        name = self.op.name() or next((t.id for t in self.op.output.values()), "")
        return f"{self.what} of {self.op.opid.type} '{name}'"


def choose(
    graph: Graph, trained: Collection[str] = (), frozen: Collection[str] = ()
) -> dict[str, Choice]:
    """The role of each initializer of an imported graph, in the file's order.

    The optimizer's state and the random seed, which a saved model contains, are left out.

    Args:
        trained, frozen: names, or patterns with *, ? and [...], of initializers to train and not to
            train. An exact name has precedence over a pattern, and of two patterns the one with
            more characters that are not wildcards.

    Raises popart_exception for a name or pattern that matches no initializer, for two that
    contradict each other, and for an initializer that cannot have the role that its exact name is
    given.
    """
    names = graph.origin.initializers or [t.id for t in graph.tensors.values() if t.is_variable()]
    saved = {*OF_SESSION, *(name for name in names if weight_of_state(name) in graph.tensors)}
    names = [name for name in names if name not in saved]
    said = _told(names, trained, frozen)
    states = _state_of(graph)
    found: dict[str, Choice] = {}
    for name in dict.fromkeys(names):
        tensor = graph.tensors.get(name)
        if tensor is not None and tensor.info is not None and tensor.data is not None:
            role, reason = _chosen(graph, tensor, said.get(name), states.get(name))
            found[name] = Choice(role, reason, tensor.info)
    return found


def _state_of(graph: Graph) -> dict[str, _Use]:
    """The variables that are state of an operator or are written by one: id to that use."""
    found: dict[str, _Use] = {}
    for op, i, source in states(graph):
        if source.is_variable():
            what = STATISTICS.get(op.opid.type, {}).get(i, "state")
            found.setdefault(source.id, _Use(op, i, "state", f"running {what}"))
    for op in graph.ops.values():
        if type(op).modifies is not Op.modifies:
            for i, tensor in op.input.items():
                if tensor.is_variable() and op.modifies(i):
                    found[tensor.id] = _Use(op, i, "written", "variable")
    return found


def _told(
    names: Collection[str], trained: Collection[str], frozen: Collection[str]
) -> dict[str, tuple[Role, str]]:
    """What the caller's arguments say: initializer id to (role, name or pattern that matched)."""
    said = told("initializer", names, {"trained": trained, "frozen": frozen})
    roles = {"trained": Role.TRAINED, "frozen": Role.CONSTANT}
    return {name: (roles[what], pattern) for name, (what, pattern) in said.items()}


_Decision = tuple[Role, str]


def _chosen(
    graph: Graph, tensor: Tensor, told: tuple[Role, str] | None, state: _Use | None
) -> _Decision:
    fixed = "" if state else _fixed(tensor)
    if told is not None:
        role, pattern = told
        why = _refusal(role, fixed, state)
        if not why:
            by = "by its name" if pattern == tensor.id else f"by '{pattern}'"
            return role, f"the caller says so, {by}"
        if pattern == tensor.id:
            verb = "trained" if role is Role.TRAINED else "frozen"
            raise popart_exception(f"The initializer '{tensor.id}' cannot be {verb}: {why}.")
    if fixed:
        return Role.CONSTANT, fixed
    if state:
        is_unbiased = graph.origin.keeps_unbiased_variance and "variance" in state.what
        how = ", which follows the unbiased one as PyTorch's does" if is_unbiased else ""
        return Role.STATE, f"the {state}{how}"
    return _by_facts(graph, tensor)


def _refusal(role: Role, fixed: str, state: _Use | None) -> str:
    """Why a tensor cannot have the role the caller gives it; "" if it can."""
    if role is Role.TRAINED:
        return fixed or (f"it is the {state}, which the operator updates" if state else "")
    return f"the operator writes it, the {state}" if state and state.kind == "written" else ""


def _fixed(tensor: Tensor) -> str:
    """Why a tensor must be a constant (rule 1); "" if it need not."""
    assert tensor.info is not None
    kind = tensor.info.dataType()
    if kind not in TRAINABLE:
        return f"{kind.lcase} elements carry no gradient"
    return "" if tensor.is_variable() else "its value is needed to compile the model"


def _by_facts(graph: Graph, tensor: Tensor) -> _Decision:
    uses = list(dict.fromkeys(_uses(tensor)))
    if not uses:
        return Role.CONSTANT, "no operator that popir knows reads it"
    taken = [_use(op, i, tensor) for op, i in graph.origin.decomposed.get(tensor.id, ())]
    statistics = [use for use in uses if use.kind == "statistics"]
    if len(statistics) == len(uses):
        return Role.CONSTANT, f"the frozen {statistics[0]}"
    if all(use.kind == "detached" for use in uses):
        return Role.CONSTANT, f"it is read behind {uses[0].op.opid.type} alone"
    origin = graph.origin
    if origin.producer == BUILDER:
        return Role.TRAINED, "a Builder initialised it"
    if tensor.id in origin.declared:
        kind = origin.declared[tensor.id]
        role = Role.TRAINED if kind == "PARAMETER" else Role.CONSTANT
        words = kind.lower().replace("_", " ")
        return role, f"the exporter declares it a {words}"
    is_folded = tensor.id in origin.folded
    if is_folded and (source := _one_parameter(graph, tensor)):
        return Role.TRAINED, f"the exporter made it of the parameter '{source}' alone"
    weights = [use for use in (*taken, *uses) if use.kind == "parameter"]
    if weights and is_folded and _is_made(graph, tensor):
        return Role.CONSTANT, f"the exporter made it of no parameter, the {uses[0]}"
    producer = "" if _is_addition(graph, uses) else origin.producer
    named = _by_name(graph, tensor, producer)
    if named is Role.TRAINED:
        is_known = producer != "pytorch" or PARAMETER.fullmatch(tensor.id)
        return Role.TRAINED, _NAMED[producer] if is_known else UNTOLD
    if named is Role.CONSTANT:
        return Role.CONSTANT, "buffers of PyTorch modules usually have this name"
    assert tensor.info is not None
    if weights and tensor.info.rank():
        return Role.TRAINED, f"the {weights[0]}"
    if origin.tells_parameters or producer in _NAMED or GENERATED.fullmatch(tensor.id):
        return Role.CONSTANT, f"a literal of the exporter's, the {uses[0]}{_from(graph, tensor)}"
    for each in (taken, uses):
        if each and all(use.kind == "literal" for use in each):
            return Role.CONSTANT, f"the {each[0]}"
    if not tensor.info.rank():
        return Role.CONSTANT, f"a number of rank 0, the {uses[0]}"
    if _is_mask(tensor):
        return Role.CONSTANT, f"a mask, of zeros and of {MASKED:g} or less, the {uses[0]}"
    return Role.TRAINED, f"the {uses[0]}"


_NAMED = {
    "pytorch": "it is named as the parameters of PyTorch's own modules are",
    "tf2onnx": "it is named as TensorFlow's variables are",
}
"""The producers that keep the names of parameters, with the reason that such a name gives."""


def _is_addition(graph: Graph, uses: Collection[_Use]) -> bool:
    """Whether the readers of an initializer, such as a loss, were added to a PyTorch model after
    the export: none of them has the exporter's kind of name, a path such as "/head/Gemm".
    """
    if graph.origin.producer != "pytorch" or any(use.op.name().startswith("/") for use in uses):
        return False
    return any(op.name().startswith("/") for op in graph.ops.values())


def _by_name(graph: Graph, tensor: Tensor, producer: str) -> Role | None:
    """The role that the tensor's name gives in a file of this producer (rule 6); None if none."""
    name = tensor.id
    if producer == "tf2onnx":
        return Role.TRAINED if TF_VARIABLE.fullmatch(name) else None
    made = graph.origin.tells_parameters or GENERATED.fullmatch(name) or name.isdigit()
    if producer != "pytorch" or made:
        return None
    return Role.CONSTANT if BUFFER.fullmatch(name) or _is_mask(tensor) else Role.TRAINED


def _from(graph: Graph, tensor: Tensor) -> str:
    """ ", computed from 'a', 'b'" for a tensor that the exporter folded from named ones, or ""."""
    sources = graph.origin.folded.get(tensor.id, ())
    named = [name for name in sources if not GENERATED.fullmatch(name)]
    return f", computed from {', '.join(map(repr, named[:3]))}" if named else ""


def _one_parameter(graph: Graph, tensor: Tensor) -> str:
    """The one parameter that a folded tensor was computed from, if its name tells that it is one
    and the exporter names nothing else: it was transposed, reshaped or repeated. "" otherwise.
    """
    named = [name for name in _named_sources(graph, tensor) if not REARRANGED.fullmatch(name)]
    is_one = len(named) == 1 and PARAMETER.fullmatch(named[0])
    is_view = GENERATED.fullmatch(tensor.id) or REARRANGED.fullmatch(tensor.id)
    return named[0] if is_one and is_view else ""


def _is_made(graph: Graph, tensor: Tensor) -> bool:
    """Whether a folded tensor was computed from literals, shapes and buffers alone, such as the
    ones that stand for the scale of a normalisation that has none.
    """
    named = _named_sources(graph, tensor)
    buffers = [name for name in named if BUFFER.fullmatch(name)]
    rest = [name for name in named if name not in buffers and not REARRANGED.fullmatch(name)]
    return not named or bool(buffers and not rest)


def _named_sources(graph: Graph, tensor: Tensor) -> list[str]:
    """What a folded tensor was computed from, without literals and values of the model, whose
    shapes were read: parameters, and what the exporter computed from them.
    """
    known = graph.origin.values
    sources = graph.origin.folded.get(tensor.id, ())
    return [name for name in sources if name not in known and not GENERATED.fullmatch(name)]


def _is_mask(tensor: Tensor) -> bool:
    data = tensor.data
    assert data is not None
    if not data.size or data.ndim < 1:
        return False
    masked = data <= np.asarray(MASKED, np.float32)
    return bool(masked.any() and (masked | (data == 0)).all())


def _uses(tensor: Tensor) -> Iterator[_Use]:
    """The readers of a tensor, directly or through up to `_MOST_VIEWS` views."""
    stack, seen = [tensor], {tensor}
    for _ in range(_MOST_VIEWS):
        if not stack:
            return
        shown = stack.pop()
        for op in shown.uses:
            for i, read in sorted(op.input.items()):
                if read is not shown:
                    continue
                if op.opid.type in VIEWS and (i == 0 or op.opid.type == "Concat"):
                    fresh = [t for t in op.output.values() if t not in seen]
                    seen.update(fresh)
                    stack += fresh
                    if not any(t.uses for t in op.output.values()):
                        yield _Use(op, i, "", f"input {i}")
                elif inside := _passed(op, i):
                    stack += [t for t in inside if t not in seen]
                    seen.update(inside)
                else:
                    yield _use(op, i, shown)


def _passed(op: Op, i: int) -> list[Tensor]:
    """What input `i` is within the graphs that the operator calls; [] for any other operator."""
    return [
        callee.getTensor(id)
        for callee in op.getCalledGraphs()
        for id, index in zip(callee.inputs, op.argumentsOf(callee), strict=True)
        if index == i
    ]


def _use(op: Op, i: int, tensor: Tensor) -> _Use:
    type = op.opid.type
    if (known := _KNOWN.get(type)) is not None and i in known:
        return _Use(op, i, *known[i])
    assert tensor.info is not None
    if type in TABLES and i == 0 and tensor.info.rank() >= 2:
        return _Use(op, i, "parameter", "table")
    if getattr(op, "stopsGradient", False):
        return _Use(op, i, "detached", f"input {i}")
    if _is_bias(op, i, tensor):
        return _Use(op, i, "parameter", "bias")
    return _Use(op, i, "", f"input {i}")


def _is_bias(op: Op, i: int, tensor: Tensor) -> bool:
    """Whether the input is a bias: one number per channel, added to a product with a weight."""
    if op.opid.type not in ("Add", "Sum") or tensor.info is None or not tensor.info.rank():
        return False
    for k, other in op.input.items():
        product = _behind_views(other).producer
        if k == i or product is None or product.opid.type not in CONTRACTIONS:
            continue
        weights = (_behind_views(t) for t in product.input.values())
        axis = 1 if product.opid.type.startswith("Conv") else -1
        channels = product.outShape(0)[axis] if product.outShape(0) else 1
        if any(w.is_variable() for w in weights) and tensor.info.nelms() == channels:
            return True
    return False


def _behind_views(tensor: Tensor) -> Tensor:
    for _ in range(_MOST_VIEWS):
        op = tensor.producer
        if op is None or op.opid.type not in VIEWS or not op.hasInput(0):
            break
        tensor = op.inTensor(0)
    return tensor
