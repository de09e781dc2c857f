"""PopLibs' own C++ vertices, counted, against PopLibs' cycle functions.

poplibs_counted.csv has cycles of a tile, published, and as counted first and now, of vertices that
the model was not made by. PopLibs' sources are not part of this project: they were compiled from
graphcore/poplibs, as they are but for the instances that are not compared, one row of 240 elements,
240 elements for each worker of a MultiVertex. "function" says what the cycle function is of.
`python -m tests.machine.test_poplibs_counted` prints the table.
"""

import csv
import math
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "machine_model.md"
QUARTER = 0.25
FUNCTIONS = {
    "code": "the loop that is compiled",
    "assembly": "assembly beside it",
    "another loop": "the loop of a vertex whose workers take turns",
    "operator and 4": "the operator, and 4 cycles for all else",
    "two at a time": "two numbers at a time",
    "library": "a function of the library",
    "constant": "fewer cycles than its loads and stores",
}

LISTS = (
    ("29", "all of the 29"),
    ("ten", "all of the ten"),
    ("15", "all of the 15"),
    ("unseen", "all of the 15 that nothing was mended by"),
)


def rows() -> list[dict[str, str]]:
    with Path(__file__).with_name("poplibs_counted.csv").open() as file:
        return list(csv.DictReader(file))


def over(row: dict[str, str], when: str) -> float:
    return int(row[when]) / int(row["published"])


def summary(chosen: list[dict[str, str]]) -> str:
    """How many there are; how many are within a quarter; by what factor they are off."""
    cells = [str(len(chosen))]
    for measure in (
        lambda ratios: str(sum(abs(r - 1) <= QUARTER for r in ratios)),
        lambda ratios: f"{math.exp(sum(abs(math.log(r)) for r in ratios) / len(ratios)):.2f}",
    ):
        first, now = (measure([over(row, when) for row in chosen]) for when in ("first", "now"))
        cells.append(f"{first}, {now}")
    return " | ".join(cells)


def lines() -> list[str]:
    table = rows()
    made = [
        f"| {words} | {summary([row for row in table if row['function'] == name])} |"
        for name, words in FUNCTIONS.items()
    ]
    for name, words in LISTS:
        made.append(f"| {words} | {summary([row for row in table if row['list'] == name])} |")
    return [*made, f"| all | {summary(table)} |"]


@pytest.mark.parametrize("line", lines())
def test_the_page_has_what_the_table_comes_to(line: str) -> None:
    assert line in DOCS.read_text()


def test_each_vertex_stands_once_with_what_its_function_is_of() -> None:
    table = rows()
    assert len({row["vertex"] for row in table}) == len(table)
    assert {row["function"] for row in table} == set(FUNCTIONS)
    assert [sum(row["list"] == name for row in table) for name, _ in LISTS] == [29, 10, 15, 15]


def show() -> None:
    """Prints the comparison."""
    print(f"{'vertex':<60} {'published':>9} {'first':>7} {'now':>7} {'over it':>12}")
    for row in rows():
        ratios = f"{over(row, 'first'):.2f}, {over(row, 'now'):.2f}"
        print(
            f"{row['vertex']:<60} {row['published']:>9} {row['first']:>7} {row['now']:>7} "
            f"{ratios:>12}  {FUNCTIONS[row['function']]}"
        )
    print("\n".join(lines()))


if __name__ == "__main__":
    show()
