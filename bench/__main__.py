"""Runs the measurements named on the command line, or all; each module of this folder that has
`main` is one.

    python -m bench                             all of them
    python -m bench calls memory                some of them
    python -m bench --json FILE                 the figures of all as JSON too
    python -m bench --realtime                  those that can at real-time priority (as root)
"""

import argparse
import importlib
import json
import pkgutil
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def known() -> list[str]:
    """The names of measurements, in order."""
    names = [module.name for module in pkgutil.iter_modules([str(FOLDER)])]
    return [n for n in names if "\n@measurement(" in (FOLDER / f"{n}.py").read_text()]


def main(arguments: list[str]) -> int:
    """Run measurements by name; return an exit code."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--realtime", action="store_true")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.names if name not in known()]:
        there = ", ".join(known())
        print(f"no measurement {', '.join(unknown)}; there are: {there}", file=sys.stderr)
        return 2
    found: list[Any] = []
    for name in asked.names or known():
        measure = importlib.import_module(f"bench.{name}").main
        about = (measure.parser.description or "").splitlines()[0]
        print(f"== {name}: {about}", flush=True)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            priority = ["--realtime"] * (asked.realtime and measure.has_realtime)
            measure(["--json", file.name, *priority])
            found.append(json.loads(Path(file.name).read_text()))
        if asked.json:  # after each, so that what is there is kept if another one fails
            Path(asked.json).write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
