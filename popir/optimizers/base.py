"""The base classes of optimizers: `Optimizer`, and `TableOptimizer` for those given by a table of
numbers.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from popir.errors import did_you_mean, popart_exception
from popir.ir import Graph
from popir.ops.update.var_update import (
    Given,
    State,
    VarUpdateOp,
    add_states,
    connect_var_update,
)
from popir.optimizers import values as v
from popir.optimizers.clipping import ClipNormSettings, check_groups
from popir.optimizers.values import OptimizerValue, OptimizerValueMap
from popir.options import OptionWarning, warn
from popir.typed import shown, typed
from popir.types import DataType, TensorInfo, require_finite

_STATE_TYPES = (DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE)


@typed
class Optimizer:
    """The base class of optimizers: the interface that a training session uses.

    A subclass overrides `scalars`, `lossScaling`, `addUpdate` and `checkReplacement`, which raise
    NotImplementedError here, `specificWeights` if it has values for single weights, and
    `accumulator` and `clipNormSettings` if it chooses these. The compiler uses the part of it that
    `popir.transforms.updates.Updater` declares.
    """

    def scalars(self, weight: str, batches: int = 1) -> dict[str, OptimizerValue]:
        """The numbers in the update of `weight`, by name. Gradients are divided by `batches`."""
        raise NotImplementedError

    def lossScaling(self) -> OptimizerValue:
        """The loss scaling: the gradient of the loss itself."""
        raise NotImplementedError

    def getLossScalingVal(self) -> float:
        """The value of the loss scaling. PopART's method of this name."""
        return self.lossScaling().val

    def addUpdate(self, graph: Graph, weight: str, given: Given) -> dict[str, str]:
        """Adds the operator that updates `weight` from its gradient.

        Returns the tensors that hold changeable numbers: tensor id to name.
        """
        raise NotImplementedError

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception if `other`, given to `TrainingSession.updateOptimizerFromHost`,
        differs in anything that is compiled in.
        """
        raise NotImplementedError

    def description(self) -> dict[str, Any]:
        """What is compiled in, of texts, numbers, lists and dicts: a checkpoint has it, and is
        loaded by a session whose optimizer has the same. By default the name of the class alone.
        """
        return {"kind": type(self).__name__}

    def specificWeights(self) -> list[str]:
        """The weights with specific values. A session must train them."""
        return []

    def tellUnused(self, weights: Mapping[str, DataType], accumulates: bool) -> None:
        """Warns of what was given and has no effect where weights of these types are trained, with
        or without accumulation of gradients (OptionWarning). By default of nothing.
        """

    def clipNormSettings(self) -> list[ClipNormSettings]:
        """The gradients that are clipped; by default none."""
        return []

    def accumulator(self, weight: str, info: TensorInfo) -> DataType | None:
        """The type of the variable that gradients of `weight` are accumulated in; by default the
        weight's. None for an update that adds up the gradients itself.
        """
        return info.dataType()

    def isConstant(self, name: str, weight: str) -> bool:
        """Whether the number `name` of `weight` is constant. The weight of "lossScaling" is "".

        Raises popart_exception for an unknown name.
        """
        return self._value(name, weight, 1).isConst

    def value(self, name: str, weight: str, batches: int = 1) -> float:
        """The number `name` of `weight`. Raises popart_exception for an unknown name."""
        return self._value(name, weight, batches).val

    def _value(self, name: str, weight: str, batches: int) -> OptimizerValue:
        if name == "lossScaling":
            return self.lossScaling()
        if name == "gradientScaling":
            scaling = self.lossScaling()
            return v.combined(1 / (scaling.val * batches), scaling)
        scalars = self.scalars(weight, batches)
        if name not in scalars:
            raise popart_exception(
                f"The update of '{weight}' has no number '{name}'; it has lossScaling, "
                f"{', '.join(scalars)}.{did_you_mean(name, scalars)}"
            )
        return scalars[name]


@typed
class TableOptimizer(Optimizer):
    """An optimizer that is given by its numbers, its states and one operator.

    A subclass declares `DEFAULTS`, and overrides `scalars`, `states`, `operator` and `variant`. It
    lists in `COMPILED` its members that a replacement must have the same.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {}
    """The keys of `values` with their defaults. Defaults are constant."""
    ALIASES: ClassVar[Mapping[str, str]] = {}
    """Keys of `values` that PopART had before, and the present ones."""
    COMPILED: ClassVar[tuple[str, ...]] = ("debugContext",)

    def __init__(
        self,
        values: v.Given | None,
        clip_norm_settings: Sequence[ClipNormSettings],
        accumType: DataType,
        debugContext: str,
    ) -> None:
        who = type(self).__name__
        check_groups(who, clip_norm_settings)
        self._clip = list(clip_norm_settings)
        self._values = {key: OptimizerValue(value) for key, value in self.DEFAULTS.items()}
        given = {} if values is None else values
        if isinstance(given, Mapping):
            given = {self.ALIASES.get(key, key): value for key, value in given.items()}
        self._values.update(v.parsed(who, given, self.DEFAULTS))
        self.accumType = accumType
        self._check_type("accumType", accumType)
        self._specific: dict[str, dict[str, OptimizerValue]] = {}
        self._common: dict[int, dict[str, OptimizerValue]] = {}
        """The numbers in the update of weights without specific values, once asked for."""
        self.debugContext = debugContext

    def _check_type(self, name: str, type: DataType) -> None:
        if type not in (DataType.UNDEFINED, *_STATE_TYPES):
            raise popart_exception(
                f"{self.__class__.__name__}: {name} = {shown(type)}: state is kept in "
                "DataType.FLOAT, FLOAT16, BFLOAT16 or DOUBLE; UNDEFINED is the weight's type."
            )

    def insertSpecific(self, weight: str, values: v.Given) -> None:
        """Sets values for one weight, the id of an initializer: `{key: (value, isConst)}`, with the
        keys of `DEFAULTS` that begin with "default", without that: "learningRate" for
        "defaultLearningRate". Keys left out keep the defaults.

        Raises popart_exception as the constructor does. A session raises popart_exception if it
        does not train an initializer of that name.
        """
        keys = [v.specific_key(key) for key in self.DEFAULTS if key.startswith("default")]
        found = v.parsed(f"{type(self).__name__} for '{weight}'", values, keys)
        self._specific.setdefault(weight, {}).update(found)

    def _map(self, name: str) -> OptimizerValueMap:
        """One number, by the key of insertSpecific."""
        specific = {w: values[name] for w, values in self._specific.items() if name in values}
        return OptimizerValueMap(self._values[f"default{name[:1].upper()}{name[1:]}"], specific)

    def _of(self, weight: str, *names: str) -> list[OptimizerValue]:
        """Numbers of a weight, by the keys of insertSpecific."""
        return [self._map(name).get(weight) for name in names]

    def learningRates(self) -> OptimizerValueMap:
        """The learning rate, by default and for single weights."""
        return self._map("learningRate")

    def withLearningRates(self, factor: float) -> TableOptimizer:
        """A copy whose learning rates, the default and those of single weights, are `factor` times
        these: for `TrainingSession.updateOptimizerFromHost`.

        Raises popart_exception if one of them is constant, and for a factor that is negative or
        leads out of float32.
        """
        who = f"{type(self).__name__}.withLearningRates"
        other = copy.copy(self)
        other._values, other._common = dict(self._values), {}
        other._specific = {weight: dict(given) for weight, given in self._specific.items()}
        places = [("", "defaultLearningRate", other._values)]
        places += [(f" of '{w}'", "learningRate", given) for w, given in other._specific.items()]
        for where, key, given in places:
            old = given.get(key)
            if old is None:
                continue
            if old.isConst:
                raise popart_exception(
                    f"{who}: '{key}'{where} is constant: give it as ({old.val:g}, False) when the "
                    "optimizer is made."
                )
            given.update(v.parsed(f"{who}{where}", {key: (old.val * factor, False)}, [key]))
        return other

    def weightDecays(self) -> OptimizerValueMap:
        """The weight decay, by default and for single weights."""
        return self._map("weightDecay")

    def lossScaling(self) -> OptimizerValue:
        """The loss scaling: the gradient of the loss itself."""
        return self._values["lossScaling"]

    def scalars(self, weight: str, batches: int = 1) -> dict[str, OptimizerValue]:
        """The numbers in the update of `weight`, by PopART's names, such as "scaledLearningRate0".

        Each combines several values, and is constant if all of them are. `batches` is what
        gradients are divided by: the batches whose mean they are to be. Raises popart_exception
        unless that is at least 1.
        """
        if batches < 1:
            raise popart_exception(
                f"{type(self).__name__}.scalars: batches = {batches}: gradients are divided by 1 "
                "or more."
            )
        if weight in self._specific:
            return self._scalars(weight, batches)
        if batches not in self._common:
            self._common[batches] = self._scalars(weight, batches)
        return dict(self._common[batches])

    def specificWeights(self) -> list[str]:
        """The weights that `insertSpecific` was called for."""
        return list(self._specific)

    def tellUnused(self, weights: Mapping[str, DataType], accumulates: bool) -> None:
        """See `Optimizer.tellUnused`. What has its default is not mentioned, nor a type that all
        weights have.
        """
        own = [weight for weight in weights if weight in self._specific]
        alike = [""] if len(own) < len(weights) else []
        why = {weight: self._unused(weight) for weight in (*alike, *own)}
        if not accumulates:
            for found in why.values():
                found["accumType"] = "no gradients are accumulated"

        def tell(shown_as: str, given: Any, name: str, users: Sequence[str]) -> None:
            if users and all(name in why[user] for user in users):
                reason = why[users[0]][name]
                warn(
                    f"{type(self).__name__}: {shown_as} = {shown(given)} has no effect: {reason}.",
                    OptionWarning,
                )

        for key, value in self._values.items():
            if value != OptimizerValue(self.DEFAULTS[key]):
                name = v.specific_key(key)
                users = [w for w in why if name not in self._specific.get(w, {})]
                tell(key, value.val, name, users)
        for argument, declared in inspect.signature(type(self).__init__).parameters.items():
            name = "accumType" if argument == "accum_type" else argument
            value = getattr(self, name, declared.default)
            is_other = any(value != kind for kind in weights.values())
            if value != declared.default and is_other:
                tell(argument, value, name, list(why))
        for weight in own:
            for name, value in self._specific[weight].items():
                tell(f"{name} of '{weight}'", value.val, name, [weight])

    def clipNormSettings(self) -> list[ClipNormSettings]:
        """The `clip_norm_settings` of the constructor."""
        return list(self._clip)

    def accumulator(self, weight: str, info: TensorInfo) -> DataType | None:
        """The type of the variable that gradients of `weight` are accumulated in: `accumType`, or
        the weight's.
        """
        return type_or(self.accumType, info)

    def addUpdate(self, graph: Graph, weight: str, given: Given) -> dict[str, str]:
        """Adds the operator that updates `weight`, and its states. A state starts with the model's
        initializer of its id, if there is one.

        Returns the tensors of changeable numbers: id to name. Their ids are
        `name___specific___weight` for a weight with specific values, else `name___default___FLOAT`
        (the weight's type); of gradients that are divided by another number than those of the
        weights before it, followed by `/` and that number.
        """
        info = graph.getTensor(weight).info
        assert info is not None
        constants, changing = self._numbers(graph, weight, info, given)
        states = add_states(graph, weight, self._states(graph, weight, info, given))
        self._connect(graph, weight, given, states, constants, changing)
        return {id: name for name, id in changing.items()}

    def _connect(
        self,
        graph: Graph,
        weight: str,
        given: Given,
        states: Sequence[str],
        constants: dict[str, Any],
        changing: dict[str, str],
    ) -> None:
        constants.update(self._variant(weight))
        connect_var_update(
            *(self._operator(weight), graph, weight, given.id, states, constants, changing),
            *(given.factors, "", self.debugContext),
        )

    def _numbers(
        self, graph: Graph, weight: str, info: TensorInfo, given: Given
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The constant numbers of a weight's update, and the ids of the tensors of the others,
        which are added to the graph.
        """
        constants: dict[str, Any] = {}
        changing: dict[str, str] = {}
        kind = DataType.DOUBLE if info.dataType() is DataType.DOUBLE else DataType.FLOAT
        for name, value in self.scalars(weight, given.batches).items():
            require_finite(f"{type(self).__name__}: {name} of '{weight}'", value.val, kind)
            if value.isConst:
                constants[name] = value.val
                continue
            is_own = weight in self._specific
            own = f"specific___{weight}" if is_own else f"default___{info.data_type()}"
            changing[name] = f"{name}___{own}"
            if given.divided.get(changing[name], given.batches) != given.batches:
                changing[name] += f"/{given.batches}"
            if not graph.hasTensor(changing[name]):
                graph.addVarInit(changing[name], np.asarray(value.val, kind.numpy))
        return constants, changing

    def description(self) -> dict[str, Any]:
        """The constant numbers, also of single weights, the types of states, the groups of clipped
        gradients, and what the kind of optimizer has besides.
        """
        members = {"accumType": self.accumType, **{n: getattr(self, n) for n in self.COMPILED}}
        numbers = {key: number.val for key, number in self._values.items() if number.isConst}
        specific = {
            weight: {key: number.val for key, number in given.items() if number.isConst}
            for weight, given in self._specific.items()
        }
        clip = [[group.weightIds, group.maxNorm, group.is_all] for group in self._clip]
        return {
            "kind": type(self).__name__,
            "specific": specific,
            "clip_norm_settings": clip,
            **numbers,
            **{
                name: getattr(member, "name", member)
                for name, member in members.items()
                if name != "debugContext"
            },
        }

    def checkReplacement(self, other: Optimizer) -> None:
        """Raises popart_exception unless `other` is of the same kind and differs in changeable
        values only.

        The constructor arguments besides the values must be equal, too.
        """
        kind = type(self).__name__
        if not isinstance(other, TableOptimizer) or other.DEFAULTS != self.DEFAULTS:
            raise popart_exception(
                f"An optimizer {kind} cannot be replaced by {type(other).__name__}."
            )
        for name in ("accumType", *self.COMPILED, "_clip"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                what = "clip_norm_settings" if name == "_clip" else name
                raise popart_exception(
                    f"The {kind} was compiled in with {what} {shown(mine)}, its replacement has "
                    f"{shown(theirs)}; they must have the same."
                )
        for key, value in self._values.items():
            v.check_change(key, value, other._values[key])
        for weight in {*self._specific, *other._specific}:
            mine, theirs = self._specific.get(weight, {}), other._specific.get(weight, {})
            if mine.keys() != theirs.keys():
                raise popart_exception(
                    f"The {kind} has {sorted(mine)} for '{weight}', its replacement "
                    f"{sorted(theirs)}; they must have the same."
                )
            for key, value in mine.items():
                v.check_change(f"{key} of '{weight}'", value, theirs[key])

    # What a subclass says.

    def _scalars(self, weight: str, batches: int) -> dict[str, OptimizerValue]:
        """The numbers of a weight's update: see `scalars`."""
        raise NotImplementedError

    def _states(self, graph: Graph, weight: str, info: TensorInfo, given: Given) -> list[State]:
        """The states of a weight, in the order of the operator's inputs."""
        raise NotImplementedError

    def _operator(self, weight: str) -> type[VarUpdateOp]:
        """The class of the operator that updates a weight."""
        raise NotImplementedError

    def _variant(self, weight: str) -> dict[str, Any]:
        """Attributes of the operator that say which variant of the optimizer it is."""
        return {}

    def _unused(self, weight: str) -> dict[str, str]:
        """The numbers, by the keys of insertSpecific, and members that have no effect on the
        weight, each with the reason. The weight "" stands for those without specific values.
        """
        return {}


def type_or(type: DataType, info: TensorInfo) -> DataType:
    """The type asked for, or that of the weight for DataType.UNDEFINED."""
    return info.dataType() if type is DataType.UNDEFINED else type
