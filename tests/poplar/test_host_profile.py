"""The engine option host.profile: times of instructions."""

import time

import numpy as np
import pytest

import popir
from popir import errors, poplar, popops
from popir.poplar import program
from popir.popops import expr as pe
from tests.plans import instructions

LINEAR = poplar.VariableMappingMethod.LINEAR
ON = {"host.profile": "true"}


def repeated(times, options, elements=64):
    """An engine that adds one to a tensor, in a loop."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.FLOAT, [elements], LINEAR, "t")
    body = program.Sequence()
    popops.mapInPlace(graph, pe.Add(pe._1, pe.Const(1.0)), [t], body, "more")
    return poplar.Engine(graph, [program.Repeat(times, body)], options)


def test_every_run_of_an_instruction_is_counted():
    engine = repeated(5, ON)
    for _ in range(3):
        engine.run()
    rows = {names[0] or what: runs for names, what, runs, _ in engine.hostProfile()}
    assert rows["more"] == 15
    assert rows["repeat 5"] == 3
    assert rows["end"] == 15


def test_rows_are_the_lines_of_the_plan():
    engine = repeated(2, ON)
    lines = [line.strip() for line in instructions(engine).splitlines()[1:]]
    assert [what for _, what, _, _ in engine.hostProfile()] == lines


def share_of_a_run(engine):
    """The part of a run's time that the profile accounts for."""
    before = sum(seconds for *_, seconds in engine.hostProfile())
    began = time.perf_counter()
    engine.run()
    elapsed = time.perf_counter() - began
    return (sum(seconds for *_, seconds in engine.hostProfile()) - before) / elapsed


def test_times_add_up_to_that_of_a_run():
    engine = repeated(20, ON, elements=1_000_000)
    engine.run()
    shares = [share_of_a_run(engine) for _ in range(10)]
    # Another process may have the core at the ends of one run, not of all.
    assert 0.8 < max(shares) <= 1, shares


def test_without_the_option_there_is_no_profile():
    for options in ({}, {"host.profile": "false"}):
        engine = repeated(1, options)
        engine.run()
        with pytest.raises(errors.poplar_profiling_disabled, match=r"host\.profile = 'true'"):
            engine.hostProfile()


def test_other_values_and_programs_are_refused():
    with pytest.raises(errors.poplar_invalid_option, match="'yes', expected true or false"):
        repeated(1, {"host.profile": "yes"})
    with pytest.raises(errors.poplar_control_program_error, match="program 3 given, the engine h"):
        repeated(1, ON).hostProfile(3)


@pytest.fixture
def session():
    """Two operators, of which one has a name, profiled."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [32, 64], "x")
    w = builder.addInitializedInputTensor(np.ones((64, 64), np.float32), "w")
    h = builder.aiOnnx.matmul([x, w], "block/fc")
    out = builder.aiOnnx.exp([h])
    builder.addOutputTensor(out)
    options = popir.SessionOptions(engineOptions=dict(ON))
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [out]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    return session, {x: np.zeros((32, 64), np.float32)}


def test_instructions_lead_back_to_operators(session):
    session, inputs = session
    session.run(popir.PyStepIO(inputs, session.initAnchorArrays()))
    first = session.getHostProfile()
    rows = {row.type: row for row in first.instructions if row.type != "host"}
    assert rows["MatMul"].operator == "block/fc"
    assert rows["Exp"].operator.startswith("Exp/")
    assert {row.type for row in first.instructions} == {"MatMul", "Exp", "host"}
    assert first.byType().keys() == {"MatMul", "Exp", "host"}
    session.run(popir.PyStepIO(inputs, session.initAnchorArrays()))
    session.run(popir.PyStepIO(inputs, session.initAnchorArrays()))
    later = session.getHostProfile().since(first)
    assert {row.runs for row in later.instructions} == {2}
    assert later.seconds > 0


def test_operators_that_run_together_are_all_named():
    """The engine joins element-wise operators with each other, and with a convolution."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [1, 16, 8, 8], "x")
    w = builder.addInitializedInputTensor(np.ones((16, 16, 3, 3), np.float32), "w")
    y = builder.aiOnnx.relu([builder.aiOnnx.conv([x, w], debugContext="c")], "r")
    out = builder.aiOnnx.exp([builder.aiOnnx.abs([builder.aiOnnx.transpose([y])], "a")], "e")
    builder.addOutputTensor(out)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [out]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(engineOptions=dict(ON)),
    )
    session.prepareDevice()
    given = {x: np.zeros((1, 16, 8, 8), np.float32)}
    session.run(popir.PyStepIO(given, session.initAnchorArrays()))
    rows = {(row.operator, row.type) for row in session.getHostProfile().instructions}
    assert ("c + r", "Conv+Relu") in rows
    assert ("a + e", "Abs+Exp") in rows


def test_a_name_may_look_like_those_of_joined_steps():
    """The host profile has a list of steps, not their names joined by what a name may hold."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [4], "x")
    out = builder.aiOnnx.exp([builder.aiOnnx.abs([x], "a + b")], "c")
    builder.addOutputTensor(out)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [out]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(engineOptions=dict(ON)),
    )
    session.prepareDevice()
    session.run(popir.PyStepIO({x: np.zeros(4, np.float32)}, session.initAnchorArrays()))
    rows = {(row.operator, row.type) for row in session.getHostProfile().instructions}
    assert ("a + b + c", "Abs+Exp") in rows


def test_an_operator_and_its_gradients_have_one_name():
    """So an instruction of that name says all of their types, and not that of the last one."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [32, 64], "x")
    ids = [builder.addInitializedInputTensor(np.ones((64, 64), np.float32)) for _ in range(2)]
    y = x
    for i, w in enumerate(ids):
        y = builder.aiOnnx.matmul([y, w], f"fc{i}")
    loss = builder.aiGraphcore.l1loss([y], 0.1, debugContext="loss")
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(engineOptions=dict(ON)),
    )
    session.prepareDevice()
    given = {x: np.ones((32, 64), np.float32)}
    session.run(popir.PyStepIO(given, session.initAnchorArrays()))
    rows = session.getHostProfile().instructions
    kinds = {kind for row in rows for kind in row.type.split("+")}
    assert {"MatMul/MatMulRhsGrad/MatMulLhsGrad", "MatMul/MatMulLhsGrad/MatMulRhsGrad"} & kinds
