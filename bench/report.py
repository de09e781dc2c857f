"""What measurements have in common: arguments, tables in Markdown, and the same figures as JSON.

    @measurement(realtime=True)
    def main(report: Report) -> None:
        report.table("network", "popir ms")
        report.row("ResNet-50", 20.4)

gives the module `main([...])` with the argument --json FILE and, unless told otherwise, words of
rows' names; --realtime is there if asked for, and `main.parser` takes more. What is printed begins
with the machine and its load.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import statistics
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Value = float | str | None


def processor() -> str:
    """The model of this machine's CPU, with family and model, which tell generations apart."""
    found: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    name = found.get("model name", "unknown")
    return f"{name} (family {found.get('cpu family', '?')}, model {found.get('model', '?')})"


def machine() -> dict[str, Any]:
    """What figures depend on, beside the code."""
    from popir.poplin import contraction

    versions = {each: importlib.metadata.version(each) for each in ("onnxruntime", "torch")}
    return {
        "processor": processor(),
        "kernels": contraction.isa(),
        "tiles": "tiles" in contraction.sources(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        **versions,
    }


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The lower quartile, the median and the upper quartile of two values or more.

    They lie within the values; the other method of `statistics` extrapolates from two.
    """
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, median, high


def shown(value: Value) -> str:
    """Three digits of a number that has a point; an empty cell for None."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")


class Report:
    """The tables of one measurement. `asked` has the arguments."""

    def __init__(self, name: str, asked: argparse.Namespace) -> None:
        self.name, self.asked = name, asked
        self.found: dict[str, Any] = {"measurement": name, "machine": machine(), "tables": []}
        self.realtime: bool = getattr(asked, "realtime", False)
        of = self.found["machine"]
        tiles = "tiles" if of["tiles"] else "no tiles"
        priority = ", real-time priority" if self.realtime else ""
        print(
            f"{of['processor']}, kernels for {of['kernels']}, {tiles}, {of['cores']} cores, load "
            f"{of['load']}{priority}; onnxruntime {of['onnxruntime']}, torch {of['torch']}"
        )

    def wants(self, name: str) -> bool:
        """Whether the row is asked for: no words are, or one that the name has."""
        return not self.asked.words or any(word in name for word in self.asked.words)

    def table(self, *columns: str) -> None:
        """Begins a table. The first column has the names of rows."""
        self.found["tables"].append({"columns": columns, "rows": []})
        print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)

    def row(self, *values: Value) -> None:
        """Adds a row with a value for each column."""
        table = self.found["tables"][-1]
        if len(values) != len(table["columns"]):
            raise ValueError(f"{len(values)} values for {len(table['columns'])} columns")
        table["rows"].append(dict(zip(table["columns"], values, strict=True)))
        print(f"| {' | '.join(map(shown, values))} |", flush=True)

    def say(self, text: str) -> None:
        """A line below the table."""
        self.found["tables"][-1].setdefault("notes", []).append(text)
        print(f"\n{text}", flush=True)

    def close(self) -> None:
        """Writes the JSON that is asked for."""
        if self.asked.json:
            Path(self.asked.json).write_text(json.dumps(self.found, indent=1) + "\n")


class Measurement:
    """What a module measures: called with arguments, it runs and reports."""

    def __init__(self, run: Callable[[Report], None], realtime: bool, words: bool) -> None:
        self.run, self.has_realtime = run, realtime
        self.name = Path(run.__code__.co_filename).stem
        about = run.__globals__["__doc__"]
        self.parser = argparse.ArgumentParser(
            prog=f"bench.{self.name}",
            description=about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if words:
            text = "words of rows' names; none: all rows"
            self.parser.add_argument("words", nargs="*", help=text)
        self.parser.add_argument("--json", metavar="FILE", help="write the figures there")
        if realtime:
            text = "measure at real-time priority (as root)"
            self.parser.add_argument("--realtime", action="store_true", help=text)

    def __call__(self, arguments: Sequence[str] = ()) -> None:
        """Measures and prints; an error ends it without JSON."""
        asked = self.parser.parse_args(list(arguments))
        warnings.simplefilter("ignore")
        report = Report(self.name, asked)
        self.run(report)
        report.close()


def measurement(
    realtime: bool = False, words: bool = True
) -> Callable[[Callable[[Report], None]], Measurement]:
    """Makes a function of a report what the module measures."""
    return lambda run: Measurement(run, realtime, words)
