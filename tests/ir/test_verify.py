"""verify(): one fault each, and its words."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from popir.errors import VerificationError
from popir.ir import Graph, verify
from popir.types import TensorInfo
from tests.ir.ops import ADD, LEAKY_RELU, AddOp, LeakyReluOp, add, stream_graph


def sound() -> Graph:
    graph = stream_graph("x")
    graph.addVarInit("w", np.zeros(4, np.float32))
    add(graph, AddOp, ADD, "x w", "h")
    add(graph, LeakyReluOp, LEAKY_RELU, "h", "y")
    graph.outputs.append("y")
    return graph


def test_sound_graph() -> None:
    verify(sound())


def wrong_id(graph: Graph) -> None:
    graph.ops[0].id = 7


def wrong_tensor_id(graph: Graph) -> None:
    graph.tensors["h"].id = "g"


def reads_a_stranger(graph: Graph) -> None:
    graph.ops[1].input[0] = stream_graph("h").getTensor("h")


def writes_a_stranger(graph: Graph) -> None:
    stranger = stream_graph("other").addActGrad("z")
    graph.ops[1].output[1] = stranger


def reads_unrecorded(graph: Graph) -> None:
    graph.tensors["h"].uses.clear()


def consumer_does_not_read(graph: Graph) -> None:
    graph.tensors["x"].uses[graph.ops[1]] = 1


def wrong_producer(graph: Graph) -> None:
    graph.tensors["h"].producer = graph.ops[1]


def producer_does_not_write(graph: Graph) -> None:
    del graph.ops[1].output[0]


def consumer_was_removed(graph: Graph) -> None:
    del graph.ops[1]


def no_info(graph: Graph) -> None:
    graph.tensors["h"].info = None


def dangling(graph: Graph) -> None:
    graph.addActGrad("alone").info = TensorInfo("FLOAT", [1])


def computed_stream(graph: Graph) -> None:
    graph.tensors["h"].tensorType = graph.tensors["x"].tensorType


def no_value(graph: Graph) -> None:
    graph.tensors["w"].data = None


def stream_with_value(graph: Graph) -> None:
    graph.tensors["x"].data = np.zeros(4, np.float32)


def wrong_value(graph: Graph) -> None:
    graph.tensors["w"].data = np.zeros(5, np.float32)


def no_such_output(graph: Graph) -> None:
    graph.outputs.append("nowhere")


def input_twice(graph: Graph) -> None:
    graph.inputs.append("x")


def cycle(graph: Graph) -> None:
    graph.addConstraint(graph.ops[1], graph.ops[0])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (wrong_id, "Op(7, ai.onnx.Add:7, name='', inputs=['x', 'w'], outputs=['h']) of Graph("),
        (wrong_tensor_id, "writes 'g', which is not a tensor of Graph('main', 2 ops, 4 tensors)."),
        (reads_a_stranger, "reads 'h', which is not a tensor of Graph('main', 2 ops, 4 tensors)."),
        (
            writes_a_stranger,
            "writes 'z', which is not a tensor of Graph('main', 2 ops, 4 tensors).",
        ),
        (reads_unrecorded, "outputs=['y']) reads 'h', whose consumers do not say so."),
        (consumer_does_not_read, "'x' counts Op(1, ai.onnx.LeakyRelu:6"),
        (wrong_producer, "writes 'h' as output 0, whose producer is Op(1, ai.onnx.LeakyRelu:6"),
        (producer_does_not_write, "'y' has Op(1, ai.onnx.LeakyRelu:6"),
        (consumer_was_removed, "'h' is connected to Op(1, ai.onnx.LeakyRelu:6"),
        (no_info, "'h' has no type and shape; its producer is Op(0, ai.onnx.Add:7"),
        (dangling, "'alone' dangles: no operator computes it; read by []."),
        (computed_stream, "is computed by Op(0, ai.onnx.Add:7"),
        (no_value, "Tensor('w', Variable, FLOAT[4]) has no value."),
        (stream_with_value, "Tensor('x', Stream, FLOAT[4]) has a value."),
        (wrong_value, "has a value of another type or shape, FLOAT[5]."),
        (no_such_output, "the graph's output 'nowhere' does not exist."),
        (input_twice, "the graph's input 'x' is listed twice."),
        (cycle, "These operators wait for each other"),
    ],
)
def test_fault(fault: Callable[[Graph], None], message: str) -> None:
    graph = sound()
    fault(graph)
    with pytest.raises(VerificationError, match=re.escape(message)):
        verify(graph)
