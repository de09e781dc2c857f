"""The garbage collector runs less often while a large model is compiled, and then as before."""

import gc
from collections.abc import Iterator

import pytest

from popir.collector import LARGE, SELDOM, run_seldom


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """Puts the thresholds back after a test."""
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)


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
