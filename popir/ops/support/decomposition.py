"""Operators that are computed by others: `Decomposition`, and `Decomposer`, which adds those.

A decomposition is an Op class with `decompose()` in place of `setup()` and an Opx. The importer
calls it, and the operators that it adds stand in the graph in its place: gradients, costs and
in-placing are theirs. Types, shapes and constants of the inputs are known then.

    class LpNormalization(Decomposition):
        axis: int
        p: int

        def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
            norm = on.ReduceL1 if self.p == 1 else on.ReduceL2
            return on.Div(x, norm(x, on.ints(self.axis)))

    OpCreator(LpNormalization, onnx_ids("LpNormalization", 1, 22))

The operators are written in ONNX's, at opset `OPSET` whatever the opset of the model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from popir import memory
from popir.adding import add_op
from popir.errors import LeavesDeviceError, OperatorInputError
from popir.ir import Graph, Op, Tensor, TensorType
from popir.types import DataType, TensorInfo

OPSET = 21
"""The opset of ai.onnx in which decompositions are written."""

CAST_OPSET = 28
"""The opset of their Casts: older ones lack some of the types."""

Result = Tensor | Sequence[Tensor]


class Decomposition(Op):
    """The base class of operators that consist of others. A subclass declares attributes as every
    Op does.
    """

    def decompose(self, *args: Any, **kwargs: Any) -> Result:
        """Adds the operators that compute this one, and returns its outputs, one or several.

        A subclass's is `decompose(self, on: Decomposer, x: Tensor, axes: Tensor | None = None)`,
        with the inputs of the operator: None for one that is left out in the middle, the default
        for one that is left out at the end. It may return more outputs than the model has. Raises
        OperatorInputError for inputs that do not fit (`wrong`).
        """
        raise NotImplementedError(f"{type(self).__name__} has no decompose().")

    def expand(self, inputs: Sequence[Tensor | None], outputs: Sequence[str]) -> bool:
        """Adds what `decompose` adds, and names the results as the model does; nothing if the model
        leaves out all outputs.
        """
        if not any(outputs):
            return True
        for i, tensor in enumerate(inputs):
            if tensor is not None and tensor.is_variable():
                self.graph.origin.decomposed.setdefault(tensor.id, []).append((self, i))
        on = Decomposer(self, next(filter(None, outputs)))
        result = self.decompose(on, *inputs)
        on.name([result] if isinstance(result, Tensor) else result, outputs)
        return True

    def getGradOps(self) -> list[Op]:
        """None of its own: the gradient is that of the operators it consists of. A subclass without
        a gradient says `getGradOps = Op.getGradOps`.
        """
        return []

    def wrong(self, text: str) -> OperatorInputError:
        """The error for inputs that do not fit, to be raised: "ai.onnx.Det:11 'd': <text>"."""
        return OperatorInputError(f"{self._who()}: {text}")


class Decomposer:
    """Adds the operators of a decomposition to the graph.

    Every operator of ai.onnx is a method: `on.Gather(x, indices, axis=1)`. It takes tensors, with
    None for an input that is left out, and attributes by name; `outputs=2` asks for several
    outputs, which come as a list. An operator whose inputs are small constants becomes a constant.
    """

    def __init__(self, op: Op, output: str) -> None:
        """`op` is decomposed; `output` is the id of its first output, which names what is added."""
        self.op = op
        self.graph: Graph = op.graph
        self.base = output
        """The beginning of the ids of what is added."""
        self._added: set[str] = set()

    def __getattr__(self, type: str) -> Callable[..., Any]:
        if not type[0].isupper():
            raise AttributeError(f"A Decomposer has no '{type}'.")

        def call(*inputs: Tensor | None, outputs: int = 1, **attributes: Any) -> Any:
            return self.add("ai.onnx", type, OPSET, inputs, outputs, attributes)

        return call

    def add(
        self,
        domain: str,
        type: str,
        opset: int,
        inputs: Sequence[Tensor | None],
        outputs: int,
        attributes: dict[str, Any],
    ) -> Tensor | list[Tensor]:
        """Adds an operator of any domain; one output is returned as such, several as a list.

        Attributes that are None are left out.
        """
        settings = self._settings(type)
        ids: list[str] = []
        for _ in range(outputs):
            # Reserved at once: the operator may be a decomposition, which adds tensors first.
            id = self.graph.uniqueId(f"{self.base}/{type}")
            while id in ids:
                id += "_"
            ids.append(id)
        given = {name: value for name, value in attributes.items() if value is not None}
        add_op(domain, type, opset, settings, given, inputs, ids)
        self._added.update(ids)
        found = [self.graph.tensors[id] for id in ids]
        return found[0] if outputs == 1 else found

    def _settings(self, type: str) -> Op.Settings:
        settings = self.op.settings.copy(f"{self.op.name() or self.base}/{type}")
        settings.graph = self.graph
        return settings

    def within(self, name: str) -> Decomposer:
        """A Decomposer for a new graph, which an operator of this one is to call."""
        graph = Graph(f"{self.base}/{name}", self.graph)
        graph.opsets, graph.origin = self.graph.opsets, self.graph.origin
        graph.isTraining = self.graph.isTraining
        inner = Decomposer(self.op, graph.name)
        inner.graph = graph
        return inner

    def input(self, info: TensorInfo, name: str) -> Tensor:
        """A new input of the graph, after those that it has."""
        tensor = self.graph.addActGrad(self.graph.uniqueId(f"{self.base}/{name}"))
        tensor.info = info
        self.graph.inputs.append(tensor.id)
        return tensor

    def const(self, value: Any, type: DataType | np.dtype[Any] | None = None) -> Tensor:
        """A constant: an array, or a number or list with its element type."""
        dtype = type.numpy if isinstance(type, DataType) else type
        try:
            values = np.asarray(value, dtype)
        except (OverflowError, ValueError) as error:
            raise OperatorInputError(
                f"{self.op.opid} '{self.op.name()}': {value} is out of range of {dtype}."
            ) from error
        id = self.graph.uniqueId(f"{self.base}/Constant")
        self._added.add(id)
        return self.graph.addConstInit(id, values)

    def shared(self, values: np.ndarray[Any, Any]) -> Tensor:
        """A constant that is in the graph once, however many operators ask for these values."""
        digest = hashlib.sha256(f"{values.dtype} {values.shape}".encode())
        digest.update(values.tobytes())
        id = f"Constant/{digest.hexdigest()[:32]}"
        known = self.graph.tensors.get(id)
        return self.graph.addConstInit(id, values) if known is None else known

    def like(self, value: Any, tensor: Tensor) -> Tensor:
        """A constant of the element type of `tensor`."""
        return self.const(value, self.info(tensor).dataType())

    def zeros(self, info: TensorInfo) -> Tensor:
        """Zeros of a type and shape. Raises OutOfMemoryException before it makes too many."""
        memory.require(f"{self.op.opid} '{self.op.name()}'", info.nbytes())
        return self.const(np.zeros(info.shape(), info.dataType().numpy))

    def ints(self, *values: int) -> Tensor:
        """A list of int64: axes, a shape, starts and ends."""
        return self.const(values, np.dtype(np.int64))

    def info(self, tensor: Tensor) -> TensorInfo:
        """The type and shape of a tensor."""
        assert tensor.info is not None, tensor
        return tensor.info

    def shape(self, tensor: Tensor) -> list[int]:
        """The shape of a tensor."""
        return self.info(tensor).shape()

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor with another shape; itself if it has that shape already."""
        if self.shape(tensor) == list(shape):
            return tensor
        return self.Reshape(tensor, self.ints(*shape), allowzero=1)

    def cast(self, tensor: Tensor, type: DataType, saturate: bool | None = None) -> Tensor:
        """The tensor in another element type; itself if it has that type already. `saturate` is
        that of Cast.
        """
        if self.info(tensor).dataType() is type:
            return tensor
        given = {"to": type.onnx} if saturate is None else {"to": type.onnx, "saturate": saturate}
        found = self.add("ai.onnx", "Cast", CAST_OPSET, [tensor], 1, given)
        assert not isinstance(found, list)
        return found

    def value(self, tensor: Tensor | None, what: str) -> np.ndarray[Any, Any] | None:
        """The value of a constant input, None for one that is left out.

        Raises LeavesDeviceError if the value is not `known`; `what` names it in the message.
        """
        if tensor is None:
            return None
        if (known := self.known(tensor)) is None:
            raise LeavesDeviceError(
                f"{self.op.opid} '{self.op.name()}': {what}, '{tensor.id}', must be a constant: "
                "popir compiles for its value.",
                [tensor.id],
            )
        return known

    def known(self, tensor: Tensor) -> np.ndarray[Any, Any] | None:
        """The value of a constant, None for one that is known only at run time, or is that of a
        weight. An initializer that no operator reads so far becomes a constant.
        """
        if tensor.is_variable() and not tensor.uses:
            tensor.tensorType = TensorType.Const
        return tensor.data if tensor.isConst() else None

    def number(self, tensor: Tensor | None, what: str) -> int | float | bool | None:
        """The value of a constant input of one element, None for one that is left out. Raises
        OperatorInputError for another number of elements, and what `value` raises.
        """
        found = self.value(tensor, what)
        if found is None:
            return None
        if found.size != 1:
            raise OperatorInputError(
                f"{self.op.opid} '{self.op.name()}': {what} has shape {list(found.shape)}; "
                "expected is one number."
            )
        return found.item()

    def adopt(self, tensors: Sequence[Tensor], name: str) -> list[Tensor]:
        """The tensors. Those whose ids begin with `name/` count as added, so that `name` may rename
        them: a subgraph that became part of the graph computes them.
        """
        self._added.update(t.id for t in tensors if t.id.startswith(f"{name}/"))
        return [*tensors]

    def name(self, results: Sequence[Tensor], ids: Sequence[str]) -> None:
        """Gives the results the ids of the model; an id "" stands for an output left out.

        What the decomposition added is renamed, each tensor once; anything else gets an Identity.
        """
        if len(results) < len(ids):
            raise OperatorInputError(
                f"{self.op.opid} '{self.op.name()}' has no output {len(results)}, "
                f"'{ids[len(results)]}'."
            )
        for result, id in zip(results, ids, strict=False):
            if not id:
                continue
            if result.id in self._added:
                self._added.remove(result.id)
                self.graph.renameTensor(result.id, id)
            else:
                settings = self._settings("Identity")
                add_op("ai.onnx", "Identity", OPSET, settings, {}, [result], [id])
