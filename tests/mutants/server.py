"""A plugin that makes pytest a server: it collects once, and runs each job in a forked process.

A job is a line of JSON on the pipe: `{"items": [node ids], "on": [mutants], "first": whether to
stop at the first failure}`. Lines of JSON come back: `ready`, with the tests and the sites that
collecting came by; for a job its process `pid`, `start` and `done` of each test, and `end`.
The parent of all these processes has run no test, so each job starts from the same state.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.board import PIPES, VARIABLE, Board

_board = Board(Path(os.environ[VARIABLE]))
_jobs, _results = (int(word) for word in os.environ.pop(PIPES).split(","))
MEMORY = 4 << 30
"""Bytes of private memory that a job may have: a mutant may well allocate for ever."""
_setups: dict[Any, set[int]] = {}
"""What setting up each fixture that tests share came by: each of them relies on it."""
_failed: list[str] = []


def _tell(**message: Any) -> None:
    os.write(_results, (json.dumps(message) + "\n").encode())


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Instead of running all tests once."""
    items = {item.nodeid: item for item in session.items}
    _tell(ready=list(items), seen=sorted(_board.take()), failed=session.testsfailed)
    with os.fdopen(_jobs) as lines:
        for line in lines:
            job = json.loads(line)
            _board.activate(job["on"])
            folder = tempfile.mkdtemp(prefix="mutant-")
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
                os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
                _tell(pid=os.getpid())
                try:
                    _run([items[name] for name in job["items"] if name in items], job["first"])
                finally:
                    os._exit(0)
            status = os.waitpid(pid, 0)[1]
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # what its tests left running
            shutil.rmtree(folder, ignore_errors=True)
            _tell(end=status)
    return True


def _run(items: list[pytest.Item], first: bool) -> None:
    """Runs tests as pytest would; in the process of a job."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        _failed.clear()
        _board.take()
        _tell(start=item.nodeid)
        start = time.monotonic()
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds = time.monotonic() - start
        seen = _board.take()
        for definitions in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
            for definition in definitions:
                seen |= _setups.get(definition, set())
        why = _failed[0][-600:] if _failed else None
        _tell(done=item.nodeid, failed=why, seconds=round(seconds, 3), seen=sorted(seen))
        if _failed and first:
            return


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes failures of any phase of the test."""
    if report.failed:
        _failed.append(f"{report.when}: {report.longreprtext}")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Generator[None, Any, Any]:
    """Keeps apart what the set-up of a shared fixture came by."""
    if fixturedef.scope == "function":
        return (yield)
    before = _board.take()
    try:
        return (yield)
    finally:
        seen = _board.take()
        _setups[fixturedef] = seen
        _board.add(before | seen)
