"""Graphs: tensors, operators, order."""

import gc
import time

import numpy as np
import pytest

from popir.errors import VerificationError, popart_exception
from popir.ir import Graph, Op, TensorType, verify
from popir.types import TensorInfo
from tests.ir.ops import (
    ADD,
    LEAKY_RELU,
    UPDATE,
    VIEW,
    AddOp,
    LeakyReluOp,
    UpdateOp,
    ViewOp,
    add,
    stream_graph,
)


def ids(ops: list[Op]) -> str:
    """The first outputs of operators, in order."""
    return " ".join(op.outId(0) for op in ops)


def test_kinds_of_tensors() -> None:
    graph = Graph()
    weights = np.ones((2, 3), np.float32)
    assert graph.addStream("x", TensorInfo("FLOAT", [2])).is_stream()
    variable = graph.addVarInit("w", weights)
    assert variable.is_variable()
    assert variable.data is weights
    assert variable.info == TensorInfo("FLOAT", [2, 3])
    assert graph.addConstInit("c", np.array(3)).isConst()
    assert graph.addActGrad("a").tensorType is TensorType.ActGrad
    assert graph.inputs == ["x"]


def test_an_id_is_used_once() -> None:
    graph = stream_graph("x")
    with pytest.raises(
        popart_exception, match=r"The graph 'main' has a tensor 'x' already: Tensor"
    ):
        graph.addActGrad("x")


def test_unique_ids() -> None:
    graph = stream_graph("x", "x/2")
    assert graph.uniqueId("y") == "y"
    assert graph.uniqueId("x") == "x/1"
    graph.addActGrad("x/1")
    assert graph.uniqueId("x") == "x/3"


def test_remove_tensor_that_is_in_use() -> None:
    graph = stream_graph()
    op = add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    for id in ("x", "y"):
        with pytest.raises(popart_exception, match=f"'{id}'.* is in use and cannot be removed"):
            graph.removeTensor(id)
    graph.eraseOp(op.id)
    graph.removeTensor("y")
    assert not graph.hasTensor("y")
    with pytest.raises(popart_exception, match=r"'x'.* graph input True"):
        graph.removeTensor("x")


def test_producer() -> None:
    graph = stream_graph()
    op = add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    assert graph.getTensor("y").getProducer() is op
    assert not graph.getTensor("x").hasProducer()
    with pytest.raises(popart_exception, match=r"'x'.* has no producer: no operator computes it"):
        graph.getTensor("x").getProducer()


def test_create_connected_op_writes_an_existing_tensor() -> None:
    graph = stream_graph()
    graph.addActGrad("y")
    op = add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    assert graph.getTensor("y").producer is op


def test_move_into_another_graph() -> None:
    first, second = stream_graph(), stream_graph()
    add(second, LeakyReluOp, LEAKY_RELU, "x", "y")
    op = LeakyReluOp(LEAKY_RELU, Op.Settings(first))
    assert op.id == 0
    assert second.moveIntoGraph(op) == 1
    assert op.graph is second
    with pytest.raises(popart_exception, match="has an operator of the id of"):
        second.moveIntoGraph(op)


def test_erase_op() -> None:
    graph = stream_graph()
    first = add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    second = add(graph, LeakyReluOp, LEAKY_RELU, "y", "z")
    graph.addConstraint(first, second)
    graph.eraseOp(first.id)
    assert graph.getTensor("x").consumers == []
    assert graph.getTensor("y").producer is None
    assert graph.schedule() == [second]
    with pytest.raises(popart_exception, match="has no operator of id 0"):
        graph.eraseOp(first.id)


def test_schedule_keeps_the_order_of_making_where_it_can() -> None:
    graph = stream_graph()
    add(graph, LeakyReluOp, LEAKY_RELU, "x", "a")
    add(graph, LeakyReluOp, LEAKY_RELU, "x", "b")
    add(graph, AddOp, ADD, "a b", "c")
    assert ids(graph.schedule()) == "a b c"


def test_schedule_pulls_producers_forward() -> None:
    graph = stream_graph()
    graph.addActGrad("b").info = TensorInfo("FLOAT", [4])
    add(graph, AddOp, ADD, "x b", "c")
    add(graph, LeakyReluOp, LEAKY_RELU, "x", "a")
    add(graph, LeakyReluOp, LEAKY_RELU, "a", "b")
    assert ids(graph.schedule()) == "a b c"


def test_schedule_respects_constraints() -> None:
    graph = stream_graph()
    first = add(graph, LeakyReluOp, LEAKY_RELU, "x", "a")
    second = add(graph, LeakyReluOp, LEAKY_RELU, "x", "b")
    graph.addConstraint(second, first)
    assert ids(graph.schedule()) == "b a"
    graph.addConstraint(first, second)
    with pytest.raises(VerificationError, match="These operators wait for each other"):
        graph.schedule()


def test_a_reader_behind_a_modifier_reads_the_new_value() -> None:
    graph = stream_graph()
    graph.addVarInit("w", np.zeros(4, np.float32))
    update = add(graph, UpdateOp, UPDATE, "w x", "updated")
    before = add(graph, AddOp, ADD, "w x", "old")
    after = add(graph, AddOp, ADD, "w x", "new")
    graph.addConstraint(update, after)
    assert [op.inId(0) for op in (update, before, after)] == ["w", "w", "updated"]
    assert ids(graph.schedule()) == "old updated new"


@pytest.mark.parametrize("read", ["w", "first"])
def test_a_reader_behind_the_last_of_modifiers_reads_its_value(read: str) -> None:
    graph = stream_graph()
    graph.addVarInit("w", np.zeros(4, np.float32))
    add(graph, UpdateOp, UPDATE, "w x", "first")
    last = add(graph, UpdateOp, UPDATE, "first x", "last")
    after = add(graph, AddOp, ADD, f"{read} x", "new")
    graph.addConstraint(last, after)
    assert after.inId(0) == "last"
    assert ids(graph.schedule()) == "first last new"


def test_modifier_runs_after_the_other_readers() -> None:
    graph = stream_graph("x", "w")
    add(graph, UpdateOp, UPDATE, "w x", "updated")
    add(graph, AddOp, ADD, "w x", "read")
    add(graph, AddOp, ADD, "updated x", "later")
    assert ids(graph.schedule()) == "read updated later"


def test_modifier_runs_after_readers_of_views() -> None:
    graph = stream_graph("x", "w")
    add(graph, UpdateOp, UPDATE, "w x", "updated")
    add(graph, ViewOp, VIEW, "w", "view")
    add(graph, ViewOp, VIEW, "view", "second")
    add(graph, LeakyReluOp, LEAKY_RELU, "second", "read")
    assert ids(graph.schedule()) == "view second read updated"


def test_modifier_of_a_view_runs_after_readers_of_the_whole() -> None:
    graph = stream_graph("x", "w")
    add(graph, ViewOp, VIEW, "w", "view")
    add(graph, UpdateOp, UPDATE, "view x", "updated")
    add(graph, LeakyReluOp, LEAKY_RELU, "w", "read")
    assert ids(graph.schedule()) == "view read updated"


def test_modifiers_of_one_tensor_keep_their_order() -> None:
    graph = stream_graph("x", "w")
    add(graph, UpdateOp, UPDATE, "w x", "first")
    add(graph, UpdateOp, UPDATE, "w x", "second")
    assert ids(graph.schedule()) == "first second"


def test_reader_of_both_values_runs_after_the_modifier() -> None:
    graph = stream_graph("x", "w")
    add(graph, UpdateOp, UPDATE, "w x", "updated")
    add(graph, AddOp, ADD, "w updated", "both")
    assert ids(graph.schedule()) == "updated both"


def test_reader_of_both_values_of_a_weight_cannot_be_scheduled() -> None:
    graph = stream_graph("x")
    graph.addVarInit("w", np.zeros(4, np.float32))
    add(graph, UpdateOp, UPDATE, "w x", "updated")
    add(graph, AddOp, ADD, "w updated", "both")
    with pytest.raises(VerificationError) as error:
        graph.schedule()
    assert "test.Update:1" in str(error.value)
    assert "ai.onnx.Add:7" in str(error.value)


def test_a_long_cycle_is_shortened_in_the_message() -> None:
    graph = stream_graph()
    graph.addActGrad("end").info = TensorInfo("FLOAT", [4])
    previous = "end"
    for i in range(20):
        add(graph, LeakyReluOp, LEAKY_RELU, previous, f"t{i}")
        previous = f"t{i}"
    add(graph, LeakyReluOp, LEAKY_RELU, previous, "end")
    with pytest.raises(VerificationError, match=r"\(15 more\)"):
        graph.schedule()


@pytest.mark.parametrize("kind", ["plain", "in place", "one reader each"])
def test_ten_thousand_operators_take_linear_time(kind: str) -> None:
    def seconds(n: int) -> float:
        graph = stream_graph("x", "w")
        cls, opid = (UpdateOp, UPDATE) if kind == "in place" else (AddOp, ADD)
        start = time.process_time()
        previous = "x"
        for i in range(n):
            add(graph, cls, opid, f"{previous} w", f"t{i}")
            previous = "x" if kind == "one reader each" else f"t{i}"
        graph.outputs.append(f"t{n - 1}")
        verify(graph)
        assert [op.id for op in graph.schedule()] == list(range(n))
        for op in list(graph.ops.values()):
            graph.eraseOp(op.id)
        return time.process_time() - start

    gc.disable()  # It would look at all that other tests have left.
    try:
        small = min(seconds(1000) for _ in range(3))
        large = min(seconds(10000) for _ in range(3))
    finally:
        gc.enable()
    assert large < 40 * small  # Quadratic time would be 100 times.
