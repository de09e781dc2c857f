"""Fifty steps of every optimizer, against PyTorch in double and against the formulas in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import popir
from popir import SGD, Adam, AdamMode, Adaptive, AdaptiveMode, WeightDecayMode
from popir.errors import popart_exception
from tests.models import Array, floats, step, training_session

STEPS = 50
L2 = WeightDecayMode.L2Regularization
# Each case gives all of its numbers and types, those too that its variant does not use.
pytestmark = pytest.mark.filterwarnings("ignore:.* has no effect:popir.options.OptionWarning")

SEPARATE = popir.SGDAccumulatorAndMomentum.Separate
W, B = floats(5, 3, seed=1), np.ones(3, np.float32)
X = floats(STEPS, 8, 5, seed=2)
Values = dict[str, tuple[float, bool]]


@dataclass(frozen=True)
class Case:
    """An optimizer: how popir and PyTorch make it from its numbers, and its formula."""

    make: Callable[..., Any]
    numbers: dict[str, float]
    formula: Callable[..., Array]
    """(w, g, state, t, numbers) gives the new weight, and changes the state, a dict."""
    torch: Callable[[dict[str, float]], tuple[Any, dict[str, Any]]] | None = None
    """PyTorch's class and arguments; None where PyTorch has no such optimizer."""


# The formulas, in double.


def sgd(w: Array, g: Array, s: Any, t: int, n: Any, nesterov: bool = False) -> Array:
    g = g + n["weightDecay"] * w
    if not n["momentum"]:
        return w - n["learningRate"] * (1 - n["dampening"]) * g
    s["v"] = n["momentum"] * s.get("v", 0) + (1 - n["dampening"]) * g
    along = g + n["momentum"] * s["v"] if nesterov else s["v"]
    return w - n["learningRate"] * along


def adam(mode: AdamMode, l2: bool = False) -> Callable[..., Array]:
    is_max, is_lamb = mode is AdamMode.AdaMax, "Lamb" in mode.name

    def update(w: Array, g: Array, s: Any, t: int, n: Any) -> Array:
        b1, b2 = n["beta1"], n["beta2"]
        g = g + n["weightDecay"] * w if l2 else g
        s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
        if is_max:
            s["v"] = np.maximum(b2 * s.get("v", 0), np.abs(g))
        else:
            s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
        m, v = s["m"], s["v"] if is_max else np.sqrt(s["v"])
        if "NoBias" not in mode.name:
            m = m / (1 - b1**t)
            v = v if is_max else v / np.sqrt(1 - b2**t)
        x = m / (v + n["eps"]) + (0 if l2 else n["weightDecay"] * w)
        trust = 1.0
        if is_lamb:
            norms = np.linalg.norm(w), np.linalg.norm(x)
            trust = min(norms[0], n["maxWeightNorm"]) / norms[1] if all(norms) else 1.0
        return w - n["learningRate"] * trust * x

    return update


def adaptive(mode: AdaptiveMode, tf: bool = False, l2: bool = False) -> Callable[..., Array]:
    def update(w: Array, g: Array, s: Any, t: int, n: Any) -> Array:
        a, eps, lr = n["alpha"], n["eps"], n["learningRate"]
        g = g + n["weightDecay"] * w if l2 else g
        first = s.get("v1", float(tf))
        s["v1"] = first + g * g if mode is AdaptiveMode.AdaGrad else a * first + (1 - a) * g * g
        if mode is AdaptiveMode.AdaDelta:
            x = g * np.sqrt(s.get("v2", 0) + eps) / np.sqrt(s["v1"] + eps)
            s["v2"] = a * s.get("v2", 0) + (1 - a) * x * x
        else:
            square = s["v1"]
            if mode is AdaptiveMode.CenteredRMSProp:
                s["v2"] = a * s.get("v2", 0) + (1 - a) * g
                square = square - s["v2"] ** 2
            x = g / (np.sqrt(square + eps) if tf else np.sqrt(square) + eps)
        decay = 0 if l2 else n["weightDecay"] * w
        if not n["momentum"]:
            return w - lr * (decay + x)
        s["v3"] = n["momentum"] * s.get("v3", 0) + (lr if tf else 1) * x
        return w - (decay + s["v3"] if tf else lr * (decay + s["v3"]))

    return update


# The cases.


def torch_sgd(n: Any) -> Any:
    given = {"lr": n["learningRate"], "weight_decay": n["weightDecay"]}
    return torch.optim.SGD, {**given, "momentum": n["momentum"], "dampening": n["dampening"]}


def torch_nesterov(n: Any) -> Any:
    return torch.optim.SGD, {**torch_sgd(n)[1], "nesterov": True}


def torch_adam(kind: Any) -> Callable[[Any], Any]:
    def made(n: Any) -> Any:
        given = {"lr": n["learningRate"], "weight_decay": n["weightDecay"], "eps": n["eps"]}
        return kind, {**given, "betas": (n["beta1"], n["beta2"])}

    return made


def torch_rms(centered: bool) -> Callable[[Any], Any]:
    def made(n: Any) -> Any:
        given = {"lr": n["learningRate"], "weight_decay": n["weightDecay"], "eps": n["eps"]}
        given |= {"alpha": n["alpha"], "momentum": n["momentum"], "centered": centered}
        return torch.optim.RMSprop, given

    return made


def torch_adagrad(n: Any) -> Any:
    given = {"lr": n["learningRate"], "weight_decay": n["weightDecay"], "eps": n["eps"]}
    return torch.optim.Adagrad, given


def torch_adadelta(n: Any) -> Any:
    return torch.optim.Adadelta, {**torch_adagrad(n)[1], "rho": n["alpha"]}


PLAIN = {"learningRate": 0.02, "weightDecay": 0.1, "momentum": 0.0, "dampening": 0.0}
MOVING = {**PLAIN, "momentum": 0.9, "learningRate": 0.005}
MOMENTS = {"learningRate": 0.02, "weightDecay": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6}
MEANS = {"learningRate": 0.01, "weightDecay": 0.1, "alpha": 0.9, "momentum": 0.5, "eps": 1e-5}
STILL = {**MEANS, "momentum": 0.0}


def scaled(kind: Any, *args: Any, **more: Any) -> Callable[[Values], Any]:
    """Makes an optimizer, with a loss scaling that must not show. AdaGrad has no alpha."""

    def made(values: Values) -> Any:
        given = {**values, "lossScaling": (8.0, True)}
        if AdaptiveMode.AdaGrad in args:
            given.pop("defaultAlpha", None)
        return kind(given, *args, **more)

    return made


def nesterov(values: Values) -> Any:
    return {**values, "nesterov": (True, True), "defaultVelocityScaling": (4.0, True)}


def nesterov_sgd(*args: Any, **more: Any) -> Callable[..., Any]:
    return lambda values, **others: SGD(nesterov(values), *args, **more, **others)


def along_nesterov(*args: Any) -> Array:
    return sgd(*args, nesterov=True)


CASES: dict[str, Case] = {
    "sgd": Case(scaled(SGD), {**PLAIN, "dampening": 0.25}, sgd),
    "plain": Case(scaled(SGD), PLAIN, sgd, torch_sgd),
    "combined": Case(scaled(SGD), MOVING, sgd, torch_sgd),
    # PyTorch does not dampen the first gradient.
    "combined dampened": Case(scaled(SGD), {**MOVING, "dampening": 0.25}, sgd),
    "separate": Case(scaled(SGD, accumulatorAndMomentum=SEPARATE), MOVING, sgd, torch_sgd),
    "nesterov": Case(nesterov_sgd(), MOVING, along_nesterov, torch_nesterov),
    "nesterov separate": Case(
        *(nesterov_sgd(accumulatorAndMomentum=SEPARATE), MOVING, along_nesterov, torch_nesterov)
    ),
    "Adam L2": Case(
        *(scaled(Adam, weight_decay_mode=L2), MOMENTS, adam(AdamMode.Adam, True)),
        torch_adam(torch.optim.Adam),
    ),
    "AdamW": Case(scaled(Adam), MOMENTS, adam(AdamMode.Adam), torch_adam(torch.optim.AdamW)),
    "AdamW scaled": Case(
        *(scaled(Adam, scaled_optimizer_state=True), MOMENTS, adam(AdamMode.Adam)),
        torch_adam(torch.optim.AdamW),
    ),
    "AdamNoBias": Case(scaled(Adam, AdamMode.AdamNoBias), MOMENTS, adam(AdamMode.AdamNoBias)),
    "AdaMax": Case(scaled(Adam, AdamMode.AdaMax), MOMENTS, adam(AdamMode.AdaMax)),
    "AdaMax L2": Case(
        *(scaled(Adam, AdamMode.AdaMax, L2), {**MOMENTS, "eps": 1e-12}),
        *(adam(AdamMode.AdaMax, True), torch_adam(torch.optim.Adamax)),
    ),
    **{
        f"{mode.name}{' L2' if l2 else ''}": Case(
            scaled(Adam, mode, L2 if l2 else WeightDecayMode.Decay),
            {**MOMENTS, "maxWeightNorm": 2.5},
            adam(mode, l2),
        )
        for mode in (AdamMode.Lamb, AdamMode.LambNoBias)
        for l2 in (False, True)
    },
    "AdaGrad": Case(
        *(scaled(Adaptive, AdaptiveMode.AdaGrad, L2), STILL),
        *(adaptive(AdaptiveMode.AdaGrad, l2=True), torch_adagrad),
    ),
    "RMSProp": Case(
        *(scaled(Adaptive, weight_decay_mode=L2), MEANS),
        *(adaptive(AdaptiveMode.RMSProp, l2=True), torch_rms(False)),
    ),
    "CenteredRMSProp": Case(
        *(scaled(Adaptive, AdaptiveMode.CenteredRMSProp, L2), MEANS),
        *(adaptive(AdaptiveMode.CenteredRMSProp, l2=True), torch_rms(True)),
    ),
    "AdaDelta": Case(
        *(scaled(Adaptive, AdaptiveMode.AdaDelta, L2), {**STILL, "learningRate": 1.0}),
        *(adaptive(AdaptiveMode.AdaDelta, l2=True), torch_adadelta),
    ),
    **{
        f"{mode.name}, {'TensorFlow' if tf else 'Decay'}, {numbers['momentum']}": Case(
            scaled(Adaptive, mode, rmsprop_tf_variant=tf), numbers, adaptive(mode, tf)
        )
        for mode in AdaptiveMode
        for tf in (False, True)
        for numbers in (MEANS, STILL)
    },
}
RUNS = [
    (name, how)
    for name, case in CASES.items()
    for how in ("plain", "clipped", "changed", "specific")
    # PopART's Adaptive takes no ClipNormSettings.
    if case.torch is not None and not (how == "clipped" and "alpha" in case.numbers)
]


def values_of(numbers: dict[str, float], changing: bool = False) -> Values:
    return {f"default{k[:1].upper()}{k[1:]}": (x, not changing) for k, x in numbers.items()}


def net(rows: int) -> tuple[Any, str]:
    """sum(tanh(x w + b)^2)."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [rows, 5], "x")
    w = builder.addInitializedInputTensor(W, "w")
    b = builder.addInitializedInputTensor(B, "b")
    y = builder.aiOnnx.tanh([builder.aiOnnx.add([builder.aiOnnx.matmul([x, w]), b])])
    loss = builder.aiGraphcore.identityloss(
        [builder.aiOnnx.mul([y, y])], reduction=popir.ReductionType.Sum
    )
    return builder.getModelProto(), loss


def weights(session: Any) -> dict[str, Array]:
    session.weightsToHost()
    found = {"w": np.empty_like(W), "b": np.empty_like(B)}
    session.readWeights(popir.PyWeightsIO(found))
    return found


def by_torch(name: str, clip: float, changes: bool, specific: bool) -> dict[str, Array]:
    case = CASES[name]
    assert case.torch is not None
    w, b = (torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (W, B))
    kind, given = case.torch(case.numbers)
    own = {"lr": given["lr"] / 2, "weight_decay": 0.0} if specific else {}
    optimizer = kind([{"params": [w]}, {"params": [b], **own}], **given)
    for n, x in enumerate(X):
        if changes and n == STEPS // 2:
            for group in optimizer.param_groups:
                group["lr"] /= 4
        optimizer.zero_grad()
        torch.tanh(torch.tensor(x, dtype=torch.float64) @ w + b).pow(2).sum().backward()
        if clip:
            torch.nn.utils.clip_grad_norm_([w, b], clip)
        optimizer.step()
    return {"w": w.detach().numpy(), "b": b.detach().numpy()}


@pytest.mark.parametrize("factor", [1, 4])
@pytest.mark.parametrize(("name", "how"), RUNS)
def test_against_pytorch(name: str, how: str, factor: int) -> None:
    case, numbers = CASES[name], dict(CASES[name].numbers)
    clip = 0.5 if how == "clipped" else 0.0
    changes = how == "changed"

    def made(numbers: dict[str, float]) -> Any:
        given = values_of(numbers)
        rate = given["defaultLearningRate"][0]
        given["defaultLearningRate"] = (rate, not changes)
        optimizer = case.make(given)
        if clip:
            optimizer._clip = [popir.ClipNormSettings.clipAllWeights(clip)]
        if how == "specific":
            own = {"learningRate": (rate / 2, False), "weightDecay": (0.0, True)}
            optimizer.insertSpecific("b", own)
        return optimizer

    model, loss = net(8 // factor)
    asked = popir.SessionOptions(enableGradientAccumulation=factor > 1, accumulationFactor=factor)
    session = training_session(model, loss, [], made(numbers), STEPS // 2, asked)
    step(session, {"x": X[: STEPS // 2]})
    if changes:
        session.updateOptimizerFromHost(
            made({**numbers, "learningRate": numbers["learningRate"] / 4})
        )
    step(session, {"x": X[STEPS // 2 :]})
    want = by_torch(name, clip, changes, how == "specific")
    for id, value in weights(session).items():
        np.testing.assert_allclose(value, want[id], rtol=1e-5, atol=2e-6, err_msg=id)
    assert np.abs(want["w"] - W).max() > 0.05


def linear(kind: str) -> tuple[Any, str]:
    """sum(x * w), whose gradient is x, whatever w is."""
    builder = popir.Builder()
    x = builder.addInputTensor(kind, [4, 6], "x")
    dtype = np.float16 if kind == "FLOAT16" else np.float32
    w = builder.addInitializedInputTensor(floats(4, 6, seed=7).astype(dtype), "w")
    y = builder.aiOnnx.mul([x, w])
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    return builder.getModelProto(), loss


def gradients(kind: str) -> Array:
    """Of one sign for each element, so that weights move, and exact in half."""
    x = floats(4, 6, seed=8) + 0.25 * floats(STEPS, 4, 6, seed=9)
    return x.astype(np.float16 if kind == "FLOAT16" else np.float32)


def by_formula(
    case: Case, kind: str, numbers: Iterator[dict[str, float]], clip: float = 0
) -> Array:
    dtype = np.float16 if kind == "FLOAT16" else np.float32
    w, state = floats(4, 6, seed=7).astype(dtype), dict[str, Array]()
    for t, (x, n) in enumerate(zip(gradients(kind), numbers, strict=True), 1):
        g = x.astype(np.float64)
        if clip:
            g = g * clip / max(clip, float(np.linalg.norm(g)))
        w = case.formula(w.astype(np.float64), g, state, t, n).astype(dtype)
    return w


def with_wide_states(case: Case, kind: str, values: Values, clip: float = 0) -> Any:
    """The optimizer with its states and accumulators in float, as the formulas have them."""
    optimizer = case.make(values)
    full = popir.DataType.FLOAT
    is_moving = isinstance(optimizer, SGD) and bool(case.numbers["momentum"])
    if is_moving and kind == "FLOAT16":
        more = {"accl1Type": full, "accumulatorAndMomentum": SEPARATE}
        is_nesterov = bool(optimizer.nesterov().val)
        optimizer = SGD(nesterov(values) if is_nesterov else values, **more)
    if isinstance(optimizer, Adaptive):
        optimizer.accl3_type = full
    elif clip:
        optimizer._clip = [popir.ClipNormSettings.clipAllWeights(clip)]
    optimizer.accumType = full
    return optimizer


def close(found: Array, want: Array, kind: str) -> None:
    rtol, atol = (1e-5, 4e-6) if kind == "FLOAT" else (4e-3, 1e-3)
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)
    assert np.abs(found - floats(4, 6, seed=7)).max() > 0.02


@pytest.mark.parametrize("kind", ["FLOAT", "FLOAT16"])
@pytest.mark.parametrize("how", ["plain", "accumulated", "clipped"])
@pytest.mark.parametrize("name", CASES)
def test_against_the_formula(name: str, how: str, kind: str) -> None:
    """Weights in half are rounded in each step, as the formula's are; states are in float."""
    case, factor = CASES[name], 4 if how == "accumulated" else 1
    clip = 2.5 if how == "clipped" else 0.0
    optimizer = with_wide_states(case, kind, values_of(case.numbers), clip)
    if isinstance(optimizer, Adaptive):
        clip = 0.0  # PopART's Adaptive takes no ClipNormSettings.
    model, loss = linear(kind)
    asked = popir.SessionOptions(enableGradientAccumulation=factor > 1, accumulationFactor=factor)
    session = training_session(model, loss, [], optimizer, STEPS, asked)
    # Quarters of the gradients are exact in half, too.
    data = np.repeat(gradients(kind)[:, None] / factor, factor, 1)
    step(session, {"x": data.astype(gradients(kind).dtype)})
    session.weightsToHost()
    want = by_formula(case, kind, iter([case.numbers] * STEPS), clip)
    found = np.empty_like(want)
    session.readWeights(popir.PyWeightsIO({"w": found}))
    close(found, want, kind)


@pytest.mark.parametrize("kind", ["FLOAT", "FLOAT16"])
@pytest.mark.parametrize("name", CASES)
def test_numbers_that_change(name: str, kind: str) -> None:
    """All of them, after half of the steps. SGD's form Combined has applied momentum and decay to
    the state before they change, so it keeps these.
    """
    case = CASES[name]

    def made(numbers: dict[str, float]) -> Any:
        given = values_of(numbers, True)
        for key in ("Momentum", "Dampening"):
            if not case.numbers.get(key.lower(), 1):
                given[f"default{key}"] = (0.0, True)
        return with_wide_states(case, kind, given)

    factors = {"beta1": 0.95, "beta2": 0.95, "alpha": 0.95, "momentum": 0.5}
    later = {k: x * factors.get(k, 0.5) for k, x in case.numbers.items()}
    first = made(case.numbers)
    combined = popir.SGDAccumulatorAndMomentum.Combined
    is_combined = isinstance(first, SGD) and first.accumulatorAndMomentum is combined
    if is_combined and case.numbers["momentum"]:
        later |= {k: case.numbers[k] for k in ("momentum", "weightDecay", "dampening")}
    model, loss = linear(kind)
    session = training_session(model, loss, [], first, STEPS // 2)
    data = gradients(kind)
    step(session, {"x": data[: STEPS // 2]})
    session.updateOptimizerFromHost(made(later))
    step(session, {"x": data[STEPS // 2 :]})
    session.weightsToHost()
    numbers = [case.numbers] * (STEPS // 2) + [later] * (STEPS // 2)
    want = by_formula(case, kind, iter(numbers))
    found = np.empty_like(want)
    session.readWeights(popir.PyWeightsIO({"w": found}))
    close(found, want, kind)


STATES = {
    "sgd": [],
    "plain": [],
    "combined": ["Accl"],
    "combined dampened": ["Accl"],
    "nesterov": ["Accl"],
    "separate": ["Accl1"],
    "nesterov separate": ["Accl1"],
    "AdamNoBias": ["Accl1", "Accl2"],
    "LambNoBias": ["Accl1", "Accl2"],
    "LambNoBias L2": ["Accl1", "Accl2"],
}
"""The states of an optimizer, of those without the three of Adam and without Adaptive's."""


def states_of(name: str) -> list[str]:
    case = CASES[name]
    if name in STATES:
        return STATES[name]
    if not isinstance(case.make(values_of(case.numbers)), Adaptive):
        return ["Accl1", "Accl2", "Step"]
    third = ["Accl3"] if case.numbers["momentum"] else []
    return ["Accl1", *(["Accl2"] if name[:4] in ("Cent", "AdaD") else []), *third]


@pytest.mark.parametrize("factor", [1, 4])
@pytest.mark.parametrize("name", CASES)
def test_a_restart_in_the_middle_goes_on_bit_for_bit(
    name: str, factor: int, tmp_path: Path
) -> None:
    case = CASES[name]
    asked = popir.SessionOptions(enableGradientAccumulation=factor > 1, accumulationFactor=factor)
    model, loss = net(8 // factor)
    whole, middle, half = (str(tmp_path / f"{n}.onnx") for n in ("whole", "middle", "half"))

    def session(model: Any) -> Any:
        optimizer = case.make(values_of(case.numbers))
        return training_session(model, loss, [], optimizer, STEPS // 2, asked)

    one = session(model)
    step(one, {"x": X[: STEPS // 2]})
    one.modelToHost(middle)
    step(one, {"x": X[STEPS // 2 :]})
    one.modelToHost(whole)
    other = session(middle)
    step(other, {"x": X[STEPS // 2 :]})
    other.modelToHost(half)
    assert Path(whole).read_bytes() == Path(half).read_bytes()
    assert Path(whole).read_bytes() != Path(middle).read_bytes()
    made = {f"{state}___{weight}" for state in states_of(name) for weight in "wb"}
    assert set(one._host) - {"w", "b", "Accum___w", "Accum___b"} == made
    if "Step___w" in made:
        count = np.zeros([], np.float32)
        other.readWeights(popir.PyWeightsIO({"Step___w": count}))
        assert count == STEPS


@pytest.mark.parametrize("name", ["combined", "AdamW", "Lamb", "CenteredRMSProp"])
def test_states_are_written_by_their_names(name: str) -> None:
    """A session goes on with the weights and states of another, given by arrays."""
    case = CASES[name]
    model, loss = net(8)
    sessions = [
        training_session(model, loss, [], case.make(values_of(case.numbers)), STEPS // 2)
        for _ in range(2)
    ]
    step(sessions[0], {"x": X[: STEPS // 2]})
    sessions[0].weightsToHost()
    held = {id: np.empty_like(value) for id, value in sessions[0]._host.items()}
    sessions[0].readWeights(popir.PyWeightsIO(held))
    sessions[1].writeWeights(popir.PyWeightsIO(held))
    sessions[1].weightsFromHost()
    for each in sessions:
        step(each, {"x": X[STEPS // 2 :]})
    found = [weights(each) for each in sessions]
    for id in ("w", "b"):
        np.testing.assert_array_equal(found[0][id], found[1][id])


def test_types_of_states() -> None:
    half, full, given = popir.DataType.FLOAT16, popir.DataType.FLOAT, popir.DataType.UNDEFINED
    for make, want in (
        (lambda: Adam(), {"Accl1": "FLOAT", "Accl2": "FLOAT", "Step": "FLOAT"}),
        (lambda: Adam(accl1_type=half), {"Accl1": "FLOAT16", "Accl2": "FLOAT"}),
        (lambda: Adam(accl1_type=given, accl2_type=given), {"Accl1": "FLOAT16"}),
        (
            lambda: Adaptive({"defaultMomentum": (0.5, True)}, AdaptiveMode.AdaDelta),
            {"Accl1": "FLOAT", "Accl2": "FLOAT", "Accl3": "FLOAT16"},
        ),
        (lambda: Adaptive(accl1_type=half), {"Accl1": "FLOAT16"}),
        (lambda: SGD({"defaultMomentum": (0.5, True)}), {"Accl": "FLOAT16"}),
        (
            lambda: SGD(
                {"defaultMomentum": (0.5, True)}, accumulatorAndMomentum=SEPARATE, accl1Type=full
            ),
            {"Accl1": "FLOAT"},
        ),
    ):
        model, loss = linear("FLOAT16")
        session = training_session(model, loss, [], make())
        step(session, {"x": np.ones((4, 6), np.float16)})
        for state, type in want.items():
            assert session.getInfo(f"{state}___w").data_type() == type
        session.weightsToHost()
        assert all(np.isfinite(value).all() for value in session._host.values())
    with pytest.raises(popart_exception, match=r"Adam: accl2_type = DataType.INT32: state is kept"):
        Adam(accl2_type=popir.DataType.INT32)
    with pytest.raises(popart_exception, match=r"SGD: accumType = DataType.BOOL: state is kept in"):
        SGD(accumType=popir.DataType.BOOL)


def test_weights_in_double() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("DOUBLE", [3], "x")
    w = builder.addInitializedInputTensor(np.zeros(3), "w")
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([x, w])], popir.ReductionType.Sum)
    kind = popir.DataType.UNDEFINED
    optimizer = Adam(values_of(MOMENTS), accl1_type=kind, accl2_type=kind)
    session = training_session(builder.getModelProto(), loss, [], optimizer, STEPS)
    data = floats(STEPS, 3).astype(np.float64)
    step(session, {"x": data})
    session.weightsToHost()
    found = np.empty(3)
    session.readWeights(popir.PyWeightsIO({"w": found}))
    want, state = np.zeros(3), dict[str, Array]()
    for t, g in enumerate(data, 1):
        want = adam(AdamMode.Adam)(want, g, state, t, MOMENTS)
    np.testing.assert_allclose(found, want, rtol=1e-12)


def test_a_weight_of_zeros_and_no_gradient() -> None:
    """Lamb's factor is 1 where a norm is 0, or the largest norm is."""
    for most, w0, x in ((10.0, 0.0, 1.0), (10.0, 1.0, 0.0), (0.0, 1.0, 1.0)):
        for changing in (False, True):
            numbers = {**MOMENTS, "weightDecay": 0.0, "maxWeightNorm": most}
            builder = popir.Builder()
            i = builder.addInputTensor("FLOAT", [3], "x")
            w = builder.addInitializedInputTensor(np.full(3, w0, np.float32), "w")
            y = builder.aiOnnx.mul([i, w])
            loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
            optimizer = Adam(values_of(numbers, changing), AdamMode.Lamb)
            session = training_session(builder.getModelProto(), loss, [], optimizer)
            step(session, {"x": np.full(3, x, np.float32)})
            session.weightsToHost()
            found = np.empty(3, np.float32)
            session.readWeights(popir.PyWeightsIO({"w": found}))
            np.testing.assert_allclose(found, w0 - 0.02 * x, rtol=1e-5)


@pytest.mark.parametrize("shape", [[], [1], [0], [0, 3], [2, 3, 4, 5]])
@pytest.mark.parametrize("kind", ["FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE"])
def test_shapes_and_types_of_weights(kind: str, shape: list[int]) -> None:
    clip = [popir.ClipNormSettings.clipAllWeights(0.5)]
    dtype = popir.DataType.of(kind).numpy
    moving = {"defaultMomentum": (0.9, False)}
    for optimizer in (
        SGD({**moving, "defaultWeightDecay": (0.1, True)}, clip),
        SGD(nesterov(moving), accumulatorAndMomentum=SEPARATE),
        Adam({}, AdamMode.Lamb, clip_norm_settings=clip),
        Adam({}, accl1_type=popir.DataType.UNDEFINED),
        Adaptive({**moving, "defaultLearningRate": (50, True)}, AdaptiveMode.AdaDelta),
        Adaptive(moving, AdaptiveMode.CenteredRMSProp, rmsprop_tf_variant=True),
    ):
        for factor in (1, 3):
            builder = popir.Builder()
            x = builder.addInputTensor(kind, shape, "x")
            w = builder.addInitializedInputTensor(np.ones(shape, dtype), "w")
            y = builder.aiOnnx.mul([builder.aiOnnx.mul([x, w]), w])
            loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
            asked = popir.SessionOptions(
                enableGradientAccumulation=factor > 1, accumulationFactor=factor
            )
            model = builder.getModelProto()
            session = training_session(model, loss, [], optimizer, 2, asked)
            step(session, {"x": np.ones((2, factor, *shape), dtype)})
            session.weightsToHost()
            found = np.ones(shape, dtype)
            session.readWeights(popir.PyWeightsIO({"w": found}))
            assert (found.astype(np.float64) < 1).all()
            assert np.isfinite(found.astype(np.float64)).all()


def test_groups_of_clipped_weights() -> None:
    def trained(settings: Any) -> dict[str, Array]:
        model, loss = net(8)
        session = training_session(model, loss, ["Gradient___w"], SGD({}, settings))
        step(session, {"x": X[0]})
        return weights(session)

    clip = popir.ClipNormSettings.clipWeights
    plain, both = trained([]), trained([clip(["b"], 0.5), clip(["w"], 0.25)])
    only = trained([clip(["b"], 0.5)])
    np.testing.assert_array_equal(only["w"], plain["w"])
    np.testing.assert_array_equal(only["b"], both["b"])
    assert np.linalg.norm((B - both["b"]) / 0.1) == pytest.approx(0.5, rel=1e-5)
    assert np.linalg.norm((W - both["w"]) / 0.1) == pytest.approx(0.25, rel=1e-5)
    for id, value in trained([popir.ClipNormSettings.clipAllWeights(1e9)]).items():
        np.testing.assert_array_equal(value, plain[id])


def test_what_is_no_group_of_clipped_weights() -> None:
    clip, every = popir.ClipNormSettings.clipWeights, popir.ClipNormSettings.clipAllWeights
    for settings, words in (
        ([clip(["w"], 1), every(1)], "2 groups, one of them of all weights"),
        ([clip(["w"], 1), clip(["b", "w"], 1)], "names the weight 'w' twice"),
        ([clip([], 1)], "a group of no weights"),
    ):
        with pytest.raises(popart_exception, match=words):
            Adam({}, clip_norm_settings=settings)
    for norm in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(popart_exception, match="the largest norm must be above 0, and finite"):
            every(norm)
    model, loss = net(8)
    with pytest.raises(popart_exception, match=r"clips the gradient of 'v' .* no weight that is"):
        training_session(model, loss, [], SGD({}, [clip(["v"], 1)]))
    session = training_session(model, loss, [], SGD({}, [clip(["w"], 1)]))
    with pytest.raises(popart_exception, match="compiled in with clip_norm_settings"):
        session.updateOptimizerFromHost(SGD({}, [clip(["w"], 2)]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Adam({"beta1": (0.9, True)}), "Adam has no value 'beta1'; it has defaultLearning"),
        (lambda: Adam({"defaultBeta2": (1.0, True)}), "'defaultBeta2' must be .*below 1 as float3"),
        (lambda: Adam({"defaultEps": (0.0, True)}), "'defaultEps' must be above 0 as float32"),
        (lambda: Adaptive({"defaultEps": (0.0, True)}), "'defaultEps' must be above 0 as float32"),
        (lambda: Adaptive({"defaultAlpha": (-0.1, True)}), "'defaultAlpha' must be at least 0"),
        (lambda: Adam().insertSpecific("w", {"lossScaling": (1.0, True)}), "has no value 'lossSc"),
        (lambda: Adam().scalars("w", 0), "batches = 0: gradients are divided by 1 or more"),
    ],
)
def test_what_is_no_optimizer(make: Any, words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        make()


def test_what_cannot_be_replaced() -> None:
    model, loss = net(8)
    for old, new, words in (
        (Adam(), SGD(), "An optimizer Adam cannot be replaced by SGD"),
        (SGD(), Adam(), "An optimizer SGD cannot be replaced by Adam"),
        (Adam(), Adam(mode=AdamMode.Lamb), "Adam was compiled in with mode AdamMode.Adam, its"),
        (Adam(), Adam(accl1_type=popir.DataType.FLOAT16), "compiled in with accl1_type"),
        (Adaptive(), Adaptive(rmsprop_tf_variant=True), "with rmsprop_tf_variant False"),
        (SGD(), SGD({"nesterov": (1.0, True)}), "nesterov was compiled in as"),
        (
            SGD({"nesterov": (0.0, False)}),
            SGD({"nesterov": (1.0, False)}),
            "The SGD was compiled in with nesterov 0 and cannot become one with 1",
        ),
    ):
        session = training_session(model, loss, [], old)
        with pytest.raises(popart_exception, match=words):
            session.updateOptimizerFromHost(new)


def test_an_older_name_of_a_number() -> None:
    assert Adam({"maxWeightNorm": (3.0, False)}).maxWeightNorms().getDefault().val == 3
    assert Adam({"lossScaling": (3.0, False)}).getLossScalingVal() == 3
