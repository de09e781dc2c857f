"""Threads that compile operator libraries, and models that use one, at the same time."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np

import popir
from popir import registry
from popir.foreign.build import compile_op_library
from tests.cli.test_build_op import NOTHING
from tests.popart.conftest import Library
from tests.popart.libraries import isolated

THREADS = 4


def together(work: Callable[[int], Any]) -> list[Any]:
    """What `work(number)` returns in each of the threads, which begin at one time."""
    begin = Barrier(THREADS)

    def begun(number: int) -> Any:
        begin.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begun, range(THREADS)))


def check_sessions(library: str) -> None:
    """Soft is softsign: each thread makes, trains and runs sessions of its own, on its own data."""
    ctypes.CDLL(library)

    def work(number: int) -> None:
        rng = np.random.default_rng(number)
        for _ in range(4):
            x = rng.standard_normal((3, 4 + number)).astype(np.float32)
            builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
            w = builder.addInitializedInputTensor(x, "w")
            (y,) = builder.customOp("Soft", 1, "test", [w], {})
            loss = builder.aiOnnx.reducesum([y], keepdims=0)
            gradient = popir.reservedGradientPrefix() + w
            session = popir.TrainingSession(
                builder.getModelProto(),
                popir.DataFlow(1, [y, gradient]),
                loss,
                popir.ConstSGD(0.1),
                popir.DeviceManager().createCpuDevice(),
            )
            session.prepareDevice()
            anchors = session.initAnchorArrays()
            session.run(popir.PyStepIO({}, anchors))
            np.testing.assert_allclose(anchors[y], x / (1 + np.abs(x)), 1e-5)
            np.testing.assert_allclose(anchors[gradient], (1 + np.abs(x)) ** -2.0, 1e-5)

    together(work)


def test_sessions_of_a_librarys_operators(library: Library, tmp_path: Path) -> None:
    isolated(check_sessions, library("snap"), cwd=tmp_path)


def check_compiling(folder: str) -> None:
    """Two sources, each compiled by two threads, with an empty cache, and loaded by all of them."""
    for name in ("one", "two"):
        source = NOTHING.replace("NAME", f"Of{name.title()}").replace("NothingOp", f"Of{name}")
        (Path(folder) / f"{name}.cpp").write_text(source)

    def work(number: int) -> tuple[Path, bytes, list[str]]:
        source = Path(folder) / f"{('one', 'two')[number % 2]}.cpp"
        built = compile_op_library(str(source)).library
        loaded = popir.load_op_library(built)
        return built, built.read_bytes(), [str(opid) for opid in loaded.operators]

    found = together(work)
    for a, b in ((0, 2), (1, 3)):
        assert found[a][:2] == found[b][:2]
    registered = sorted(name for _, _, names in found for name in names)
    assert set(registered) == {"acme.cli.OfOne:1", "acme.cli.OfTwo:1"}
    for name in ("OfOne", "OfTwo"):
        assert registry.versions("acme.cli", name) == [1]
    left = [f for f in (Path(folder) / "cache").rglob("*") if f.is_file()]
    assert {f.name for f in left if f.suffix == ".so"} == {"libone.so", "libtwo.so"}


def test_libraries_that_are_compiled_at_the_same_time(tmp_path: Path) -> None:
    cache = {"POPIR_CACHE": str(tmp_path / "cache")}
    isolated(check_compiling, str(tmp_path), cwd=tmp_path, env=cache)
