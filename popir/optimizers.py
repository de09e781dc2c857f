"""Optimizers: `SGD`, `ConstSGD`, and their base class `Optimizer`.

An optimizer has numbers such as the learning rate, with a default and values for single weights.
Each is constant, or may be changed between steps. For each weight the optimizer adds the operator
that updates it.

SGD is defined as in PopART. With the weight w, the gradient g of the loss (already divided by the
loss scaling) and the velocity v:

    v <- momentum * v + (1 - dampening) * (g + weightDecay * w)
    w <- w - learningRate * v

The state is v * velocityScaling; `modelToHost` saves it. (PopART's state in the Combined form is a
different one: v * momentum + (1 - dampening) * weightDecay * w.) Without momentum there is no
state, and the update is w <- w * weightDecayScaleFactor0 - scaledLearningRate0 * g.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from popir.enums import SGDAccumulatorAndMomentum
from popir.errors import did_you_mean, popart_exception
from popir.ir import Graph
from popir.ops.update.sgd import connect_sgd0_var_update, connect_sgd1_var_update
from popir.options.table import OptionWarning, warn
from popir.reserved import reservedAccl1Prefix, reservedAcclPrefix
from popir.typed import shown, typed
from popir.types import DataType, require_finite, rounded


@typed
@dataclass(frozen=True)
class OptimizerValue:
    """A number of an optimizer. If `isConst`, it is compiled in and cannot be changed; else
    `TrainingSession.updateOptimizerFromHost` can change it. PopART's class of this name.
    """

    val: float
    """The number itself."""
    isConst: bool = True


Given = Mapping[str, "tuple[float, bool] | OptimizerValue"]


@typed
class OptimizerValueMap:
    """One number of an optimizer: a default, and values for single weights. PopART's class of this
    name.
    """

    def __init__(self, default: OptimizerValue, specific: Mapping[str, OptimizerValue]) -> None:
        self._default = default
        self._specific = dict(specific)

    def getDefault(self) -> OptimizerValue:
        """The value for weights that have no specific one."""
        return self._default

    def get(self, weight: str) -> OptimizerValue:
        """The value for `weight`: the specific one, or the default."""
        return self._specific.get(weight, self._default)

    def hasSpecific(self, weight: str) -> bool:
        """Whether `weight` has a specific value."""
        return weight in self._specific


@typed
class Optimizer:
    """The base class of optimizers: the interface that a training session uses.

    A subclass overrides `scalars`, `lossScaling`, `addUpdate` and `checkReplacement`, which raise
    NotImplementedError here, and `specificWeights` if it has values for single weights. The
    compiler uses the part of it that `popir.compiler.Updater` declares.
    """

    def scalars(self, weight: str) -> dict[str, OptimizerValue]:
        """The numbers in the update of `weight`, by name."""
        raise NotImplementedError

    def lossScaling(self) -> OptimizerValue:
        """The loss scaling: the gradient of the loss itself."""
        raise NotImplementedError

    def addUpdate(self, graph: Graph, weight: str, gradient: str) -> dict[str, tuple[str, str]]:
        """Adds the operator that updates `weight` from its gradient; both are tensor ids.

        Returns the tensors that hold changeable numbers: tensor id to (name, weight).
        """
        raise NotImplementedError

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception if `other`, given to `TrainingSession.updateOptimizerFromHost`,
        differs in anything that is compiled in.
        """
        raise NotImplementedError

    def specificWeights(self) -> list[str]:
        """The weights with specific values. A session must train them."""
        return []

    def isConstant(self, name: str, weight: str) -> bool:
        """Whether the number `name` of `weight` is constant. The weight of "lossScaling" is "".

        Raises popart_exception for an unknown name.
        """
        return self._value(name, weight).isConst

    def value(self, name: str, weight: str) -> float:
        """The number `name` of `weight`. Raises popart_exception for an unknown name."""
        return self._value(name, weight).val

    def _value(self, name: str, weight: str) -> OptimizerValue:
        if name == "lossScaling":
            return self.lossScaling()
        scalars = self.scalars(weight)
        if name not in scalars:
            raise popart_exception(
                f"The update of '{weight}' has no number '{name}'; it has lossScaling, "
                f"{', '.join(scalars)}.{did_you_mean(name, scalars)}"
            )
        return scalars[name]


@typed
@dataclass(frozen=True)
class ClipNormSettings:
    """The weights whose gradients are clipped together, and the largest norm of these. PopART's
    `ClipNormSettings`. Optimizers refuse it: gradients are not clipped here.
    """

    weightIds: list[str]
    maxNorm: float

    @staticmethod
    def clipWeights(weightIds: list[str], maxNorm: float) -> ClipNormSettings:
        """Settings that clip the gradients of these weights."""
        return ClipNormSettings(weightIds, maxNorm)

    @staticmethod
    def clipAllWeights(maxNorm: float) -> ClipNormSettings:
        """Settings that clip the gradients of all weights; their list is empty."""
        return ClipNormSettings([], maxNorm)


@typed
class SGD(Optimizer):
    """Stochastic gradient descent, with or without momentum. PopART's `SGD`; `popir.optimizers` has
    the formulas.

    Args:
        values: `{key: (value, isConst)}`. The keys and their defaults are in `SGD.DEFAULTS`.
            `TrainingSession.updateOptimizerFromHost` can change a value with isConst False.
        clip_norm_settings: must be empty: clipping is not available.
        accumulatorAndMomentum: the id of the state of a weight w is `Accl___w` (Combined) or
            `Accl1___w` (Separate). Both compute the same.
        accumType: without effect (OptionWarning), since gradients are not accumulated.
        accl1Type: the type of the state: UNDEFINED or that of the weight. A session raises
            popart_exception for another.
        debugContext: a prefix for the names of the update operators.

    Raises popart_exception for an unknown key, a value that is not such a pair, nesterov momentum,
    and a number that is not finite as float32 or out of range: the loss scaling must not be 0, the
    velocity scaling must be above 0, all others at least 0.
    """

    DEFAULTS = {
        "defaultLearningRate": 0.1,
        "defaultWeightDecay": 0.0,
        "defaultMomentum": 0.0,
        "defaultDampening": 0.0,
        "defaultVelocityScaling": 1.0,
        "lossScaling": 1.0,
        "nesterov": 0.0,
    }
    """The keys of `values` with their defaults. Defaults are constant. `nesterov` must stay 0."""

    def __init__(
        self,
        values: Given | None = None,
        clip_norm_settings: Sequence[ClipNormSettings] = (),
        accumulatorAndMomentum: SGDAccumulatorAndMomentum = SGDAccumulatorAndMomentum.Combined,
        accumType: DataType = DataType.UNDEFINED,
        accl1Type: DataType = DataType.UNDEFINED,
        debugContext: str = "",
    ) -> None:
        if clip_norm_settings:
            raise popart_exception(
                "SGD: gradient clipping by norm is not available; clip_norm_settings must be []."
            )
        self._values = {key: OptimizerValue(value) for key, value in self.DEFAULTS.items()}
        given = {} if values is None else values
        self._values.update(_parsed("SGD", given, self.DEFAULTS))
        if self._values["nesterov"].val:
            raise popart_exception("SGD: nesterov momentum is not available; leave nesterov at 0.")
        if accumType is not DataType.UNDEFINED:
            warn(
                f"SGD: accumType = {shown(accumType)} has no meaning here: gradients are not "
                "accumulated over batches.",
                OptionWarning,
            )
        self._accl1_type = accl1Type
        self._specific: dict[str, dict[str, OptimizerValue]] = {}
        self._common: dict[str, OptimizerValue] | None = None
        """The numbers in the update of weights without specific values, once asked for."""
        self.accumulatorAndMomentum = accumulatorAndMomentum
        self.debugContext = debugContext

    def insertSpecific(self, weight: str, values: Given) -> None:
        """Sets values for one weight, the id of an initializer: `{key: (value, isConst)}` with the
        keys learningRate, weightDecay, momentum, dampening and velocityScaling. Keys left out keep
        the defaults.

        Raises popart_exception as the constructor does. A session raises popart_exception if it
        does not train an initializer of that name.
        """
        keys = [_specific_key(key) for key in self.DEFAULTS if key.startswith("default")]
        self._specific.setdefault(weight, {}).update(_parsed(f"SGD for '{weight}'", values, keys))

    def _map(self, key: str) -> OptimizerValueMap:
        name = _specific_key(key)
        specific = {w: values[name] for w, values in self._specific.items() if name in values}
        return OptimizerValueMap(self._values[key], specific)

    def learningRates(self) -> OptimizerValueMap:
        """The learning rate, by default and for single weights."""
        return self._map("defaultLearningRate")

    def weightDecays(self) -> OptimizerValueMap:
        """The weight decay, by default and for single weights."""
        return self._map("defaultWeightDecay")

    def momentums(self) -> OptimizerValueMap:
        """The momentum, by default and for single weights."""
        return self._map("defaultMomentum")

    def dampenings(self) -> OptimizerValueMap:
        """The dampening, by default and for single weights."""
        return self._map("defaultDampening")

    def velocityScalings(self) -> OptimizerValueMap:
        """The velocity scaling, by default and for single weights: the state is v times this."""
        return self._map("defaultVelocityScaling")

    def lossScaling(self) -> OptimizerValue:
        """The loss scaling: the gradient of the loss itself."""
        return self._values["lossScaling"]

    def nesterov(self) -> OptimizerValue:
        """Whether the momentum is Nesterov's, as a number: always 0."""
        return self._values["nesterov"]

    def _has_momentum(self, weight: str) -> bool:
        momentum = self._specific.get(weight, {}).get("momentum", self._values["defaultMomentum"])
        return not (momentum.isConst and momentum.val == 0)

    def scalars(self, weight: str) -> dict[str, OptimizerValue]:
        """The numbers in the update of `weight`, by PopART's names, such as "scaledLearningRate0".

        Each combines several values, and is constant if all of them are.
        """
        if weight in self._specific:
            return self._scalars(weight)
        if self._common is None:
            self._common = self._scalars(weight)
        return dict(self._common)

    def _scalars(self, weight: str) -> dict[str, OptimizerValue]:
        lr, wd, mm, dm, vs = (
            m.get(weight)
            for m in (
                self.learningRates(),
                self.weightDecays(),
                self.momentums(),
                self.dampenings(),
                self.velocityScalings(),
            )
        )
        ls = self.lossScaling()
        undamped = 1 - dm.val
        if not self._has_momentum(weight):
            return {
                "scaledLearningRate0": _combined(lr.val * undamped / ls.val, lr, dm, ls),
                "weightDecayScaleFactor0": _combined(1 - lr.val * undamped * wd.val, lr, dm, wd),
            }
        return {
            "scaledLearningRate1": _combined(lr.val / vs.val, lr, vs),
            "weightDecayScaleFactor1": _combined(undamped * wd.val * vs.val, dm, wd, vs),
            "dampeningScaleFactor1": _combined(undamped * vs.val / ls.val, dm, vs, ls),
            "scaledMomentum1": _combined(mm.val, mm),
        }

    def addUpdate(self, graph: Graph, weight: str, gradient: str) -> dict[str, tuple[str, str]]:
        """Adds SGD0VarUpdate or, with momentum, SGD1VarUpdate and its state. The state starts with
        the model's initializer of that id, if there is one, else with zeros.

        Returns the tensors of changeable numbers: id to (name, weight). Their ids are
        `name___specific___weight` for a weight with specific values, else `name___default___FLOAT`
        (the weight's type).
        """
        info = graph.getTensor(weight).info
        assert info is not None
        constants: dict[str, float] = {}
        changing: dict[str, str] = {}
        wide = DataType.DOUBLE if info.dataType() is DataType.DOUBLE else DataType.FLOAT
        for name, value in self.scalars(weight).items():
            held = wide if value.isConst else info.dataType()
            require_finite(f"SGD: {name} of '{weight}'", value.val, held)
            if value.isConst:
                constants[name] = value.val
                continue
            own = (
                f"specific___{weight}"
                if weight in self._specific
                else f"default___{info.data_type()}"
            )
            changing[name] = f"{name}___{own}"
            if not graph.hasTensor(changing[name]):
                graph.addVarInit(changing[name], np.asarray(value.val, info.dataType().numpy))
        if self._has_momentum(weight):
            if self._accl1_type not in (DataType.UNDEFINED, info.dataType()):
                raise popart_exception(
                    f"SGD: accl1Type = {shown(self._accl1_type)}: the state of the weight "
                    f"'{weight}' has the weight's type, {info.data_type()}. Leave accl1Type at "
                    "DataType.UNDEFINED."
                )
            state = self._state_prefix() + weight
            connect_sgd1_var_update(
                graph, weight, gradient, state, constants, changing, self.debugContext
            )
        else:
            connect_sgd0_var_update(graph, weight, gradient, constants, changing, self.debugContext)
        return {id: (name, weight) for name, id in changing.items()}

    def specificWeights(self) -> list[str]:
        """The weights that `insertSpecific` was called for."""
        return list(self._specific)

    def _state_prefix(self) -> str:
        if self.accumulatorAndMomentum is SGDAccumulatorAndMomentum.Combined:
            return reservedAcclPrefix()
        return reservedAccl1Prefix()

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception unless `other` is an SGD and differs in changeable values only.

        The constructor arguments besides the values must be equal, too.
        """
        if not isinstance(other, SGD):
            raise popart_exception(f"An SGD cannot be replaced by {type(other).__name__}.")
        for name in ("accumulatorAndMomentum", "debugContext"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise popart_exception(
                    f"The SGD was compiled in with {name} {mine!r}, its replacement has "
                    f"{theirs!r}; they must have the same."
                )
        for key, value in self._values.items():
            _check_change(key, value, other._values[key])
        for weight in {*self._specific, *other._specific}:
            mine, theirs = self._specific.get(weight, {}), other._specific.get(weight, {})
            if mine.keys() != theirs.keys():
                raise popart_exception(
                    f"The SGD has {sorted(mine)} for '{weight}', its replacement {sorted(theirs)}; "
                    "they must have the same."
                )
            for key, value in mine.items():
                _check_change(f"{key} of '{weight}'", value, theirs[key])


@typed
class ConstSGD(SGD):
    """SGD without momentum and with constant values. PopART's `ConstSGD`.

    w <- w - learning_rate * (g + weight_decay * w), with the gradient g of the loss.
    `clip_norm_settings` must be empty. Raises popart_exception as SGD does.
    """

    def __init__(
        self,
        learning_rate: float,
        weight_decay: float = 0.0,
        loss_scaling: float = 1.0,
        clip_norm_settings: Sequence[ClipNormSettings] = (),
    ) -> None:
        super().__init__(
            {
                "defaultLearningRate": (learning_rate, True),
                "defaultWeightDecay": (weight_decay, True),
                "lossScaling": (loss_scaling, True),
            },
            clip_norm_settings,
        )


def _specific_key(key: str) -> str:
    """The key of insertSpecific for a key of SGD: "momentum" for "defaultMomentum"."""
    name = key.removeprefix("default")
    return name[:1].lower() + name[1:]


def _combined(value: float, *parts: OptimizerValue) -> OptimizerValue:
    return OptimizerValue(value, all(part.isConst for part in parts))


def _parsed(
    who: str, values: Given, known: Sequence[str] | Mapping[str, float]
) -> dict[str, OptimizerValue]:
    if not isinstance(values, Mapping):
        first = next(iter(known))
        raise popart_exception(
            f"{who} takes a dictionary of pairs (value, isConst), such as "
            f"{{'{first}': (0.1, True)}}; given was {values!r}."
        )
    parsed: dict[str, OptimizerValue] = {}
    for key, given in values.items():
        if key not in known:
            raise popart_exception(f"{who} has no value '{key}'; it has {', '.join(known)}.")
        if isinstance(given, OptimizerValue):
            given = (given.val, given.isConst)
        is_pair = isinstance(given, tuple) and len(given) == 2
        if not is_pair or not _is_number(given[0]) or not isinstance(given[1], (bool, np.bool_)):
            raise popart_exception(
                f"{who}: '{key}' must be a pair (value, isConst), such as (0.1, True); given was "
                f"{given!r}."
            )
        value = OptimizerValue(_float(given[0]), bool(given[1]))
        _check_range(f"{who}: '{key}'", _specific_key(key), value.val)
        parsed[key] = value
    return parsed


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # A Python int may exceed float's range.
        return math.inf


def _check_range(who: str, name: str, value: float) -> None:
    """Raises popart_exception, naming `who`, for a value that an update cannot use.

    The device has float32, and divides by the loss scaling and the velocity scaling.
    """
    require_finite(who, value, DataType.FLOAT)
    held = rounded(value, DataType.FLOAT)
    if name == "lossScaling" and held == 0:
        what = "not 0 as float32, since gradients are divided by it"
    elif name == "velocityScaling" and held <= 0:
        what = "above 0 as float32, since the learning rate is divided by it"
    elif name not in ("lossScaling", "velocityScaling") and value < 0:
        what = "at least 0"
    else:
        return
    raise popart_exception(f"{who} must be {what}; given was {value:g}.")


def _check_change(key: str, old: OptimizerValue, new: OptimizerValue) -> None:
    if old.isConst != new.isConst or (old.isConst and old.val != new.val):
        raise popart_exception(
            f"The optimizer's {key} was compiled in as ({old.val}, {old.isConst}) and cannot "
            f"become ({new.val}, {new.isConst}): give it as (value, False) when the session is "
            "made."
        )


class _Absent(Optimizer):
    """An optimizer of PopART's that popir does not have. It can be made, so that programs which
    choose one of several run; a session refuses it.
    """

    def __init__(self, values: Given, *more: object, **named: object) -> None:
        given = [*map(shown, (values, *more))]
        given += [f"{name}={shown(each)}" for name, each in named.items()]
        self._shown = f"{type(self).__name__}({', '.join(given)})"

    def _refusal(self) -> popart_exception:
        return popart_exception(
            f"{self._shown}: popir does not have this optimizer. It has SGD, with and without "
            "momentum."
        )

    def insertSpecific(self, weight: str, values: Given) -> None:
        """Raises popart_exception: no session would use the values."""
        raise popart_exception(f"{self._refusal()} (insertSpecific: '{weight}', {shown(values)})")

    def scalars(self, weight: str) -> dict[str, OptimizerValue]:
        """Raises popart_exception, as all that a session asks for does."""
        raise self._refusal()

    def lossScaling(self) -> OptimizerValue:
        """Raises popart_exception, as all that a session asks for does."""
        raise self._refusal()

    def addUpdate(self, graph: Graph, weight: str, gradient: str) -> dict[str, tuple[str, str]]:
        """Raises popart_exception, as all that a session asks for does."""
        raise self._refusal()

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception, as all that a session asks for does."""
        raise self._refusal()

    def specificWeights(self) -> list[str]:
        """Raises popart_exception, as all that a session asks for does."""
        raise self._refusal()


class Adam(_Absent):
    """PopART's optimizer of this name, with Lamb and AdaMax as modes. popir does not have it: a
    session with it raises popart_exception.
    """


class Adaptive(_Absent):
    """PopART's optimizer of this name, with AdaGrad, RMSProp and AdaDelta as modes. popir does not
    have it: a session with it raises popart_exception.
    """
