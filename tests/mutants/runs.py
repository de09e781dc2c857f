"""Jobs of pytest servers: what each test came by, and whether it failed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.mutants.board import PIPES, VARIABLE, Board

LEFT_OUT = (
    "tests/build/test_package.py",
    "tests/build/test_sanitized.py",
    "tests/popart/test_ownership.py",
    "tests/mutants",
)
"""Tests that build packages of the whole tree: minutes each, and little of what code does."""
STARTING = 300
"""Seconds that collecting may take."""


@dataclass(frozen=True)
class Outcome:
    """What became of a test: why it failed, if it did, its seconds, and the sites it came by."""

    test: str
    failed: str | None
    seconds: float
    seen: frozenset[int] = frozenset()


class Server:
    """A pytest process in `tree` that has collected `paths`, with mutants `on` from its start.

    `tests` are those collected, `early` the sites that this came by, `broken` whether it failed.
    """

    def __init__(self, tree: Path, board: Path, paths: Sequence[str], on: Sequence[int] = ()):
        Board(board).activate(list(on))
        Board(board).take()
        jobs, self._jobs = os.pipe()
        self._results, results = os.pipe()
        self._rest = b""
        words = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.server"]
        words += ["-p", "no:cacheprovider", *(f"--ignore={path}" for path in LEFT_OUT), *paths]
        environment = os.environ | {VARIABLE: str(board), PIPES: f"{jobs},{results}"}
        environment |= {"PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
        self._log = board.with_suffix(".log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                words,
                cwd=tree,
                env=environment,
                pass_fds=[jobs, results],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        os.close(jobs)
        os.close(results)
        ready = self._message(STARTING) or {}
        self.tests: list[str] = ready.get("ready", [])
        self.early = frozenset(ready.get("seen", ()))
        self.broken = not ready or ready["failed"] > 0

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        os.close(self._jobs)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._results)

    def run(
        self,
        tests: Sequence[str],
        on: Sequence[int] = (),
        *,
        limits: Mapping[str, float],
        first: bool = True,
        budget: float = float("inf"),
    ) -> list[Outcome]:
        """Runs tests in a new process, each with its limit in seconds, until the first failure
        or until the budget of seconds is spent; a crash or a hang ends it too."""
        known = set(self.tests)
        tests = [test for test in tests if test in known]
        job = {"items": tests, "on": list(on), "first": first}
        data = memoryview((json.dumps(job) + "\n").encode())
        while data:
            data = data[os.write(self._jobs, data) :]
        outcomes: list[Outcome] = []
        pid, current, started, end = 0, "", time.monotonic(), time.monotonic() + budget
        while True:
            limit = limits.get(current, STARTING) if current else STARTING
            message = self._message(max(0.1, min(started + limit, end) - time.monotonic()))
            if message is None:
                if not pid:
                    raise RuntimeError(f"pytest does not answer: see {self._log}")
                os.killpg(pid, signal.SIGKILL)
                if current and time.monotonic() < end:
                    outcomes.append(Outcome(current, "timed out", limit))
                current, end = "", float("inf")
                started = time.monotonic()
            elif "pid" in message:
                pid = message["pid"]
            elif "start" in message:
                current, started = message["start"], time.monotonic()
            elif "done" in message:
                current, started = "", time.monotonic()
                seen = frozenset(message["seen"])
                outcomes.append(
                    Outcome(message["done"], message["failed"], message["seconds"], seen)
                )
            else:
                if current:
                    outcomes.append(Outcome(current, f"crashed: {message['end']}", 0.0))
                return outcomes

    def _message(self, seconds: float) -> dict[str, Any] | None:
        """The next line from the server; None if there is none in time or ever."""
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([self._results], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            got = os.read(self._results, 1 << 16)
            if not got:
                return None
            self._rest += got
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)
