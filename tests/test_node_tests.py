"""ONNX's own tests, through the runner of `onnx.backend.test`: what passes, and why the rest does
not.

`NOT` names what popir does not do, with its reason; a test here that passes after all is an error.
"""

from __future__ import annotations

import re
import unittest
import warnings
from collections.abc import Iterator
from unittest import mock

import onnx.backend.test.runner
import pytest
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

import popir.backend
from tests.once import once

NOT = {
    "loop16_seq_none": "the runner takes the length of a scalar",
    "bernoulli|training_dropout(_default)?(_mask)?$": "the random numbers are numpy's",
    "^test_not_[234]d": "written in opset 1",
    "dft_inverse": "expected are numpy's rounding errors in place of zeros",
    "resize_downsample_scales_(cubic|linear)_align_corners": "expected is the length before it is "
    "rounded, against the standard and onnxruntime",
    "attention_4d_causal_fp16": "expected is rounded to float16 after each operator",
}
"""Reasons, by a regular expression of the names of tests."""

LARGE = re.compile("BackendRealModelTest")
"""Whole networks, which tests/networks runs."""


def load(kind: str) -> list[TestCase]:
    """ONNX's cases of a kind. It computes what the nodes should give with loops in Python."""
    if kind != "node":
        return load_model_tests(kind=kind)
    return once("node tests", lambda: load_model_tests(kind=kind))


def cases() -> Iterator[unittest.TestCase]:
    """Those of all kinds, on the CPU."""
    with mock.patch.object(onnx.backend.test.runner, "load_model_tests", load):
        runner = onnx.backend.test.runner.Runner(popir.backend, __name__)
    for kind, found in runner.test_cases.items():
        if not LARGE.search(kind):
            for name in dir(found):
                if name.startswith("test_") and name.endswith("_cpu"):
                    yield found(name)


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # numpy's, as onnx computes what it expects
    TESTS = {test.id().split(".")[-1].removesuffix("_cpu"): test for test in cases()}


def reason(name: str) -> str | None:
    """Why a test is not expected to pass; None for one that is."""
    return next((why for expression, why in NOT.items() if re.search(expression, name)), None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(TESTS))
def test_of_onnx(name: str) -> None:
    result = unittest.TestResult()
    TESTS[name].run(result)
    assert not result.skipped, result.skipped
    faults = [text for _, text in (*result.errors, *result.failures)]
    if why := reason(name):
        assert faults, f"{name} passes, although {why}: take it out of NOT"
    else:
        assert not faults, faults[0]
