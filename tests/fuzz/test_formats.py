"""A few of the cases of `python -m tests.fuzz formats`, and whether they reach what is behind the
checksum.
"""

import random

import pytest

from popir import poplar
from popir.errors import PopirError
from tests.fuzz import formats
from tests.fuzz.runner import fuzz

pytestmark = pytest.mark.timeout(180)


def test_mutated_files() -> None:
    totals = fuzz("formats", range(370), "suite", 60, 1)
    assert totals.cases == 370
    assert not totals.findings
    assert totals.outcomes["executable: success"] > 8
    assert totals.outcomes["executable: poplar_exception"] > 15
    assert totals.outcomes["profile: ModelError"] > 25
    assert totals.outcomes["arrays: DataError"] > 25
    assert totals.outcomes["report: success"] > 8
    assert totals.outcomes["report: PopirError"] > 8
    assert totals.outcomes["checkpoint: CheckpointError"] > 30
    assert totals.outcomes["cached-library: success"] > 30
    assert totals.outcomes["cached-engine: success"] > 30
    assert totals.outcomes["codelets: PopirError"] > 2
    assert totals.outcomes["cached-codelets: success"] == 10


def test_most_executables_get_behind_the_checksum() -> None:
    format, rng = formats.FORMATS[0], random.Random(0)
    reached = 0
    for _ in range(100):
        data = formats.mutate(rng, format, rng.choice(format.seeds()))
        try:
            poplar.Executable.deserialize(data)
            reached += 1
        except PopirError:
            continue
    assert reached > 75
