"""Operators of Habana's TensorFlow API: those that a library registers by REGISTER_OP, with kernels
for the accelerator (ForHpuWithName).

The operator NAME is `ai.habana.NAME:1` in a model. Its functor defines the kernel when a program is
compiled for concrete shapes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
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
    popart_exception,
    require_path,
)
from popir.foreign.habana.gradients import ATTRIBUTES, GradientRule, RuleGradOp
from popir.foreign.habana.kernel_op import DOMAIN
from popir.foreign.habana.nodes import Node, NodesOpx, short
from popir.foreign.habana.specs import Signature, Value, snake
from popir.foreign.habana.types import NAMES, OF_TENSORFLOW, TENSORFLOW, tensorflow_spec
from popir.foreign.refusals import check_file
from popir.foreign.trial import tried
from popir.ir import Op, OperatorIdentifier
from popir.registry import OpEntry, OpxEntry
from popir.typed import typed
from popir.types import TensorInfo

_OWN = (*ATTRIBUTES, "library", "time_limit_ms", "several_kernels")
"""Attributes that every operator of a library has besides those it registers."""


@dataclass(frozen=True)
class Registration:
    """An operator of a library: what it registers, and its kernels for the accelerator."""

    record: device.OperatorRecord
    signature: Signature
    kernels: tuple[device.KernelRecord, ...]

    @property
    def host_memory(self) -> frozenset[int]:
        """The inputs whose values are on the host, for any of the kernels."""
        names = {name for kernel in self.kernels for name in kernel.hostMemory}
        return self.signature.indices(sorted(names))

    def kernel(self, who: str, attributes: Mapping[str, tuple[str, Value]]) -> device.KernelRecord:
        """The kernel for these types: of several, that of the highest priority. Raises
        UnknownOperatorError if there is none.
        """

        def fits(kernel: device.KernelRecord) -> bool:
            return all(
                attributes.get(name, ("", 0))[1] in {TENSORFLOW[NAMES[t]] for t in types}
                for name, types in kernel.constraints
            )

        found = [kernel for kernel in self.kernels if fits(kernel)]
        if found:
            return max(found, key=lambda kernel: kernel.priority)
        asked = ", ".join(
            f"{name} = {OF_TENSORFLOW[value[1]].name}"
            for name, value in attributes.items()
            if value[0] == "type" and isinstance(value[1], int)
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
    registration: ClassVar[Registration]
    _defined: tuple[Any, Definition] | None = None

    def whyNotKept(self) -> str:
        """It calls kernels of this process."""
        return f"{short(self)} calls a kernel of this process in each run"

    def _given(self) -> dict[str, Any]:
        """The attributes of the operator's own."""
        return {name: v for name, v in self.attributes.items() if name not in _OWN}

    def _inputs(self) -> list[TensorInfo]:
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
        infos = self._inputs()
        attributes = signature.resolve(who, self._given(), infos)
        types = signature.output_types(attributes)
        if self.output and max(self.output) >= len(types):
            raise OperatorInputError(f"{who}: it has {len(types)} outputs, not {len(self.output)}.")
        self.registration.kernel(who, attributes)
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
        for name in ("time_limit_ms", "several_kernels"):
            value = self.attributes.get(name, 0)
            if not isinstance(value, int) or value < 0:
                raise OperatorAttributeError(f"{who}: '{name}' is {value!r}; it is a number.")
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
        shapes = [info.shape() for info in infos]
        try:
            found = device.inferShapes(
                record.library, self.name(), record.name, dict(attributes), shapes, outputs
            )
        except OperatorInputError as error:
            raise OperatorInputError(f"{who}: {error}") from None
        known = [shape for shape in found if shape is not None and min(shape, default=0) >= 0]
        return known if len(known) == len(found) else None

    def define(self) -> Definition:
        """The node that the functor defines: it is asked once for each set of shapes.

        Raises OperatorInputError with the status that the functor sets, or with what it leaves
        undone; LeavesDeviceError if the value of a HostMemory input is not known.
        """
        who, registration = short(self), self.registration
        infos = self._inputs()
        for i in registration.host_memory:
            if self.hasInput(i):
                require_known(self, i)
        values: dict[SupportsInt | SupportsIndex, np.ndarray[Any, Any]] = {
            i: np.ascontiguousarray(self.inTensor(i).data)
            for i in registration.host_memory
            if self.hasInput(i)
        }
        attributes = registration.signature.resolve(who, self._given(), infos)
        several = bool(self.attributes.get("several_kernels", 0))
        key = (infos, attributes, [v.tobytes() for v in values.values()], several)
        if self._defined is not None and self._defined[0] == key:
            return self._defined[1]
        types = registration.signature.output_types(attributes)
        kernel = registration.kernel(who, attributes)
        specs = [tensorflow_spec(who, info) for info in infos]
        name = self.name() or registration.record.name
        try:
            nodes, outputs = device.define(
                kernel.number,
                name,
                registration.record.name,
                attributes,
                specs,
                len(types),
                values,
                several,
            )
        except OperatorInputError as error:
            raise OperatorInputError(f"{who}: {error}") from None
        for i, ((number, _), expected) in enumerate(zip(outputs, types, strict=True)):
            if number != expected:
                raise OperatorInputError(
                    f"{who}: its functor defines output {i} as "
                    f"{OF_TENSORFLOW[number].name}; the operator is registered with "
                    f"{OF_TENSORFLOW[expected].name}."
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
        for i in op.output:
            if definition.outputs[i] != op.outInfo(i):
                raise OperatorInputError(
                    f"{short(op)}: its functor defines output {i} as {definition.outputs[i]}; its "
                    f"shape function says {op.outInfo(i)}."
                )
        return definition.nodes

    def setOutTensor(self, i: int, tensor: Any) -> None:
        """Sets an output that is connected; the kernel writes the others all the same."""
        if self.hasOutput(i):
            super().setOutTensor(i, tensor)


_gradients: dict[str, GradientRule] = {}


@typed
def register_gradient(
    operator: str,
    gradient: str,
    inputs: Sequence[str] = ("grad:0",),
    outputs: Sequence[int] = (0,),
) -> None:
    """Names the operator that computes the gradient of another one, in all models.

    Args:
        operator: the name of the forward operator.
        gradient: the name of the gradient operator.
        inputs: what it reads: "grad:0" is the gradient of output 0, "in:0" and "out:0" are an input
            and an output of the forward operator.
        outputs: for each of its outputs, the input of the forward operator that it is the gradient
            of.

    Raises OperatorAttributeError for an input that is none of these.
    """
    rule = GradientRule(gradient, tuple(inputs), tuple(outputs))
    rule.mappers(f"The gradient of {DOMAIN}.{operator}")
    _gradients[operator] = rule


# Loading.


@dataclass(frozen=True)
class HpuLibrary:
    """A loaded library of operators for Habana's accelerators.

    Each operator is a function of the object, named as TensorFlow names it: CustomDivOp is
    `custom_div_op`. It takes tensors of a Builder, then attributes by name, and returns the output,
    or a tuple of several.
    """

    path: str
    operators: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        for operator in self.operators:
            if name in (operator, snake(operator)):
                from popir.foreign.habana.functions import Function

                return Function(operator, self.path)
        raise AttributeError(
            f"The library '{self.path}' has no operator '{name}'; it has "
            f"{', '.join(map(snake, self.operators)) or 'none'}."
        )


_loaded: dict[str, tuple[tuple[int, int], HpuLibrary]] = {}


@typed(error=LibraryLoadError)
def load_hpu_library(path: str | os.PathLike[str]) -> HpuLibrary:
    """Loads a library of operators that is written against `hpu_kernel.h`.

    A file that was replaced since it was loaded is loaded again. Raises LibraryLoadError if it does
    not load, or registers nothing that popir can run; DuplicateOperatorError if another library has
    an operator of a name.
    """
    file = require_path("load_hpu_library", path).absolute().resolve()
    check_file(file)
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
        members = {"registration": each, "constantInputs": each.host_memory, "source": source}
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
            if known is None or known.kind != "type":
                raise LibraryLoadError(f"{who} has a kernel for '{name}', which is no type of it.")
            unknown = [each for each in types if each not in NAMES]
            if unknown:
                raise LibraryLoadError(
                    f"{who} has a kernel for {', '.join(unknown)}, of which TPCs have no tensors."
                )
    return Registration(record, signature, tuple(own))


def _load(type: str, attributes: Mapping[str, Any]) -> None:
    """Loads the library that a node names. Raises LibraryLoadError that names it too."""
    path = attributes.get("library", "")
    if not isinstance(path, str) or not path:
        return
    try:
        load_hpu_library(path)
    except LibraryLoadError as error:
        raise LibraryLoadError(
            f"The operator {DOMAIN}.{type} of this model needs the library '{path}': {error}"
        ) from None


registry.loaders[DOMAIN] = _load
