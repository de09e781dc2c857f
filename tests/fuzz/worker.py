"""Runs cases in a process whose memory is bounded: `python -m tests.fuzz.worker KIND`.

Reads lines `FOLDER SEED NUMBER`, answers each with a line of JSON: the case's stage and outcome,
and a finding if there is one.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import resource
import sys
from pathlib import Path

KINDS = {
    "mutations": "tests.fuzz.mutants",
    "formats": "tests.fuzz.formats",
    "graphs": "tests.fuzz.graphs",
    "gradients": "tests.fuzz.gradients",
    "api": "tests.fuzz.api",
    "host": "tests.fuzz.host",
}
"""The module of each kind of case. It has `start()`, called once, and `run(folder, seed, number)`,
which makes a case's files in the folder and returns what is answered.
"""
MEMORY = 3 << 30
"""Bytes of address space that a case may take."""


def bound_memory() -> None:
    """Sets RLIMIT_AS to `MEMORY` above what the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(kind: str) -> None:
    """Runs cases until there are no more lines."""
    faulthandler.enable()
    module = importlib.import_module(KINDS[kind])
    module.start()
    bound_memory()
    print("ready", flush=True)
    for line in sys.stdin:
        folder, seed, number = line.split()
        print(json.dumps(module.run(Path(folder), seed, int(number))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
