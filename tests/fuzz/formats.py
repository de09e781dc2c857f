"""Mutated files of every format that popir reads but models: `python -m tests.fuzz formats`.

A case is a file that popir wrote, changed in its bytes; checksums are mostly made right again, so
that what is behind them is reached. Reading it, and using what was read, must end in success or in
an error of popir's.

Long, because each format has its files, its reader and its checksums here, one after the other.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import traceback
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import popir
from popir import poplar, popops, profile
from popir.checkpoint.manifest import digest
from popir.compiler import Compilation, compile
from popir.data.npz import Npz
from popir.errors import LibraryBuildError
from popir.foreign.cache import cached
from popir.lowering.lowering import Lowering
from popir.lowering.undeclared_writes import Checks
from popir.onnxio.importer import import_model
from popir.popops import expr as pe
from popir.step import Loops, Returned, build_step
from popir.types import TensorInfo
from tests.fuzz.api import CODELET
from tests.fuzz.mutations import changed_bytes
from tests.fuzz.seeds import of_row
from tests.ops.cases import CASES
from tests.toolchain import CACHED_CXX, popir_config


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    name: str
    seeds: Callable[[], list[bytes]]
    use: Callable[[Path], None]
    """Reads a file and does with it what a user would."""
    sealed: Callable[[random.Random, bytes], bytes] | None = None
    """Changes what is behind the checksum of a file that has one, and makes it right again."""


# Executables.


def _device(kind: str) -> Any:
    if kind == "cpu":
        return poplar.Device.createCPUDevice()
    model = poplar.IPUModel("ipu2")
    model.tilesPerIPU = 4
    return model.createDevice()


def _of_model(model: Any, kind: str) -> bytes:
    graph = import_model(model)
    anchors = dict.fromkeys(graph.outputs, Returned.Each)
    compilation = Compilation(graph, list(anchors))
    compile(compilation)
    lowering = Lowering(graph, _device(kind), anchors, Checks(False, False))
    step = build_step(lowering, Loops(), anchors)
    return poplar.compileGraph(lowering.graph, [step.program]).serialize()


def _by_hand() -> bytes:
    """Virtual graphs, functions, loops, branches, streams, handles, a host function."""
    from popir.poplar import program

    graph = poplar.Graph(_device("ipu"))
    part = graph.createVirtualGraph(1, 3)
    x = part.addVariable(poplar.FLOAT, [4, 6], poplar.VariableMappingMethod.LINEAR, "x")
    flag = graph.addConstant(poplar.BOOL, [], True)
    graph.setTileMapping(flag, 0)
    twice = program.Sequence()
    popops.mapInPlace(part, pe.Mul(pe._1, pe.Const(2.0)), [x], twice)
    function = graph.addFunction(twice)
    main = program.Sequence()
    main.add(program.Copy(graph.addHostToDeviceFIFO("in", poplar.FLOAT, 24), x))
    main.add(program.Repeat(2, program.Call(function)))
    turned = graph.clone(x.transpose())
    main.add(program.Copy(x.transpose(), turned))
    main.add(program.If(flag, program.Call(function), program.Sequence()))
    main.add(program.PrintTensor("t", turned.flatten().slice(0, 2)))
    graph.createHostRead("t", turned)
    graph.createHostWrite("x", x)
    main.add(program.Copy(turned, graph.addDeviceToHostFIFO("out", poplar.FLOAT, 24)))
    return poplar.compileGraph(graph, [main]).serialize()


@functools.cache
def executables() -> list[bytes]:
    """One for each kernel and more: small models of single operators, and a program by hand."""
    found = [_by_hand()] * 4
    types: set[str] = set()
    for case in CASES:
        if case.type in types or case.type in ("LSTM",):
            continue
        types.add(case.type)
        try:
            found.append(_of_model(of_row(case, 17).model, "cpu" if len(types) % 4 else "ipu"))
        except popir.PopirError:
            continue
    return found


def use_executable(path: Path) -> None:
    """Loads it, connects its streams, and runs its first program."""
    executable = poplar.Executable.deserialize(path.read_bytes())
    engine = poplar.Engine(executable)
    try:
        engine.load(_device("cpu"))
    except popir.PopirError:
        engine.load(_device("ipu"))
    for _ in range(_STREAMS):
        try:
            engine.run(0)
            return
        except popir.PopirError as error:
            missing = re.search(r"stream '(.*)' is not connected", str(error))
            if missing is None:
                raise
            _connect(engine, missing[1])


_STREAMS = 8
_TYPES = (np.float32, np.float16, np.float64, np.int32, np.int64, np.uint32, np.bool_, np.int8)


def _connect(engine: Any, handle: str) -> None:
    """An array of ones, of the stream's type and size."""
    size = 1
    for dtype in _TYPES:
        for _ in range(2):
            try:
                engine.connectStream(handle, np.ones(size, dtype))
                return
            except popir.PopirError as error:
                told = re.search(r"moves (\d+) bytes", str(error))
                if told is None:
                    break
                size = min(int(told[1]), 1 << 20) // np.dtype(dtype).itemsize


# The others.


@functools.cache
def profiles() -> list[bytes]:
    """The profile of a small model, as JSON."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    y = builder.aiOnnx.relu([builder.aiOnnx.add([x, x])])
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    return [session.getProfile().json().encode()]


def use_profile(path: Path) -> None:
    """Reads it, and makes all that is made of profiles."""
    read = profile.Profile.load(path)
    profile.htmlOf(read)


@functools.cache
def arrays() -> list[bytes]:
    """Files of numpy's, of several types and versions."""
    found: list[bytes] = []
    for given in (
        {"x": np.arange(12, dtype=np.float32).reshape(3, 4), "y": np.zeros(0, np.int64)},
        {"x": np.array(True), "z": np.ones((2, 2), np.float16)},
    ):
        for save in (np.savez, np.savez_compressed):
            stream = io.BytesIO()
            save(stream, **given)
            found.append(stream.getvalue())
    return found


def use_arrays(path: Path) -> None:
    """Asks for every array and for one that a model would want."""
    file = Npz(str(path))
    file.arrays()
    file.array("x", TensorInfo("FLOAT", [3, 4]))


# What an engine says of itself, read by a program in C++.


@functools.cache
def reports() -> list[bytes]:
    """The profile.pop of an engine that ran."""
    with tempfile.TemporaryDirectory() as folder:
        graph = poplar.Graph(_device("ipu"))
        t = graph.addVariable(poplar.FLOAT, [100], poplar.VariableMappingMethod.LINEAR, "t")
        main = poplar.program.Sequence()
        stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 100)
        main.add(poplar.program.Copy(stream, t))
        twice = poplar.program.Sequence()
        popops.mapInPlace(graph, pe.Mul(pe._1, pe.Const(2.0)), [t], twice)
        main.add(poplar.program.Repeat(2, twice))
        options = {
            "autoReport.all": "true",
            "autoReport.directory": folder,
            "debug.instrumentExternalExchange": "true",
        }
        engine = poplar.Engine(graph, main, options)
        engine.connectStream("in", np.ones(100, np.float32))
        engine.run(0)
        del engine  # writes the file's last state
        return [(Path(folder) / "profile.pop").read_bytes()]


@functools.cache
def _reader() -> subprocess.Popen[str]:
    """A process that reads the profiles whose paths it is given."""
    binary = Path(tempfile.mkdtemp()) / "reader"
    source = Path(__file__).with_name("report_reader.cpp")
    words = [*CACHED_CXX, "-std=c++17", *popir_config("--cflags"), str(source)]
    subprocess.run([*words, *popir_config("--libs"), "-lpva", "-o", binary], check=True)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [binary], stdin=pipe, stdout=pipe, text=True, errors="backslashreplace", bufsize=1
    )


def use_report(path: Path) -> None:
    """Has everything in it read."""
    process = _reader()
    assert process.stdin is not None and process.stdout is not None
    print(path, file=process.stdin, flush=True)
    answer = process.stdout.readline()
    if not answer:
        code = process.wait()
        _reader.cache_clear()
        raise AssertionError(f"the reader of profiles ended with {code}")
    if answer.startswith("pva::openReport: "):
        raise popir.PopirError(answer)
    assert answer == "read\n", answer


# Compiled codelets, given as files and found in the cache.


def _scale(codelets: str, options: dict[str, str]) -> None:
    """Runs the codelet; wrong results are a finding."""
    graph = poplar.Graph(_device("cpu"))
    graph.addCodelets(codelets)
    x = graph.addVariable(poplar.FLOAT, [4], poplar.VariableMappingMethod.LINEAR, "x")
    y = graph.addVariable(poplar.FLOAT, [4], poplar.VariableMappingMethod.LINEAR, "y")
    cs = graph.addComputeSet("scale")
    vertex = graph.addVertex(cs, "Scale", {"in": x, "out": y, "factor": 3.0})
    graph.setTileMapping(vertex, 0)
    graph.createHostWrite("x", x)
    graph.createHostRead("y", y)
    engine = poplar.Engine(graph, poplar.program.Execute(cs), options)
    given, found = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    engine.writeTensor("x", given)
    engine.run(0)
    engine.readTensor("y", found)
    np.testing.assert_array_equal(found, 3 * given)


@functools.cache
def codelets() -> list[bytes]:
    """What popc makes of a codelet."""
    return [_kept_codelets().read_bytes()]


@functools.cache
def _kept_codelets() -> Path:
    """The file of the codelet in a cache."""
    cache = Path(tempfile.mkdtemp())
    os.environ["CXX"] = " ".join(CACHED_CXX)
    _forked(lambda: _with_cache(cache, CODELET))
    (made,) = (cache / "codelets").glob("*.gp")
    return made


def _with_cache(cache: Path, codelets: str, options: dict[str, str] | None = None) -> None:
    os.environ["POPIR_CACHE"] = str(cache)
    _scale(codelets, options or {})


def use_codelets(path: Path) -> None:
    """Loads the file and runs its vertex, at times from the sources in it, with bounds checked."""
    data = path.read_bytes()
    checks = {"debug.checkBounds": "true"} if zlib.crc32(data) % 50 == 0 else {}
    file = path.rename(path.with_suffix(".gp"))
    _forked(lambda: _with_cache(path.with_name("cache"), str(file), checks))


def use_cached_codelets(path: Path) -> None:
    """Finds the file in the cache. What is damaged is made again, and kept."""
    kept = path.with_name("cache") / "codelets" / _kept_codelets().name
    kept.parent.mkdir(parents=True)
    path.rename(kept)
    _forked(lambda: _with_cache(kept.parents[1], CODELET))
    assert kept.read_bytes() == codelets()[0], "a damaged file stays in the cache"


def _forked(run: Callable[[], None]) -> None:
    """Runs in a process of its own, for a library is loaded once in a process, and may end it."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(50)
        try:
            run()
            said = {}
        except BaseException as error:
            kind = "refused" if isinstance(error, popir.PopirError) else "finding"
            said = {kind: "".join(traceback.format_exception(error))[-6000:]}
        os.write(theirs, json.dumps(said).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        answer = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == 0 and answer, f"the process ended with {code}"
    said = json.loads(answer)
    assert "finding" not in said, said["finding"]
    if "refused" in said:
        raise popir.PopirError(said["refused"])


# Entries of caches.


def _result(folder: Path) -> list[str]:
    """A stand-in for a compiled library, and what it is made from."""
    (folder / "part").mkdir()
    (folder / "lib.so").write_bytes(b"code" * 50)
    (folder / "part" / "lib.gp").write_bytes(b"more")
    return [str(folder.parents[3] / "source.cpp"), str(folder.parents[3] / "gone.hpp")]


def library_entries() -> list[bytes]:
    """What a case does to an entry is chosen by these bytes."""
    return [bytes(range(64))]


def use_library_entry(path: Path) -> None:
    """Damages the entry of a library; what is found next is whole, and is found again."""
    rng = random.Random(path.read_bytes())
    path.with_name("source.cpp").write_text("int x;")
    os.environ["POPIR_CACHE"] = str(path.with_name("cache"))
    try:
        made = cached("libraries", ["key"], _result)
        for _ in range(rng.choice([1, 1, 2, 3])):
            _damage(rng, rng.choice([path.with_name("cache"), made, *made.parent.rglob("*")]))
        for _ in range(2):
            found = cached("libraries", ["key"], _result)
            files = {str(f.relative_to(found)): f for f in found.rglob("*") if f.is_file()}
            assert {"lib.so", "part/lib.gp", "record.json"} == files.keys(), files
            assert files["lib.so"].read_bytes() == b"code" * 50
            assert files["part/lib.gp"].read_bytes() == b"more"
    except LibraryBuildError:
        assert not path.with_name("cache").is_dir(), "a damaged entry is not made again"
        raise
    finally:
        del os.environ["POPIR_CACHE"]


def _damage(rng: random.Random, place: Path) -> None:
    """Changes the bytes of a file, or what it is; adds files; takes away files and folders."""
    if not place.exists():
        return
    kind = rng.random()
    if place.is_dir():
        if kind < 0.4:
            shutil.rmtree(place)
        elif kind < 0.8:
            more = place / rng.choice(["more", "record.json", "building-x"])
            if not more.is_dir():
                more.write_bytes(rng.randbytes(9))
        else:
            shutil.rmtree(place)
            place.write_bytes(b"")
    elif kind < 0.7:
        place.write_bytes(changed_bytes(rng, place.read_bytes()))
    else:
        place.unlink()
        if kind < 0.8:
            place.mkdir()
        elif kind < 0.9:
            place.symlink_to("nowhere")


@functools.cache
def _cached_model() -> tuple[bytes, Any, Any]:
    """A model, its input, and its output."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    w = builder.addInitializedInputTensor(np.arange(12, dtype=np.float32).reshape(3, 4), "w")
    y = builder.aiOnnx.relu([builder.aiOnnx.matmul([x, w])])
    builder.addOutputTensor(y)
    given = np.linspace(-1, 2, 6, dtype=np.float32).reshape(2, 3)
    want = np.maximum(given @ np.arange(12, dtype=np.float32).reshape(3, 4), 0)
    return builder.getModelProto(), given, want


def _with_engine_cache(folder: Path) -> bool:
    """Runs the model; whether the result is right."""
    model, given, want = _cached_model()
    options = popir.SessionOptions()
    options.enableEngineCaching, options.cachePath = True, str(folder)
    (y,) = (value.name for value in onnx.ModelProto.FromString(model).graph.output)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model, popir.DataFlow(1, [y]), device, userOptions=options)
    session.prepareDevice()
    found = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": given}, found))
    return np.allclose(found[y], want, 1e-5)


@functools.cache
def _kept_engine() -> Path:
    folder = Path(tempfile.mkdtemp())
    assert _with_engine_cache(folder)
    (made,) = folder.glob("*.engine")
    return made


@functools.cache
def engines() -> list[bytes]:
    """The entry of a session's program."""
    return [_kept_engine().read_bytes()]


def use_engine(path: Path) -> None:
    """Runs a session that finds the entry. If it is damaged, it is made again, and kept."""
    kept = path.with_name("cache") / _kept_engine().name
    kept.parent.mkdir()
    path.rename(kept)
    seal, _, content = kept.read_bytes().partition(b"\n")
    is_damaged = seal.split(b" ")[-1] != hashlib.sha256(content).hexdigest().encode()
    is_right = _with_engine_cache(kept.parent)
    assert is_right or not is_damaged, "a damaged program was used"
    if is_damaged:
        assert kept.read_bytes() == engines()[0], "a damaged program is not made again"


# Checkpoints.


_BETWEEN = b"\0shard\0"
"""What lies between the manifest of a checkpoint and its shard, in the file of a case."""


@functools.cache
def checkpoints() -> list[bytes]:
    """A manifest and its only shard."""
    with tempfile.TemporaryDirectory() as folder:
        _checked_session().save(folder)
        (shard,) = Path(folder).glob("*.safetensors")
        return [Path(folder, "checkpoint.json").read_bytes() + _BETWEEN + shard.read_bytes()]


def _checked_session() -> Any:
    device = popir.DeviceManager().createCpuDevice()
    return popir.InferenceSession(_cached_model()[0], popir.DataFlow(1, []), device)


def use_checkpoint(path: Path) -> None:
    """Loads the checkpoint in a session."""
    text, _, shard = path.read_bytes().partition(_BETWEEN)
    folder = path.with_name("checkpoint")
    folder.mkdir()
    (folder / "checkpoint.json").write_bytes(text)
    name = json.loads(checkpoints()[0].partition(_BETWEEN)[0])["shards"][0]["file"]
    (folder / name).write_bytes(shard)
    _checked_session().load(folder)


def sealed_checkpoint(rng: random.Random, data: bytes) -> bytes:
    """Of checkpoints: a digest in the manifest, and that of the shard."""
    text, _, shard = data.partition(_BETWEEN)
    said = json.loads(text)
    head = {key: said.pop(key) for key in ("format", "version", "digest")}
    if rng.random() < 0.5:
        shard = changed_bytes(rng, shard)
    else:
        within: Any = said
        while (
            within and isinstance(within, (dict, list)) and (rng.random() < 0.8 or within is said)
        ):
            inner = rng.choice([*within] if isinstance(within, dict) else range(len(within)))
            outer, within = within, within[inner]
        outer[inner] = rng.choice([None, 0, 3, -1, "x", [3], {}, [["x", 0, 1]], 2.5, 2**70])
    with contextlib.suppress(TypeError, KeyError, IndexError):
        said["shards"][0]["bytes"] = len(shard)
        said["shards"][0]["sha256"] = hashlib.sha256(shard).hexdigest()
    return json.dumps({**head, "digest": digest(said), **said}).encode() + _BETWEEN + shard


def sealed_fnv(rng: random.Random, data: bytes) -> bytes:
    """Of executables and reports: name, version, size, hash."""
    head, version, _, _, content = data.split(b"\n", 4)
    content = _numbers(rng, content) if rng.random() < 0.7 else changed_bytes(rng, content)
    header = (head, version, str(len(content)).encode(), fnv1a(content).encode())
    return b"\n".join((*header, content))


def sealed_codelets(rng: random.Random, data: bytes) -> bytes:
    """Of .gp files: name, format, two sizes, hash; then machine code, which is trusted as it is,
    and what it was made from.
    """
    name, form, size, _, _, content = data.split(b"\n", 5)
    library, text = content[: int(size)], content[int(size) :]
    sizes = [size, str(len(text)).encode()]
    if rng.random() < 0.3:
        i, shift = rng.randrange(2), rng.choice([-1, 1, 8, -len(text), 2**63, -(2**64)])
        sizes[i] = str(int(sizes[i]) + shift).encode()
        if rng.random() < 0.5:
            sizes[1 - i] = str(int(sizes[1 - i]) - shift).encode()
    else:
        text = _numbers(rng, text) if rng.random() < 0.5 else changed_bytes(rng, text)
        if rng.random() < 0.9:
            sizes[1] = str(len(text)).encode()
    return b"\n".join((name, form, *sizes, fnv1a(text, library).encode(), library + text))


def sealed_engine(rng: random.Random, data: bytes) -> bytes:
    """Of cached programs: a digest, names, an executable with a hash of its own."""
    head, _, content = data.partition(b"\n")
    names, _, executable = content.partition(b"\n")
    if rng.random() < 0.5:
        known = json.loads(names)
        key = rng.choice([*known])
        others: list[Any] = [None, 3, "x", [3], ["none"], {}, known[key] * 2, known[key][::-1]]
        known[key] = rng.choice([*others, []])
        if rng.random() < 0.2:
            del known[key]
        names = json.dumps(known).encode() if rng.random() < 0.7 else changed_bytes(rng, names)
    else:
        executable = sealed_fnv(rng, executable)
    content = names + b"\n" + executable
    digest = hashlib.sha256(content).hexdigest().encode()
    return head.rpartition(b" ")[0] + b" " + digest + b"\n" + content


FORMATS = [
    Format("executable", executables, use_executable, sealed_fnv),
    Format("profile", profiles, use_profile),
    Format("arrays", arrays, use_arrays),
    Format("report", reports, use_report, sealed_fnv),
    Format("codelets", codelets, use_codelets, sealed_codelets),
    Format("cached-codelets", codelets, use_cached_codelets, sealed_codelets),
    Format("checkpoint", checkpoints, use_checkpoint, sealed_checkpoint),
    Format("cached-library", library_entries, use_library_entry),
    Format("cached-engine", engines, use_engine, sealed_engine),
]
_SLOW = ("codelets", "cached-codelets")  # a process, and at times a compiler
TURNS = [each for each in FORMATS if each.name not in _SLOW] * 5
TURNS += [each for each in FORMATS if each.name in _SLOW]
"""Whose turn it is, case by case."""


def mutate(rng: random.Random, format: Format, data: bytes) -> bytes:
    """Changes the bytes of a file; behind a checksum, mostly the bytes that it is of."""
    if format.sealed is None or rng.random() < 0.1:
        return changed_bytes(rng, data)
    return format.sealed(rng, data)


def _numbers(rng: random.Random, content: bytes) -> bytes:
    """Other values for some of the 32-bit and 64-bit numbers: sizes, ids, offsets, enumerators."""
    found = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        code = rng.choice("Iqq")
        at = rng.randrange(max(len(found) - struct.calcsize(code), 1))
        if found[at] == 0 and rng.random() < 0.7:
            continue
        old = struct.unpack_from(f"<{code}", found, at)[0]
        new = rng.choice([0, 1, 2, old + 1, old - 1, old * 2, -old, 2**31, 2**40, 2**62, -1])
        size = 8 * struct.calcsize(code)
        struct.pack_into(f"<{code.upper()}", found, at, new % 2**size)
    return bytes(found)


def fnv1a(data: bytes, after: bytes = b"") -> str:
    """The hash that popir's own files have, in hexadecimal: of `after`, which is remembered, and
    `data`.
    """
    return f"{_fnv1a(data, _begun(after)):016x}"


@functools.lru_cache(8)
def _begun(data: bytes) -> int:
    return _fnv1a(data, 14695981039346656037)


def _fnv1a(data: bytes, value: int) -> int:
    for byte in data:
        value = ((value ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return value


def start() -> None:
    """Makes the files that are mutated."""
    for format in FORMATS:
        format.seeds()


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Makes and uses one file, and says what became of it."""
    rng = random.Random(f"{seed}/{number}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    format = TURNS[number % len(TURNS)]
    path = folder / f"file.{format.name}"
    path.write_bytes(mutate(rng, format, rng.choice(format.seeds())))
    found = {"stage": format.name, "outcome": "success"}
    try:
        format.use(path)
    except popir.PopirError as error:
        found["outcome"] = type(error).__name__
        if "() failed" in str(error):
            found["finding"] = "".join(traceback.format_exception(error))[-6000:]
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        found |= {"outcome": type(error).__name__, "finding": text[-6000:]}
    return found
