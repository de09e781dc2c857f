"""Random programs against popir: `python -m tests.fuzz graphs --cases 20000`."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from tests.fuzz.runner import Totals, fuzz
from tests.fuzz.worker import KINDS


def main() -> int:
    """Runs the cases and prints what became of them; 1 if anything was found."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--cases", type=int, default=1000, help="how many (%(default)s)")
    common.add_argument("--first", type=int, default=0, help="number of the first (%(default)s)")
    common.add_argument("--seed", default="popir", help="other cases for another word")
    common.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    common.add_argument("--limit", type=float, default=60, help="seconds for a case (%(default)s)")
    common.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where findings go")
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, module in KINDS.items():
        text = (importlib.import_module(module).__doc__ or "").splitlines()[0]
        kinds.add_parser(kind, parents=[common], help=text, description=text)
    given = parser.parse_args()
    start = time.monotonic()
    numbers = range(given.first, given.first + given.cases)
    keep = given.keep / given.kind
    totals = fuzz(given.kind, numbers, given.seed, given.limit, given.jobs, keep)
    report(totals, time.monotonic() - start, keep)
    return 1 if totals.findings else 0


def report(totals: Totals, seconds: float, keep: Path) -> None:
    """Prints counts, and each kind of finding with the files of its first case."""
    slowest, which = totals.slowest
    print(f"{totals.cases} cases in {seconds:.0f} s; the slowest, {which}, took {slowest:.1f} s")
    for what, count in totals.outcomes.most_common():
        print(f"{count:8} {what}")
    print(f"{sum(map(len, totals.findings.values()))} findings of {len(totals.findings)} kinds")
    for kind, found in sorted(totals.findings.items(), key=lambda item: -len(item[1])):
        print(f"{len(found):8} {kind}")
        print(f"{'':8} cases {found[:5]}; files in {keep / str(found[0])}")


if __name__ == "__main__":
    sys.exit(main())
