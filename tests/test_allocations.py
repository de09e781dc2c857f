"""Steps ask the system for no memory once each thread has taken part in one."""

from pathlib import Path

import pytest

from tests.allocations import KINDS, counted

ALLOCATES = {"PrintTensor"}
"""Operators that write text."""


@pytest.mark.parametrize("kind", KINDS)
def test_steps_allocate_nothing(tmp_path: Path, kind: str) -> None:
    found = counted(tmp_path, kind)
    assert found["models"] > 2
    allocating = {name.split(" ")[-1]: count for name, count in found["allocating"].items()}
    assert set(allocating) - ALLOCATES == set(), allocating
    if kind == "rows":  # so the counter counts
        assert set(allocating) == ALLOCATES
