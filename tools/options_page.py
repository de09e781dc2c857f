"""Writes the tables of all options into docs/options.md: `python -m tools.options_page`."""

from __future__ import annotations

from pathlib import Path

from popir.cli.option_tables import GROUPS
from popir.options import Row, shown

PAGE = Path(__file__).parents[1] / "docs" / "options.md"


def page() -> str:
    """The page as it should be: its text up to the first table, then the tables."""
    parts = [PAGE.read_text().partition(f"## {GROUPS[0].title}")[0]]
    for group in GROUPS:
        parts.append(f"## {group.title}\n")
        parts.append("| option | takes | default | kind | |\n|---|---|---|---|---|")
        parts += [_line(row) for row in group.rows()]
        parts.append("")
    return "\n".join(parts).replace("\n\n\n", "\n\n")


def _line(row: Row) -> str:
    refused = "".join(f" `{shown(v)}` is refused: {why}" for v, why in row.refuses.items())
    default = f"`{shown(row.default)}`".replace("|", "\\|")
    return f"| `{row.name}` | {row.type} | {default} | {row.kind.value} | {row.reason}{refused} |"


if __name__ == "__main__":
    PAGE.write_text(page())
