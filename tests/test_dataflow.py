"""DataFlow and AnchorReturnType."""

import pytest

from popir import AnchorReturnType, AnchorReturnTypeId, DataFlow
from popir.enums import ExchangeStrategy, TileSet
from popir.errors import AnchorError, popart_exception


@pytest.mark.parametrize("text", ["FINAL", "Final", "final"])
def test_names_of_return_types_have_no_case(text: str) -> None:
    assert AnchorReturnType(text).id() is AnchorReturnTypeId.Final


def test_every_n_has_a_period() -> None:
    assert AnchorReturnType("EveryN", 4).rp() == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("Sometimes",),
            "No AnchorReturnType is called 'Sometimes'; there are Final, EveryN, All, Sum",
        ),
        (("EveryN",), "needs a return period of at least 1; given was None"),
        (("EveryN", 0), "given was 0"),
        (("All", 2), "goes with AnchorReturnType 'EveryN' alone; given was 2 with 'All'"),
    ],
)
def test_what_is_no_return_type(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        AnchorReturnType(*arguments)  # type: ignore[arg-type]


def test_both_forms_of_a_data_flow() -> None:
    by_map = DataFlow(2, {"a": AnchorReturnType("Final"), "b": AnchorReturnType("All")})
    by_list = DataFlow(2, ["a", "b"], AnchorReturnType("Sum"))
    assert by_map.anchors() == by_list.anchors() == ["a", "b"]
    assert by_map.art("b").id() is AnchorReturnTypeId.All
    assert by_list.art("b").id() is AnchorReturnTypeId.Sum
    assert DataFlow(1, ["a"]).art("a").id() is AnchorReturnTypeId.All
    assert by_map.isAnchored("a")
    assert not by_map.isAnchored("c")
    assert (by_map.nAnchors(), by_map.batchesPerStep()) == (2, 2)


@pytest.mark.parametrize(
    ("batches", "art", "rows"),
    [
        (6, AnchorReturnType("All"), 6),
        (1, AnchorReturnType("All"), None),
        (6, AnchorReturnType("EveryN", 2), 3),
        (6, AnchorReturnType("EveryN", 6), None),
        (6, AnchorReturnType("Final"), None),
        (6, AnchorReturnType("Sum"), None),
    ],
)
def test_rows_of_an_anchor(batches: int, art: AnchorReturnType, rows: int | None) -> None:
    assert DataFlow(batches, {"a": art}).rows("a") == rows


def test_a_period_must_divide_the_batches() -> None:
    flow = DataFlow(5, {"a": AnchorReturnType("EveryN", 2)})
    with pytest.raises(popart_exception, match=r"period 2, which does not divide the 5 batches"):
        flow.rows("a")


def test_batches_per_step_are_at_least_one() -> None:
    with pytest.raises(
        popart_exception, match=r"number of 1 or more, less than 2\^32; given was 0"
    ):
        DataFlow(0, [])


def test_an_anchor_needs_a_return_type() -> None:
    with pytest.raises(
        popart_exception, match=r"to objects of AnchorReturnType .*given was {'a': 'All'}"
    ):
        DataFlow(1, {"a": "All"})  # type: ignore[dict-item]


def test_near_misses_of_an_anchor() -> None:
    with pytest.raises(AnchorError, match=r"'Relu:1' is not an anchor. Did you mean 'Relu:0'"):
        DataFlow(1, ["Relu:0"]).art("Relu:1")


def test_how_an_anchor_travels() -> None:
    found = AnchorReturnType("EveryN", 2, TileSet.IO, ExchangeStrategy.OverlapLoops)
    assert (found.tileSet(), found.exchangeStrategy()) == (
        TileSet.IO,
        ExchangeStrategy.OverlapLoops,
    )
    with pytest.raises(popart_exception, match=r"Give tileSet = TileSet.IO"):
        AnchorReturnType("EveryN", 2, exchangeStrategy=ExchangeStrategy.OverlapLoops)
    with pytest.raises(popart_exception, match=r"takes a member of TileSet .* as tileSet; given w"):
        AnchorReturnType("All", tileSet="IO")  # type: ignore[arg-type]


def test_a_tile_set_without_a_period() -> None:
    """PopART's constructor without a period has the tile set second."""
    short = AnchorReturnType("Sum", TileSet.Compute, ExchangeStrategy.JustInTime)
    assert (short.id(), short.tileSet()) == (AnchorReturnTypeId.Sum, TileSet.Compute)
    assert short.exchangeStrategy() is ExchangeStrategy.JustInTime
    assert AnchorReturnType("All", TileSet.IO).tileSet() is TileSet.IO
    with pytest.raises(popart_exception, match=r"'EveryN' needs a return period"):
        AnchorReturnType("EveryN", TileSet.Compute)
    with pytest.raises(popart_exception, match=r"takes a TileSet as tileSet; given was Exchange"):
        AnchorReturnType("EveryN", 2, ExchangeStrategy.JustInTime)
