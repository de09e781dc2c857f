"""Mutated models against popir: `python -m tests.fuzz --cases 20000`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.runner import fuzz


def main() -> int:
    """Runs the cases and prints what became of them; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (%(default)s)")
    parser.add_argument("--seed", default="popir", help="other cases for another word")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a case (%(default)s)")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where findings go")
    given = parser.parse_args()
    start = time.monotonic()
    numbers = range(given.first, given.first + given.cases)
    totals = fuzz(numbers, given.seed, given.limit, given.jobs, given.keep)
    seconds = time.monotonic() - start
    slowest, which = totals.slowest
    print(f"{totals.cases} cases in {seconds:.0f} s; the slowest, {which}, took {slowest:.1f} s")
    for what, count in totals.outcomes.most_common():
        print(f"{count:8} {what}")
    print(f"{sum(map(len, totals.findings.values()))} findings of {len(totals.findings)} kinds")
    for kind, found in sorted(totals.findings.items(), key=lambda item: -len(item[1])):
        print(f"{len(found):8} {kind}")
        print(f"{'':8} cases {found[:5]}; files in {given.keep / str(found[0])}")
    return 1 if totals.findings else 0


if __name__ == "__main__":
    sys.exit(main())
