"""Measuring a model on data that it is not trained on: `Validation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.data import Batches
from popir.dataflow import DataFlow
from popir.devices import DeviceInfo
from popir.errors import DataError
from popir.onnxio.load import load
from popir.onnxio.modes import MODAL
from popir.onnxio.training_info import joined
from popir.options import SessionOptions
from popir.session import InferenceSession, TrainingSession
from popir.stepio import PyStepIO, PyWeightsIO
from popir.trainable import Role
from popir.typed import typed
from popir.types import TensorInfo

_LOSSES = {
    "Nll": ("ignoreIndex", -1),
    "NegativeLogLikelihoodLoss": ("ignore_index", 1),
    "SoftmaxCrossEntropyLoss": ("ignore_index", 1),
}
"""The losses of classes: inputs 0 and 1 are scores and labels. The attribute with the label that is
ignored, and the axis of the classes.
"""


@dataclass(frozen=True)
class Score:
    """What a validation found."""

    step: int
    """The steps that the model was trained."""
    loss: float
    """The mean over the batches."""
    accuracy: float | None
    """The part of the labels, from 0 to 1, that have the highest score, without those that the loss
    ignores. None for a model whose loss has no integer labels, or if all are ignored.
    """
    batches: int


@typed
class Validation:
    """Loss and accuracy of a model in training, on data of its own.

    The model is compiled for inference; each score takes the weights of the training session.
    Batch norm and dropout run as in evaluation.

    Args:
        model: the model with its loss, as the training session has it.
        loss: the id of the loss.
        batches: the data, of one epoch; it begins anew for each score.
        deviceInfo, inputShapeInfo, userOptions: as in InferenceSession.

    Raises as InferenceSession does.
    """

    def __init__(
        self,
        model: Any,
        loss: str,
        batches: Batches,
        deviceInfo: DeviceInfo,
        inputShapeInfo: Mapping[str, TensorInfo] | None = None,
        userOptions: SessionOptions | None = None,
    ) -> None:
        loaded = joined(load(model), [loss])
        graph = loaded.model.graph
        self._loss, self._batches = loss, batches
        self._node = _loss_of_classes(graph, loss)
        anchors = [loss] if self._node is None else [loss, *self._node.input[:2]]
        modes = ["*"] if any(node.op_type in MODAL for node in graph.node) else []
        self._session = InferenceSession(
            loaded,
            DataFlow(1, anchors),
            deviceInfo,
            inputShapeInfo,
            userOptions=userOptions,
            name="validation",
            evaluationMode=modes,
        )
        self._session.prepareDevice()
        self._anchors = self._session.initAnchorArrays()

    def score(self, session: TrainingSession) -> Score:
        """The loss and accuracy with the weights that the training session has now.

        Raises popart_exception if the session is one of another model, and for data that do not
        fit.
        """
        self._take(session)
        self._batches.seek({**self._batches.position(), "epoch": 1, "step": 0})
        losses: list[float] = []
        right = counted = 0
        for inputs in self._batches:
            self._session.run(PyStepIO(inputs, self._anchors))
            losses.append(float(np.mean(self._anchors[self._loss], dtype=np.float64)))
            if self._node is not None:
                found = _right(self._node, *(self._anchors[id] for id in self._node.input[:2]))
                right, counted = right + found[0], counted + found[1]
        if not losses:
            raise DataError("Validation: the data gave no batch.")
        accuracy = right / counted if counted else None
        return Score(session.steps, sum(losses) / len(losses), accuracy, len(losses))

    def _take(self, session: TrainingSession) -> None:
        session.weightsToHost()
        held, choices = session.held_weights(), session.choices
        changed = {id: held[id] for id in choices if choices[id].role is not Role.CONSTANT}
        self._session.writeWeights(PyWeightsIO(changed))
        self._session.weightsFromHost()


def _loss_of_classes(graph: Any, loss: str) -> Any:
    """The node that compares scores with labels, if the loss depends on exactly one."""
    producers = {id: node for node in graph.node for id in node.output if id}
    wanted, seen, found = [loss], set[str](), dict[str, Any]()
    while wanted:
        id = wanted.pop()
        node = producers.get(id)
        if id in seen or node is None:
            continue
        seen.add(id)
        if node.op_type in _LOSSES:
            found[node.output[0]] = node
        wanted += node.input
    return next(iter(found.values())) if len(found) == 1 else None


def _right(node: Any, scores: Any, labels: Any) -> tuple[int, int]:
    """How many labels have the highest score, and how many there are, without those ignored."""
    attribute, axis = _LOSSES[node.op_type]
    ignored = [each.i for each in node.attribute if each.name == attribute]
    if axis < 0:
        scores = scores.reshape(*labels.shape, -1)
    counts = np.isin(labels, ignored, invert=True)
    return int(np.sum((np.argmax(scores, axis) == labels) & counts)), int(np.sum(counts))
