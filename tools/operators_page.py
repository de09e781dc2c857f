"""Writes the table of all operators into docs/operators.md: `python -m tools.operators_page`."""

from __future__ import annotations

from pathlib import Path

from popir.cli.coverage import WAYS, Coverage, cells, coverage

PAGE = Path(__file__).parents[1] / "docs" / "operators.md"
FIRST = "## ai.graphcore"


def page() -> str:
    """The page as it should be: its text up to the first table, then the tables."""
    every = coverage()
    parts = [PAGE.read_text().partition(FIRST)[0].rstrip() + "\n"]
    for domain in sorted({each.domain for each in every}):
        rows = [each for each in every if each.domain == domain]
        there = sum(each.how != "missing" for each in rows)
        parts.append(f"## {domain}\n\n{there} of {len(rows)}.\n")
        parts.append("| operator | version | how | gradient | missing versions |")
        parts.append("|---|---|---|---|---|")
        parts += [_line(each) for each in rows]
        parts.append("")
    return "\n".join(parts)


def _line(row: Coverage) -> str:
    assert row.how in WAYS
    return f"| {' | '.join([row.type, *cells(row)[1:]])} |"


if __name__ == "__main__":
    PAGE.write_text(page())
