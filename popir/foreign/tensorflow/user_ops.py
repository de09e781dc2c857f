"""IpuUserOp and IpuUserReadWriteOp: operators that are functions of a library.

A function of an IpuUserOp adds the operator's program to the Poplar graph when a session is
prepared. A function of an IpuUserReadWriteOp computes it on the host, in each run. The gradient is
the function with `_grad` at the end of its name, and an operator of the same kind: so is its own
gradient, with `_grad_grad`.

The metadata of the library decide the rest: which inputs are written in place, whether the operator
may be removed, whose layouts it chooses. An input that is in place and a weight is copied before,
and the weight keeps its value: TensorFlow drops such a change too, unless it is assigned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from popir._device import tensorflow as device
from popir.errors import (
    LibraryLoadError,
    MissingGradientError,
    OperatorAttributeError,
    OperatorInputError,
    popart_exception,
)
from popir.foreign.tensorflow import library
from popir.foreign.tensorflow.outputs import infos
from popir.ir import (
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Op,
    OperatorIdentifier,
    OpSerialiser,
)
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, VariableMappingMethod, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

DOMAIN = "ai.graphcore.tensorflow"
_FLOATS = {DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE}


class UserOp(Op):
    """What operators and gradients of both kinds have in common. Which function of which library it
    is, and with which text it is called, is known at the latest in `setup()`.
    """

    runs_on_host: ClassVar[bool] = False
    """Whether the function computes the operator itself, and adds no program."""

    _function: device.UserOp
    _said: device.Metadata = device.Metadata()
    _text: str

    @property
    def function(self) -> device.UserOp:
        """The function in the library."""
        return self._function

    @property
    def said(self) -> device.Metadata:
        """The metadata; the defaults for a function on the host."""
        return self._said

    @property
    def text(self) -> str:
        """The argument `attributes` of the function."""
        return self._text

    def use(self, library_path: str, name: str, text: str) -> None:
        """Looks the function up. Raises LibraryLoadError if it is not there."""
        self._function = library.operator(self._who(), library_path, name)
        self.source = self._function.path
        self._text = text

    def ask(self, outputs: int) -> None:
        """Asks for the metadata, with the inputs that are connected. Raises popart_exception for
        values that no operator can have.
        """
        if not self.runs_on_host:
            self._said = self.function.metadata(len(self.input), outputs)

    def overwrites(self, i: int) -> bool:
        """Whether the function writes input `i` in place."""
        return not self.runs_on_host and i in self.said.aliasing

    def modifies(self, inIndex: int) -> bool:
        """Whether the function writes the input in place, and it is no weight."""
        return self.overwrites(inIndex) and not self.input[inIndex].is_variable()

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the output shows an input that is written in place."""
        return self.modifies(inIndex) and self.said.aliasing[inIndex] == outIndex

    def hasSideEffect(self) -> bool:
        """True unless the library says that it is stateless."""
        return self.runs_on_host or not self.said.isStateless

    def whyNotKept(self) -> str:
        """From API level 4 on, an operator that does not say that it is hashable may depend on more
        than its library and its inputs.
        """
        if self.runs_on_host:
            return f"{self.debugName()} calls a function of '{self.source}' in each run"
        if not self.said.isHashable:
            return f"{self.debugName()} of '{self.source}' does not say that it is hashable"
        return ""

    def mayLackInput(self, i: int) -> bool:
        """No input is optional."""
        return False

    def mayLackOutput(self, i: int) -> bool:
        """No output is optional."""
        return False

    def _gradients(self, of: ForwardOp, wanted: Sequence[int]) -> list[Op]:
        """The gradient operators with respect to the inputs `wanted`: one, or one for each."""
        cls = ReadWriteGradOp if self.runs_on_host else UserGradOp
        name = f"{self.function.name}_grad"
        try:
            library.operator(self._who(), of.library_path, name)
        except LibraryLoadError as error:
            raise MissingGradientError(
                f"{self.debugName()}: its gradient is asked for, which is the function '{name}'. "
                f"{error}"
            ) from None
        if of.separate:
            return [cls(self, of, [i], i) for i in wanted]
        return [cls(self, of, wanted, 0)] if wanted else []


class ForwardOp(UserOp):
    """An operator of a model."""

    library_path: str
    output_types: list[int] | None
    output_shapes: list[str] | None
    separate_gradients: bool = False
    inputs_with_gradients: list[int] | None
    attributes_: str = ""
    gradient_attributes: str = ""
    op_name: str

    @property
    def codelets(self) -> str:
        """The file of codelets that the program uses; "" for none."""
        return ""

    @property
    def separate(self) -> bool:
        """Whether the gradient of each input is an operator of its own."""
        return self.separate_gradients

    def setup(self) -> None:
        """Takes the types and shapes of the outputs from the attributes.

        Raises LibraryLoadError for a library or function that is not there, OperatorAttributeError
        for attributes that do not fit, OperatorInputError for an input that is left out.
        """
        shapes = self.output_shapes or []
        found = infos(self._who(), self.output_types or [], shapes)
        named = len(self.output)
        if sorted(self.output) != list(range(len(found))):
            raise OperatorAttributeError(
                f"{self._who()}: the node names {named} outputs; its attributes have the types and "
                f"shapes of {len(found)}. All of them must be named."
            )
        if sorted(self.input) != list(range(len(self.input))):
            raise OperatorInputError(f"{self._who()}: an input is left out; none is optional.")
        self._check_wanted()
        for i in self.input:
            self._check_type(f"input {i}", self.inInfo(i))
        for i, info in enumerate(found):
            self._check_type(f"output {i}", info)
        self.use(self.library_path, self.op_name, self.attributes_)
        self._require_attributes_read()
        self.ask(len(found))
        for i, info in enumerate(found):
            self.setOutInfo(i, info)

    def _require_attributes_read(self) -> None:
        """Raises OperatorAttributeError for attributes that no argument of the function takes."""
        why = "of API level 1" if self.function.level == 1 else ""
        if self.runs_on_host and getattr(self, "callback_abi", "called") == "documented":
            why = "with callback_abi 'documented'"
        given = [n for n in ("attributes_", "gradient_attributes") if getattr(self, n)]
        if why and given:
            names = " and ".join(f"'{each.rstrip('_')}'" for each in given)
            raise OperatorAttributeError(
                f"{self._who()}: {names} are given, and a function {why} gets none."
            )

    def _check_type(self, what: str, info: TensorInfo) -> None:
        if info.dataType().is_narrow:
            raise OperatorInputError(
                f"{self._who()}: {what} is {info}; the interface has no such element type."
            )
        try:
            popType(info)
        except popart_exception as error:
            raise OperatorInputError(f"{self._who()}: {what} is {info}: {error}") from None

    def _check_wanted(self) -> None:
        given = self.inputs_with_gradients
        count = len(self.input)
        if given is None:
            return
        if wrong := [i for i in given if not 0 <= i < count]:
            raise OperatorAttributeError(
                f"{self._who()}: inputs_with_gradients names the input {wrong[0]}; the operator "
                f"has {count} inputs."
            )
        if len({*given}) < len(given):
            raise OperatorAttributeError(
                f"{self._who()}: inputs_with_gradients names an input twice: {given}."
            )
        self.nonDifferentiableInputs = frozenset({*range(count)} - {*given})

    def getGradOps(self) -> list[Op]:
        """The operators of the function `<op_name>_grad`, for all inputs or those in
        `inputs_with_gradients`. Raises MissingGradientError if the library does not have it.
        """
        given = self.inputs_with_gradients
        return self._gradients(self, sorted(self.input if given is None else given))


class IpuUserOp(ForwardOp):
    """TensorFlow's IpuUserOp (`precompiled_user_op`), API levels 1, 2, 4 and 5 of the library. The
    function `op_name` adds the operator's program to the Poplar graph.

    Unlike there, outputs without elements that the function does not give are made for it.
    """

    op_name: str = "Build"
    gp_path: str = ""
    _codelets: str = ""

    @property
    def codelets(self) -> str:
        """The file that the attribute `gp_path` stands for; "" for none."""
        return self._codelets

    def setup(self) -> None:
        """As `ForwardOp.setup`. Raises LibraryLoadError for codelets that may not be used, too."""
        super().setup()
        if self.gp_path:
            self._codelets = library.codelets(self._who(), self.gp_path, self.source)

    def filesRead(self) -> list[str]:
        """The file of codelets, if there is one."""
        return [self._codelets] if self._codelets else []


class IpuUserReadWriteOp(ForwardOp):
    """TensorFlow's IpuUserReadWriteOp (`cpu_user_operation`), API levels 1, 2, 4 and 5 of the
    library. The function `op_name` computes the outputs on the host, in each run.

    From level 2 on it gets `attributes` before its name, as TensorFlow really calls it; with
    `callback_abi` "documented" it gets its name alone. `time_limit` is popir's own.
    """

    runs_on_host = True
    op_name: str = "Callback"
    callback_abi: str = "called"
    time_limit: float = 0.0

    def setup(self) -> None:
        """As `ForwardOp.setup`; `callback_abi` and `time_limit` are checked, too."""
        if self.callback_abi not in ("called", "documented"):
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'callback_abi' is {self.callback_abi!r}; expected "
                "is 'called' or 'documented'."
            )
        if not 0 <= self.time_limit < 1e9:
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'time_limit' is {self.time_limit}; expected are "
                "seconds, 0 for no limit."
            )
        super().setup()


class _GradOp(UserOp, GradOp):
    """A gradient: inputs are the gradients of the outputs, the outputs, and the inputs of the
    operator that it is of; outputs are the gradients of the inputs `wanted`.

    Gradients of integers are computed and dropped: popir has none.
    """

    def __init__(self, of: UserOp, forward: ForwardOp, wanted: Sequence[int], index: int) -> None:
        outputs, inputs = len(of.output), len(of.input)
        kinds = ((GradOpInType.GradOut, outputs), (GradOpInType.Out, outputs))
        self._reads = [(kind, i) for kind, n in kinds for i in range(n)]
        self._reads += [(GradOpInType.In, i) for i in range(inputs)]
        self._num_gradients = outputs
        self._wanted = list(wanted)
        self._infos = [of.inInfo(i) for i in self._wanted]
        self._index = index
        self._forward = forward
        self._is_second = isinstance(of, _GradOp)
        self._name = f"{of.function.name}_grad"
        super().__init__(of, attributes={})
        self.use(forward.library_path, self._name, "")
        self._text = "" if self._is_second else forward.gradient_attributes

    @property
    def forward(self) -> ForwardOp:
        """The operator of the model that it is a gradient of, of the first or a higher order."""
        return self._forward

    @property
    def index(self) -> int:
        """The input that it is the gradient of, where each has an operator of its own; else 0."""
        return self._index

    @property
    def results(self) -> list[TensorInfo]:
        """Type and shape of all that the function gives, in order."""
        return self._infos

    def places(self) -> list[int | None]:
        """For all that the function gives, the output that it is; None for what is dropped."""
        kept = iter(range(len(self._infos)))
        return [next(kept) if info.dataType() in _FLOATS else None for info in self._infos]

    def operands(self, kind: GradOpInType) -> list[int]:
        """The inputs that are of a kind, in order."""
        return [i for i, (each, _) in enumerate(self._reads) if each is kind]

    def setup(self) -> None:
        """The outputs have the types and shapes of the inputs that they are gradients of."""
        self.ask(len(self._infos))
        for place, info in zip(self.places(), self._infos, strict=True):
            if place is not None:
                self.setOutInfo(place, info)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The gradients of the outputs, the outputs, the inputs."""
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(self._reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The floating-point inputs among those that are wanted."""
        pairs = zip(self.places(), self._wanted, strict=True)
        return {place: i for place, i in pairs if place is not None}

    def getGradOps(self) -> list[Op]:
        """The operators of the function with one more `_grad`, with respect to all inputs. Raises
        MissingGradientError for a gradient of which parts are dropped.
        """
        if None in self.places():
            raise MissingGradientError(
                f"{self.debugName()}: its own gradient needs all that {self.function.name}() of "
                f"'{self.source}' gives, and gradients of integers are dropped here. Name the "
                "other inputs in inputs_with_gradients."
            )
        return self._gradients(self._forward, sorted(self.input))

    def appendAttributes(self, os: OpSerialiser) -> None:
        """What the function is called with, and the attributes of the operator of the model."""
        for name, value in self._forward.attributes.items():
            os.appendAttribute(name, value)
        os.appendAttribute("function", self._name)
        os.appendAttribute("input", self._index)
        os.appendAttribute("wanted", self._wanted)

    def filesRead(self) -> list[str]:
        """The codelets of the forward operator."""
        return self._forward.filesRead()


class UserGradOp(_GradOp):
    """The gradient of an IpuUserOp."""

    opid = OperatorIdentifier(DOMAIN, "IpuUserOpGrad", 1)


class ReadWriteGradOp(_GradOp):
    """The gradient of an IpuUserReadWriteOp."""

    runs_on_host = True
    opid = OperatorIdentifier(DOMAIN, "IpuUserReadWriteOpGrad", 1)


def debug_name(opx: Opx, name: str) -> str:
    """What a function gets as the name of the operator: no two operators have the same."""
    return opx.debugContext(f"{name}.{opx.op_p.id}")


def forward_of(op: UserOp) -> ForwardOp:
    """The operator of the model: `op`, or that of which it is a gradient."""
    found = op.forward if isinstance(op, _GradOp) else op
    assert isinstance(found, ForwardOp)
    return found


def linear(opx: Opx, info: TensorInfo, name: str) -> Tensor:
    """A new variable in the linear layout."""
    method = VariableMappingMethod.LINEAR
    found: Tensor = opx.graph().addVariable(popType(info), info.shape(), method, name)
    return found


class UserOpx(Opx):
    """The lowering of IpuUserOp and its gradients: what the library adds to the graph."""

    lowersLibraries = True

    def grow(self, prog: program.Sequence) -> None:
        """Calls the function. Raises popart_exception for outputs of a wrong number, type or shape,
        and what the function throws.
        """
        op = self.getOp(UserOp)
        if codelets := forward_of(op).codelets:
            self.graph().addCodelets(codelets)
        ins = [self._input(i, prog) for i in range(len(op.input))]
        name = debug_name(self, op.function.name)
        if isinstance(op, _GradOp):
            gradients, inputs, outputs = (
                [ins[i] for i in op.operands(kind)]
                for kind in (GradOpInType.GradOut, GradOpInType.In, GradOpInType.Out)
            )
            expected, places = op.results, op.places()
            made, outs = op.function.buildGradient(
                self.graph(),
                op.index,
                gradients,
                inputs,
                outputs,
                len(expected),
                op.text,
                name,
            )
        else:
            expected = [op.outInfo(i) for i in range(len(op.output))]
            places = [*range(len(expected))]
            made, outs = op.function.build(self.graph(), ins, len(expected), op.text, name)
        prog.add(made)
        for i, (info, place) in enumerate(zip(expected, places, strict=True)):
            if place is not None and op.hasOutput(place):
                self.setOutTensor(place, self._output(op, i, info, outs, len(expected)))

    def _input(self, i: int, prog: program.Sequence) -> Tensor:
        """The tensor of an input; a copy of a weight that the function writes."""
        tensor: Tensor = self.getInTensor(i)
        op = self.getOp(UserOp)
        is_kept = op.overwrites(i) and not op.modifies(i)
        return self.cloneNcopy(prog, tensor, f"in{i}") if is_kept else tensor

    def _output(
        self, op: UserOp, i: int, info: TensorInfo, outs: Sequence[Tensor | None], wanted: int
    ) -> Tensor:
        tensor = outs[i] if i < len(outs) else None
        who = f"{op.debugName()}: {op.function.name}() of '{op.source}'"
        if tensor is None:
            if info.nelms() == 0:
                return linear(self, info, self.debugContext(f"out{i}"))
            if i < len(outs):
                raise popart_exception(f"{who} gives no tensor as output {i}, which is {info}.")
            raise popart_exception(
                f"{who} gives {len(outs)} outputs; expected are {wanted}. Output {i} is {info}."
            )
        if list(tensor.shape()) != info.shape() or tensor.elementType() != popType(info):
            raise popart_exception(
                f"{who} gives as output {i} a tensor of {tensor.elementType().toString()} "
                f"{list(tensor.shape())}; declared is {info}."
            )
        return tensor

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """An input that the metadata list is made by the library, if it has a function for that;
        the first input of an element-wise operator has the layout of the output.
        """
        op = self.getOp(UserOp)
        if i in op.said.allocating and op.function.hasAllocator():
            return InputCreatorType.CanCreate
        if i == 0 and op.said.isElementwise and op.hasOutput(0) and op.inInfo(0) == op.outInfo(0):
            return InputCreatorType.CanUnwind
        return InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """Calls the allocator of the library. Raises popart_exception for a tensor of another shape
        or type, and what it throws.
        """
        op, info = self.getOp(UserOp), self.inInfo(i)
        name = f"{debug_name(self, op.function.name)}:{i}"
        return op.function.allocate(self.graph(), i, info.shape(), popType(info), op.text, name)

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The layout of the output, unchanged: the operator is element-wise."""
        return tensor

    def canUnwind(self, inIndex: int, outIndex: int) -> bool:
        """Whether it is the first output of an element-wise operator, and its first input."""
        return outIndex == 0 and super().canUnwind(inIndex, outIndex)


class ReadWriteOpx(Opx):
    """The lowering of IpuUserReadWriteOp and its gradients: a step that calls the function."""

    lowersLibraries = True

    def grow(self, prog: program.Sequence) -> None:
        """Adds outputs in the linear layout, and the step."""
        op = self.getOp(UserOp)
        if isinstance(op, _GradOp):
            expected, places = op.results, op.places()
        else:
            expected = [op.outInfo(i) for i in range(len(op.output))]
            places = [*range(len(expected))]
        forward = forward_of(op)
        assert isinstance(forward, IpuUserReadWriteOp)
        name = debug_name(self, op.function.name)
        outs = [linear(self, info, f"{name}:{i}") for i, info in enumerate(expected)]
        op.function.addCallback(
            self.graph(),
            prog,
            [self.getInTensor(i) for i in range(len(op.input))],
            outs,
            op.text,
            name,
            f"{op.debugName()}: {op.function.name}() of '{op.source}'",
            forward.callback_abi == "documented",
            round(forward.time_limit * 1000),
        )
        for place, tensor in zip(places, outs, strict=True):
            if place is not None and op.hasOutput(place):
                self.setOutTensor(place, tensor)


_ID, _ON_HOST = (OperatorIdentifier(DOMAIN, n, 1) for n in ("IpuUserOp", "IpuUserReadWriteOp"))
OpCreator(IpuUserOp, [_ID])
OpCreator(IpuUserReadWriteOp, [_ON_HOST])
OpxCreator(UserOpx, [_ID, UserGradOp.opid])
OpxCreator(ReadWriteOpx, [_ON_HOST, ReadWriteGradOp.opid])
