"""A model of one operator that computes its outputs and gradients for given inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from popir import registry
from popir.autodiff import getGradId
from popir.builder import Builder
from popir.compiler import RANDOM_SEED
from popir.dataflow import DataFlow
from popir.devices import DeviceInfo, DeviceManager
from popir.errors import MissingGradientError, popart_exception
from popir.ir import Op, Tensor, gradients_of
from popir.onnxio.importer import import_model
from popir.ops.support.second_order import can_be_decomposed
from popir.optimizers import ConstSGD
from popir.session import TrainingSession
from popir.stepio import PyStepIO
from popir.testing.nodes import Node
from popir.types import TRAINABLE, ReductionType, TensorInfo

Array = np.ndarray[Any, Any]


class Trial:
    """A compiled model of a node, with loss = sum of (weights * output) over its outputs."""

    outputs: list[int]
    """The indices of the outputs in the loss."""
    weights: dict[int, Array]
    """The weights of each output's elements."""
    reached: set[int]
    """The inputs that gradient operators compute gradients of."""
    checked: list[int]
    """The indices of the inputs with gradients to compare."""

    def __init__(
        self,
        node: Node,
        rng: np.random.Generator,
        through: Sequence[int] | None = None,
        wanted: Sequence[int] | None = None,
        device: DeviceInfo | None = None,
    ) -> None:
        """Compiles the model.

        `through` are the outputs to use, by default all floating-point ones. `wanted` are the
        inputs to compute gradients of, by default all that have one. Raises the errors of compiling
        the model; popart_exception if no output can be used; MissingGradientError if no input has a
        gradient.
        """
        builder, inputs, ids = node.build()
        graph = import_model(builder.getModelProto())
        infos = {i: graph.getTensor(id).info for i, id in enumerate(ids)}
        self.outputs = _usable(node, infos, through)
        self.reached = _reached(graph.getTensor(ids[self.outputs[0]]), inputs)
        self.checked = _differentiable(node, self.reached, wanted)
        self._node, self._inputs = node, inputs
        self._ids = {i: ids[i] for i in self.outputs}
        self._gradients = {i: getGradId(inputs[i]) for i in self.checked}
        loss = self._loss(builder, infos, rng)
        self._session = TrainingSession(
            builder.getModelProto(),
            DataFlow(1, [*self._ids.values(), *self._gradients.values()]),
            loss,
            ConstSGD(0.0),
            device or DeviceManager().createCpuDevice(),
            name=f"gradcheck of {node.entry.opid}",
        )
        self._session.prepareDevice()
        self._is_random = RANDOM_SEED in self._session.getTensorIds()
        self._anchors = self._session.initAnchorArrays()

    def _loss(
        self, builder: Builder, infos: Mapping[int, TensorInfo | None], rng: np.random.Generator
    ) -> str:
        self.weights = {}
        losses: list[str] = []
        for i in self.outputs:
            info = infos[i]
            assert info is not None
            self.weights[i] = rng.uniform(0.5, 1.5, info.shape()).astype(info.dataType().numpy)
            constant = builder.aiOnnx.constant(self.weights[i], f"weights{i}")
            weighted = builder.aiOnnx.mul([self._ids[i], constant])
            losses.append(builder.aiGraphcore.identityloss([weighted], ReductionType.Sum))
        return losses[0] if len(losses) == 1 else builder.aiOnnx.sum(losses)

    def run(self, inputs: Sequence[Array | None], seed: int) -> dict[int, Array]:
        """The outputs, in double. The same seed gives the same random numbers."""
        given = self._node.feed(self._inputs, inputs)
        if self._is_random:
            self._session.setRandomSeed(seed)
        self._session.run(PyStepIO(given, self._anchors))
        return {i: self._anchors[id].astype(np.float64) for i, id in self._ids.items()}

    def gradients(self) -> dict[int, Array]:
        """The gradients of the inputs `checked` in the last run, in double."""
        return {i: self._anchors[id].astype(np.float64) for i, id in self._gradients.items()}

    def change(self, before: Mapping[int, Array], after: Mapping[int, Array]) -> float:
        """The difference of the loss between two sets of outputs, in double."""
        return float(sum((w * (after[i] - before[i])).sum() for i, w in self.weights.items()))


def _usable(
    node: Node, infos: Mapping[int, TensorInfo | None], through: Sequence[int] | None
) -> list[int]:
    floats = [i for i, info in infos.items() if info and info.dataType() in TRAINABLE]
    asked = floats if through is None else list(through)
    if asked and not set(asked) - set(floats):
        return asked
    given = "; ".join(f"output {i}: {info}" for i, info in infos.items())
    which = "none" if through is None else f"not all of {list(through)}"
    raise popart_exception(
        f"gradcheck: of the outputs of {node.entry.opid}, {which} can be differentiated, since "
        f"that takes a floating-point type: {given}."
    )


def _reached(last: Tensor, inputs: Sequence[str]) -> set[int]:
    """The inputs to which gradient operators lead from a tensor. The node may have become several
    operators, or none.
    """
    seen, left = {last.id}, [last]
    while left:
        op = left.pop().producer
        if op is None:
            continue
        if type(op).gradOpsOfCalls is not Op.gradOpsOfCalls or can_be_decomposed(op):
            # A graph that is called, or what the operator consists of, may lead to any of them.
            towards = set(op.input)
        else:
            towards = {i for each in gradients_of(op) for i in each.towards.values()}
        for tensor in (op.inTensor(i) for i in towards if op.hasInput(i)):
            is_float = tensor.info is not None and tensor.info.dataType() in TRAINABLE
            if is_float and tensor.id not in seen:
                seen.add(tensor.id)
                left.append(tensor)
    return {i for i, id in enumerate(inputs) if id in seen}


def _class(node: Node) -> str:
    """The name of the operator's Python class after a blank; "" for an operator of a library."""
    is_cpp = registry.is_library(node.entry.source)
    return "" if is_cpp else f" {node.entry.opClass.__name__}"


def _differentiable(node: Node, reached: set[int], wanted: Sequence[int] | None) -> list[int]:
    floats = [i for i in range(len(node.inputs)) if node.is_floating(i)]
    if wanted is not None:
        if wrong := [i for i in wanted if i not in floats]:
            raise popart_exception(
                f"gradcheck: input {wrong[0]} of {node.entry.opid} cannot be checked: it is left "
                "out, a constant, or not of a floating-point type."
            )
        return list(wanted)
    found = [i for i in floats if i in reached]
    if not found:
        why = (
            f"getGradOps() of its class{_class(node)} gives none"
            if floats
            else "none of its inputs is of a floating-point type"
        )
        raise MissingGradientError(
            f"gradcheck: {node.entry.opid} ({node.entry.source}) has no gradient to check: {why}."
        )
    return found
