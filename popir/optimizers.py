"""Optimizers: `SGD`, `ConstSGD`, and what a training session asks of one.

An optimizer holds numbers, each constant or changeable between steps, by default and for single
weights. From them it makes, for each weight, the operator that updates it.

SGD, with g the gradient, divided by the loss scaling, and w the weight (PopART's definition):
    v <- momentum * v + (1 - dampening) * (g + weightDecay * w),    w <- w - learningRate * v
The state is v, velocityScaling times larger; `modelToHost` saves it. (In the combined form
PopART's own is v * momentum + (1 - dampening) * weightDecay * w.) Without momentum there is no
state, and one pass does w <- w * weightDecayScaleFactor0 - scaledLearningRate0 * g.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from popir.enums import SGDAccumulatorAndMomentum
from popir.errors import did_you_mean, popart_exception
from popir.ir import Graph
from popir.ops.sgd import connectSGD0VarUpdate, connectSGD1VarUpdate
from popir.reserved import reservedAccl1Prefix, reservedAcclPrefix
from popir.typed import typed
from popir.types import DataType, requireFinite, rounded


@typed
@dataclass(frozen=True)
class OptimizerValue:
    """A number of an optimizer; if `isConst`, it is compiled in and never changes."""

    val: float
    isConst: bool = True


Given = Mapping[str, "tuple[float, bool] | OptimizerValue"]


@typed
class OptimizerValueMap:
    """One number of an optimizer, by default and for single weights."""

    def __init__(self, default: OptimizerValue, specific: Mapping[str, OptimizerValue]) -> None:
        self._default = default
        self._specific = dict(specific)

    def getDefault(self) -> OptimizerValue:
        """The value of every weight that has none of its own."""
        return self._default

    def get(self, weight: str) -> OptimizerValue:
        """The value of `weight`."""
        return self._specific.get(weight, self._default)

    def hasSpecific(self, weight: str) -> bool:
        """Whether `weight` has a value of its own."""
        return weight in self._specific


@typed
class Optimizer:
    """What a training session needs of an optimizer; the compiler calls it an Updater."""

    def scalars(self, weight: str) -> dict[str, OptimizerValue]:
        """The numbers in the update of `weight`, by name."""
        raise NotImplementedError

    def lossScaling(self) -> OptimizerValue:
        """The number that the gradient of the loss starts from."""
        raise NotImplementedError

    def addUpdate(self, graph: Graph, weight: str, gradient: str) -> dict[str, tuple[str, str]]:
        """Adds the operator that updates `weight`.

        Returns the tensors that hold numbers which may change, with their names and the weight.
        """
        raise NotImplementedError

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception if `other` differs from this one in what was compiled in."""
        raise NotImplementedError

    def specificWeights(self) -> list[str]:
        """The weights that it has values of their own for: a session must train them."""
        return []

    def isConstant(self, name: str, weight: str) -> bool:
        """Whether a number never changes; "lossScaling" is one that belongs to no weight."""
        return self._value(name, weight).isConst

    def value(self, name: str, weight: str) -> float:
        """What the number is."""
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
class SGD(Optimizer):
    """Stochastic gradient descent, with or without momentum.

    Args:
        values: `{key: (value, isConst)}`; keys and their defaults are `SGD.DEFAULTS`. A value that
            is not constant can be changed by `TrainingSession.updateOptimizerFromHost`.
        accumulatorAndMomentum: what the state of a weight w is called: `Accl___w` (Combined) or
            `Accl1___w` (Separate); both forms compute the same.
        debugContext: what the names of the operators that update weights begin with.

    Raises popart_exception for an unknown key, a value that is not such a pair, is not finite as
    float32 or out of its range, or nesterov momentum. The loss scaling must not be 0, the velocity
    scaling be above 0, and the others be at least 0.
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

    def __init__(
        self,
        values: Given | None = None,
        clip_norm_settings: Sequence[object] = (),
        accumulatorAndMomentum: SGDAccumulatorAndMomentum = SGDAccumulatorAndMomentum.Combined,
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
        self._specific: dict[str, dict[str, OptimizerValue]] = {}
        self.accumulatorAndMomentum = accumulatorAndMomentum
        self.debugContext = debugContext

    def insertSpecific(self, weight: str, values: Given) -> None:
        """Values of one weight: learningRate, weightDecay, momentum, dampening, velocityScaling.

        A session that does not train a tensor of that name refuses the optimizer.
        """
        keys = [_specificKey(key) for key in self.DEFAULTS if key.startswith("default")]
        self._specific.setdefault(weight, {}).update(_parsed(f"SGD for '{weight}'", values, keys))

    def _map(self, key: str) -> OptimizerValueMap:
        name = _specificKey(key)
        specific = {w: values[name] for w, values in self._specific.items() if name in values}
        return OptimizerValueMap(self._values[key], specific)

    def learningRates(self) -> OptimizerValueMap:
        """The learning rates."""
        return self._map("defaultLearningRate")

    def weightDecays(self) -> OptimizerValueMap:
        """The weight decays."""
        return self._map("defaultWeightDecay")

    def momentums(self) -> OptimizerValueMap:
        """The momentums."""
        return self._map("defaultMomentum")

    def dampenings(self) -> OptimizerValueMap:
        """The dampenings."""
        return self._map("defaultDampening")

    def velocityScalings(self) -> OptimizerValueMap:
        """The factors by which the state is kept larger than v."""
        return self._map("defaultVelocityScaling")

    def lossScaling(self) -> OptimizerValue:
        """The number that the loss's gradient starts from."""
        return self._values["lossScaling"]

    def _hasMomentum(self, weight: str) -> bool:
        momentum = self.momentums().get(weight)
        return not (momentum.isConst and momentum.val == 0)

    def scalars(self, weight: str) -> dict[str, OptimizerValue]:
        """The numbers in the update of `weight`; names as in PopART."""
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
        if not self._hasMomentum(weight):
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
        """Adds SGD0VarUpdate, or with momentum SGD1VarUpdate and its state, which begins with the
        model's initializer of the state's name if it has one.

        The tensor of a number that may change is called `name___specific___weight` if the weight
        has values of its own, else `name___default___FLOAT` (the weight's type).
        """
        info = graph.getTensor(weight).info
        assert info is not None
        constants: dict[str, float] = {}
        changing: dict[str, str] = {}
        wide = DataType.DOUBLE if info.dataType() is DataType.DOUBLE else DataType.FLOAT
        for name, value in self.scalars(weight).items():
            held = wide if value.isConst else info.dataType()
            requireFinite(f"SGD: {name} of '{weight}'", value.val, held)
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
        if self._hasMomentum(weight):
            state = self._statePrefix() + weight
            connectSGD1VarUpdate(
                graph, weight, gradient, state, constants, changing, self.debugContext
            )
        else:
            connectSGD0VarUpdate(graph, weight, gradient, constants, changing, self.debugContext)
        return {id: (name, weight) for name, id in changing.items()}

    def specificWeights(self) -> list[str]:
        """Those of `insertSpecific`."""
        return list(self._specific)

    def _statePrefix(self) -> str:
        if self.accumulatorAndMomentum is SGDAccumulatorAndMomentum.Combined:
            return reservedAcclPrefix()
        return reservedAccl1Prefix()

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception unless `other` differs from this one in values that may change
        alone.
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
            _checkChange(key, value, other._values[key])
        for weight in {*self._specific, *other._specific}:
            mine, theirs = self._specific.get(weight, {}), other._specific.get(weight, {})
            if mine.keys() != theirs.keys():
                raise popart_exception(
                    f"The SGD has {sorted(mine)} for '{weight}', its replacement {sorted(theirs)}; "
                    "they must have the same."
                )
            for key, value in mine.items():
                _checkChange(f"{key} of '{weight}'", value, theirs[key])


@typed
class ConstSGD(SGD):
    """SGD whose values are all constant."""

    def __init__(
        self,
        learning_rate: float,
        weight_decay: float = 0.0,
        loss_scaling: float = 1.0,
        clip_norm_settings: Sequence[object] = (),
    ) -> None:
        super().__init__(
            {
                "defaultLearningRate": (learning_rate, True),
                "defaultWeightDecay": (weight_decay, True),
                "lossScaling": (loss_scaling, True),
            },
            clip_norm_settings,
        )


def _specificKey(key: str) -> str:
    """`momentum` of `defaultMomentum`."""
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
        isPair = isinstance(given, tuple) and len(given) == 2
        if not isPair or not _isNumber(given[0]) or not isinstance(given[1], (bool, np.bool_)):
            raise popart_exception(
                f"{who}: '{key}' must be a pair (value, isConst), such as (0.1, True); given was "
                f"{given!r}."
            )
        value = OptimizerValue(_float(given[0]), bool(given[1]))
        _checkRange(f"{who}: '{key}'", _specificKey(key), value.val)
        parsed[key] = value
    return parsed


def _isNumber(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # Of Python's integers.
        return math.inf


def _checkRange(who: str, name: str, value: float) -> None:
    """Raises popart_exception, beginning with `who`, for what an update cannot compute with: the
    device holds float32, divides by the loss scaling, and by the velocity scaling.
    """
    requireFinite(who, value, DataType.FLOAT)
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


def _checkChange(key: str, old: OptimizerValue, new: OptimizerValue) -> None:
    if old.isConst != new.isConst or (old.isConst and old.val != new.val):
        raise popart_exception(
            f"The optimizer's {key} was compiled in as ({old.val}, {old.isConst}) and cannot "
            f"become ({new.val}, {new.isConst}): give it as (value, False) when the session is "
            "made."
        )
