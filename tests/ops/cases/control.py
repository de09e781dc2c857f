"""Operators that run graphs; more in `tests/ops/control`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import GraphProto, TensorProto, ValueInfoProto, helper, numpy_helper

from tests.ops.cases.case import Case


def _graph(inputs: str, outputs: str, *rows: str, constants: Sequence[int] = ()) -> GraphProto:
    """A graph; a row is "Type input ... > output". Only a loop's own two inputs have types."""
    known = {"number": TensorProto.INT64, "go": TensorProto.BOOL}
    nodes = []
    for row in rows:
        type, *read = row.partition(" > ")[0].split()
        nodes.append(helper.make_node(type, read, [row.partition(" > ")[2]]))
    return helper.make_graph(
        nodes,
        "inside",
        [
            helper.make_tensor_value_info(name, known[name], [])
            if name in known
            else ValueInfoProto(name=name)
            for name in inputs.split()
        ],
        [ValueInfoProto(name=name) for name in outputs.split()],
        [
            numpy_helper.from_array(np.array([n, 1.5], np.float32), f"constant{n}")
            for n in constants
        ],
    )


BRANCHES = {
    "then_branch": _graph("", "out", "Neg constant1 > neg", "Exp neg > out", constants=[1]),
    "else_branch": _graph("", "out", "Tanh constant2 > out", constants=[2]),
}
LOOP_BODY = _graph(
    "number go state",
    "more next slice",
    "Identity go > more",
    "Tanh state > next",
    "Mul next state > slice",
)
SCAN_BODY = _graph(
    "state row",
    "next slice",
    "Mul state row > product",
    "Add product state > next",
    "Tanh next > slice",
)
CONTROL = [
    *(
        Case("If", [np.array(p)], BRANCHES, gradient=False, constants=constants, id=f"{p} {what}")
        for p in (True, False)
        for what, constants in (("known", [0]), ("given", []))
    ),
    Case("Loop", [np.array(3), None, [2, 3]], {"body": LOOP_BODY}, constants=[0], outputs=2),
    Case(
        "Scan",
        [[3], [4, 3]],
        {"body": SCAN_BODY, "num_scan_inputs": 1},
        opsets=(9, 11, 16, 19, 21, 23, 24, 25),
        outputs=2,
    ),
    Case(
        "Scan",
        [[3], [3, 4]],
        {
            "body": SCAN_BODY,
            "num_scan_inputs": 1,
            "scan_input_axes": [1],
            "scan_output_axes": [-1],
            "scan_input_directions": [1],
            "scan_output_directions": [1],
        },
        opsets=(21,),
        outputs=2,
        id="axes and directions",
    ),
    Case(
        "Scan",
        [None, [2, 3], [2, 4, 3]],
        {"body": SCAN_BODY, "num_scan_inputs": 1, "directions": [1]},
        opsets=(8,),
        outputs=2,
        id="batches",
    ),
]
