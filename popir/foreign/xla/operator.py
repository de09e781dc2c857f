"""The operator org.openxla.CustomCall, its gradient and its lowering."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from popir import poplar, registry
from popir._device import xla as device
from popir.definitions import Formal, OpDefinition
from popir.errors import GradientError, OperatorAttributeError, OperatorInputError
from popir.foreign.xla import attributes, libraries, shapes, targets
from popir.foreign.xla.shapes import Array, Shape, Tuple
from popir.ir import GradInOutMapper, GradOp, GradOpInType, Op, OperatorIdentifier
from popir.opx import Opx, popType
from popir.registry import PYTHON, OpCreator, OpCreatorInfo, OpEntry, OpxCreator
from popir.typed import typed
from popir.types import DataType, TensorInfo

DOMAIN = "org.openxla"
CUSTOM_CALL = OperatorIdentifier(DOMAIN, "CustomCall", 1)
CUSTOM_CALL_GRAD = OperatorIdentifier(DOMAIN, "CustomCallGrad", 1)
_FLOATS = (DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE)
VERSIONS = (1, 2, 3, 4)


@typed
@dataclass(frozen=True)
class CustomCallGradient:
    """The gradient of a custom call: another custom call.

    Example, for a normalization that saves a residual as its result 1, for the gradient of operand
    0: `CustomCallGradient("rms_norm_bwd", ["result 1", "operand 0", "gradient 0"], [0])`.
    """

    target: str
    """The target that computes the gradients."""
    operands: Sequence[str] | None = None
    """What it gets: "operand i" and "result i" are the leaves of the operands and of the result of
    the custom call, "gradient i" is the gradient of its result i. By default all of them, in this
    order, without results and gradients of types that have none.
    """
    inputs: Sequence[int] | None = None
    """The operands whose gradients it returns, in that order; by default all of floating point. One
    is returned as an array, several as a tuple. Each has type and shape of its operand.
    """
    opaque: str | bytes | None = None
    """The opaque bytes; None for those of the custom call."""
    attributes: Mapping[str, Any] | None = None
    """The attributes; None for those of the custom call."""
    api_version: int | None = None
    """The API version; None for that of the custom call."""
    library: str = ""
    """The library with the target; "" for the one that registers it, or that of the custom call."""
    gradient: CustomCallGradient | None = None
    """The gradient of the gradient, whose operands are those of this call."""


_KINDS = {
    "operand": GradOpInType.In,
    "result": GradOpInType.Out,
    "gradient": GradOpInType.GradOut,
}


def gradient_text(who: str, gradient: CustomCallGradient | None) -> str:
    """The gradient as the operator's attribute; "" for None.

    Raises OperatorAttributeError, naming `who`, for members of wrong types.
    """
    if gradient is None:
        return ""
    tree = asdict(gradient)
    for name in list(tree):
        if tree[name] is None or name == "gradient":
            del tree[name]
    who = f"{who}: its gradient"
    if gradient.opaque is not None:
        tree["opaque"] = bytes_of(gradient.opaque).hex()
    if gradient.attributes is not None:
        tree["attributes"] = attributes.encoded(who, gradient.attributes)
    if gradient.operands is not None:
        tree["operands"] = [*gradient.operands]
        for text in tree["operands"]:
            _operand(who, text)
    if gradient.library:
        tree["library"] = libraries.allow(who, gradient.library)
    if gradient.inputs is not None:
        tree["inputs"] = [int(i) for i in gradient.inputs]
    if gradient.gradient is not None:
        tree["gradient"] = gradient_text(who, gradient.gradient)
    return json.dumps(tree, sort_keys=True)


def _operand(who: str, text: Any) -> tuple[GradOpInType, int]:
    words = text.split() if isinstance(text, str) else []
    if len(words) != 2 or words[0] not in _KINDS or not words[1].isdecimal():
        raise OperatorAttributeError(
            f"{who}: {text!r} is no operand of a gradient; expected is 'operand', 'result' or "
            "'gradient' and a number, such as 'operand 0'."
        )
    return _KINDS[words[0]], int(words[1])


def bytes_of(opaque: str | bytes) -> bytes:
    """The opaque bytes: text is UTF-8."""
    return opaque if isinstance(opaque, bytes) else opaque.encode(errors="surrogateescape")


class CustomCallOp(Op):
    """A call of a function that XLA knows by name.

    Its inputs are the leaves of the operands: what remains of tuples when they are walked in
    pre-order. Its outputs are those of the result.
    """

    gradient_remedy = "Give custom_call the argument gradient="
    target: str
    platform: str = "Host"
    api_version: int = 1
    opaque: str | bytes = ""
    operands: str = ""
    result: str
    attributes_: str = ""
    output_operand_aliasing: list[int] = []
    library: str = ""
    has_side_effect: bool = False
    time_limit: float = 0.0
    gradient: str = ""

    def setup(self) -> None:
        """Checks everything but the target, which is looked up when the operator is lowered."""
        who = self.who()
        check_target(who, self.target)
        self.platform = targets.platform_of(who, self.platform)
        if self.api_version not in VERSIONS:
            raise OperatorAttributeError(
                f"{who}: the API version is {self.api_version}; known are 1 (original), 2 (with a "
                "status), 3 (with a status and opaque bytes on every platform) and 4 (typed)."
            )
        if self.api_version == 4 and self.opaque:
            raise OperatorAttributeError(
                f"{who}: a call with API version 4 has attributes, not opaque bytes."
            )
        if self.api_version != 4 and self.attributes_:
            raise OperatorAttributeError(
                f"{who}: a call with API version {self.api_version} has opaque bytes, not "
                "attributes, which come with version 4."
            )
        if self.opaque and self.platform == "Host" and self.api_version in (1, 2):
            raise OperatorAttributeError(
                f"{who}: on the platform Host a function of API version {self.api_version} gets no "
                "opaque bytes; with version 3 it does."
            )
        attributes.decoded(who, self.attributes_)
        if not 0 <= self.time_limit < 1e9:
            raise OperatorAttributeError(
                f"{who}: its time limit is {self.time_limit}; expected are seconds, 0 for no limit."
            )
        for i in self.input:
            if not shapes.is_computed(self.inInfo(i).dataType()):
                raise OperatorInputError(
                    f"{who}: operand {i} is {self.inInfo(i)}, whose element type is not known here."
                )
        self.operand_shapes()
        results = self.result_leaves()
        for i, leaf in enumerate(results):
            if not shapes.is_computed(leaf.info().dataType()):
                raise OperatorAttributeError(
                    f"{who}: result {i} is {leaf}; complex numbers are not known here."
                )
        for i, leaf in enumerate(results):
            self.setOutInfo(i, leaf.info())
        self._check_aliases(who)
        if self.gradient:
            _Gradient(self)

    def who(self) -> str:
        """The name in messages."""
        name = f" '{self.name()}'" if self.name() else ""
        return f"The custom call to '{self.target}'{name}"

    def result_shape(self) -> Shape:
        """The shape of the result."""
        return shapes.parsed(self.who(), self.result)

    def result_leaves(self) -> list[Array]:
        """The leaves of the result. Raises OperatorAttributeError if there is none."""
        found = [*shapes.leaves(self.result_shape())]
        if not found or any(leaf.kind == shapes.ANY for leaf in found):
            raise OperatorAttributeError(
                f"{self.who()}: its result {self.result!r} must have at least one array, with an "
                "element type and dimensions."
            )
        return found

    def operand_shapes(self) -> list[Shape]:
        """The shapes of the operands, with the types and dimensions of the inputs.

        Raises OperatorInputError if the inputs are too many or too few.
        """
        count = len(self.input)
        given = shapes.parsed(self.who(), self.operands) if self.operands else None
        if given is None:
            given = Tuple((Array(shapes.ANY),) * count)
        if not isinstance(given, Tuple):
            raise OperatorAttributeError(
                f"{self.who()}: its attribute 'operands' is {self.operands!r}; expected is a tuple "
                "such as '(_, (_, _))', with an item for each operand."
            )
        leaves = [*shapes.leaves(given)]
        if len(leaves) != count or sorted(self.input) != [*range(count)]:
            raise OperatorInputError(
                f"{self.who()}: its operands {given} have {len(leaves)} arrays; connected are "
                f"{count} inputs."
            )
        infos = [self.inInfo(i) for i in range(count)]
        for i, (leaf, info) in enumerate(zip(leaves, infos, strict=True)):
            if leaf.kind not in (shapes.ANY, shapes.TOKEN) and leaf.info() != info:
                raise OperatorInputError(
                    f"{self.who()}: operand {i} is {info}; expected is {leaf}."
                )
            if leaf.kind == shapes.TOKEN and info != leaf.info():
                raise OperatorInputError(f"{self.who()}: operand {i} is {info}, which is no token.")
            if leaf.layout is not None and len(leaf.layout) != info.rank():
                raise OperatorInputError(
                    f"{self.who()}: the layout of operand {i} has {len(leaf.layout)} dimensions; "
                    f"the tensor is {info}."
                )
        filled = shapes.filled(given, iter(infos))
        assert isinstance(filled, Tuple)
        return [*filled.elements]

    def aliases_of(self) -> list[tuple[int, int]]:
        """Pairs of a leaf of the result and the leaf of the operands whose memory it has."""
        flat = self.output_operand_aliasing
        return [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]

    def _check_aliases(self, who: str) -> None:
        if len(self.output_operand_aliasing) % 2:
            raise OperatorAttributeError(
                f"{who}: output_operand_aliasing has {len(self.output_operand_aliasing)} numbers; "
                "expected are pairs of a result and an operand."
            )
        leaves, operands = self.result_leaves(), self.flat_operands()
        seen: set[int] = set()
        for out, into in self.aliases_of():
            if not (0 <= out < len(leaves) and 0 <= into < len(operands)):
                raise OperatorAttributeError(
                    f"{who}: output_operand_aliasing names result {out} and operand {into}; there "
                    f"are {len(leaves)} results and {len(operands)} operands."
                )
            if leaves[out].info() != operands[into].info():
                raise OperatorAttributeError(
                    f"{who}: result {out} and operand {into} cannot share memory: they are "
                    f"{leaves[out]} and {operands[into]}."
                )
            if out in seen or into + len(leaves) in seen:
                raise OperatorAttributeError(
                    f"{who}: output_operand_aliasing names result {out} or operand {into} twice."
                )
            seen |= {out, into + len(leaves)}

    def flat_operands(self) -> list[Array]:
        """The leaves of the operands."""
        return [leaf for each in self.operand_shapes() for leaf in shapes.leaves(each)]

    def hasSideEffect(self) -> bool:
        return self.has_side_effect

    def whyNotKept(self) -> str:
        """It calls a function at an address of this process."""
        return f"{self.who()} calls a function of this process in each run"

    def getGradOps(self) -> list[Op]:
        """The gradient, if the call names one."""
        return [CustomCallGradOp(self)] if self.gradient else []

    def call(self) -> Any:
        """The call for the device's library. Raises UnknownOperatorError for an unknown target."""
        who = self.who()
        found = targets.find(who, self.target, self.platform, self.library, self.api_version)
        return device.Call(
            found,
            self.api_version,
            bytes_of(self.opaque),
            [each.device() for each in self.operand_shapes()],
            self.result_shape().device(),
            self.aliases_of(),
            attributes.decoded(who, self.attributes_),
        )


def check_target(who: str, target: str) -> None:
    """Raises OperatorAttributeError for a name that no target can have."""
    if not target or target.startswith("$"):
        raise OperatorAttributeError(
            f"{who}: targets whose names begin with '$' are reserved for internal use."
            if target
            else f"{who}: its target has no name."
        )


def _parsed(who: str, text: str) -> dict[str, Any]:
    """The members of a gradient. Raises OperatorAttributeError if `gradient_text` writes no such
    text.
    """
    lists = {"operands": str, "inputs": int}
    others = {"target": str, "opaque": str, "attributes": str, "library": str, "gradient": str}
    try:
        tree = dict(json.loads(text))
        right = isinstance(tree["target"], str)
        for key, value in tree.items():
            if key in lists:
                right &= isinstance(value, list) and all(type(v) is lists[key] for v in value)
            elif key == "api_version":
                right &= type(value) is int
            else:
                right &= key in others and isinstance(value, others[key])
        bytes.fromhex(tree.get("opaque", ""))
    except (ValueError, TypeError, KeyError, RecursionError):
        tree, right = {}, False
    if right:
        return tree
    raise OperatorAttributeError(
        f"{who} is {text!r}; expected is what popir.custom_ops.custom_call writes."
    )


class _Gradient:
    """The gradient that a custom call names, for the tensors that it has."""

    def __init__(self, op: CustomCallOp) -> None:
        """Raises OperatorAttributeError if it does not fit the custom call."""
        who = f"{op.who()}: its gradient"
        self.tree = _parsed(who, op.gradient)
        self.target = str(self.tree["target"])
        check_target(who, self.target)
        operands, results = op.flat_operands(), op.result_leaves()
        floats = [i for i, each in enumerate(operands) if _is_float(each)]
        given: Any = self.tree.get("inputs")
        self.inputs: list[int] = floats if given is None else [*given]
        for i in self.inputs:
            if i not in floats or self.inputs.count(i) > 1:
                raise OperatorAttributeError(
                    f"{who} is for operand {i}; expected are different operands of floating point, "
                    f"which are {floats}."
                )
        self.operands = [*self._operands(who, operands, results)]

    def _operands(
        self, who: str, operands: Sequence[Array], results: Sequence[Array]
    ) -> Iterator[tuple[GradOpInType, int]]:
        counts = {GradOpInType.In: len(operands)}
        texts = self.tree.get("operands")
        if texts is None:
            for i, each in enumerate(operands):
                if each.kind != shapes.TOKEN:
                    yield GradOpInType.In, i
            for kind in (GradOpInType.Out, GradOpInType.GradOut):
                for i, each in enumerate(results):
                    if _is_float(each):
                        yield kind, i
            return
        for text in texts:
            kind, i = _operand(who, text)
            if i >= counts.get(kind, len(results)):
                raise OperatorAttributeError(
                    f"{who} gets '{text}'; there are {len(operands)} operands and {len(results)} "
                    "results."
                )
            if kind is GradOpInType.GradOut and not _is_float(results[i]):
                raise OperatorAttributeError(
                    f"{who} gets '{text}'; result {i} is {results[i]}, which has no gradient."
                )
            yield kind, i

    def attributes(self, op: CustomCallOp) -> dict[str, Any]:
        """The attributes of the gradient's custom call."""
        tree = self.tree
        wanted = [op.inInfo(i) for i in self.inputs]
        arrays = [Array(shapes.name(info.dataType()), tuple(info.shape())) for info in wanted]
        opaque = bytes.fromhex(tree["opaque"]) if "opaque" in tree else bytes_of(op.opaque)
        version = tree.get("api_version", op.api_version)
        inherits = (version == 4) == (op.api_version == 4)
        return {
            "target": self.target,
            "platform": op.platform,
            "api_version": version,
            "opaque": opaque if "opaque" in tree or inherits else b"",
            "result": str(arrays[0] if len(arrays) == 1 else Tuple(tuple(arrays))),
            "attributes": tree.get("attributes", op.attributes_ if inherits else ""),
            "library": tree.get("library") or op.library,
            "time_limit": op.time_limit,
            "gradient": tree.get("gradient", ""),
        }


def _is_float(array: Array) -> bool:
    return array.kind != shapes.TOKEN and array.info().dataType() in _FLOATS


class CustomCallGradOp(CustomCallOp, GradOp):
    """The gradient of a custom call: a call of the target that the gradient names."""

    opid = CUSTOM_CALL_GRAD

    def __init__(self, fwdOp: CustomCallOp) -> None:
        found = _Gradient(fwdOp)
        if not found.inputs:
            raise GradientError(f"{fwdOp.who()}: its gradient is for no operand.")
        self._operands = found.operands
        self._wanted = found.inputs
        Op.__init__(self, CUSTOM_CALL_GRAD, fwdOp.settings, found.attributes(fwdOp))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return [GradInOutMapper(at, i, kind) for at, (kind, i) in enumerate(self._operands)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return dict(enumerate(self._wanted))


class CustomCallOpx(Opx):
    """Adds the step that makes the call."""

    lowersLibraries = True

    def grow(self, prog: poplar.program.Sequence) -> None:
        op = self.getOp(CustomCallOp)
        who = op.who()
        inputs = [
            _in_order(self.getInTensor(i), leaf.order())
            for i, leaf in enumerate(op.flat_operands())
        ]
        outputs: list[poplar.Tensor] = []
        for i, leaf in enumerate(op.result_leaves()):
            order, info = leaf.order(), leaf.info()
            made = self._variable(info, order, f"result{i}")
            outputs.append(made)
            if op.hasOutput(i):
                self.setOutTensor(i, made if order is None else made.dimShuffle(_inverse(order)))
        device.addCall(
            self.graph(),
            prog,
            who,
            op.call(),
            inputs,
            outputs,
            self.debugContext(),
            hasEffects=op.has_side_effect,
            limit=max(1, round(op.time_limit * 1000)) if op.time_limit else 0,
        )

    def _variable(self, info: TensorInfo, order: list[int] | None, name: str) -> poplar.Tensor:
        dims = info.shape() if order is None else [info.shape()[d] for d in order]
        linear = poplar.VariableMappingMethod.LINEAR
        return self.graph().addVariable(popType(info), dims, linear, self.debugContext(name))


def _in_order(tensor: poplar.Tensor, order: list[int] | None) -> poplar.Tensor:
    return tensor if order is None else tensor.dimShuffle(order)


def _inverse(order: Sequence[int]) -> list[int]:
    return [order.index(d) for d in range(len(order))]


_TARGET_DEFINITION = OpDefinition(
    [Formal("operands", optional=True, variadic=True, least=0)],
    [Formal("results", variadic=True)],
    {
        name: "*"
        for name in CustomCallOp.declaredAttributes()
        if name not in ("target", "platform", "library")
    },
)
OpCreator(CustomCallOp, CUSTOM_CALL)
OpxCreator(CustomCallOpx, [CUSTOM_CALL, CUSTOM_CALL_GRAD])

TARGET_DOMAINS = {platform: f"{DOMAIN}.{platform}" for platform in targets.PLATFORMS}
"""By platform: the domain of the targets as operators."""

_seen = 0
"""The generation of the targets that are registered as operators."""
_known: dict[tuple[str, str], tuple[int, str]] = {}
"""By platform and name of each of these: its address and its library."""


def sync(again: bool = False) -> None:
    """Registers each target as an operator too, such as org.openxla.Host.do_custom_call, so that
    lists have it with its library. A node of it is a custom call without the attribute `target`.

    Only targets that are new since the last call, unless `again`.
    """
    global _seen
    generation = device.generation()
    if generation == _seen and not again:
        return
    _seen = generation
    if again:
        _known.clear()
    for target in device.targets():
        now = (target.address, target.source)
        if _known.get((target.platform, target.name)) == now:
            continue
        _known[target.platform, target.name] = now
        opid = OperatorIdentifier(TARGET_DOMAINS[target.platform], target.name, 1)
        source = target.source or PYTHON
        registry.register_op(
            OpEntry(opid, CustomCallOp, _TARGET_DEFINITION, _factory(target), True, source),
            override=True,
        )
    targets.sync()


def _factory(target: Any) -> Callable[[OpCreatorInfo], Op]:
    given = {"target": target.name, "platform": target.platform, "library": target.library}
    version = {"api_version": 4} if target.typed else {}

    def make(info: OpCreatorInfo) -> Op:
        return CustomCallOp(CUSTOM_CALL, info.settings, {**version, **info.attributes, **given})

    return make


registry.sync.append(sync)
