"""The table of `tests.scale`, of a few steps."""

from __future__ import annotations

import pytest

from tests.replicas.test_ranks import LIMIT, needs_mpi
from tests.scale import MODELS, TOLERANCE, WAYS, rows

ALONE = [way for way, how in WAYS.items() if how.ranks == 1]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore:.*has no meaning here")
def test_every_way_in_one_process_trains_as_pytorch_does(model: str) -> None:
    found = list(rows(3, ALONE, [model]))
    assert [way for _, way, *_ in found] == ALONE
    for _, way, difference, alike, equal in found:
        assert difference <= TOLERANCE, way
        assert equal is not False, f"{way} has other bits than {alike}"
    assert sum(equal is True for *_, equal in found) >= 2


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("way", ["2 ranks", "4 ranks", "2 ranks, all sharded"])
def test_ranks_train_as_replicas_do(way: str) -> None:
    ((_, _, difference, _, equal),) = rows(3, [way], ["transformer"])
    assert difference <= TOLERANCE
    assert equal
