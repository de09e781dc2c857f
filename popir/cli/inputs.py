"""The inputs of a model: shapes from options and files, values from files or random numbers."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from popir import memory
from popir.cli.exits import CommandError
from popir.cli.output import Output
from popir.data.files import ArrayFile
from popir.errors import did_you_mean
from popir.onnxio.describe import Value
from popir.types import DataType, TensorInfo

Array = np.ndarray[Any, Any]
Shape = Sequence[int]
_TENSORS = {kind.lcase for kind in DataType if kind is not DataType.UNDEFINED}


class Dimensions:
    """Sizes for the dimensions that a model leaves open: from --dim, --shape, and then from arrays'
    shapes.
    """

    def __init__(
        self,
        inputs: Sequence[Value],
        dims: Iterable[tuple[str, int]] = (),
        shapes: Iterable[tuple[str, list[int]]] = (),
    ) -> None:
        self._inputs = {value.name: value for value in inputs}
        self._shapes = dict(shapes)
        self.sizes = dict(dims)
        """The known sizes of symbolic dimensions."""
        symbols = {dim for value in inputs for dim in value.shape or () if isinstance(dim, str)}
        _check_known("--dim", "symbolic dimension", self.sizes, symbols)
        _check_known("--shape", "input", self._shapes, self._inputs)

    def learn(self, name: str, shape: Shape) -> None:
        """Takes unknown sizes from the shape of an array for the input `name`."""
        declared = self._inputs[name].shape
        if declared is None or len(declared) != len(shape):
            self._shapes.setdefault(name, list(shape))
            return
        for dim, size in zip(declared, shape, strict=True):
            if isinstance(dim, str):
                self.sizes.setdefault(dim, size)
        if any(_unnamed(dim) for dim in declared):
            self._shapes.setdefault(name, list(shape))

    def assume(self, size: int) -> dict[str, int]:
        """Sets all unknown symbolic dimensions to `size`, and returns them with that size."""
        symbols = {d for v in self._inputs.values() for d in v.shape or () if isinstance(d, str)}
        assumed = dict.fromkeys(sorted(symbols - self.sizes.keys()), size)
        self.sizes |= assumed
        return assumed

    def infos(self, partly: bool = False) -> dict[str, TensorInfo]:
        """Type and shape of every input that is a tensor.

        Raises CommandError for an unknown shape; `partly` leaves such inputs out instead.
        """
        found: dict[str, TensorInfo] = {}
        for value in self._inputs.values():
            shape = self._shape(value)
            if value.type not in _TENSORS:
                continue  # The importer raises the error for it.
            if shape is not None:
                found[value.name] = TensorInfo(value.type, shape)
            elif not partly:
                raise CommandError(
                    f"The input '{value.name}' has {_words(value.shape)}: give its size, as "
                    f"{_hint(value)}."
                )
        return found

    def _shape(self, value: Value) -> list[int] | None:
        given = self._shapes.get(value.name)
        declared = value.shape
        if given is not None:
            fits = declared is None or (
                len(declared) == len(given)
                and all(self._fits(d, n) for d, n in zip(declared, given, strict=True))
            )
            if not fits:
                raise CommandError(
                    f"The input '{value.name}' has {_words(declared)}; given was {given}."
                )
            return given
        if declared is None:
            return None
        sizes = [self.sizes.get(dim) if isinstance(dim, str) else dim for dim in declared]
        known = [size for size in sizes if size is not None and size >= 0]
        return known if len(known) == len(sizes) else None

    def _fits(self, dim: int | str | None, size: int) -> bool:
        return _unnamed(dim) or (self.sizes.get(dim) if isinstance(dim, str) else dim) in (
            size,
            None,
        )


def _unnamed(dim: int | str | None) -> bool:
    """Whether a dimension is neither known nor named; some exporters write -1."""
    return dim is None or (isinstance(dim, int) and dim < 0)


def _check_known(option: str, what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            has = ", ".join(sorted(known)) or "none"
            raise CommandError(
                f"{option} {name}: the model has no such {what}; it has {has}."
                f"{did_you_mean(name, known)}"
            )


def _words(shape: Sequence[int | str | None] | None) -> str:
    if shape is None:
        return "no shape"
    return f"the shape [{', '.join('?' if _unnamed(dim) else str(dim) for dim in shape)}]"


def _hint(value: Value) -> str:
    shape = value.shape
    if shape is not None and not any(_unnamed(dim) for dim in shape):
        return " ".join(f"--dim {dim}=1" for dim in shape if isinstance(dim, str))
    sizes = ",".join("1" if not isinstance(d, int) or d < 0 else str(d) for d in shape or [None])
    return f"--shape {value.name}={sizes}"


def learn_from(file: ArrayFile, inputs: Sequence[Value], dimensions: Dimensions) -> None:
    """Takes unknown sizes from the arrays of a file."""
    for value in inputs:
        dimensions.learn(value.name, file.header(value.name)[0])


def note_others(file: ArrayFile, wanted: Iterable[str], output: Output) -> None:
    """Names the arrays of a file that are not used."""
    others = file.others(wanted)
    if others:
        names = ", ".join(map(repr, others))
        output.note(f"note: {file.path} also has {names}, which is no input of the model.")


def random_inputs(infos: Mapping[str, TensorInfo], seed: int) -> dict[str, Array]:
    """Random values for every input: the same for the same seed, name and shape.

    Floating-point types: normal distribution. BOOL: both values. UINT8: 0 to 255. Other integers: 0
    and 1, which are valid as most indices.
    """
    memory.require("What the model takes", sum(info.nbytes() for info in infos.values()))
    return {name: _random(name, info, seed) for name, info in infos.items()}


def _random(name: str, info: TensorInfo, seed: int) -> Array:
    random = np.random.default_rng([seed, zlib.crc32(name.encode(errors="backslashreplace"))])
    dtype, shape = info.dataType().numpy, info.shape()
    if info.dataType() is DataType.STRING:
        raise CommandError(
            f"The input '{name}' holds strings, and there are no random ones: give them in a file, "
            "by --inputs."
        )
    if dtype.kind in "iub":
        return random.integers(256 if dtype == np.uint8 else 2, size=shape).astype(dtype)
    return np.asarray(random.standard_normal(shape, np.float32)).astype(dtype)
