"""Writes are watched: results stay right whatever an Opx writes, and the checks name it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import popir
from popir import poplar, popops, registry
from popir.errors import poplar_runtime_error
from popir.lowering.lowering import Lowering
from popir.lowering.undeclared_writes import Watch
from popir.onnxio.importer import import_model
from popir.ops.elementwise.elementwise import ElementwiseOp
from popir.popops import expr as pe
from tests.models import Array, floats, run, step, training_session

ALPHA = -0.5


class SneakyOp(popir.Op):
    """LeakyRelu, out of place by what it declares."""

    alpha: float = ALPHA

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[popir.Op]:
        return [SneakyGradOp(self)]


class SneakyGradOp(popir.GradOp):
    """Its gradient reads the input's sign, which alpha < 0 does not preserve."""

    opid = popir.OperatorIdentifier("test", "SneakyGrad", 1)
    alpha: float

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def gradInputInfo(self) -> list[popir.GradInOutMapper]:
        kinds = popir.GradOpInType
        return [popir.GradInOutMapper(0, 0, kinds.GradOut), popir.GradInOutMapper(1, 0, kinds.In)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return {0: 0}


class SneakyOpx(popir.Opx):
    """Works in place, as the one of PopART's guide does."""

    def grow(self, prog: Any) -> None:
        alpha = self.getOp(SneakyOp).alpha
        tree = pe.Select(pe.Mul(pe.Const(alpha), pe._1), pe._1, pe.Lt(pe._1, pe.Const(0.0)))
        popops.mapInPlace(self.graph(), tree, [self.getInTensor(0)], prog, self.debugContext())
        self.setOutTensor(0, self.getInTensor(0))


class SneakyGradOpx(popir.Opx):
    def grow(self, prog: Any) -> None:
        alpha = self.getOp(SneakyGradOp).alpha
        slope = pe.Select(pe.Const(alpha), pe.Const(1.0), pe.Lt(pe._2, pe.Const(0.0)))
        operands = [self.getInTensor(0), self.getInTensor(1)]
        self.setOutTensor(0, popops.map(self.graph(), pe.Mul(slope, pe._1), operands, prog))


class DeclaredOp(SneakyOp):
    """The same, and says so."""

    def modifies(self, inIndex: int) -> bool:
        return inIndex == 0

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        return True


class AddTimesOp(popir.Op):
    """(x + y) y, in place of x."""

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def modifies(self, inIndex: int) -> bool:
        return inIndex == 0

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        return inIndex == 0


class AddTimesOpx(popir.Opx):
    def grow(self, prog: Any) -> None:
        to = self.getInTensor(0)
        popops.addInPlace(self.graph(), to, self.getInTensor(1), prog, self.debugContext())
        popops.mulInPlace(self.graph(), to, self.getInTensor(1), prog, self.debugContext())
        self.setOutTensor(0, to)


class HostSumOp(popir.Op):
    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class HostSumOpx(popir.Opx):
    """Lets the host add its inputs."""

    def grow(self, prog: Any) -> None:
        inputs = [self.getInTensor(0), self.getInTensor(1)]
        out = self.graph().clone(inputs[0])
        each = (poplar.FLOAT, out.numElements())
        function = self.graph().addHostFunction("sum", [each, each], [each])
        prog.add(poplar.program.Call(function, inputs, [out]))
        self.setOutTensor(0, out)


class ForgetfulOpx(popir.Opx):
    """Sets no output."""

    def grow(self, prog: Any) -> None:
        pass


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with registry.scoped():
        for name, opClass, opxClass in (
            ("Sneaky", SneakyOp, SneakyOpx),
            ("HostSum", HostSumOp, HostSumOpx),
            ("AddTimes", AddTimesOp, AddTimesOpx),
            ("Declared", DeclaredOp, SneakyOpx),
            ("Forgetful", SneakyOp, ForgetfulOpx),
        ):
            opid = popir.OperatorIdentifier("test", name, 1)
            popir.OpCreator(opClass, [opid])
            popir.OpxCreator(opxClass, opid)
        popir.OpxCreator(SneakyGradOpx, SneakyGradOp.opid)
        yield


class Model:
    """A builder with the operators of this test."""

    def __init__(self) -> None:
        self.builder = popir.Builder()
        self.aiOnnx = self.builder.aiOnnx

    def input(self, *shape: int) -> str:
        return self.builder.addInputTensor("FLOAT", list(shape))

    def weight(self, value: Array) -> str:
        return self.builder.addInitializedInputTensor(value)

    def op(self, name: str, x: str, **attributes: Any) -> str:
        return self.builder.customOp(name, 1, "test", [x], attributes)[0]

    def proto(self, *outputs: str) -> bytes:
        for id in outputs:
            self.builder.addOutputTensor(id)
        return self.builder.getModelProto()


def leaky(x: Array, alpha: float = ALPHA) -> Array:
    return np.where(x < 0, np.float32(alpha) * x, x)


X = floats(4, 5)


@pytest.mark.parametrize("name", ["Sneaky", "Declared"])
class TestValuesSurvive:
    def test_the_input_is_read_again(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        h = m.aiOnnx.exp([x])
        y = m.op(name, h)
        z = m.aiOnnx.add([y, h])
        out = run(m.proto(z), {x: -X}, [z])
        np.testing.assert_allclose(out[z], leaky(np.exp(-X)) + np.exp(-X), rtol=1e-6)

    def test_the_input_is_read_twice_by_one_operator(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        h = m.aiOnnx.neg([x])
        z = m.aiOnnx.sub([m.op(name, h), m.op(name, h)])
        out = run(m.proto(z), {x: X}, [z])
        np.testing.assert_array_equal(out[z], np.zeros_like(X))

    def test_the_input_is_anchored(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        h = m.aiOnnx.neg([x])
        y = m.op(name, h)
        out = run(m.proto(y), {x: X}, [h, y])
        np.testing.assert_array_equal(out[h], -X)
        np.testing.assert_array_equal(out[y], leaky(-X))

    def test_the_input_is_the_hosts(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        y = m.op(name, x)
        mine = X.copy()
        out = run(m.proto(y), {x: mine}, [y])
        np.testing.assert_array_equal(mine, X)
        np.testing.assert_array_equal(out[y], leaky(X))

    def test_the_input_is_a_constant(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        c = m.aiOnnx.constant(X)
        y = m.aiOnnx.add([m.op(name, c), x])
        session_twice = run(m.proto(y), {x: np.stack([X, X])}, [y], batches=2)
        np.testing.assert_array_equal(session_twice[y], [leaky(X) + X] * 2)

    def test_a_view_of_the_input_is_read_later(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        h = m.aiOnnx.neg([x])
        view = m.aiOnnx.transpose([h], perm=[1, 0])
        y = m.op(name, h)
        z = m.aiOnnx.matmul([view, y])
        out = run(m.proto(z), {x: X}, [z])
        np.testing.assert_allclose(out[z], -X.T @ leaky(-X), rtol=1e-5)

    def test_the_input_is_a_view_of_what_is_read_later(self, name: str) -> None:
        m = Model()
        x = m.input(4, 5)
        h = m.aiOnnx.neg([x])
        y = m.op(name, m.aiOnnx.transpose([h], perm=[1, 0]))
        z = m.aiOnnx.matmul([y, h])
        out = run(m.proto(z), {x: X}, [z])
        np.testing.assert_allclose(out[z], leaky(-X).T @ -X, rtol=1e-5)


class TestOperandsInTheSameMemory:
    """Each has the old value."""

    def add(self, m: Model, *inputs: str) -> str:
        return m.builder.customOp("AddTimes", 1, "test", list(inputs), {})[0]

    @pytest.mark.parametrize("is_computed", [False, True])
    @pytest.mark.parametrize("is_read_later", [False, True])
    def test_one_tensor(self, is_computed: bool, is_read_later: bool) -> None:
        m = Model()
        x = m.input(4, 5)
        h = m.aiOnnx.neg([x]) if is_computed else x
        z = self.add(m, h, h)
        value = -X if is_computed else X
        outs = [z, m.aiOnnx.exp([h])] if is_read_later else [z]
        out = run(m.proto(*outs), {x: X}, outs)
        np.testing.assert_allclose(out[z], 2 * value * value, rtol=1e-6)
        if is_read_later:
            np.testing.assert_allclose(out[outs[1]], np.exp(value), rtol=1e-5)

    def test_a_constant(self) -> None:
        m = Model()
        c = m.aiOnnx.constant(X)
        z = self.add(m, c, c)
        out = run(m.proto(z), {}, [z])
        np.testing.assert_allclose(out[z], 2 * X * X, rtol=1e-6)

    @pytest.mark.parametrize("number", [2, 3, 5])
    def test_rings(self, number: int) -> None:
        m = Model()
        x = m.input(4, 5)
        tensors = [m.aiOnnx.mul([x, m.weight(np.float32(n + 1))]) for n in range(number)]
        outs = [self.add(m, t, tensors[n - 1]) for n, t in enumerate(tensors)]
        out = run(m.proto(*outs), {x: X}, outs)
        for n, id in enumerate(outs):
            a, b = (n + 1) * X, ((n - 1) % number + 1) * X
            np.testing.assert_allclose(out[id], (a + b) * b, rtol=1e-5)

    def test_a_weight_that_is_updated(self) -> None:
        m = Model()
        w = m.weight(X)
        z = self.add(m, w, w)
        session = popir.InferenceSession(
            m.proto(z), popir.DataFlow(1, [z]), popir.DeviceManager().createCpuDevice()
        )
        session.prepareDevice()
        expected = X
        for _ in range(2):
            expected = 2 * expected * expected
            np.testing.assert_allclose(step(session, {})[z], expected, rtol=1e-5)


def test_the_sign_of_the_input_reaches_the_gradient() -> None:
    m = Model()
    x = m.input(4, 5)
    w = m.weight(X)
    h = m.aiOnnx.mul([x, w])
    loss = m.builder.aiGraphcore.identityloss(
        [m.op("Sneaky", h)], reduction=popir.ReductionType.Sum
    )
    session = training_session(m.proto(loss), loss, [f"Gradient___{w}"])
    out = step(session, {x: np.ones_like(X)})
    np.testing.assert_array_equal(out[f"Gradient___{w}"], np.where(X < 0, np.float32(ALPHA), 1))


def test_a_weight_keeps_its_value() -> None:
    m = Model()
    x = m.input(4, 5)
    w = m.weight(X)
    y = m.aiOnnx.add([m.op("Sneaky", w), x])
    session = popir.InferenceSession(
        m.proto(y), popir.DataFlow(3, [y]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    out = step(session, {x: np.zeros((3, 4, 5), np.float32)})
    np.testing.assert_array_equal(out[y], [leaky(X)] * 3)
    session.weightsToHost()
    back = np.empty_like(X)
    session.readWeights(popir.PyWeightsIO({w: back}))
    np.testing.assert_array_equal(back, X)


def test_a_weight_is_updated_after_a_view_of_it_was_read() -> None:
    """The transposed weight that the gradient reads is the one before the update."""
    m = Model()
    x, w, v = m.input(4, 5), m.weight(X), m.weight(floats(4, 4, seed=1))
    view = m.aiOnnx.transpose([w], perm=[1, 0])
    y = m.aiOnnx.matmul([m.aiOnnx.matmul([x, view]), v])
    loss = m.builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    gradient = f"Gradient___{x}"
    out = step(training_session(m.proto(loss), loss, [gradient]), {x: X})
    want = np.ones((4, 4), np.float32) @ floats(4, 4, seed=1).T @ X
    np.testing.assert_allclose(out[gradient], want, rtol=1e-5, atol=1e-5)


def copies(name: str, outputs: int) -> int:
    """Variables that the lowering has made of one chain x -> -x -> op -> outputs."""
    m = Model()
    x = m.input(4, 5)
    h = m.aiOnnx.neg([x])
    y = m.op(name, h)
    kept = [y, h][:outputs]
    graph = import_model(m.proto(y))
    lowering = Lowering(graph, poplar.Device.createCPUDevice(), kept)
    lowering.grow()
    return lowering.graph.numVariables()


def test_the_last_reader_writes_in_place() -> None:
    assert copies("Sneaky", 2) == copies("Sneaky", 1) + 1


def checked(modify: bool, alias: bool) -> popir.SessionOptions:
    options = popir.SessionOptions()
    options.opxModifyChecking, options.opxAliasChecking = modify, alias
    return options


def test_modify_checking_names_the_undeclared_write() -> None:
    m = Model()
    x = m.input(4, 5)
    y = m.op("Sneaky", m.aiOnnx.neg([x]))
    with pytest.raises(popir.popart_exception) as error:
        run(m.proto(y), {x: X}, [y], options=checked(True, False))
    for words in (
        "test.Sneaky:1",
        "SneakyOpx writes input 0",
        "modifies(0) of SneakyOp",
        "cloneNcopy",
    ):
        assert words in str(error.value)


def test_modify_checking_sees_a_constant_written() -> None:
    m = Model()
    y = m.op("Sneaky", m.aiOnnx.constant(X))
    with pytest.raises(popir.popart_exception, match=r"SneakyOpx writes input 0"):
        run(m.proto(y), {}, [y], options=checked(True, False))


def test_alias_checking_names_the_undeclared_alias() -> None:
    m = Model()
    x = m.input(4, 5)
    y = m.op("Sneaky", m.aiOnnx.neg([x]))
    with pytest.raises(popir.popart_exception) as error:
        run(m.proto(y), {x: X}, [y], options=checked(False, True))
    for words in ("output 0 shares the memory of input 0", "aliases(0, 0) of SneakyOp"):
        assert words in str(error.value)


def test_what_has_no_elements_passes_the_checks() -> None:
    m = Model()
    x = m.input(0, 5)
    y = m.op("Sneaky", m.aiOnnx.neg([x]))
    out = run(m.proto(y), {x: X[:0]}, [y], options=checked(True, True))
    assert out[y].shape == (0, 5)


def test_declared_writes_pass_the_checks() -> None:
    m = Model()
    x = m.input(4, 5)
    y = m.op("Declared", m.aiOnnx.neg([x]))
    out = run(m.proto(y), {x: X}, [y], options=checked(True, True))
    np.testing.assert_array_equal(out[y], leaky(-X))


def test_an_output_that_was_not_set_is_named() -> None:
    m = Model()
    x = m.input(4, 5)
    y = m.op("Forgetful", x)
    with pytest.raises(popir.popart_exception, match=r"ForgetfulOpx has not set output 0"):
        run(m.proto(y), {x: X}, [y])


def test_an_operator_without_an_opx_is_named() -> None:
    popir.OpCreator(SneakyOp, [popir.OperatorIdentifier("test", "Bare", 1)])
    m = Model()
    x = m.input(4, 5)
    y = m.op("Bare", x)
    with pytest.raises(popir.MissingOpxError, match=r"no Opx is registered for test.Bare:1"):
        run(m.proto(y), {x: X}, [y])


def add_up(inputs: list[Array], outputs: list[Array]) -> None:
    outputs[0][:] = inputs[0] + inputs[1]
    outputs.clear()


def test_an_operator_that_the_host_works_out() -> None:
    builder = popir.Builder()
    x, y = (builder.addInputTensor("FLOAT", [2, 3]) for _ in range(2))
    (z,) = builder.customOp("HostSum", 1, "test", [x, y], {})
    builder.addOutputTensor(z)
    session = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [z]), popir.DeviceManager().createCpuDevice()
    )
    with pytest.raises(popir.popart_exception, match="must be called before connectHost"):
        session.connectHostFunction("sum", lambda inputs, outputs: None)
    session.prepareDevice()
    with pytest.raises(
        poplar_runtime_error, match="no host function 'product'; the graph has: sum"
    ):
        session.connectHostFunction("product", lambda inputs, outputs: None)
    feeds = {x: floats(2, 3), y: floats(2, 3, seed=1)}
    anchors = session.initAnchorArrays()
    with pytest.raises(poplar_runtime_error, match="host function 'sum' is not connected"):
        session.run(popir.PyStepIO(feeds, anchors))
    session.connectHostFunction("sum", add_up)
    session.run(popir.PyStepIO(feeds, anchors))
    np.testing.assert_array_equal(anchors[z], feeds[x] + feeds[y])


def test_what_is_looked_up_grows_with_the_calls_of_a_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0
    lives = Watch._lives

    def counted(*arguments: Any) -> bool:
        nonlocal looked
        looked += 1
        return lives(*arguments)

    monkeypatch.setattr(Watch, "_lives", counted)
    monkeypatch.setattr(ElementwiseOp, "getSubgraphValue", lambda self: 1000.0)
    counts = []
    for length in 40, 80:
        m = Model()
        t = m.aiOnnx.mul([m.input(4, 5), m.weight(X)])
        for _ in range(length):
            t = m.aiOnnx.leakyrelu([t], ALPHA)
        loss = m.builder.aiGraphcore.identityloss([t])
        looked = 0
        options = popir.SessionOptions(enableOutlining=True)
        session = training_session(m.proto(loss), loss, [loss], options=options)
        calls = [op for op in session.graph.ops.values() if op.getCalledGraphs()]
        assert len(calls) == length
        counts.append(looked)
    assert counts[1] < 3 * counts[0], counts


def test_chains_of_operators_that_work_in_place_take_linear_time() -> None:
    counts = []
    for length in 200, 400:
        m = Model()
        t = m.input(4, 5)
        for _ in range(length):
            t = m.aiOnnx.add([t, m.weight(X)])
        m.builder.addOutputTensor(t)
        device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(1, [t])
        session = popir.InferenceSession(m.builder.getModelProto(), flow, device)
        calls = 0

        def count(_: Any, event: str, __: Any) -> None:
            nonlocal calls
            calls += event == "call"

        sys.setprofile(count)
        try:
            session.prepareDevice()
        finally:
            sys.setprofile(None)
        counts.append(calls)
    assert counts[1] < 2.2 * counts[0], counts
