"""Gives cases to worker processes, and notices those that crash or hang."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_MEMORY = Path("/dev/shm")
"""Where files need not wait for a disk: a case that is saved is synchronised."""


@dataclass
class Totals:
    """What became of all cases."""

    cases: int = 0
    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    """How many cases ended so, by stage and outcome."""
    findings: dict[str, list[int]] = field(default_factory=dict)
    """The numbers of the cases that should have ended otherwise, by what they have in common."""
    slowest: tuple[float, int] = (0.0, -1)
    """Seconds, and the number of the case."""


class Worker:
    """A process that runs one case after another, replaced when it dies or takes too long."""

    command = [sys.executable, "-m", "tests.fuzz.worker"]

    def __init__(self, kind: str, folder: Path, seed: str, limit: float) -> None:
        self.kind, self.folder, self.seed, self.limit = kind, folder, seed, limit
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder.with_suffix(".log")

    def run(self, number: int) -> dict[str, Any]:
        """What became of a case."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{self.folder} {self.seed} {number}\n".encode())
        process.stdin.flush()
        answer = b""
        end = time.monotonic() + self.limit
        while not answer.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                self.stop()
                text = f"no end after {self.limit:.0f} s\n"
                return {"stage": "?", "outcome": "hang", "finding": text}
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                code = process.wait()
                self.stop()
                log = self._log.read_text(errors="replace")[-6000:]
                text = f"the process ended with {code}\n{log}"
                return {"stage": "?", "outcome": "crash", "finding": text}
            answer += part
        return json.loads(answer)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [*self.command, self.kind],
                    cwd=ROOT,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    bufsize=0,
                    stderr=log,
                )
            assert self._process.stdout is not None
            if self._process.stdout.readline() != b"ready\n":
                raise RuntimeError(f"No worker starts:\n{self._log.read_text()}")
        return self._process

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(OSError):
                self._process.communicate()
            self._process = None


def signature(result: dict[str, Any]) -> str:
    """What findings of one cause have in common: what the case itself says, or else the kind and
    the last places in popir.
    """
    if "signature" in result:
        return f"{result['outcome']}: {result['signature']}"
    text = result["finding"]
    places = re.findall(r'File "[^"]*/(popir/[^"]+)", line (\d+), in (\w+)', text)
    native = re.findall(r'File "[^"]*/([\w.]+/[\w.]+)", line (\d+) in (\w+)', text)
    where = [f"{file}:{line} {name}" for file, line, name in places[-1:] or native[:2]]
    last = text.strip().splitlines()[-1][:160] if not native else ""
    return f"{result['outcome']} {' < '.join(where)} | {re.sub(r'[0-9]+', 'N', last)}"


def fuzz(
    kind: str,
    numbers: Iterable[int],
    seed: str,
    limit: float,
    jobs: int,
    keep: Path | None = None,
) -> Totals:
    """Runs cases of a kind of `tests.fuzz.worker.KINDS`, `jobs` at a time; saves the first of each
    kind of finding to `keep`.
    """
    totals = Totals()
    lock = threading.Lock()
    waiting = iter(numbers)

    def work(folder: Path) -> None:
        worker = Worker(kind, folder, seed, limit)
        try:
            while True:
                with lock:
                    number = next(waiting, None)
                if number is None:
                    return
                start = time.monotonic()
                result = worker.run(number)
                with lock:
                    _count(totals, number, result, time.monotonic() - start, folder, keep)
        finally:
            worker.stop()

    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as temporary:
        folders = [Path(temporary) / f"case{i}" for i in range(jobs)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in [pool.submit(work, folder) for folder in folders]:
                done.result()
    return totals


def _count(
    totals: Totals,
    number: int,
    result: dict[str, Any],
    seconds: float,
    folder: Path,
    keep: Path | None,
) -> None:
    totals.cases += 1
    if totals.cases % 1000 == 0:
        print(f"{totals.cases} cases, {len(totals.findings)} kinds of findings", file=sys.stderr)
    totals.outcomes[f"{result['stage']}: {result['outcome']}"] += 1
    totals.slowest = max(totals.slowest, (seconds, number))
    if "finding" not in result:
        return
    kind = signature(result)
    new = kind not in totals.findings
    totals.findings.setdefault(kind, []).append(number)
    if new and keep is not None:
        target = keep / str(number)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target, symlinks=True, ignore=_special)
        (target / "finding.txt").write_text(f"{kind}\n\n{result['finding']}")


def _special(folder: str, names: list[str]) -> list[str]:
    """What is no file, folder or link is not copied."""
    return [
        name
        for name in names
        if not ((path := Path(folder) / name).is_file() or path.is_dir() or path.is_symlink())
        or path.stat(follow_symlinks=False).st_size > 1 << 26
    ]
