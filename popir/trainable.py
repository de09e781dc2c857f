"""Which initializers of a model are trained, which are state, which are constants: `choose`.

ONNX does not say it. This is the one place that decides; each decision has a reason in words. In
this order:

1. What is no floating-point number, or must be known to compile the model, is a constant.
2. What the caller names is trained or frozen.
3. What an operator of the model writes, such as running statistics, is state; frozen statistics are
   constants.
4. What a Builder initialised is trained, as in PopART.
5. What the exporter declares a parameter is trained; what it declares a buffer is a constant.
6. A name such as parameters of PyTorch or variables of TensorFlow have is trained, unless it is one
   that buffers usually have. PyTorch's tracing exporter names buffers likewise: where the name is
   none of torch.nn's own parameters, the reason says that the file leaves it open.
7. What an operator takes for a weight (of Conv, MatMul, LSTM, ...) or what is added to a product
   with one is trained, whatever its name is.
8. A name that an exporter makes up is that of a literal: a constant.
9. Of what is left, exponents, bounds, numbers of rank 0 and masks are constants. All else is
   trained.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ir.origin import BUILDER
from popir.naming import told
from popir.reserved import RANDOM_SEED, weightOfState
from popir.types import DataType, TensorInfo


class Role(enum.Enum):
    """What a training session does with an initializer."""

    TRAINED = "trained"
    """The optimizer updates it."""
    STATE = "state"
    """An operator of the model updates it, in each batch."""
    CONSTANT = "constant"
    """It stays as it is."""


@dataclass(frozen=True)
class Choice:
    """What is done with one initializer, and why."""

    role: Role
    reason: str
    info: TensorInfo
    """The initializer's type and shape."""

    @property
    def isUntold(self) -> bool:
        """Whether it is trained although the file leaves open whether it is a parameter."""
        return self.reason == UNTOLD


def _table(*rows: tuple[str, dict[int, str]]) -> dict[str, dict[int, str]]:
    """From rows of operators, and what some of their inputs are called."""
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
"""By operator, the inputs that are there to be learned."""

TABLES = {"Gather", "GroupedGather"}
"""The operators whose input 0, of two dimensions or more, is a table of embeddings."""

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
    ("QuantizeLinear DequantizeLinear", {1: "scale"}),
    ("Resize Upsample", {1: "scales", 2: "scales"}),
    ("Range", {0: "start", 1: "limit", 2: "step"}),
    ("Shape Size", {0: "operand"}),
)
"""By operator, the inputs that say how it works."""

STATISTICS = _table(("BatchNormalization", {3: "mean", 4: "variance"}))
"""By operator, the inputs that are statistics of data."""

VIEWS = {
    *("Identity", "Nop", "Cast", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"),
    *("Expand", "Tile", "Concat", "Slice", "Split"),
}
"""Operators whose result serves for what their input does."""

CONTRACTIONS = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum"}

GENERATED = re.compile(
    r"onnx::\w+_\d+"  # PyTorch, tracing: the first reader and a number
    r"|_?val_\d+|scalar_tensor_default(_\d+)?|_tensor_constant\d+|(c_)?lifted_tensor_\d+"  # default
    r"|(.*/)?Constant(_\d+)?(_output_\d+)?(:\d+)?"
    r"|(.*/)?const_fold_opt__\d+(:\d+)?|(.*/)?Const(_\d+)?(:\d+)?"  # tf2onnx
)
"""Names that exporters make up for literals and for what they have computed."""

TF_VARIABLE = re.compile(
    r".*(ReadVariableOp|/Read|/read)(_\d+)?(/\w+)?(:\d+)?"
    r"|(.*/)?(kernel|bias|gamma|beta|embeddings|(recurrent|depthwise|pointwise)_kernel|alpha)"
    r"(_\d+)?(:\d+)?"
)
"""Names of what was a variable in TensorFlow; all else was a literal there."""

BUFFER = re.compile(
    r"(.*[._])?(running_(mean|var)|num_batches_tracked|inv_freq|masked_bias|mask|pe"
    r"|(cos|sin)(_cached|_table)?|freqs_(cis|cos|sin)|(norm|pixel|image|input)_(mean|std)"
    r"|mean|std|anchors|window)"
)
"""Names that buffers of PyTorch's modules usually have; the traced file has names alone."""

PARAMETER = re.compile(
    r"(.*\.)?(weight|bias|(weight|bias)_(ih|hh|hr)(_l\d+)?(_reverse)?|(in|[qkv])_proj_(weight|bias)"
    r"|bias_[kv]|weight_[gv])|.*\.parametrizations\..*"
)
"""Names that modules of torch.nn give to their parameters."""

UNTOLD = (
    "it has a name as PyTorch's parameters and buffers have; the tracing exporter does not tell "
    "them apart: freeze it if it is a buffer"
)
"""Why what may be a buffer is trained. The traced file has names, values and uses alone, and the
order of the state_dict, a module's parameters before its buffers, which has no mark between them;
nothing is left of requires_grad.
"""

_MOST_VIEWS = 256
"""Views behind views that are followed: many more are no model's that is to be trained."""

MASKED = -1e4
"""Numbers from here down stand for minus infinity in masks of attention."""


@dataclass(frozen=True)
class _Use:
    """An operator that reads an initializer, as it is or through views."""

    op: Op
    index: int
    kind: str
    """What the input is there for: "parameter", "literal", "statistics", "detached", "state",
    "written", or "" if the operator does not say.
    """
    what: str

    def __str__(self) -> str:
        name = self.op.name() or next((t.id for t in self.op.output.values()), "")
        return f"{self.what} of {self.op.opid.type} '{name}'"


def choose(
    graph: Graph, trained: Collection[str] = (), frozen: Collection[str] = ()
) -> dict[str, Choice]:
    """What a training session does with each initializer of an imported graph, in the file's order,
    but for what a saved model has of the training: the optimizer's state, and the random seed.

    Args:
        trained, frozen: names, or patterns with *, ? and [...], of what to train and what to leave
        as it is, whatever the rule says. An exact name goes before a pattern, and of two patterns
        the one with more characters that are no wildcards.

    Raises popart_exception for a name or pattern that fits no initializer, for two that contradict
    each other, and for something to be trained that cannot be.
    """
    names = graph.origin.initializers or [t.id for t in graph.tensors.values() if t.isVariable()]
    saved = {name for name in names if weightOfState(name) in graph.tensors}
    names = [name for name in names if name not in saved | {RANDOM_SEED}]
    said = _told(names, trained, frozen)
    states = _stateOf(graph)
    found: dict[str, Choice] = {}
    for name in dict.fromkeys(names):
        tensor = graph.tensors.get(name)
        if tensor is not None and tensor.info is not None and tensor.data is not None:
            role, reason = _chosen(graph, tensor, said.get(name), states.get(name))
            found[name] = Choice(role, reason, tensor.info)
    return found


def _stateOf(graph: Graph) -> dict[str, _Use]:
    """The variables that operators of the graph keep a state in, or write."""
    found: dict[str, _Use] = {}
    for op in graph.ops.values():
        for i in op.stateUpdates():
            variable = stateSource(op.inTensor(i)) if op.hasInput(i) else None
            if variable is not None:
                what = STATISTICS.get(op.opid.type, {}).get(i, "state")
                found.setdefault(variable.id, _Use(op, i, "state", f"running {what}"))
        if type(op).modifies is not Op.modifies:
            for i, tensor in op.input.items():
                if tensor.isVariable() and op.modifies(i):
                    found[tensor.id] = _Use(op, i, "written", "variable")
    return found


def stateSource(tensor: Tensor) -> Tensor | None:
    """The variable that a state begins as: behind copies of it, and behind what earlier operators
    have made of it. None if there is none.
    """
    while (op := tensor.producer) is not None:
        if op.opid.type in ("Identity", "Nop", "Detach"):
            tensor = op.inTensor(0)
            continue
        before = [i for i, out in op.stateUpdates().items() if op.output.get(out) is tensor]
        if not before:
            return None
        tensor = op.inTensor(before[0])
    return tensor if tensor.isVariable() else None


def _told(
    names: Collection[str], trained: Collection[str], frozen: Collection[str]
) -> dict[str, tuple[Role, str]]:
    """By initializer, what the caller said, and the words."""
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
        isUnbiased = graph.origin.keepsUnbiasedVariance and "variance" in state.what
        how = ", which follows the unbiased one as PyTorch's does" if isUnbiased else ""
        return Role.STATE, f"the {state}{how}"
    return _byFacts(graph, tensor)


def _refusal(role: Role, fixed: str, state: _Use | None) -> str:
    """Why a tensor cannot be trained, or be frozen; "" if it can."""
    if role is Role.TRAINED:
        return fixed or (f"it is the {state}, which the operator updates" if state else "")
    return f"the operator writes it, the {state}" if state and state.kind == "written" else ""


def _fixed(tensor: Tensor) -> str:
    """Why a tensor cannot be trained; "" if it can."""
    assert tensor.info is not None
    kind = tensor.info.dataType()
    if kind not in {DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE}:
        return f"{kind.lcase} elements carry no gradient"
    return "" if tensor.isVariable() else "its value is needed to compile the model"


def _byFacts(graph: Graph, tensor: Tensor) -> _Decision:
    uses = list(dict.fromkeys(_uses(tensor)))
    if not uses:
        return Role.CONSTANT, "no operator that popir knows reads it"
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
    weights = [use for use in uses if use.kind == "parameter"]
    producer = "" if _isAddition(graph, uses) else origin.producer
    named = _byName(graph, tensor, producer)
    if named is Role.TRAINED:
        isKnown = producer != "pytorch" or PARAMETER.fullmatch(tensor.id)
        return Role.TRAINED, _NAMED[producer] if isKnown else UNTOLD
    if named is Role.CONSTANT:
        return Role.CONSTANT, "buffers of PyTorch modules usually have this name"
    assert tensor.info is not None
    if weights and tensor.info.rank():
        return Role.TRAINED, f"the {weights[0]}"
    if origin.tellsParameters or producer in _NAMED or GENERATED.fullmatch(tensor.id):
        return Role.CONSTANT, f"a literal of the exporter's, the {uses[0]}{_from(graph, tensor)}"
    if all(use.kind == "literal" for use in uses):
        return Role.CONSTANT, f"the {uses[0]}"
    if not tensor.info.rank():
        return Role.CONSTANT, f"a number of rank 0, the {uses[0]}"
    if _isMask(tensor):
        return Role.CONSTANT, f"a mask, of zeros and of {MASKED:g} or less, the {uses[0]}"
    return Role.TRAINED, f"the {uses[0]}"


_NAMED = {
    "pytorch": "it is named as the parameters of PyTorch's own modules are",
    "tf2onnx": "it is named as TensorFlow's variables are",
}
"""The producers that keep the names of what is trained, with what such a name says."""


def _isAddition(graph: Graph, uses: Collection[_Use]) -> bool:
    """Whether somebody has added what reads an initializer, such as a loss, to a traced PyTorch
    model: the exporter's own nodes are named by paths, "/head/Gemm".
    """
    if graph.origin.producer != "pytorch" or any(use.op.name().startswith("/") for use in uses):
        return False
    return any(op.name().startswith("/") for op in graph.ops.values())


def _byName(graph: Graph, tensor: Tensor, producer: str) -> Role | None:
    """What the name says in a file of this producer; None if nothing."""
    name = tensor.id
    if producer == "tf2onnx":
        return Role.TRAINED if TF_VARIABLE.fullmatch(name) else None
    made = graph.origin.tellsParameters or GENERATED.fullmatch(name) or name.isdigit()
    if producer != "pytorch" or made:
        return None
    return Role.CONSTANT if BUFFER.fullmatch(name) or _isMask(tensor) else Role.TRAINED


def _from(graph: Graph, tensor: Tensor) -> str:
    """What the exporter has computed a tensor from, if that had a name of its own."""
    sources = graph.origin.folded.get(tensor.id, ())
    named = [name for name in sources if not GENERATED.fullmatch(name)]
    return f", computed from {', '.join(map(repr, named[:3]))}" if named else ""


def _isMask(tensor: Tensor) -> bool:
    data = tensor.data
    assert data is not None
    if not data.size or data.ndim < 1:
        return False
    masked = data <= np.asarray(MASKED, np.float32)
    return bool(masked.any() and (masked | (data == 0)).all())


def _uses(tensor: Tensor) -> Iterator[_Use]:
    """Those that read a tensor, or what views make of it: the first `_MOST_VIEWS` of these."""
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
                else:
                    yield _use(op, i, shown)


def _use(op: Op, i: int, tensor: Tensor) -> _Use:
    type = op.opid.type
    for kind, table in (
        ("parameter", PARAMETERS),
        ("literal", LITERALS),
        ("statistics", STATISTICS),
    ):
        if i in table.get(type, {}):
            return _Use(op, i, kind, table[type][i])
    assert tensor.info is not None
    if type in TABLES and i == 0 and tensor.info.rank() >= 2:
        return _Use(op, i, "parameter", "table")
    if getattr(op, "stopsGradient", False):
        return _Use(op, i, "detached", f"input {i}")
    if _isBias(op, i, tensor):
        return _Use(op, i, "parameter", "bias")
    return _Use(op, i, "", f"input {i}")


def _isBias(op: Op, i: int, tensor: Tensor) -> bool:
    """Whether it is a number for each channel, added to the product with a weight."""
    if op.opid.type not in ("Add", "Sum") or tensor.info is None or not tensor.info.rank():
        return False
    for k, other in op.input.items():
        product = _behindViews(other).producer
        if k == i or product is None or product.opid.type not in CONTRACTIONS:
            continue
        weights = (_behindViews(t) for t in product.input.values())
        axis = 1 if product.opid.type.startswith("Conv") else -1
        channels = product.outShape(0)[axis] if product.outShape(0) else 1
        if any(w.isVariable() for w in weights) and tensor.info.nelms() == channels:
            return True
    return False


def _behindViews(tensor: Tensor) -> Tensor:
    for _ in range(_MOST_VIEWS):
        op = tensor.producer
        if op is None or op.opid.type not in VIEWS or not op.hasInput(0):
            break
        tensor = op.inTensor(0)
    return tensor
