"""Operators of Habana's TensorFlow API: those that a library registers by REGISTER_OP, with kernels
for the accelerator (ForHpuWithName).

The operator NAME is `ai.habana.NAME:1` in a model. Its functor defines the kernel when a program is
compiled for concrete shapes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, SupportsIndex, SupportsInt

import numpy as np

from popir import registry
from popir._device import habana as device
from popir.adding import require_known
from popir.errors import (
    DuplicateOperatorError,
    LibraryLoadError,
    OperatorAttributeError,
    OperatorInputError,
    UnknownOperatorError,
    did_you_mean,
    popart_exception,
    require_path,
)
from popir.foreign.habana.gradients import INPUTS, OUTPUTS, GradientRule, RuleGradOp
from popir.foreign.habana.kernel_op import DOMAIN
from popir.foreign.habana.nodes import Node, NodesOpx, check_limit, short
from popir.foreign.habana.specs import Signature, Value, snake
from popir.foreign.habana.types import (
    NAMES,
    OF_TENSORFLOW,
    TENSORFLOW,
    tensorflow_spec,
    type_named,
)
from popir.foreign.refusals import library_file
from popir.foreign.trial import tried
from popir.ir import AttributeKind, AttributeSpec, Op, OperatorIdentifier
from popir.registry import OpEntry, OpxEntry
from popir.typed import typed
from popir.types import TensorInfo

NODE_ATTRIBUTES = tuple(
    AttributeSpec(name, AttributeKind[kind], default=default, doc=doc)
    for name, kind, default, doc in (
        ("gradient", "STRING", "", "the operator that computes the gradient"),
        ("gradient_inputs", "STRINGS", list(INPUTS), "what that reads"),
        ("gradient_outputs", "INTS", list(OUTPUTS), "the inputs that its outputs are for"),
        ("library", "STRING", "", "the library of the operator, which must be loaded"),
        ("time_limit_ms", "INT", 0, "the longest time of a call; 0 for any"),
        ("several_kernels", "INT", 0, "1 if the functor may define several kernels"),
    )
)
"""Attributes that every operator of a library has besides those it registers."""
_OWN = tuple(each.name for each in NODE_ATTRIBUTES)


@dataclass(frozen=True)
class Registration:
    """An operator of a library: what it registers, and its kernels for the accelerator."""

    record: device.OperatorRecord
    signature: Signature
    kernels: tuple[device.KernelRecord, ...]

    def usual_host_memory(self) -> frozenset[int]:
        """The inputs that have their values on the host for any of the kernels, where no list
        before them moves their place.
        """
        names = {name for kernel in self.kernels for name in kernel.hostMemory}
        return frozenset(i for i, name in enumerate(self.signature.fixed()) if name in names)

    def host_memory(self, who: str, attributes: Mapping[str, tuple[str, Value]]) -> frozenset[int]:
        """The numbers of the inputs whose values are on the host, for the kernel of these types.
        Raises the error of `kernel`.
        """
        places = self.signature.places(self.signature.inputs, attributes)
        chosen = [places[name] for name in self.kernel(who, attributes).hostMemory]
        return frozenset(i for first, n in chosen for i in range(first, first + n))

    def kernel(self, who: str, attributes: Mapping[str, tuple[str, Value]]) -> device.KernelRecord:
        """The kernel for these types: of several, that of the highest priority. Raises
        UnknownOperatorError if there is none, DuplicateOperatorError if several have that priority.
        """

        def fits(kernel: device.KernelRecord) -> bool:
            return all(
                {*_types(attributes, name)} <= {TENSORFLOW[NAMES[t]] for t in types}
                for name, types in kernel.constraints
            )

        found = [kernel for kernel in self.kernels if fits(kernel)]
        if found:
            best = max(kernel.priority for kernel in found)
            first, *others = (kernel for kernel in found if kernel.priority == best)
            if others:
                raise DuplicateOperatorError(
                    f"{who}: {len(others) + 1} kernels fit its types, with the same priority. "
                    "Their TypeConstraints must differ, or their Priority."
                )
            return first
        asked = ", ".join(
            f"{name} = {' and '.join(OF_TENSORFLOW[each].name for each in types)}"
            for name in attributes
            if (types := _types(attributes, name))
        )
        have = "; ".join(
            ", ".join(f"{name} = {' or '.join(types)}" for name, types in kernel.constraints)
            or "any types"
            for kernel in self.kernels
        )
        raise UnknownOperatorError(
            f"{who}: no kernel is registered for {asked or 'it'} by ForHpuWithName; there are "
            f"kernels for {have or 'nothing'}."
        )


def _types(attributes: Mapping[str, tuple[str, Value]], name: str) -> list[int]:
    """TensorFlow's numbers of the types that an attribute is; [] for one that is none."""
    kind, value = attributes.get(name, ("", 0))
    if kind not in ("type", "list(type)"):
        return []
    return [
        each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int)
    ]


@dataclass
class Definition:
    """What a functor has defined for concrete shapes."""

    nodes: list[Node]
    outputs: list[TensorInfo]


class HpuOpBase(Op):
    """The base class of the operators of all libraries. Each has a class of its own, with its
    registration.
    """

    openAttributes = True
    gradient_remedy = "Give its function the argument gradient=, or call register_gradient()"
    registration: ClassVar[Registration]
    _defined: tuple[Any, Definition] | None = None

    def whyNotKept(self) -> str:
        """It calls kernels of this process."""
        return f"{short(self)} calls a kernel of this process in each run"

    def own_attributes(self) -> dict[str, Any]:
        """The attributes of the operator's own."""
        return {name: v for name, v in self.attributes.items() if name not in _OWN}

    def input_infos(self) -> list[TensorInfo]:
        """Types and shapes of all inputs. Raises OperatorInputError for one that is left out."""
        count = max(self.input, default=-1) + 1
        missing = [i for i in range(count) if not self.hasInput(i)]
        if missing:
            raise OperatorInputError(f"{short(self)}: its input {missing[0]} is left out.")
        return [self.inInfo(i) for i in range(count)]

    def setup(self) -> None:
        """Types from the registration, shapes from the shape function; where that does not say,
        from the node that the functor defines.
        """
        who, signature = short(self), self.registration.signature
        infos = self.input_infos()
        attributes = signature.resolve(who, self.own_attributes(), infos)
        types = signature.output_types(attributes)
        if self.output and max(self.output) >= len(types):
            raise OperatorInputError(f"{who}: it has {len(types)} outputs, not {len(self.output)}.")
        self.constantInputs = self.registration.host_memory(who, attributes)
        shapes = self._shapes(who, attributes, infos, len(types))
        if shapes is None:
            outputs = self.define().outputs
        else:
            outputs = [
                TensorInfo(OF_TENSORFLOW[number], shape)
                for number, shape in zip(types, shapes, strict=True)
            ]
        for i in self.output:
            self.setOutInfo(i, outputs[i])
        self._check_own(who)

    def _check_own(self, who: str) -> None:
        check_limit(who, self.attributes.get("time_limit_ms", 0))
        several = self.attributes.get("several_kernels", 0)
        if several not in (0, 1):
            raise OperatorAttributeError(f"{who}: 'several_kernels' is {several!r}; it is 0 or 1.")
        rule = GradientRule.of(who, self.attributes)
        if rule is not None:
            rule.check(self, who)

    def _shapes(
        self,
        who: str,
        attributes: Mapping[str, tuple[str, Value]],
        infos: Sequence[TensorInfo],
        outputs: int,
    ) -> list[list[int]] | None:
        """The shapes that the shape function gives; None if it does not know them all."""
        record = self.registration.record
        if not record.hasShapeFunction:
            return None
        signature = self.registration.signature
        constants = [i for i in range(len(infos)) if self.inTensor(i).isConst()]
        try:
            found = device.inferShapes(
                record.library,
                self._node(attributes),
                [tensorflow_spec(who, info) for info in infos],
                self._values(i for i in constants if self.inTensor(i).data is not None),
                signature.places(signature.inputs, attributes),
                signature.places(signature.outputs, attributes),
                outputs,
            )
        except OperatorInputError as error:
            raise OperatorInputError(f"{who}: {error}") from None
        known = [shape for shape in found if shape is not None and min(shape, default=0) >= 0]
        return known if len(known) == len(found) else None

    def _node(
        self, attributes: Mapping[str, tuple[str, Value]]
    ) -> tuple[str, str, dict[str, tuple[str, Value]], list[str]]:
        """What TensorFlow calls a NodeDef."""
        record = self.registration.record
        names = [self.inId(i) for i in sorted(self.input)]
        return self.name() or record.name, record.name, dict(attributes), names

    def _values(
        self, which: Iterable[int]
    ) -> dict[SupportsInt | SupportsIndex, np.ndarray[Any, Any]]:
        return {i: np.ascontiguousarray(self.inTensor(i).data) for i in which}

    def define(self) -> Definition:
        """The node that the functor defines: it is asked once for each set of shapes.

        Raises OperatorInputError with the status that the functor sets, or with what it leaves
        undone; LeavesDeviceError if the value of a HostMemory input is not known.
        """
        who, registration = short(self), self.registration
        infos = self.input_infos()
        attributes = registration.signature.resolve(who, self.own_attributes(), infos)
        host = sorted(registration.host_memory(who, attributes))
        for i in host:
            require_known(self, i)
        values = self._values(host)
        several = bool(self.attributes.get("several_kernels", 0))
        key = (infos, attributes, [v.tobytes() for v in values.values()], several)
        if self._defined is not None and self._defined[0] == key:
            return self._defined[1]
        types = registration.signature.output_types(attributes)
        kernel = registration.kernel(who, attributes)
        specs = [tensorflow_spec(who, info) for info in infos]
        try:
            nodes, outputs = device.define(
                kernel.number, self._node(attributes), specs, len(types), values, several
            )
        except OperatorInputError as error:
            raise OperatorInputError(f"{who}: {error}") from None
        for i, ((number, _), expected) in enumerate(zip(outputs, types, strict=True)):
            if number != expected:
                raise OperatorInputError(
                    f"{who}: its functor defines output {i} as {type_named(number)}; the operator "
                    f"is registered with {type_named(expected)}."
                )
        definition = Definition(
            [Node(n.guid, n.inputs, n.outputs, n.parameters, name=n.name) for n in nodes],
            [TensorInfo(OF_TENSORFLOW[number], shape) for number, shape in outputs],
        )
        self._defined = key, definition
        return definition

    def hasSideEffect(self) -> bool:
        """Whether it was registered as stateful."""
        return self.registration.record.stateful

    def getGradOps(self) -> list[Op]:
        """The operator that names its gradient, in its attributes or by `register_gradient`."""
        rule = GradientRule.of(short(self), self.attributes)
        rule = rule or _gradients.get(self.opid.type)
        return [] if rule is None else [_gradient(self, rule)]


class HpuGradOp(RuleGradOp):
    """An operator of a library as the gradient of another one."""

    def __init__(self, fwdOp: Op, rule: GradientRule, inner: HpuOpBase) -> None:
        opid = OperatorIdentifier(DOMAIN, f"{inner.opid.type}Grad", 1)
        super().__init__(fwdOp, opid, inner.attributes, rule)
        self.inner = inner

    def setup(self) -> None:
        """Raises OperatorAttributeError unless each output is the gradient of an input."""
        super().setup()
        inner, who = self.inner, short(self)
        inner.input, inner.output = self.input, self.output
        signature = inner.registration.signature
        attributes = signature.resolve(who, inner.own_attributes(), inner.input_infos())
        self.constantInputs = inner.registration.host_memory(who, attributes)
        count, given = len(signature.output_types(attributes)), len(self.rule.outputs)
        if count != given:
            names = ", ".join(output.name for output in signature.outputs)
            raise OperatorAttributeError(
                f"{who}: the gradient operator {self.rule.operator} has {count} outputs ({names}), "
                f"and gradient_outputs says of {given} which input they are for. Name an input for "
                "each output."
            )

    def define(self) -> Definition:
        """The node of the gradient operator. Raises OperatorInputError if its outputs are not the
        gradients of the inputs that they are for.
        """
        self.inner.input, self.inner.output = self.input, self.output
        found = self.inner.define()
        for i in self.output:
            if found.outputs[i] != self.infos[i]:
                raise OperatorInputError(
                    f"{short(self)}: output {i} is {found.outputs[i]}, and the gradient of input "
                    f"{self.rule.outputs[i]} of the forward operator is {self.infos[i]}."
                )
        return found


def _gradient(op: HpuOpBase, rule: GradientRule) -> Op:
    entry = registry.find(DOMAIN, rule.operator, 1)
    cls = entry.opClass
    if not issubclass(cls, HpuOpBase):
        raise OperatorAttributeError(
            f"{short(op)}: its gradient '{rule.operator}' is no operator of a library for Habana."
        )
    own = {name: v for name, v in op.attributes.items() if name in ("time_limit_ms",)}
    names = cls.registration.signature.attributes
    shared = {name: v for name, v in op.attributes.items() if name in names}
    inner = cls(entry.opid, op.settings, {**shared, **own})
    return HpuGradOp(op, rule, inner)


class HpuOpx(NodesOpx):
    """Adds the kernels that the functor defines."""

    def nodes(self) -> Sequence[Node]:
        """The kernels. Raises OperatorInputError if their outputs are not those of the operator."""
        op = self.op_p
        assert isinstance(op, (HpuOpBase, HpuGradOp))
        definition = op.define()
        self._outputs = definition.outputs
        for i in op.output:
            if definition.outputs[i] != op.outInfo(i):
                raise OperatorInputError(
                    f"{short(op)}: its functor defines output {i} as {definition.outputs[i]}; its "
                    f"shape function says {op.outInfo(i)}."
                )
        return definition.nodes

    def result(self, i: int) -> TensorInfo:
        """Type and shape of an output, as the functor has defined it in `nodes`."""
        return self._outputs[i]

    def setOutTensor(self, i: int, tensor: Any) -> None:
        """Sets an output that is connected; the kernel writes the others all the same."""
        if self.hasOutput(i):
            super().setOutTensor(i, tensor)


_gradients: dict[str, GradientRule] = {}


@typed
def register_gradient(
    operator: str,
    gradient: str,
    inputs: Sequence[str] = INPUTS,
    outputs: Sequence[int] = OUTPUTS,
) -> None:
    """Names the operator that computes the gradient of another one, in all models.

    Args:
        operator: the name of the forward operator.
        gradient: the name of the gradient operator.
        inputs: what it reads: "grad:0" is the gradient of output 0, "in:0" and "out:0" are an input
            and an output of the forward operator.
        outputs: for each of its outputs, the input of the forward operator that it is the gradient
            of.

    Both operators are of loaded libraries. Raises UnknownOperatorError for one that is not, and
    OperatorAttributeError for an input that is none of these, or an output that occurs twice.
    """
    operator, gradient = (name.removeprefix(f"{DOMAIN}.") for name in (operator, gradient))
    who = f"The gradient of {DOMAIN}.{operator}"
    known = _operators()
    for name in (operator, gradient):
        if name not in known:
            raise UnknownOperatorError(
                f"{who}: no library that is loaded has an operator '{name}'; load_hpu_library "
                f"loads one.{did_you_mean(name, known)}"
            )
    rule = GradientRule(gradient, tuple(inputs), tuple(outputs))
    rule.mappers(who)
    rule.distinct(who)
    _gradients[operator] = rule


def _operators() -> list[str]:
    """The operators of all libraries that are loaded."""
    return sorted({name for _, library in _loaded.values() for name in library.operators})


# Loading.


@dataclass(frozen=True)
class HpuLibrary:
    """A loaded library of operators for Habana's accelerators.

    Each operator is a function of the object, named as TensorFlow names it: CustomDivOp is
    `custom_div_op`, and CustomDivOp too. It takes tensors of a Builder, then attributes by name,
    and returns the output, or a list of several.
    """

    path: str
    operators: tuple[str, ...]

    def __reduce__(self) -> Any:
        """A copy is the library of that file, loaded if it is not."""
        return load_hpu_library, (self.path,)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = [each for each in self.operators if name == each]
        found = found or [each for each in self.operators if name == snake(each)]
        if len(found) > 1:
            raise AttributeError(
                f"The library '{self.path}' has several operators that are '{name}' in snake case: "
                f"{', '.join(found)}. Take them by these names."
            )
        if found:
            from popir.foreign.habana.functions import Function

            return Function(found[0], self.path, name)
        raise AttributeError(
            f"The library '{self.path}' has no operator '{name}'; it has "
            f"{', '.join(map(snake, self.operators)) or 'none'}."
        )


_loaded: dict[str, tuple[tuple[int, int], HpuLibrary]] = {}
_MARK = b"6habana2v1"
"""What a library contains that is written against `hpu_kernel.h`: names in popir's namespace."""


def is_one(file: Path) -> bool:
    """Whether a library has operators for this interface, by its bytes alone."""
    try:
        return _MARK in file.read_bytes()
    except OSError:
        return False


@typed(error=LibraryLoadError)
def load_hpu_library(path: str | os.PathLike[str]) -> HpuLibrary:
    """Loads a library of operators that is written against `hpu_kernel.h`.

    A file that was replaced since it was loaded is loaded again. Raises LibraryLoadError if it does
    not load, or registers nothing that popir can run; DuplicateOperatorError if another library has
    an operator of a name.
    """
    file = library_file("load_hpu_library", path).resolve()
    with registry.lock.rlock:
        status = os.stat(file)
        which = (status.st_ino, status.st_mtime_ns)
        known = _loaded.get(str(file))
        if known is not None and known[0] == which:
            return known[1]
        tried(file)
        device.forget(str(file))
        device.loadOperators(str(file))
        try:
            library = _register(file)
        except popart_exception:
            device.forget(str(file))
            raise
        _loaded[str(file)] = which, library
        return library


def _register(file: Path) -> HpuLibrary:
    source = str(file)
    # The loader may have been given another spelling of the name.
    records = [r for r in device.registeredOperators() if os.path.realpath(r.library) == source]
    kernels = [k for k in device.registeredKernels() if os.path.realpath(k.library) == source]
    if not records and not kernels:
        raise LibraryLoadError(
            f"The library '{file}' loads, but registers no operator. REGISTER_OP and "
            "REGISTER_KERNEL_BUILDER of popir's headers register them; libraries built against "
            "TensorFlow's own headers cannot be loaded."
        )
    registrations = [_registration(file, record, kernels) for record in records]
    names = [each.record.name for each in registrations]
    for name in names:
        if not re.fullmatch(r"[A-Z][A-Za-z0-9_.>]*", name):
            raise LibraryLoadError(
                f"The library '{file}' registers the operator '{name}', which is no name of an "
                "operator: it begins with a capital letter, and has letters, digits, '_', '.' and "
                "'>'."
            )
    stray = sorted({k.op for k in kernels} - set(names))
    if stray:
        raise LibraryLoadError(
            f"The library '{file}' registers kernels of {', '.join(stray)}, and no such operator."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DuplicateOperatorError(
            f"The library '{file}' registers {', '.join(twice)} more than once."
        )
    opids = {
        each.record.name: OperatorIdentifier(DOMAIN, each.record.name, 1) for each in registrations
    }
    for name, opid in opids.items():
        before = registry.registered(opid)
        if before is not None and before.source != source:
            raise DuplicateOperatorError(
                f"{opid} of {file} is refused: {before.source} has registered the name {name}."
            )
    for each in registrations:
        opid = opids[each.record.name]
        constant = each.usual_host_memory()
        members = {"registration": each, "constantInputs": constant, "source": source}
        cls = type(each.record.name, (HpuOpBase,), members)
        cls.source = source
        registry.register_op(_entry(opid, cls, source))
        registry.register_opx(OpxEntry(opid, HpuOpx, source))
        grad = OperatorIdentifier(DOMAIN, f"{each.record.name}Grad", 1)
        registry.register_opx(OpxEntry(grad, HpuOpx, source))
    return HpuLibrary(source, tuple(names))


def _entry(opid: OperatorIdentifier, cls: type[HpuOpBase], source: str) -> OpEntry:
    def make(info: registry.OpCreatorInfo) -> Op:
        return cls(info.opid, info.settings, info.attributes)

    return OpEntry(opid, cls, None, make, True, source, True)


def _registration(
    file: Path, record: device.OperatorRecord, kernels: Sequence[device.KernelRecord]
) -> Registration:
    who = f"The operator {record.name} of '{file}'"
    signature = Signature.parse(who, record.inputs, record.outputs, record.attributes)
    own = [kernel for kernel in kernels if kernel.op == record.name and kernel.device == "HPU"]
    clash = sorted(set(signature.attributes) & set(_OWN))
    if clash:
        raise LibraryLoadError(f"{who} has the attribute {', '.join(clash)}, which is popir's own.")
    seen: set[Any] = set()
    for kernel in own:
        types = frozenset((name, frozenset(each)) for name, each in kernel.constraints)
        if (types, kernel.priority) in seen:
            raise DuplicateOperatorError(
                f"{who} has two kernels for the same types, with the same priority."
            )
        seen.add((types, kernel.priority))
    arguments = {each.name for each in signature.inputs}
    results = {each.name for each in signature.outputs}
    for kernel in own:
        if kernel.label:
            raise LibraryLoadError(
                f"{who} has a kernel with the label '{kernel.label}'. popir chooses kernels by "
                "types and priority alone."
            )
        for name in kernel.hostMemory:
            if name in results:
                raise LibraryLoadError(
                    f"{who} has '{name}' as a HostMemory output, which is not supported: kernels "
                    "compute on the device, and only inputs may have their values on the host."
                )
            if name not in arguments:
                raise LibraryLoadError(f"{who} has no input '{name}' to be HostMemory.")
        for name, types in kernel.constraints:
            known = signature.attributes.get(name)
            if known is None or known.kind not in ("type", "list(type)"):
                raise LibraryLoadError(f"{who} has a kernel for '{name}', which is no type of it.")
            unknown = [each for each in types if each not in NAMES]
            if unknown:
                raise LibraryLoadError(
                    f"{who} has a kernel for {', '.join(unknown)}, of which TPCs have no tensors."
                )
    return Registration(record, signature, tuple(own))


def _refuse(type: str, attributes: Mapping[str, Any]) -> None:
    """Raises LibraryLoadError for an operator whose library is not loaded: a model comes from
    somebody, and alone runs no library's code.
    """
    path = attributes.get("library", "")
    if not isinstance(path, str) or not path:
        return
    if os.path.realpath(require_path(f"The operator {DOMAIN}.{type}", path)) not in _loaded:
        what = "is not loaded" if os.path.exists(path) else "is not there"
        raise LibraryLoadError(
            f"The operator {DOMAIN}.{type} of this model needs the library '{path}', which {what}. "
            "Load it by popir.load_op_library(), or by --op-library on the command line; a model "
            "alone loads no library."
        )


registry.loaders[DOMAIN] = _refuse
