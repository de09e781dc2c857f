"""Expressions of TensorFlow on the IPU; `tests/foreign/tensorflow` has many more, and what needs a
library.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.cases.case import BOOLS, SMALL, Case, ints

NEEDS_LIBRARY = {
    ("ai.graphcore.tensorflow", "IpuUserOp"),
    ("ai.graphcore.tensorflow", "IpuUserReadWriteOp"),
}
"""Operators whose attributes name a library: they are tested with those of that folder."""
_OWN: dict[str, Any] = {"domain": "ai.graphcore.tensorflow", "opsets": (1,)}


def _expression(text: str, **more: Any) -> dict[str, Any]:
    return {**_OWN, "attributes": {"expression": text}, **more}


EXPRESSIONS = [
    Case(
        "CodeletExpressionOp",
        [SMALL, [3]],
        **_expression("in0 * in0 + 2 * exp(in1) / 3"),
        formula=lambda x, y: x * x + 2 * np.exp(y) / 3,
    ),
    Case(
        "CodeletExpressionOp",
        [[2, 1], [], [4]],
        **_expression("tanh(in0 - in1) ** 2 + in2 * in1"),
        formula=lambda x, y, z: np.tanh(x - y) ** 2 + z * y,
        id="broadcast",
    ),
    Case(
        "CodeletExpressionOp",
        [SMALL, BOOLS, ints(3, -2, 5)],
        **_expression("where(in1, in0 * in2, -in0)"),
        formula=lambda x, c, n: np.where(c, x * n, -x),
        id="types",
    ),
]
