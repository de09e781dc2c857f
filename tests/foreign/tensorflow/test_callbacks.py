"""Operators that a library computes on the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir.custom_ops import cpu_user_operation
from popir.testing import gradcheck
from tests.foreign.tensorflow.programs import (
    Array,
    builder,
    floats,
    given,
    gradients,
    inference,
    outs,
    stepped,
    training,
)

UserLibrary = Callable[..., str]
LEVELS = pytest.mark.parametrize("level", [1, 2, 4, 5])
A = floats(4, 3)


@LEVELS
@pytest.mark.parametrize("limit", [0.0, 30.0])
def test_a_callback_gets_what_its_level_has(
    user_library: UserLibrary, level: int, limit: float
) -> None:
    model = builder()
    x = model.addInitializedInputTensor(A)
    texts = {} if level == 1 else {"attributes": "3", "gradient_attributes": "5"}
    (y,) = cpu_user_operation(
        [x], user_library("features", level), outs=outs([4, 3]), time_limit=limit, **texts
    )
    assert np.allclose(gradients(model, y, x)[0], 2 * A * (1 if level == 1 else 5))
    model = builder()
    x = model.addInitializedInputTensor(A)
    (y,) = cpu_user_operation(
        [x], user_library("features", level), outs=outs([4, 3]), time_limit=limit, **texts
    )
    assert np.allclose(given(model, y)[0], A * A * (1 if level == 1 else 3))


@LEVELS
def test_gradients_against_finite_differences(user_library: UserLibrary, level: int) -> None:
    library = str(popir.load_op_library(user_library("features", level)))
    node: dict[str, Any] = {"library_path": library, "output_types": [1], "output_shapes": ["2,3"]}
    for separate in (0, 1):
        node["separate_gradients"] = separate
        gradcheck("ai.graphcore.tensorflow.IpuUserReadWriteOp", [[2, 3]], node)


@LEVELS
def test_a_callback_as_documented(user_library: UserLibrary, level: int) -> None:
    """Called as documented it gets its name; else it sees the attributes in its place."""
    for abi, added in (("documented", 1), ("called", 1 if level == 1 else 0)):
        model = builder()
        x = model.addInitializedInputTensor(A)
        (y,) = cpu_user_operation(
            [x],
            user_library("features", level),
            outs=outs([4, 3]),
            op_name="Documented",
            callback_abi=abi,
        )
        assert np.allclose(given(model, y)[0], A + added)


def test_it_runs_once_in_each_batch_on_any_layout(user_library: UserLibrary) -> None:
    model = builder()
    x = model.addInputTensor("FLOAT", [3, 4])
    (y,) = cpu_user_operation(
        [model.aiOnnx.transpose([x])], user_library("features", 2), outs=outs([4, 3])
    )
    z = model.aiOnnx.transpose([y])
    model.addOutputTensor(z)
    session = popir.InferenceSession(
        model.getModelProto(), popir.DataFlow(5, [z]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    values = floats(5, 3, 4)
    assert np.allclose(stepped(session, {x: values})[z], values**2)


@pytest.mark.parametrize("value", [np.float32(3), np.zeros((0, 2), np.float32)])
def test_scalars_and_nothing(user_library: UserLibrary, value: Array) -> None:
    model = builder()
    x = model.addInitializedInputTensor(value)
    (y,) = cpu_user_operation([x], user_library("features", 5), outs=outs(value.shape))
    assert np.array_equal(given(model, y)[0], value * value)


def test_what_it_throws_fails_the_run_and_not_the_process(user_library: UserLibrary) -> None:
    for name, words in (
        ("CallbackThrows", r"CallbackThrows\(\) of '.*libfaults2.so': out of cheese after 12"),
        ("CallbackThrowsInt", r"CallbackThrowsInt\(\) of .*it threw what is no std::exception"),
        ("CallbackDivides", r"CallbackDivides\(\) of .*: it divides an integer by zero, or the"),
        ("CallbackReplaces", r"has replaced the pointers to its outputs"),
    ):
        model = builder()
        x = model.addInitializedInputTensor(A)
        (y,) = cpu_user_operation([x], user_library("faults", 2), outs=outs([4, 3]), op_name=name)
        model.addOutputTensor(y)
        session = inference(model, [y])
        for _ in range(2):
            with pytest.raises(popir.poplar_application_runtime_error, match=words):
                stepped(session)


def test_inputs_are_copies(user_library: UserLibrary) -> None:
    """Before level 5 a callback may write to what it gets."""
    model = builder()
    x = model.addInitializedInputTensor(A)
    (y,) = cpu_user_operation(
        [x], user_library("faults", 2), outs=outs([1]), op_name="CallbackWritesInput"
    )
    found = given(model, y, model.aiOnnx.neg([x]))
    assert found[0][0] == A[-1, -1] and np.array_equal(found[1], -A)


def test_copies_begin_with_a_page(user_library: UserLibrary) -> None:
    """As the engine's memory does: some processors copy slowly to what lies a little behind."""
    model = builder()
    x = [model.addInitializedInputTensor(floats(n)) for n in (5, 100_000)]
    (y,) = cpu_user_operation(x, user_library("features", 2), outs=outs([2]), op_name="Places")
    np.testing.assert_array_equal(given(model, y)[0], [0, 0])


def test_a_call_that_takes_too_long_ends_the_session(user_library: UserLibrary) -> None:
    model = builder()
    x = model.addInputTensor("FLOAT", [1])
    (y,) = cpu_user_operation(
        [x], user_library("faults", 2), outs=outs([1]), op_name="Sleeps", time_limit=0.1
    )
    model.addOutputTensor(y)
    session = inference(model, [y])
    assert stepped(session, {x: np.float32([0])})[y] == 1
    begin = time.monotonic()
    with pytest.raises(
        popir.poplar_application_runtime_error, match=r"has not returned within 100 ms"
    ):
        stepped(session, {x: np.float32([2])})
    assert time.monotonic() - begin < 1.5
    with pytest.raises(popir.poplar_application_runtime_error, match="the engine is closed"):
        stepped(session, {x: np.float32([0])})
    time.sleep(2)  # Its thread ends before the library may go.


def test_programs_with_callbacks_are_not_kept(
    user_library: UserLibrary, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    model = builder()
    x = model.addInitializedInputTensor(A)
    (y,) = cpu_user_operation([x], user_library("features", 2), outs=outs([4, 3]))
    found = given(model, y, enableEngineCaching=True, cachePath=str(tmp_path / "cache"))
    assert np.allclose(found[0], A * A)
    assert "calls a function of" in caplog.text and not (tmp_path / "cache").exists()
    session = inference(model, [y])
    with pytest.raises(popir.PopirError, match=r"cannot be saved: .* calls a function of"):
        session.saveExecutable(str(tmp_path / "saved"))


def test_it_trains(user_library: UserLibrary) -> None:
    model = builder()
    w = model.addInitializedInputTensor(np.float32([2.0, -1.0]), "w")
    (y,) = cpu_user_operation([w], user_library("features", 4), outs=outs([2]))
    loss = model.aiGraphcore.identityloss([y])
    session = training(model, loss, rate=0.1)
    losses = [float(stepped(session)[loss]) for _ in range(20)]
    assert losses[-1] < 0.2 * losses[0]
