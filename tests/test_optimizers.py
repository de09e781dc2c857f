"""SGD: its numbers, what it refuses, and what a weight becomes, against the formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import SGD, ConstSGD
from popir.errors import popart_exception
from popir.options import OptionWarning
from tests.models import Array, floats, step, training_session

W0 = floats(3, 4)
G = floats(3, 4, seed=1)


def session(optimizer: Any, batches: int = 1, anchors: Any = ()) -> tuple[Any, str, str]:
    """Trains w on loss = sum(x * w), whose gradient is x; gives session, w and x."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [3, 4])
    w = builder.addInitializedInputTensor(W0)
    y = builder.aiOnnx.mul([x, w])
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    builder.addOutputTensor(loss)
    return training_session(builder.getModelProto(), loss, anchors, optimizer, batches), w, x


def weight(trained: Any, id: str) -> Array:
    trained.weightsToHost()
    value = np.empty_like(W0)
    trained.readWeights(popir.PyWeightsIO({id: value}))
    return value


def reference(steps: int, lr: float, wd: float = 0, mm: float = 0, dm: float = 0) -> Array:
    w, v = W0.astype(np.float64), 0.0
    for _ in range(steps):
        v = mm * v + (1 - dm) * (G + wd * w)
        w = w - lr * v
    return w


@pytest.mark.parametrize(
    ("values", "want"),
    [
        ({"defaultLearningRate": 0.3}, {"lr": 0.3}),
        ({"defaultLearningRate": 0.3, "defaultWeightDecay": 0.2}, {"lr": 0.3, "wd": 0.2}),
        ({"defaultDampening": 0.25}, {"lr": 0.1, "dm": 0.25}),
        ({"defaultMomentum": 0.9}, {"lr": 0.1, "mm": 0.9}),
        (
            {"defaultMomentum": 0.5, "defaultWeightDecay": 0.1, "defaultDampening": 0.2},
            {"lr": 0.1, "mm": 0.5, "wd": 0.1, "dm": 0.2},
        ),
        ({"defaultMomentum": 0.5, "defaultVelocityScaling": 4.0}, {"lr": 0.1, "mm": 0.5}),
        ({"lossScaling": 8.0}, {"lr": 0.1}),
        ({"defaultMomentum": 0.5, "lossScaling": 8.0}, {"lr": 0.1, "mm": 0.5}),
    ],
)
@pytest.mark.parametrize("isConst", [True, False])
def test_updates_against_the_formula(
    values: dict[str, float], want: dict[str, float], isConst: bool
) -> None:
    trained, w, x = session(SGD({key: (value, isConst) for key, value in values.items()}))
    for _ in range(3):
        step(trained, {x: G})
    np.testing.assert_allclose(weight(trained, w), reference(3, **want), rtol=1e-5, atol=1e-6)


def test_an_update_follows_each_batch() -> None:
    trained, w, x = session(ConstSGD(0.2, weight_decay=0.1), batches=3)
    step(trained, {x: np.stack([G, G, G])})
    np.testing.assert_allclose(weight(trained, w), reference(3, 0.2, 0.1), rtol=1e-5)


def test_loss_scaling_scales_the_gradient() -> None:
    trained, w, x = session(ConstSGD(0.1, loss_scaling=4.0), anchors=["Gradient___init_input"])
    np.testing.assert_array_equal(step(trained, {x: G})[f"Gradient___{w}"], 4 * G)


def test_values_of_one_weight() -> None:
    optimizer = SGD({"defaultLearningRate": (0.5, True)})
    optimizer.insertSpecific("init_input", {"learningRate": (0.1, True)})
    trained, w, x = session(optimizer)
    step(trained, {x: G})
    np.testing.assert_allclose(weight(trained, w), reference(1, 0.1), rtol=1e-6)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("init_inputs", "no initializer of that name. Did you mean 'init_input'"),
        ("", "no initializer of that name"),
    ],
)
def test_values_of_a_weight_that_there_is_not(weight: str, words: str) -> None:
    optimizer = SGD({})
    optimizer.insertSpecific(weight, {"learningRate": (0.1, True)})
    with pytest.raises(popart_exception, match=words):
        session(optimizer)


def test_values_of_a_weight_that_is_not_trained() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [3, 4])
    first, second = (builder.addInitializedInputTensor(W0, name) for name in ("a", "b"))
    y = builder.aiOnnx.mul([builder.aiOnnx.mul([x, first]), second])
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    builder.addOutputTensor(loss)
    optimizer = SGD({})
    optimizer.insertSpecific(first, {"learningRate": (0.1, True)})
    model = builder.getModelProto()
    training_session(model, loss, (), optimizer, frozen=[second])
    with pytest.raises(popart_exception, match=f"'{first}' alone .*is not trained: the caller say"):
        training_session(model, loss, (), optimizer, frozen=[first])


def test_updates_are_named_after_the_context() -> None:
    names = {}
    for given in ({}, {"debugContext": "mine"}):
        trained, _, _ = session(SGD({}, **given))
        ops = trained.graph.ops.values()
        names[bool(given)] = [op.name() for op in ops if "VarUpdate" in op.opid.type]
    assert names == {
        False: ["SGD0VarUpdate/init_input"],
        True: ["mine/SGD0VarUpdate/init_input"],
    }


@pytest.mark.parametrize(
    "change",
    [
        {"debugContext": "other"},
        {"accumulatorAndMomentum": popir.SGDAccumulatorAndMomentum.Separate},
    ],
    ids=str,
)
def test_a_replacement_has_the_same_names(change: dict[str, Any]) -> None:
    trained, _, _ = session(SGD({}))
    with pytest.raises(popart_exception, match=f"compiled in with {next(iter(change))}"):
        trained.updateOptimizerFromHost(SGD({}, **change))


def test_a_value_that_is_not_constant_can_change() -> None:
    trained, w, x = session(SGD({"defaultLearningRate": (0.5, False), "lossScaling": (2.0, False)}))
    step(trained, {x: G})
    trained.updateOptimizerFromHost(
        SGD({"defaultLearningRate": (0.25, False), "lossScaling": (8.0, False)})
    )
    step(trained, {x: G})
    np.testing.assert_allclose(weight(trained, w), W0 - 0.75 * G, rtol=1e-5, atol=1e-6)


def test_a_constant_cannot_change() -> None:
    trained, _, _ = session(ConstSGD(0.5))
    with pytest.raises(
        popart_exception, match=r"defaultLearningRate was compiled in as \(0.5, True\)"
    ):
        trained.updateOptimizerFromHost(ConstSGD(0.25))


def test_other_weights_must_stay_the_same() -> None:
    trained, _, _ = session(ConstSGD(0.5))
    other = ConstSGD(0.5)
    other.insertSpecific("init_input", {"learningRate": (0.1, True)})
    with pytest.raises(popart_exception, match="they must have the same"):
        trained.updateOptimizerFromHost(other)


def test_state_is_read_by_its_name() -> None:
    for form, name, share in (("Combined", "Accl", 0.9), ("Separate", "Accl1", 1.0)):
        kind = popir.SGDAccumulatorAndMomentum[form]
        values = {"defaultMomentum": (0.9, True)}
        trained, _, x = session(SGD(values, accumulatorAndMomentum=kind))
        step(trained, {x: G})
        state = weight(trained, f"{name}___init_input")
        np.testing.assert_allclose(state, share * G, rtol=1e-6)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"learningRate": (0.1, True)}, "no value 'learningRate'; it has defaultLearningRate"),
        (
            {"defaultLearningRate": 0.1},
            r"tuples \(a number .*, True or False\).*given was {.*: 0.1}",
        ),
        (
            {"nesterov": (1.0, True), "defaultDampening": (0.5, True)},
            "Nesterov's momentum has no dampening; the dampening is 0.5",
        ),
        ({"defaultMomentum": (True, True)}, "'defaultMomentum' must be a pair .* given was .True"),
        *(
            ({key: popir.OptimizerValue(value)}, f"'{key}' is {shown}; float32 holds finite")
            for key in SGD.DEFAULTS
            for value, shown in ((np.nan, "nan"), (-np.inf, "-inf"), (1e39, "1e\\+39"))
        ),
        ({"defaultLearningRate": (1e39, True)}, r"is 1e\+39; float32 holds .*up to 3.403e\+38"),
        *(
            ({"lossScaling": (value, False)}, f"must be not 0 as float32.*given was {value:g}")
            for value in (0, 1e-46)
        ),
        *(
            ({"defaultVelocityScaling": (value, True)}, "must be above 0.*the update divides by it")
            for value in (0.0, 1e-46, -1.0)
        ),
        *(
            ({f"default{key}": (-0.1, True)}, f"'default{key}' must be at least 0; given was -0.1")
            for key in ("LearningRate", "WeightDecay", "Momentum", "Dampening")
        ),
    ],
)
def test_what_is_no_sgd(values: Any, words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        SGD(values)


def test_values_of_a_weight_are_checked_as_the_defaults_are() -> None:
    optimizer = SGD()
    with pytest.raises(popart_exception, match="SGD for 'w': 'velocityScaling' must be above 0"):
        optimizer.insertSpecific("w", {"velocityScaling": (0.0, True)})
    optimizer.insertSpecific("w", {"learningRate": (0.0, True)})
    SGD({"lossScaling": (-2.0, True)})  # PopART takes it: the gradients are divided by it again.


@pytest.mark.parametrize("isConst", [True, False])
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"defaultLearningRate": 1e30, "lossScaling": 1e-30}, "scaledLearningRate0 of '.*' is 1e"),
        (
            {"defaultLearningRate": 1e30, "defaultVelocityScaling": 1e-30, "defaultMomentum": 0.5},
            "scaledLearningRate1 of '.*' is 1e\\+60; float32 holds finite numbers",
        ),
    ],
)
def test_what_an_update_is_computed_with_is_finite(
    values: dict[str, float], words: str, isConst: bool
) -> None:
    with pytest.raises(popart_exception, match=words):
        session(SGD({key: (value, isConst) for key, value in values.items()}))


def test_numbers_fit_their_types() -> None:
    def trained(optimizer: Any) -> Any:
        builder = popir.Builder()
        x = builder.addInputTensor("FLOAT16", [3, 4])
        w = builder.addInitializedInputTensor(W0.astype(np.float16))
        y = builder.aiOnnx.mul([x, w])
        loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
        return training_session(builder.getModelProto(), loss, (), optimizer, 1)

    with pytest.raises(popart_exception, match=r"The loss scaling of .* is 1e\+06; float16 holds"):
        trained(SGD({"lossScaling": (1e6, False)}))
    with pytest.raises(popart_exception, match=r"The loss scaling of .* is 1e\+06; float16 holds"):
        trained(SGD({"lossScaling": (1e6, True)}))
    # Numbers are float32, whatever the weights are.
    tiny = {"lossScaling": (1e-38, False)}
    with pytest.raises(popart_exception, match=r"scaledLearningRate0 of '.*' is 1e\+39; float32"):
        trained(SGD({"defaultLearningRate": (10, False), **tiny}))
    made = trained(SGD({"defaultLearningRate": (1, False), **tiny}))
    made.updateOptimizerFromHost(SGD({"defaultLearningRate": (1e-9, False), **tiny}))
    with pytest.raises(popart_exception, match=r"scaledLearningRate0 of '.*' is 1e\+39; float32"):
        made.updateOptimizerFromHost(SGD({"defaultLearningRate": (10, False), **tiny}))


def test_what_is_no_clipping() -> None:
    with pytest.raises(popart_exception, match="clip_norm_settings"):
        ConstSGD(0.1, clip_norm_settings=[object()])


def test_numbers_and_their_names() -> None:
    optimizer = SGD({"defaultLearningRate": (0.5, True), "defaultWeightDecay": (0.1, False)})
    assert optimizer.learningRates().getDefault() == popir.OptimizerValue(0.5, True)
    scalars = optimizer.scalars("w")
    assert scalars["scaledLearningRate0"] == popir.OptimizerValue(0.5, True)
    assert scalars["weightDecayScaleFactor0"].isConst is False
    assert scalars["weightDecayScaleFactor0"].val == pytest.approx(0.95)


SGD_SEPARATE = popir.SGDAccumulatorAndMomentum.Separate


@pytest.mark.parametrize(
    ("optimizer", "words"),
    [
        (
            lambda: SGD({"nesterov": (True, True)}),
            r"SGD: nesterov = 1.0 has no effect: there is no momentum, so no velocity\.",
        ),
        (
            lambda: SGD({"defaultVelocityScaling": (2.0, True)}),
            r"SGD: defaultVelocityScaling = 2.0 has no effect: there is no momentum",
        ),
        (
            lambda: SGD({}, accumulatorAndMomentum=SGD_SEPARATE),
            r"SGD: accumulatorAndMomentum = .*Separate has no effect: there is no momentum",
        ),
        (
            lambda: SGD({"defaultMomentum": (0.9, True)}, accumType=popir.DataType.FLOAT16),
            r"SGD: accumType = DataType.FLOAT16 has no effect: no gradients are accumulated\.",
        ),
        (
            lambda: popir.Adam({"maxWeightNorm": (5.0, True)}),
            r"Adam: defaultMaxWeightNorm = 5.0 has no effect: the mode Adam does not look at the "
            r"weight's norm\.",
        ),
        (
            lambda: popir.Adam({}, accum_type=popir.DataType.FLOAT16),
            r"Adam: accum_type = DataType.FLOAT16 has no effect: no gradients are accumulated\.",
        ),
        (
            lambda: popir.Adaptive({"defaultAlpha": (0.5, True)}, popir.AdaptiveMode.AdaGrad),
            r"Adaptive: defaultAlpha = 0.5 has no effect: the mode AdaGrad adds up all squares\.",
        ),
        (
            lambda: popir.Adaptive({}, accl2_type=popir.DataType.FLOAT16),
            r"Adaptive: accl2_type = DataType.FLOAT16 has no effect: the mode RMSProp has no state",
        ),
        (
            lambda: popir.Adaptive({}, accl3_type=popir.DataType.FLOAT16),
            r"Adaptive: accl3_type = DataType.FLOAT16 has no effect: there is no momentum",
        ),
    ],
)
def test_what_has_no_effect_is_said(optimizer: Callable[[], Any], words: str) -> None:
    with pytest.warns(OptionWarning, match=words) as told:
        session(optimizer())
    assert len(told) == 1


def test_what_has_an_effect_on_one_weight_is_not_mentioned() -> None:
    optimizer = SGD({"nesterov": (True, True), "defaultVelocityScaling": (2.0, True)})
    optimizer.insertSpecific("init_input", {"momentum": (0.5, True)})
    trained, w, _ = session(optimizer)
    assert w == "init_input"
    del trained


def test_a_value_of_one_weight_without_effect_is_said() -> None:
    optimizer = SGD({"defaultMomentum": (0.5, True)})
    optimizer.insertSpecific(
        "init_input", {"momentum": (0.0, True), "velocityScaling": (2.0, True)}
    )
    words = r"SGD: velocityScaling of 'init_input' = 2.0 has no effect: there is no momentum"
    with pytest.warns(OptionWarning, match=words):
        session(optimizer)
