"""The fenced code blocks of a page, and what a test does with each.

- `python` is run, in one process for the whole page;
- `sh` is run by bash, in the page's folder; commands that would build popir itself are checked;
- `python`, `cpp`, `c` and `cmake` whose first line is a comment with a file's name are written to
  that file, which a later block must use;
- `output` must be what the block before it printed; `...` stands for anything;
- `text` is a form, a picture or a listing, and left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^( *)```(.*)$")
_FILE = re.compile(r"^(?:#|//) ([\w.]+\.\w+)$")


@dataclass(frozen=True)
class Block:
    """One fenced block; `line` is that of its fence."""

    page: str
    line: int
    language: str
    code: str

    @property
    def file(self) -> str | None:
        """The file that the block is, if it says so."""
        found = _FILE.match(self.code.partition("\n")[0])
        written = self.language in ("python", "cpp", "c", "cmake")
        return found.group(1) if found and written else None

    @property
    def where(self) -> str:
        """Page and line, for messages."""
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """All blocks of a page, in order."""
    found: list[Block] = []
    start, language, lines, inside = 0, "", [""], False
    for number, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(text)
        if not fence:
            lines.append(text)
        elif not inside:
            start, language, lines, inside = number, fence.group(2).strip(), [], True
        else:
            code = "\n".join(lines) + "\n"
            found.append(Block(page.name, start, language, code))
            inside = False
    assert not inside, f"{page}:{start}: the block does not end"
    return found


def commands(code: str) -> list[str]:
    """The commands of a shell block, without comments; lines that are continued are joined."""
    joined = code.replace("\\\n", " ")
    bare = (re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines())
    return [line for line in bare if line]
