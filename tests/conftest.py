"""Fixtures that several areas share."""

import gc
import json
import logging
import os

# NumPy and PyTorch are oracles, whose threads would wait, and spin, for a processor that other
# workers have: before they are imported. PyTorch takes the number from MKL; OMP_NUM_THREADS would
# be popir's too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import signal
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.once import begin
from tests.packages import SANITIZED

begin()

# What tests start inherits these: without, nobody hears of what a test sends where `make test` was
# started with signals ignored (`nohup make test &`), and ended children are lost.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGCHLD])

# Hundreds of tests start Python: each would compile all of popir again, half of the start's time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Every engine of the tests, and of what they start, verifies its plan after each of its passes.
os.environ["POPLAR_ENGINE_OPTIONS"] = json.dumps(
    {"debug.verifyPlan": "true"} | json.loads(os.environ.get("POPLAR_ENGINE_OPTIONS") or "{}")
)

# How long an example takes says more of the machine than of popir.
settings.register_profile("popir", deadline=None)
settings.load_profile("popir")


@pytest.fixture(scope="session")
def sanitized() -> dict[str, str]:
    """Environment variables for a Python whose popir is built with sanitizers."""
    return json.loads(os.environ[SANITIZED])


class Golden:
    """Compares a text with a file in the folder `golden` beside the test, or writes that file."""

    def __init__(self, folder: Path, update: bool) -> None:
        self.folder = folder
        self.update = update

    def __call__(self, name: str, text: str) -> None:
        """Fails with the difference unless `text` is what the file `name` holds."""
        path = self.folder / name
        if self.update:
            self.folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), (
            f"{path} differs; if the change is meant, run pytest with --update-golden"
        )


EVERY = "POPIR_TESTS_EVERY"
"""Environment variable: `--every` of the process that started this one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what tests print into their golden files",
    )
    parser.addoption(
        "--every",
        type=int,
        default=int(os.environ.get(EVERY, "1")),
        metavar="N",
        help="of the cases of each test that has many, run each N-th alone",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tests that run others in a process of their own take as many cases there."""
    os.environ[EVERY] = str(config.getoption("--every"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Golden files of the test; `--update-golden` writes them."""
    return Golden(request.path.parent / "golden", request.config.getoption("--update-golden"))


_INT8_PRODUCTS = (
    *("DynamicQuantizeMatMul", "MatMulIntegerToFloat", "QAttention", "QGemm", "QLinearConv"),
)
MANY = 12
"""Cases of a test that are all run whatever `--every` says."""
_BY_ONNXRUNTIME = ("test_forward", "test_onnxruntime_agrees", "test_special_values")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Without the collector of garbage: what this makes stays, and looking at it again and again
    takes a fifth of the time. Nor does the collector look at these two million objects later, for
    1.6 seconds each time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return (yield)
    finally:
        _let_loggers_propagate()
        gc.freeze()
        if was_on:
            gc.enable()


def _let_loggers_propagate() -> None:
    """pytest gives its handlers to the root's logger, and to all that keep their messages from it,
    six times a test. PyTorch has forty of these, whose messages may as well go by way of the root.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if name.partition(".")[0] == "torch" and isinstance(logger, logging.Logger):
            logger.propagate = True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _leave_to_sanitize(config, items)
    _take_every(config.getoption("--every"), config, items)
    _skip_what_nobody_judges(items)


def _leave_to_sanitize(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects tests of the sanitized build where nobody has made one: `make sanitize` does."""
    if SANITIZED in os.environ:
        return
    left = [i for i in items if isinstance(i, pytest.Function) and "sanitized" in i.fixturenames]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def _take_every(step: int, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects cases of tests that have more than `MANY`, all but each `step`-th: what looks for
    faults in kernels, and not at results, sees each of them many times.
    """
    cases = Counter(item.nodeid.partition("[")[0] for item in items)
    seen: Counter[str] = Counter()
    taken, left = [], []
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_taken = cases[test] <= MANY or seen[test] % step == 0
        (taken if is_taken else left).append(item)
        seen[test] += 1
    config.hook.pytest_deselected(items=left)
    items[:] = taken


def _skip_what_nobody_judges(items: list[pytest.Item]) -> None:
    """Skips rows that onnxruntime cannot judge on this machine. Without VNNI it adds neighbouring
    products of uint8 and int8 in 16 bits, which saturate: 2 * 255 * 127 becomes 32767.
    """
    if "vnni" in Path("/proc/cpuinfo").read_text():
        return
    reason = "onnxruntime's products of uint8 and int8 saturate on a machine without VNNI"
    for item in items:
        test, _, case = item.name.partition("[")
        if test in _BY_ONNXRUNTIME and case.startswith(_INT8_PRODUCTS):
            item.add_marker(pytest.mark.skip(reason=reason))
