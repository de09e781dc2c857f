"""Chains of small steps that run at the same time, each on one thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import popir
from popir import poplar, popops, poprand
from popir.poplar import program
from tests.networks.exported import exported

ROWS, WIDTH, STEPS = 4, 256, 20
SAID = "side by side: 2 chains of small steps beside others"


class Programs:
    """A graph, a program, and what NumPy says of it."""

    def __init__(self) -> None:
        self.graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.sequence = program.Sequence()
        self.rng = np.random.default_rng(0)
        self.expected: dict[str, np.ndarray[Any, Any]] = {}
        self.inputs: dict[str, np.ndarray[Any, Any]] = {}

    def constant(self, shape: list[int], name: str) -> tuple[poplar.Tensor, np.ndarray[Any, Any]]:
        """A variable with random numbers."""
        values = self.rng.normal(size=shape).astype(np.float32) / np.float32(WIDTH**0.5)
        linear = poplar.VariableMappingMethod.LINEAR
        variable = self.graph.addVariable(poplar.FLOAT, shape, linear, name)
        self.graph.setInitialValue(variable, values)
        return variable, values

    def given(self, name: str) -> tuple[poplar.Tensor, np.ndarray[Any, Any]]:
        """A variable that each run gets from the host."""
        x, values = self.constant([ROWS, WIDTH], name)
        stream = self.graph.addHostToDeviceFIFO(f"{name}.in", poplar.FLOAT, values.size)
        self.sequence.add(program.Copy(stream, x))
        self.inputs[f"{name}.in"] = values
        return x, values

    def chain(self, x: poplar.Tensor, known: Any, name: str) -> tuple[poplar.Tensor, Any]:
        """STEPS products and functions, one after the other."""
        from popir import poplin

        weights, w = self.constant([WIDTH, WIDTH], f"{name}.w")
        for _ in range(STEPS):
            x = poplin.matMul(self.graph, x, weights, self.sequence, poplar.FLOAT, f"{name}.mul")
            x = popops.tanh(self.graph, x, self.sequence, f"{name}.tanh")
            known = np.tanh(known.astype(np.float64) @ w)
        return x, known

    def shows(self, name: str, x: poplar.Tensor, known: Any) -> None:
        """The host reads the tensor, which should hold `known`."""
        self.graph.createHostRead(name, x)
        self.expected[name] = known

    def run(self, **options: str) -> str:
        """Compares two runs with what is expected; the plan."""
        engine = poplar.Engine(self.graph, [self.sequence], {"host.numThreads": "2", **options})
        for name, values in self.inputs.items():
            engine.connectStream(name, values)
        for _ in range(2):
            engine.run()
            for name, known in self.expected.items():
                found = np.zeros(known.shape, np.float32)
                engine.readTensor(name, found)
                np.testing.assert_allclose(found, known, rtol=1e-4, atol=1e-5)
        return engine.planText()


def beside(made: Programs, **options: str) -> bool:
    """Whether the program runs, and two of its chains side by side."""
    plan = made.run(**options)
    assert (SAID in plan) == ("  side by side\n" in plan)
    return SAID in plan


def test_two_chains() -> None:
    made = Programs()
    given = {name: made.given(name) for name in "ab"}
    for name, (x, known) in given.items():
        made.shows(name, *made.chain(x, known, name))
    assert beside(made)
    assert not beside(made, **{"host.numThreads": "1"})
    assert not beside(made, **{"host.fuse": "false"})


def test_chains_that_begin_with_one_value_and_end_in_one() -> None:
    made = Programs()
    x, known = made.given("x")
    x, known = made.chain(x, known, "head")
    a, of_a = made.chain(x, known, "a")
    b, of_b = made.chain(x, known, "b")
    made.shows("sum", popops.add(made.graph, a, b, made.sequence, "sum"), of_a + of_b)
    assert beside(made)


def test_a_chain_that_needs_the_other_one() -> None:
    made = Programs()
    x, known = made.given("x")
    a, of_a = made.chain(x, known, "a")
    made.shows("b", *made.chain(a, of_a, "b"))
    assert not beside(made)


def test_chains_that_write_one_variable_in_turns() -> None:
    made = Programs()
    shared, _ = made.constant([ROWS, WIDTH], "shared")
    given = {name: made.given(name) for name in "ab"}
    for name, (x, known) in given.items():
        y, known = made.chain(x, known, name)
        made.sequence.add(program.Copy(y, shared))
        z = popops.neg(made.graph, shared, made.sequence, f"{name}.neg")
        made.shows(name, *made.chain(z, -known, f"{name}.last"))
    made.run()


def test_chains_that_write_halves_of_one_variable() -> None:
    made = Programs()
    both, _ = made.constant([2, ROWS, WIDTH], "both")
    found = []
    given = {name: made.given(name) for name in "ab"}
    for i, (name, (x, known)) in enumerate(given.items()):
        y, known = made.chain(x, known, name)
        made.sequence.add(program.Copy(y, both[i]))
        found.append(known)
    made.shows("both", both, np.stack(found))
    assert beside(made)


def streamed(made: Programs, stream: poplar.DataStream, x: poplar.Tensor) -> None:
    made.sequence.add(program.Copy(x, stream))


@pytest.mark.parametrize("chains", [False, True])
def test_transfers_of_one_stream_keep_their_order(chains: bool) -> None:
    made = Programs()
    (a, of_a), (b, of_b) = made.given("a"), made.given("b")
    if chains:
        a, of_a = made.chain(a, of_a, "a")
        stream = made.graph.addDeviceToHostFIFO("out", poplar.FLOAT, ROWS * WIDTH)
        streamed(made, stream, a.reshape([WIDTH, ROWS]).dimShuffle([1, 0]))
        b, of_b = made.chain(b, of_b, "b")
    else:
        b, of_b = popops.tanh(made.graph, b, made.sequence, "b.tanh"), np.tanh(of_b)
        stream = made.graph.addDeviceToHostFIFO("out", poplar.FLOAT, ROWS * WIDTH)
        streamed(made, stream, a.reshape([WIDTH, ROWS]).dimShuffle([1, 0]))
    streamed(made, stream, b)
    engine = poplar.Engine(made.graph, [made.sequence], {"host.numThreads": "2"})
    for name, values in made.inputs.items():
        engine.connectStream(name, values)
    found = np.zeros([2, ROWS, WIDTH], np.float32)
    engine.connectStream("out", found)
    engine.run()
    turned = np.reshape(of_a, [WIDTH, ROWS]).T
    np.testing.assert_allclose(found, np.stack([turned, of_b]), rtol=1e-4, atol=1e-5)


def test_an_input_that_the_host_has_where_an_output_goes() -> None:
    made = Programs()
    a, of_a = made.given("a")
    y = popops.tanh(made.graph, a, made.sequence, "y")
    b, of_b = made.given("b")
    z = popops.sin(made.graph, b, made.sequence, "z")
    streamed(made, made.graph.addDeviceToHostFIFO("out", poplar.FLOAT, ROWS * WIDTH), y)
    made.graph.createHostRead("z", z)
    engine = poplar.Engine(made.graph, [made.sequence], {"host.numThreads": "2"})
    both, found = of_b.copy(), np.zeros([ROWS, WIDTH], np.float32)
    engine.connectStream("a.in", of_a)
    engine.connectStream("b.in", both)
    engine.connectStream("out", both)
    engine.run()
    engine.readTensor("z", found)
    np.testing.assert_allclose(found, np.sin(of_b), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(both, np.tanh(of_a), rtol=1e-4, atol=1e-5)


def test_long_chains_take_little_memory() -> None:
    made = Programs()
    given = {name: made.given(name) for name in "ab"}
    for name, (x, known) in given.items():
        for part in range(40):
            x, known = made.chain(x, known, f"{name}{part}")
        made.shows(name, x, known)

    def arena(**options: str) -> int:
        options = {"host.numThreads": "2", **options}
        return poplar.Engine(made.graph, [made.sequence], options).arenaBytes()

    results = 2 * 40 * 2 * STEPS * ROWS * WIDTH * 4
    assert arena() < arena(**{"host.without": "side by side"}) + results // 4


def test_halves_that_are_read_before_all_of_them_is_written_elsewhere() -> None:
    made = Programs()
    linear = poplar.VariableMappingMethod.LINEAR
    both = made.graph.addVariable(poplar.FLOAT, [2, ROWS, WIDTH], linear, "both")
    given = {name: made.given(name) for name in "ab"}
    found = {name: made.chain(x, known, name) for name, (x, known) in given.items()}
    for i, (x, _) in enumerate(found.values()):
        made.sequence.add(program.Copy(x, both[i]))
    for i, (name, (_, known)) in enumerate(found.items()):
        made.shows(f"{name}.last", *made.chain(both[i], known, f"{name}.last"))
    twice = popops.add(made.graph, both, both, made.sequence, "twice")
    made.shows("twice", twice, 2 * np.stack([known for _, known in found.values()]))
    made.run()


def test_random_numbers_keep_their_order() -> None:
    def numbers(fuse: str) -> list[np.ndarray[Any, Any]]:
        made = Programs()
        seed = made.graph.addVariable(
            poplar.UNSIGNED_INT, [2], poplar.VariableMappingMethod.LINEAR, "seed"
        )
        made.graph.setInitialValue(seed, np.array([1, 2], np.uint32))
        reference, _ = made.constant([ROWS, WIDTH], "reference")
        found = []
        for i, name in enumerate("ab"):
            x = poprand.uniform(
                made.graph, seed, i, reference, poplar.FLOAT, -1.0, 1.0, made.sequence
            )
            y, _ = made.chain(x, np.zeros((ROWS, WIDTH)), name)
            made.graph.createHostRead(name, y)
        options = {"host.numThreads": "2", "host.fuse": fuse}
        engine = poplar.Engine(made.graph, [made.sequence], options)
        engine.run()
        for name in "ab":
            found.append(np.zeros((ROWS, WIDTH), np.float32))
            engine.readTensor(name, found[-1])
        return found

    for fused, plain in zip(numbers("true"), numbers("false"), strict=True):
        np.testing.assert_allclose(fused, plain, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("training", [False, True])
def test_the_two_directions_of_an_lstm(tmp_path: Path, training: bool) -> None:
    torch.manual_seed(0)

    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells = nn.LSTM(128, 128, bidirectional=True)
            self.head = nn.Linear(256, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.head(self.cells(x)[0])
            return y.square().mean() if training else y

    network, x = Both().eval(), torch.randn(24, 2, 128)
    model = exported(network, x, False, tmp_path)
    (given,), (result,) = ([v.name for v in vs] for vs in (model.graph.input, model.graph.output))
    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": "2"}
    device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(1, [result])
    session: Any
    if training:
        session = popir.TrainingSession(
            model, flow, result, popir.ConstSGD(0.1), device, userOptions=options
        )
    else:
        session = popir.InferenceSession(model, flow, device, userOptions=options)
    session.prepareDevice()
    if training:
        session.weightsFromHost()
    anchors = session.initAnchorArrays()
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for _ in range(4):
        session.run(popir.PyStepIO({given: x.numpy()}, anchors))
        y = network(x)
        np.testing.assert_allclose(anchors[result], y.detach().numpy(), rtol=1e-4, atol=1e-6)
        if training:
            optimizer.zero_grad()
            y.backward()
            optimizer.step()
    chains = 4 if training else 2  # forwards, and backwards
    assert f"side by side: {chains} chains of small steps beside others" in session.planText()
