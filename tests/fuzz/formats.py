"""Mutated files of every format that popir reads but models: `python -m tests.fuzz formats`.

A case is a file that popir wrote, changed in its bytes; checksums are mostly made right again, so
that what is behind them is reached. Reading it, and using what was read, must end in success or in
an error of popir's.
"""

from __future__ import annotations

import functools
import io
import random
import re
import shutil
import struct
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir import poplar, popops, profile
from popir.cli.exits import CommandError
from popir.cli.npz import Npz
from popir.compiler import Compilation, compile
from popir.lowering import Lowering
from popir.onnxio.importer import importModel
from popir.popops import expr as pe
from popir.step import Returned, buildStep
from popir.types import TensorInfo
from popir.watch import Checks
from tests.fuzz.mutations import changed_bytes
from tests.fuzz.seeds import of_row
from tests.ops.cases import CASES


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    name: str
    seeds: Callable[[], list[bytes]]
    use: Callable[[Path], None]
    """Reads a file and does with it what a user would."""
    magic: bytes = b""
    """What a file with a checksum begins with; its header has the size and the hash of the rest."""


# Executables.


def _device(kind: str) -> Any:
    if kind == "cpu":
        return poplar.Device.createCPUDevice()
    model = poplar.IPUModel("ipu2")
    model.tilesPerIPU = 4
    return model.createDevice()


def _of_model(model: Any, kind: str) -> bytes:
    graph = importModel(model)
    anchors = dict.fromkeys(graph.outputs, Returned.Each)
    compilation = Compilation(graph, list(anchors))
    compile(compilation)
    lowering = Lowering(graph, _device(kind), anchors, Checks(False, False))
    step = buildStep(lowering, 1, anchors)
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


FORMATS = [
    Format("executable", executables, use_executable, b"popir executable\n"),
    Format("profile", profiles, use_profile),
    Format("arrays", arrays, use_arrays),
]


def mutate(rng: random.Random, format: Format, data: bytes) -> bytes:
    """Changes the bytes of a file; behind a checksum, mostly the bytes that it is of."""
    if not format.magic or rng.random() < 0.1:
        return changed_bytes(rng, data)
    head, version, _, _, content = data.split(b"\n", 4)
    content = _numbers(rng, content) if rng.random() < 0.7 else changed_bytes(rng, content)
    header = (head, version, str(len(content)).encode(), fnv1a(content).encode())
    return b"\n".join((*header, content))


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


def fnv1a(data: bytes) -> str:
    """The hash that popir's own files have, in hexadecimal."""
    value = 14695981039346656037
    for byte in data:
        value = ((value ^ byte) * 1099511628211) % 2**64
    return f"{value:016x}"


def start() -> None:
    """Makes the files that are mutated."""
    for format in FORMATS:
        format.seeds()


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Makes and uses one file, and says what became of it."""
    rng = random.Random(f"{seed}/{number}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    format = FORMATS[number % len(FORMATS)]
    path = folder / f"file.{format.name}"
    path.write_bytes(mutate(rng, format, rng.choice(format.seeds())))
    found = {"stage": format.name, "outcome": "success"}
    try:
        format.use(path)
    except (popir.PopirError, CommandError) as error:
        found["outcome"] = type(error).__name__
        if "() failed" in str(error):
            found["finding"] = "".join(traceback.format_exception(error))[-6000:]
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        found |= {"outcome": type(error).__name__, "finding": text[-6000:]}
    return found
