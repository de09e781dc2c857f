"""Operators that run as the function by which ONNX defines them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

import popir.backend
from popir.types import DataType


@pytest.mark.parametrize("kind", [DataType.DOUBLE, DataType.FLOAT16, DataType.BFLOAT16])
@pytest.mark.parametrize("opset", [9, 13, 18])
def test_a_function_of_any_type_with_constants_of_float(kind: DataType, opset: int) -> None:
    if kind is DataType.BFLOAT16 and opset < 13:
        return
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(kind.numpy)
    x[:, 1] = 7  # No variance: what is divided by is the constant 1e-9.
    proto = parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {opset}]> g ({kind.name.lower()}[2,3,4,5] x) '
        f"=> ({kind.name.lower()}[2,3,4,5] y) {{ y = MeanVarianceNormalization(x) }}"
    )
    (y,) = popir.backend.prepare(proto).run({"x": x})
    assert y.dtype == kind.numpy
    wide = x.astype(np.float64)
    centred = wide - wide.mean((0, 2, 3), keepdims=True)
    expected = centred / (np.sqrt((centred**2).mean((0, 2, 3), keepdims=True)) + 1e-9)
    tolerance = {DataType.DOUBLE: 1e-9, DataType.FLOAT16: 2e-3, DataType.BFLOAT16: 2e-2}[kind]
    np.testing.assert_allclose(y.astype(np.float64), expected, rtol=tolerance, atol=tolerance)
