"""The garbage collector runs less often while a large model is compiled, and then as before."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from popir import collector
from popir.collector import LARGE, SELDOM, run_seldom


@pytest.fixture(scope="module", autouse=True)
def unfrozen() -> Iterator[None]:
    """Nothing is frozen, as in most programs; `pytest_collection` in tests/conftest.py freezes."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """Puts the thresholds back after a test."""
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)


class Cycle:
    """An object that only the collector removes."""

    def __init__(self) -> None:
        self.itself = self


def test_what_was_made_counts_as_old() -> None:
    gc.collect()
    with run_seldom(LARGE):
        made = Cycle()
        assert any(each is made for each in gc.get_objects(generation=0))
    assert any(each is made for each in gc.get_objects(generation=2))


def test_everything_is_collected_after_many_new_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()
    monkeypatch.setattr(collector, "_limit", 1_000)
    monkeypatch.setattr(collector, "_new", 0)
    gone = weakref.ref(Cycle())
    kept: list[list[list[int]]] = []
    while gone() is not None:
        assert len(kept) < 3, "nothing was collected"
        with run_seldom(LARGE):
            kept.append([[] for _ in range(400)])
    assert len(kept) == 3
    assert collector._limit >= collector.MOST


def test_what_a_program_has_frozen_stays_frozen() -> None:
    gc.collect()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with run_seldom(LARGE):
            pass
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()


def test_the_thresholds_come_back() -> None:
    gc.set_threshold(500, 9, 8)
    with run_seldom(LARGE):
        assert gc.get_threshold() == SELDOM
    assert gc.get_threshold() == (500, 9, 8)


def test_they_come_back_after_an_error() -> None:
    gc.set_threshold(500, 9, 8)
    with pytest.raises(ValueError, match="no"), run_seldom(LARGE):
        raise ValueError("no")
    assert gc.get_threshold() == (500, 9, 8)


def test_the_last_block_that_ends_brings_them_back() -> None:
    gc.set_threshold(500, 9, 8)
    first, second = run_seldom(LARGE), run_seldom(LARGE)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == SELDOM
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (500, 9, 8)


@pytest.mark.parametrize(
    ("thresholds", "nodes"),
    [((500, 9, 8), LARGE - 1), ((0, 9, 8), LARGE), ((SELDOM[0], 5, 5), LARGE)],
)
def test_what_is_small_or_set_already_is_left_alone(
    thresholds: tuple[int, int, int], nodes: int
) -> None:
    gc.set_threshold(*thresholds)
    with run_seldom(nodes):
        assert gc.get_threshold() == thresholds
    assert gc.get_threshold() == thresholds
