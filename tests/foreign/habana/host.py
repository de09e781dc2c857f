"""Runs TPC-C on registers: each case is an expression, its operands and what it should give."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from popir import custom_ops

Array = np.ndarray[Any, Any]
bf16 = np.dtype(ml_dtypes.bfloat16)
f8 = np.dtype(ml_dtypes.float8_e4m3)
h8 = np.dtype(ml_dtypes.float8_e5m2)

_TYPES: dict[Any, tuple[str, ...]] = {
    np.dtype(np.float32): ("float64", "float128", "float256"),
    np.dtype(np.int32): ("int64", "int128", "int256"),
    np.dtype(np.uint32): ("uint64", "uint128", "uint256"),
    bf16: ("bfloat128", "bfloat256"),
    np.dtype(np.float16): ("half128", "half256"),
    np.dtype(np.int16): ("short128", "short256"),
    np.dtype(np.uint16): ("ushort128", "ushort256"),
    f8: ("minifloat256", "minifloat512"),
    h8: ("minihalf256", "minihalf512"),
    np.dtype(np.int8): ("char256", "char512"),
    np.dtype(np.uint8): ("uchar256", "uchar512"),
}
"""The names of one register, of two, of four."""


@dataclass(frozen=True)
class Case:
    """The registers of a group stand one after another in an array."""

    expression: str
    operands: Mapping[str, Array]
    expected: Array


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_uint32),
        ("element_bytes", ctypes.c_uint32),
        ("sizes", ctypes.c_uint64 * 5),
        ("strides", ctypes.c_uint64 * 5),
        ("pad", ctypes.c_uint32),
        ("is_input", ctypes.c_uint32),
    )


class _Call(ctypes.Structure):
    _fields_ = (
        ("tensors", ctypes.POINTER(_Tensor)),
        ("tensor_count", ctypes.c_uint32),
        ("scalar_count", ctypes.c_uint32),
        ("scalars", ctypes.POINTER(ctypes.c_uint32)),
        ("offset", ctypes.c_int32 * 5),
        ("size", ctypes.c_int32 * 5),
    )


def _type(array: Array) -> str:
    return _TYPES[array.dtype][{256: 0, 512: 1, 1024: 2}[array.nbytes]]


def call(made: Path, *tensors: Array, scalars: Sequence[int] = (), pad: int = 0) -> str | None:
    """Runs a compiled kernel once; the last dimension of an array is dimension 0 of its tensor.

    Returns what went wrong.
    """
    given = (_Tensor * len(tensors))()
    for tensor, array in zip(given, tensors, strict=True):
        assert array.flags.c_contiguous
        tensor.data, tensor.rank, tensor.element_bytes = (
            array.ctypes.data,
            array.ndim,
            array.itemsize,
        )
        tensor.pad = pad
        strides = [each // array.itemsize for each in array.strides]
        for i in range(5):
            tensor.sizes[i] = array.shape[-1 - i] if i < array.ndim else 1
            tensor.strides[i] = strides[-1 - i] if i < array.ndim else 0
    words = (ctypes.c_uint32 * max(1, len(scalars)))(*scalars)
    ones = (ctypes.c_int32 * 5)(1, 1, 1, 1, 1)
    what = _Call(given, len(tensors), len(scalars), words, (ctypes.c_int32 * 5)(), ones)
    run = ctypes.CDLL(str(made)).popir_tpc_run
    run.restype = ctypes.c_char_p
    said = run(ctypes.byref(what))
    return None if said is None else said.decode()


def compiled(folder: Path, text: str, device: str = "gaudi2") -> Path:
    """The object of a kernel, not optimised, which takes a sixth of the time; the kernels of other
    tests are.
    """
    source = folder / "kernel.c"
    source.write_text(text)
    return custom_ops.compile_kernel(source, device, flags=["-O0"])


def results(folder: Path, cases: Sequence[Case]) -> list[Array]:
    """What the expressions give; they are compiled as one kernel."""
    rows: list[Array] = []
    lines = ["#define ROW(n) v_u8_ld_tnsr_b((int5){0, n}, in)"]
    lines += ["#define KEEP(n, r) v_u8_st_tnsr((int5){0, n}, out, as_uchar256(r))"]
    calls: list[str] = []
    row = 0
    for n, case in enumerate(cases):
        lines.append(f"static void case{n}(tensor in, tensor out) {{")
        for name, array in case.operands.items():
            kind, one = _type(array), _TYPES[array.dtype][0]
            registers = [f"as_{one}(ROW({len(rows) + i}))" for i in range(array.nbytes // 256)]
            rows += np.split(array.view(np.uint8), array.nbytes // 256)
            value = registers[0] if len(registers) == 1 else "{" + ", ".join(registers) + "}"
            lines.append(f"  {kind} {name} = {value};")
        lines.append(f"  {_type(case.expected)} r = {case.expression};")
        parts = case.expected.nbytes // 256
        names = ["r"] if parts == 1 else [f"r.v{i + 1}" for i in range(parts)]
        lines += [f"  KEEP({row + i}, {name});" for i, name in enumerate(names)]
        lines.append("}")
        calls.append(f"  case{n}(in, out);")
        row += parts
    lines += ["void main(tensor in, tensor out) {", *calls, "}"]
    out = np.zeros((row, 256), np.uint8)
    made = compiled(folder, "\n".join(lines) + "\n")
    said = call(made, np.ascontiguousarray(np.stack(rows) if rows else out), out)
    assert said is None, said
    found, row = [], 0
    for case in cases:
        parts = case.expected.nbytes // 256
        found.append(out[row : row + parts].reshape(-1).view(case.expected.dtype))
        row += parts
    return found
