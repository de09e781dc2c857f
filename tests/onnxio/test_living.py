"""Nodes that no result depends on, and that a device program cannot have."""

from __future__ import annotations

import numpy as np
import pytest

from popir.errors import LeavesDeviceError
from popir.onnxio.living import living
from tests.models import floats, step, training_session
from tests.ops.control.models import parsed, results

DEAD = """u, a, b, c = Unique(x) n = Shape(u) r = ConstantOfShape(n) k = Concat<axis = 0>(r, u)
    d = Exp(k)"""
TEXT = """g (float[4] x) => (float y) <float[4] w = {{1, 2, 3, 4}}> {{ {dead} {more}
    p = Mul(x, w) y = ReduceSum<keepdims = 0>(p) }}"""


def test_training_and_inference_leave_them_out() -> None:
    model, x = parsed(TEXT.format(dead=DEAD, more="")), floats(4)
    session = training_session(model.SerializeToString(), "y", ["y", "Gradient___w"])
    found = step(session, {"x": x})
    np.testing.assert_array_equal(found["Gradient___w"], x)
    np.testing.assert_allclose(found["y"], x @ np.arange(1, 5), 1e-6)
    np.testing.assert_array_equal(results(model, {"x": x})[0], found["y"])


def test_what_is_asked_for_stays() -> None:
    model = parsed(TEXT.format(dead=DEAD, more=""))
    with pytest.raises(LeavesDeviceError):
        training_session(model.SerializeToString(), "y", ["y", "d"])


def test_what_acts_stays() -> None:
    text = TEXT.format(dead=DEAD, more="q = ai.graphcore.PrintTensor(d)")
    model = parsed(text)
    kept = living(model.graph.node, ["y"])
    assert [node.op_type for node in kept] == [node.op_type for node in model.graph.node]
    bare = parsed(TEXT.format(dead=DEAD, more="")).graph.node
    assert [node.op_type for node in living(bare, ["y"])] == ["Mul", "ReduceSum"]
