"""The sessions that users make: `InferenceSession` and `TrainingSession`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from popir import popdist
from popir.dataflow import DataFlow
from popir.devices import DeviceInfo
from popir.exclusive import exclusive
from popir.optimizers import Optimizer
from popir.options import SessionOptions
from popir.patterns import Patterns
from popir.session.executables import Executables
from popir.session.random_numbers import RandomNumbers
from popir.session.reports import Reports
from popir.session.running import Running
from popir.session.weights import Weights
from popir.trainable import Choice
from popir.typed import typed
from popir.types import TensorInfo, require_finite


class Session(Running, Executables, Weights, RandomNumbers, Reports):
    """Base class of the sessions: the compiled graph, the host's copy of the weights and, after
    `prepareDevice`, the engine.

    The constructor compiles the model. `prepareDevice` makes the engine; then `run` runs steps.
    Methods that need the engine raise popart_exception before `prepareDevice`, and always if
    `SessionOptions.compileEngine` is False.

    Threads may share a session: its methods exclude one another. Different sessions run in
    parallel. A callback of a step must not call its own session: that raises popart_runtime_error.
    """


@typed
class InferenceSession(Session):
    """Runs a model without training it. PopART's `InferenceSession`.

    Args:
        fnModel: the model: the path of a file, its bytes, or a ModelProto.
        dataFlow: the batches per step and the tensors to return.
        deviceInfo: the device, from a DeviceManager.
        inputShapeInfo: types and shapes of inputs, by id, if the model leaves them open.
        patterns: the rewrites to apply; by default those of `Patterns()`.
        userOptions: SessionOptions; by default all defaults.
        name: a name for messages, logs and reports.
        evaluationMode: names, or patterns with *, ? and [...], of normalisation and dropout nodes
            to run in evaluation mode, whatever the model says.

    Raises ModelError for a model that cannot be read or is malformed; UnknownOperatorError,
    OperatorInputError, OperatorAttributeError and other popart_exceptions for a model that cannot
    be compiled and for options that are refused; AnchorError for an anchor that is no tensor of the
    model.
    """

    def __init__(
        self,
        fnModel: Any,
        dataFlow: DataFlow,
        deviceInfo: DeviceInfo,
        inputShapeInfo: Mapping[str, TensorInfo] | None = None,
        patterns: Patterns | None = None,
        userOptions: SessionOptions | None = None,
        name: str = "inference",
        evaluationMode: Collection[str] = (),
    ) -> None:
        super().__init__(
            fnModel,
            dataFlow,
            deviceInfo,
            inputShapeInfo,
            patterns,
            userOptions,
            name,
            evaluationMode=evaluationMode,
        )


@typed
class TrainingSession(Session):
    """Trains a model: runs it forwards and backwards, and updates its weights after each batch.
    PopART's `TrainingSession`.

    Args:
        fnModel, deviceInfo, inputShapeInfo, patterns, userOptions, name: as in InferenceSession.
        dataFlow: the batches per step and the tensors to return; `Gradient___x` is the gradient of
            the tensor x.
        loss: the id of the tensor to minimise. It has one element of a floating-point type.
        optimizer: an SGD, Adam or Adaptive, which defines the weight updates.
        trained, frozen: names, or patterns with *, ? and [...], of initializers to train and not to
            train. They override the rules of `popir.trainable`.
        trainingMode, evaluationMode: names or patterns of normalisation and dropout nodes to run in
            training mode or in evaluation mode, whatever the model says. The saved model is not
            affected.

    Raises ModelError and popart_exceptions for a model that cannot be imported or compiled;
    AnchorError for an anchor that is no tensor of the model; MissingGradientError if the loss
    depends on a weight through an operator without a gradient.
    """

    def __init__(
        self,
        fnModel: Any,
        dataFlow: DataFlow,
        loss: str,
        optimizer: Optimizer,
        deviceInfo: DeviceInfo,
        inputShapeInfo: Mapping[str, TensorInfo] | None = None,
        patterns: Patterns | None = None,
        userOptions: SessionOptions | None = None,
        name: str = "training",
        trained: Collection[str] = (),
        frozen: Collection[str] = (),
        trainingMode: Collection[str] = (),
        evaluationMode: Collection[str] = (),
    ) -> None:
        super().__init__(
            fnModel,
            dataFlow,
            deviceInfo,
            inputShapeInfo,
            patterns,
            userOptions,
            name,
            loss,
            optimizer,
            trained,
            frozen,
            trainingMode,
            evaluationMode,
        )

    @property
    def choices(self) -> dict[str, Choice]:
        """The role of each initializer of the model (trained, state or constant), and why."""
        return self._compilation.choices

    @exclusive()
    def updateOptimizerFromHost(self, optimizer: Optimizer) -> None:
        """Sets the changeable values of the optimizer to those of `optimizer`, from the next step.
        PopART's method of this name. In several processes all call it, with the same values.

        Raises popart_exception if a constant value differs, or a value is not finite in the type of
        its tensor; popart_runtime_error if the instances differ.
        """
        assert self._optimizer is not None
        self._optimizer.checkReplacement(optimizer)
        values: dict[str, float] = {}
        for id, (name, weight, batches) in self._compilation.scalars.items():
            value = values[id] = optimizer.value(name, weight, batches)
            where = f" of '{weight}'" if weight else ""
            require_finite(f"The optimizer's {name}{where}", value, self.getInfo(id).dataType())
        if self._peers is not None:
            who = f"Session '{self.name}', updateOptimizerFromHost()"
            own = {f"'{id}'": str(value) for id, value in values.items()}
            popdist.require_alike(who, "numbers", own)
        for id, value in values.items():
            self._host.writeable(id)[...] = value
            if self._step is not None and id in self._step.variables:
                self._write(id)
