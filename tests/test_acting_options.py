"""What options of a session do: one test for each that no other file shows. Long, because there are
so many of them.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import popir
from popir import Op, OpCreator, Opx, OpxCreator, SyntheticDataMode, _library, registry
from popir.errors import popart_exception, poplar_application_runtime_error
from popir.ir import OperatorIdentifier
from popir.options import SessionOptions
from tests.forked import forked
from tests.toolchain import environment

Array = np.ndarray[Any, Any]


def prepared(builder: popir.Builder, *anchors: str, batches: int = 1, **options: Any) -> Any:
    """A prepared session on the CPU."""
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(batches, list(anchors)),
        popir.DeviceManager().createCpuDevice(),
        userOptions=SessionOptions(**options),
    )
    session.prepareDevice()
    return session


def run(session: Any, **inputs: Array) -> dict[str, Array]:
    """What one step gives."""
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs, anchors))
    return anchors


# Floating-point checks.


def chain(kind: str = "FLOAT") -> tuple[popir.Builder, str]:
    """log(x) * 2, with names."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor(kind, [8], "x")
    two = builder.addInputTensor(kind, [8], "two")
    y = builder.aiOnnx.mul([builder.aiOnnx.log([x], "block/log"), two], "block/mul")
    return builder, y


@pytest.mark.parametrize(
    ("kind", "x", "two", "name", "made"),
    [
        ("FLOAT", 0.0, 2.0, "block/log", "infinity"),
        ("FLOAT", -1.0, 2.0, "block/log", "NaN"),
        ("FLOAT", 1e38, 1e38, "block/mul", "infinity"),
        ("FLOAT16", 0.0, 2.0, "block/log", "infinity"),
        ("FLOAT16", 60000.0, 60000.0, "block/mul", "infinity"),
        ("DOUBLE", -1.0, 2.0, "block/log", "NaN"),
        ("FLOAT", 1.0, np.inf, "block/mul", "NaN"),
    ],
)
def test_floating_point_checks_name_the_operator(
    kind: str, x: float, two: float, name: str, made: str
) -> None:
    builder, y = chain(kind)
    dtype = {"FLOAT": np.float32, "FLOAT16": np.float16, "DOUBLE": np.float64}[kind]
    inputs = {"x": np.ones(8, dtype), "two": np.full(8, 2, dtype)}
    inputs["x"][5], inputs["two"][5] = x, two
    session = prepared(builder, y, enableFloatingPointChecks=True)
    with pytest.raises(poplar_application_runtime_error) as error:
        run(session, **inputs)
    assert name in str(error.value).partition(": Floating-point exception")[0]
    assert f"wrote {made} to its operand" in str(error.value)
    # Without the option nothing is said, and with harmless values neither.
    run(prepared(builder, y), **inputs)
    fine = run(session, x=np.full(8, 3, dtype), two=np.ones(8, dtype))[y]
    np.testing.assert_allclose(fine, np.log(np.full(8, 3, dtype)), rtol=1e-3)


def test_floating_point_checks_let_through_what_was_there_before() -> None:
    builder, y = chain()
    session = prepared(builder, y, enableFloatingPointChecks=True)
    x = np.array([1, np.nan, np.inf, 2, 3, 4, 5, 6], np.float32)
    with np.errstate(all="ignore"):
        expected = np.log(x) * 2
    two = np.full(8, 2, np.float32)
    np.testing.assert_allclose(run(session, x=x, two=two)[y], expected, rtol=1e-6)


def test_floating_point_checks_of_a_training_step() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(np.ones((3, 2), np.float32), "w")
    scores = builder.aiOnnx.matmul([x, w], "scores")
    root = builder.aiOnnx.sqrt([scores], "root")
    loss = builder.aiGraphcore.identityloss([root], popir.ReductionType.Sum, "loss")
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        popir.SGD({"defaultLearningRate": (0.1, True)}),
        popir.DeviceManager().createCpuDevice(),
        userOptions=SessionOptions(enableFloatingPointChecks=True),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: np.ones((4, 3), np.float32)}, anchors))
    # The root of 0 is fine, its gradient is infinite.
    with pytest.raises(poplar_application_runtime_error, match="wrote infinity") as error:
        session.run(popir.PyStepIO({x: np.zeros((4, 3), np.float32)}, anchors))
    assert "SqrtGrad" in str(error.value).partition(": Floating-point exception")[0]


# Codelets.

CODELET = """
#include <poplar/Vertex.hpp>
#ifndef FACTOR
#define FACTOR 2
#endif
struct OptionsTestScale : poplar::Vertex {
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  void compute() { for (unsigned i = 0; i < out.size(); ++i) out[i] = FACTOR * in[i]; }
};
"""
SCALED = OperatorIdentifier("test.options", "Scaled", 1)


class ScaledOp(Op):
    """As its input."""

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class ScaledOpx(Opx):
    """One vertex of a codelet that the session brings."""

    def grow(self, prog: Any) -> None:
        from popir import poplar

        graph, x = self.graph(), self.getInTensor(0)
        out = graph.clone(x, self.debugContext())
        cs = graph.addComputeSet(self.debugContext())
        vertex = graph.addVertex(cs, "OptionsTestScale", {"in": x, "out": out})
        graph.setTileMapping(vertex, 0)
        prog.add(poplar.program.Execute(cs))
        self.setOutTensor(0, out)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    with registry.scoped():
        OpCreator(ScaledOp, [SCALED])
        OpxCreator(ScaledOpx, [SCALED])
        yield


def scaled() -> tuple[popir.Builder, str]:
    builder = popir.Builder(opsets={"ai.onnx": 17, "test.options": 1})
    x = builder.addInputTensor("FLOAT", [4], "x")
    (y,) = builder.customOp("Scaled", 1, "test.options", [x], {})
    return builder, y


def test_custom_codelets_are_there_for_operators(tmp_path: Path) -> None:
    file = tmp_path / "scale.cpp"
    file.write_text(CODELET)
    builder, y = scaled()
    x = np.arange(4, dtype=np.float32)
    for flags, factor in (("", 2), ("-DFACTOR=5", 5)):
        session = prepared(builder, y, customCodelets=[str(file)], customCodeletCompileFlags=flags)
        assert run(session, x=x)[y].tolist() == [factor * v for v in range(4)]
    with pytest.raises(Exception, match="OptionsTestScale"):
        prepared(builder, y)


def test_custom_codelets_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "codelets.cpp").write_text(CODELET)
    options = SessionOptions(customCodelets=[str(tmp_path / "codelet.cpp")])
    with pytest.raises(
        popart_exception,
        match=r"SessionOptions.customCodelets: there is no file '.*codelet.cpp'. Did you mean 'cod",
    ):
        options.check()
    with pytest.raises(popart_exception, match=r"there is no file '/nowhere.cpp'"):
        SessionOptions(customCodelets=["/nowhere.cpp"]).check()


# Compiled programs that are kept.


def affine(factor: float = 3.0) -> tuple[popir.Builder, str]:
    """x @ w + factor."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2, 4], "x")
    w = builder.addInitializedInputTensor(np.eye(4, dtype=np.float32) * 2, "w")
    c = builder.aiOnnx.constant(np.float32(factor))
    y = builder.aiOnnx.add([builder.aiOnnx.matmul([x, w]), c], "y")
    builder.addOutputTensor(y)
    return builder, y


X = np.arange(8, dtype=np.float32).reshape(2, 4)


def test_a_cached_program_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"enableEngineCaching": True, "cachePath": tmp_path / "programs"}
    builder, y = affine()
    first = run(prepared(builder, y, **options), x=X)[y]
    files = list((tmp_path / "programs").iterdir())
    assert len(files) == 1

    def no_lowering(*_: Any, **__: Any) -> None:
        raise AssertionError("the program was lowered again")

    with monkeypatch.context() as patch:
        patch.setattr("popir.session.prepared.Lowering", no_lowering)
        session = prepared(builder, y, **options)
        np.testing.assert_array_equal(run(session, x=X)[y], first)
        np.testing.assert_array_equal(first, X * 2 + 3)
        # The weights are the session's, not the cache's.
        session.writeWeights(popir.PyWeightsIO({"w": np.eye(4, dtype=np.float32) * 5}))
        session.weightsFromHost()
        np.testing.assert_array_equal(run(session, x=X)[y], X * 5 + 3)
        assert session.getCycleCount() > 0
        with pytest.raises(AssertionError, match="lowered again"):
            prepared(affine(4.0)[0], y, **options)
        with pytest.raises(AssertionError, match="lowered again"):
            prepared(builder, y, batches=2, **options)
    np.testing.assert_array_equal(run(prepared(affine(4.0)[0], y, **options), x=X)[y], X * 2 + 4)
    assert len(list((tmp_path / "programs").iterdir())) == 2


def test_a_trained_program_is_used_again(tmp_path: Path) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(np.ones((3, 2), np.float32), "w")
    out = builder.aiOnnx.dropout([builder.aiOnnx.matmul([x, w])], 1)[0]
    loss = builder.aiGraphcore.identityloss([out], popir.ReductionType.Mean, "loss")
    results: list[Array] = []
    for _ in range(2):
        session = popir.TrainingSession(
            builder.getModelProto(),
            popir.DataFlow(3, [loss]),
            loss,
            popir.SGD({"defaultLearningRate": (0.5, False), "defaultMomentum": (0.9, True)}),
            popir.DeviceManager().createCpuDevice(),
            userOptions=SessionOptions(enableEngineCaching=True, cachePath=str(tmp_path)),
        )
        session.prepareDevice()
        session.setRandomSeed(7)
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({x: np.ones((3, 4, 3), np.float32)}, anchors))
        session.weightsToHost()
        weights = np.zeros((3, 2), np.float32)
        session.readWeights(popir.PyWeightsIO({w: weights}))
        results += [anchors[loss], weights]
    assert len(list(tmp_path.iterdir())) == 1
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_array_equal(results[1], results[3])
    assert not np.array_equal(results[1], np.ones((3, 2)))


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "folder", "nonsense"])
def test_a_damaged_cache_is_made_anew(
    tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    options = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    builder, y = affine()
    prepared(builder, y, **options)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    if how == "folder":
        file.unlink()
        file.mkdir()
    else:
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 1
        file.write_bytes(
            {"cut": good[:-9], "flipped": bytes(flipped), "empty": b"", "nonsense": b"x\ny"}[how]
        )
    with caplog.at_level(logging.WARNING, "popir.session"):
        np.testing.assert_array_equal(run(prepared(builder, y, **options), x=X)[y], X * 2 + 3)
    assert "is not used, and made anew" in caplog.text
    if how != "folder":
        caplog.clear()
        np.testing.assert_array_equal(run(prepared(builder, y, **options), x=X)[y], X * 2 + 3)
        assert not caplog.records


def test_a_cache_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    options = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    builder, y = affine()
    prepared(builder, y, **options)
    monkeypatch.setattr(os, "geteuid", lambda: 12345678)
    with caplog.at_level(logging.WARNING, "popir.session"):
        prepared(builder, y, **options)
    assert "it belongs to another user" in caplog.text


def test_a_cache_that_others_may_write_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    builder, y = affine()
    prepared(builder, y, **options)
    (file,) = tmp_path.iterdir()
    file.chmod(0o666)
    with caplog.at_level(logging.WARNING, "popir.session"):
        prepared(builder, y, **options)
    assert "other users may write it" in caplog.text
    assert not file.stat().st_mode & 0o022


def test_a_cache_under_the_name_of_another_program_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It names the same tensors, and its own digest is right."""
    options = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    builder, y = affine()
    prepared(builder, y, **options)
    (file,) = tmp_path.iterdir()
    other, _ = affine(4.0)
    prepared(other, y, **options)
    (of_other,) = set(tmp_path.iterdir()) - {file}
    file.write_bytes(of_other.read_bytes())
    with caplog.at_level(logging.WARNING, "popir.session"):
        np.testing.assert_array_equal(run(prepared(builder, y, **options), x=X)[y], X * 2 + 3)
    assert "it is another program's, under this one's name" in caplog.text


def test_a_program_of_another_build_of_popir_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    builder, y = affine()
    prepared(builder, y, **options)
    library = Path(popir.__file__).parent / "lib" / "libpopir.so"
    notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True)
    assert f"Build ID: {_library.build_id()}\n" in notes.stdout
    monkeypatch.setattr(_library, "build_id", lambda: "0" * 40)
    prepared(builder, y, **options)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_library_without_a_build_id_is_told_by_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stripped = SimpleNamespace(popir_build_id=lambda: b"")
    monkeypatch.setattr(_library, "load", lambda: stripped)
    file = Path(popir.__file__).parent / "lib" / "libpopir.so"
    assert _library.build_id() == hashlib.sha256(file.read_bytes()).hexdigest()


def make_at_once(folder: str) -> None:
    """Four processes begin together to make the same program, which a folder keeps, two with a
    damaged file in its place; prints how each ended.
    """
    builder, y = affine()
    options = {"enableEngineCaching": True, "cachePath": folder}
    ready, go = os.pipe()
    children: list[int] = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(ready, 1)
            for _ in range(10):
                right = (run(prepared(builder, y, **options), x=X)[y] == X * 2 + 3).all()
                if not right:
                    os._exit(1)
                for file in Path(folder).glob("*.engine") if number > 1 else ():
                    os.truncate(file, 100)
            os._exit(0)
        children.append(child)
    os.close(go)
    print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])


def test_processes_that_make_a_program_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    done = forked(
        "tests.test_acting_options:make_at_once", str(tmp_path), cwd=tmp_path, env=environment()
    )
    assert done.stdout == "[0, 0, 0, 0]\n", done.stderr
    (file,) = tmp_path.iterdir()
    builder, y = affine()
    options = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    np.testing.assert_array_equal(run(prepared(builder, y, **options), x=X)[y], X * 2 + 3)
    assert file.stat().st_size > 1000


def test_other_codelets_are_another_program(tmp_path: Path) -> None:
    file = tmp_path / "scale.cpp"
    builder, y = scaled()
    for factor in (3, 7):
        file.write_text(CODELET.replace("FACTOR 2", f"FACTOR {factor}"))
        session = prepared(
            builder,
            y,
            customCodelets=[str(file)],
            enableEngineCaching=True,
            cachePath=str(tmp_path / "kept"),
        )
        assert run(session, x=np.ones(4, np.float32))[y].tolist() == [factor] * 4
    assert len(list((tmp_path / "kept").iterdir())) == 2


# Others.


def test_without_an_engine_nothing_runs() -> None:
    builder, y = affine()
    session = prepared(builder, y, compileEngine=False)
    with pytest.raises(
        popart_exception,
        match=r"no engine for run\(\): SessionOptions.compileEngine is False",
    ):
        run(session, x=X)


@pytest.mark.parametrize(
    "mode", [m for m in SyntheticDataMode if m is not SyntheticDataMode.Off], ids=lambda m: m.name
)
def test_synthetic_data_stands_for_the_inputs(mode: SyntheticDataMode) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [10000], "x")
    half = builder.addInputTensor("FLOAT16", [100], "half")
    i = builder.addInputTensor("INT32", [1000], "i")
    outs = [builder.aiOnnx.identity([each]) for each in (x, half, i)]
    session = prepared(builder, *outs, batches=2, syntheticDataMode=mode)
    floats, halves, integers = run(session).values()
    again = list(run(session, x=np.full((2, 10000), 9, np.float32)).values())
    for one, other in zip((floats, halves, integers), again, strict=True):
        np.testing.assert_array_equal(one, other)
    if mode is SyntheticDataMode.Zeros:
        assert not floats.any() and not halves.any() and not integers.any()
        return
    assert set(integers.ravel()) == {0, 1}
    assert not np.array_equal(floats[0], floats[1])
    if mode is SyntheticDataMode.RandomNormal:
        assert abs(floats.mean()) < 0.03 and abs(floats.std() - 1) < 0.03
    else:
        assert floats.min() >= 0 and floats.max() < 1 and abs(floats.mean() - 0.5) < 0.02


def test_synthetic_data_needs_no_callbacks_for_inputs() -> None:
    builder, y = affine()
    session = prepared(builder, y, syntheticDataMode=SyntheticDataMode.Zeros)
    found = np.ones((2, 4), np.float32)

    def wrong(*_: Any) -> Any:
        raise AssertionError("an input was asked for")

    io = popir.PyStepIOCallback(wrong, wrong, lambda id: found, lambda id: None)
    session.run(io)
    np.testing.assert_array_equal(found, np.full((2, 4), 3, np.float32))


def test_logs_go_to_their_folder(tmp_path: Path) -> None:
    builder, y = affine()
    folder = tmp_path / "logs" / "here"
    prepared(builder, y, logDir=folder, engineOptions={"autoReport.all": "true"})
    assert {each.name for each in folder.iterdir()} == {
        *("inference.graph.txt", "inference.decisions.txt", "profile.pop")
    }
    assert "ai.onnx.MatMul" in (folder / "inference.graph.txt").read_text()
    assert "AddLhsInplace" in (folder / "inference.decisions.txt").read_text()
    elsewhere = tmp_path / "elsewhere"
    engine = {"autoReport.all": "true", "autoReport.directory": str(elsewhere)}
    prepared(builder, y, logDir=tmp_path / "more", engineOptions=engine)
    assert (elsewhere / "profile.pop").exists()
    assert not (tmp_path / "more" / "profile.pop").exists()


def test_cycles_of_parts_are_not_to_be_had_by_an_id() -> None:
    builder, y = affine()
    session = prepared(builder, y)
    with pytest.raises(popart_exception, match=r"getCycleCount\(id='loop'\): only the whole step"):
        session.getCycleCount("loop")


def test_transfers_are_listed() -> None:
    builder, y = affine()
    kinds: dict[bool, list[str]] = {}
    for asked in (False, True):
        session = prepared(builder, y, useHostCopyOps=asked)
        (ops,) = json.loads(session._serializeIr()).values()
        kinds[asked] = [op["type"] for op in ops]
    assert kinds[True] == ["Init", "HostLoad", *kinds[False], "HostStore"]
    made, load, store = ops[0], ops[1], ops[-1]
    assert made["outputs"][0]["name"] == load["inputs"][0]["name"] == "x/init"
    assert (load["outputs"][0]["name"], load["inputs"][0]["shape"]) == ("x", "[2 4]")
    assert load["attributes"] == {"hostStreamTensorId": "x"}
    assert (store["inputs"][0]["name"], store["outputs"]) == (y, [])


def test_named_buffers() -> None:
    """`buffersFromHost` sends the variables that are named, and no others."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2], "x")
    w = builder.addInitializedInputTensor(np.full(2, 3, np.float32), "w")
    v = builder.addInitializedInputTensor(np.full(2, 10, np.float32), "v")
    y = builder.aiOnnx.add([builder.aiOnnx.mul([x, w]), v])
    session = prepared(builder, y, updatableNamedBuffers=[w])
    session.weightsFromHost()
    ones = np.ones(2, np.float32)
    assert run(session, x=ones)[y].tolist() == [13, 13]
    changed = {w: np.full(2, 5, np.float32), v: np.full(2, 20, np.float32)}
    session.writeWeights(popir.PyWeightsIO(changed))
    session.buffersFromHost()
    assert run(session, x=ones)[y].tolist() == [15, 15]


@pytest.mark.parametrize(
    ("named", "words"), [(["weight"], "names 'weight', which is no variable"), ([], "names no")]
)
def test_buffers_without_a_variable(named: list[str], words: str) -> None:
    builder, y = affine()
    session = prepared(builder, y, updatableNamedBuffers=named)
    with pytest.raises(popart_exception, match=words):
        session.buffersFromHost()


# Transfers.


def test_what_the_host_puts_in_order_takes_no_cycles() -> None:
    """A product's operand and result lie by its plan. Tiles move them to where a transfer has them,
    and back, unless the host puts them in order: by default anchors alone.
    """

    def transfers(**options: bool) -> dict[str, int]:
        builder = popir.Builder(opsets={"ai.onnx": 17})
        x, w = (builder.addInputTensor("FLOAT", [96, 80], name) for name in ("x", "w"))
        y = builder.aiOnnx.matmul([x, builder.aiOnnx.transpose([w], perm=[1, 0])])
        session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, [y]),
            popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 32}),
            userOptions=SessionOptions(**options),
        )
        session.prepareDevice(loadEngine=False)
        steps = session.getReport().steps
        return {s.name: s.cycles for s in steps if s.name.endswith(("/in", "/out"))}

    usual = transfers()
    (out,) = (name for name in usual if name.endswith("/out"))
    assert usual["x/in"] > 0 and usual[out] == 0
    on_tiles = transfers(rearrangeAnchorsOnHost=False)
    assert on_tiles[out] > 0 and on_tiles["x/in"] == usual["x/in"]
    assert set(transfers(rearrangeStreamsOnHost=True).values()) == {0}
