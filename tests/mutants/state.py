"""What is known of mutants and tests, kept in a file between runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.mutants.runs import Outcome


@dataclass
class Verdict:
    """What became of a mutant: the test that caught it, how it failed, and whether that test is
    one of the part's own; no test at all if it survived."""

    test: str | None
    why: str = ""
    own: bool = False


@dataclass
class Known:
    """`tests`: the seconds of each test and the names of sites that it came by; `modules`: the
    digest of each test module when it ran; `tried`: the digests when all survivors were last
    tried; `early`: sites that collecting comes by."""

    dropped: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    tests: dict[str, tuple[float, list[str]]] = field(default_factory=dict)
    unfit: dict[str, str] = field(default_factory=dict)
    early: list[str] = field(default_factory=list)
    modules: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    tried: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Known:
        """What the file holds; nothing if there is none."""
        if not path.exists():
            return cls()
        known = cls(**json.loads(path.read_text()))
        known.verdicts = {
            name: Verdict(**v) for name, v in json.loads(path.read_text())["verdicts"].items()
        }
        return known

    def save(self, path: Path) -> None:
        """Writes the file."""
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self), indent=1))
        new.replace(path)

    def note(self, outcome: Outcome, names: list[str]) -> None:
        """What a test came by without any mutant; one that failed is unfit to catch any."""
        if outcome.failed:
            self.unfit[outcome.test] = outcome.failed
            self.tests.pop(outcome.test, None)
        else:
            seen = [names[number] for number in sorted(outcome.seen)]
            self.tests[outcome.test] = (outcome.seconds, seen)


def module(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def digests(root: Path, modules: set[str]) -> dict[str, str]:
    """For each test module what it and the files that it may use hold: those of its folder, or
    for one directly in tests/ the file itself."""
    found: dict[str, str] = {}
    for path in modules:
        folder = root / Path(path).parent
        files = [root / path] if folder == root / "tests" else _sources(folder)
        digest = hashlib.sha256()
        for file in files:
            digest.update(file.read_bytes())
        found[path] = digest.hexdigest()[:16]
    return found


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".py", ".cpp", ".hpp", ".txt"):
            yield path
