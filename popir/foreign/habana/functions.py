"""Functions that add operators for Habana's accelerators to a model, or run them at once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from popir.builder.builder import Builder
from popir.builder.tensor_id import builder_of
from popir.errors import LibraryBuildError, OperatorAttributeError, OperatorInputError, did_you_mean
from popir.foreign.build import Source, compile_op_library
from popir.foreign.habana import libraries
from popir.foreign.habana.gradients import INPUTS, OUTPUTS, rule_attributes
from popir.foreign.habana.kernel_op import DOMAIN
from popir.foreign.habana.nodes import check_limit
from popir.foreign.habana.operators import HpuLibrary, HpuOpBase, load_hpu_library
from popir.foreign.habana.tpcc import include
from popir.foreign.habana.types import TENSORFLOW_NAMES
from popir.registry import find
from popir.typed import typed
from popir.types import DataType


@dataclass(frozen=True)
class Function:
    """The function of an operator of a library; see `HpuLibrary`."""

    operator: str
    library: str
    __name__: str
    """How the user calls it, for messages."""

    @typed(error=OperatorAttributeError)
    def __call__(
        self,
        *inputs: str,
        gradient: str = "",
        gradient_inputs: Sequence[str] = INPUTS,
        gradient_outputs: Sequence[int] = OUTPUTS,
        time_limit_ms: int = 0,
        several_kernels: bool = False,
        name: str = "",
        builder: Builder | None = None,
        **attributes: Any,
    ) -> Any:
        """Adds the operator to the model of its inputs' Builder, and returns its output, or a list
        of several.

        Args:
            inputs: tensors of the model.
            gradient: the operator that computes its gradient; see `register_gradient` for it, for
                `gradient_inputs` and for `gradient_outputs`.
            time_limit_ms: the longest time of a call; 0 for any.
            several_kernels: lifts the limit of one kernel: the functor may define several, each of
                which computes other outputs.
            name: the name of the node.
            builder: the Builder, if no input knows it.
            attributes: those of the operator. A type may be a DataType.
        """
        who = self.__name__
        where = builder_of(who, inputs, builder)
        opclass = find(DOMAIN, self.operator, 1).opClass
        assert issubclass(opclass, HpuOpBase)
        given = {key: _plain(value) for key, value in attributes.items()}
        opclass.registration.signature.known(who, given)
        given |= rule_attributes(who, gradient, gradient_inputs, gradient_outputs)
        given["library"] = self.library
        if time_limit_ms:
            given["time_limit_ms"] = time_limit_ms
        if several_kernels:
            given["several_kernels"] = 1
        count = opclass.registration.signature.output_number(
            who, {key: value for key, value in given.items() if key in attributes}, len(inputs)
        )
        found = where.customOp(self.operator, 1, DOMAIN, list(inputs), given, count, name)
        return found[0] if count == 1 else found


@typed(error=LibraryBuildError)
def build_hpu_library(
    sources: Source | Sequence[Source],
    *,
    name: str = "",
    flags: Sequence[str] = (),
    ldflags: Sequence[str] = (),
) -> HpuLibrary:
    """Compiles sources that are written against `hpu_kernel.h`, and loads the library.

    The arguments, the cache and the errors are those of `popir.build_op_library`, and the errors
    of `load_hpu_library`.
    """
    built = compile_op_library(sources, name, [f"-I{include()}", *flags], ldflags)
    return load_hpu_library(built.library)


def _plain(value: Any) -> Any:
    """An attribute as ONNX has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, DataType):
        return TENSORFLOW_NAMES.get(value, value.name)
    if isinstance(value, (list, tuple)):
        if any(isinstance(each, (list, tuple)) for each in value):
            return [json.dumps([*map(int, shape)]) for shape in value]
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, bool) else value


@typed
def hpu_op(
    library: str | os.PathLike[str] | HpuLibrary, operator: str, inputs: Sequence[str], **given: Any
) -> Any:
    """Adds an operator of a library to a model; see `Function` for the arguments.

    Raises the errors of `load_hpu_library`, and AttributeError if the library has no such operator.
    """
    loaded = library if isinstance(library, HpuLibrary) else load_hpu_library(library)
    function = replace(getattr(loaded, operator), __name__=f"hpu_op of {operator}")
    return function(*inputs, **given)


@typed
def tpc_kernel(
    guid: str,
    inputs: Sequence[str],
    outputs: Sequence[tuple[str | DataType, Sequence[int]]] | int = 1,
    parameters: bytes | Sequence[int | float] = b"",
    *,
    device: str = "",
    library: str | os.PathLike[str] = "",
    gradient: str = "",
    gradient_inputs: Sequence[str] = INPUTS,
    gradient_outputs: Sequence[int] = OUTPUTS,
    time_limit_ms: int = 0,
    name: str = "",
    builder: Builder | None = None,
) -> Any:
    """Adds one TPC kernel to the model of its inputs' Builder, and returns its output, or a list of
    several.

    Args:
        guid: the name of the kernel, in the libraries of GC_KERNEL_PATH, those that
            `load_kernel_library` has loaded, or built in.
        inputs: tensors of the model.
        outputs: type and shape of each output; a number of outputs that are like input 0.
        parameters: the kernel's structure as bytes, or numbers: an int is an int32, a float a
            float32.
        device: "gaudi", "gaudi2" or "gaudi3", if only kernels for that are to be taken.
        library: a library to look in before all others.
        gradient, gradient_inputs, gradient_outputs: the kernel that computes the gradient, with the
            same parameters; see `register_gradient`.
        time_limit_ms: the longest time of a call; 0 for any.
        name: the name of the node.
        builder: the Builder, if no input knows it.
    """
    where = builder_of("tpc_kernel", inputs, builder)
    check_limit("tpc_kernel", time_limit_ms)
    if (outputs if isinstance(outputs, int) else len(outputs)) < 1:
        raise OperatorAttributeError(
            f"tpc_kernel: `outputs` is {outputs!r}; a kernel has at least one output."
        )
    if isinstance(outputs, int) and not inputs:
        raise OperatorAttributeError(
            "tpc_kernel: it has no input that its outputs would be like; give `outputs` as types "
            "and shapes, such as [('FLOAT', [2, 3])]."
        )
    given: dict[str, Any] = {"guid": guid}
    given |= rule_attributes("tpc_kernel", gradient, gradient_inputs, gradient_outputs)
    if parameters:
        given["parameters"] = np.frombuffer(_bytes(parameters), np.uint8)
    if isinstance(outputs, int):
        count = outputs
    else:
        count = len(outputs)
        kinds = [_kind(kind) for kind, _ in outputs]
        given["output_types"] = [kind.name for kind in kinds]
        given["output_shapes"] = [json.dumps([*map(int, shape)]) for _, shape in outputs]
    options: Mapping[str, Any] = {
        "device": device,
        "library": libraries.allow(library) if os.fspath(library) else "",
        "time_limit_ms": time_limit_ms,
    }
    given |= {key: value for key, value in options.items() if value}
    found = where.customOp("TpcKernel", 1, DOMAIN, list(inputs), given, count, name)
    return found[0] if count == 1 else found


def _kind(given: str | DataType) -> DataType:
    if isinstance(given, DataType):
        return given
    if given not in DataType.__members__:
        near = did_you_mean(given, DataType.__members__)
        raise OperatorAttributeError(f"tpc_kernel: {given!r} is no element type.{near}")
    return DataType[given]


def _bytes(parameters: bytes | Sequence[int | float]) -> bytes:
    if isinstance(parameters, (bytes, bytearray)):
        return bytes(parameters)
    words = b""
    for value in parameters:
        if isinstance(value, (float, np.floating)):
            words += np.float32(value).tobytes()
        elif isinstance(value, (bool, int, np.integer)) and -(1 << 31) <= value < 1 << 32:
            words += (int(value) & 0xFFFFFFFF).to_bytes(4, "little")
        else:
            raise OperatorInputError(
                "tpc_kernel: its parameters are bytes, or floats and ints of 32 bits; given was "
                f"{value!r}."
            )
    return words
