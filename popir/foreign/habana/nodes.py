"""TPC kernels in a program: which kernel a node of a graph is, and the step that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from popir._device import habana as device
from popir.errors import (
    LibraryLoadError,
    OperatorAttributeError,
    OperatorInputError,
    UnknownOperatorError,
    did_you_mean,
)
from popir.foreign.habana import builtin, libraries
from popir.foreign.habana.tpcc import DEVICES
from popir.foreign.habana.types import kernel_spec
from popir.ir import Op
from popir.opx import Opx
from popir.types import TensorInfo

LONGEST = (1 << 31) - 1
"""The longest time limit in milliseconds."""


@dataclass(frozen=True)
class Node:
    """One TPC kernel of an operator: which of its inputs and outputs are the kernel's operands."""

    guid: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    parameters: bytes = b""
    device: str = ""
    """The generation that the kernel is for; "" for any."""
    library: str = ""
    """A library to look in before all others."""
    name: str = ""
    """What profiles and plans call it; by default its GUID."""


def prepared(
    who: str, node: Node, inputs: Sequence[TensorInfo], outputs: Sequence[TensorInfo]
) -> device.Kernel | builtin.Builtin:
    """The kernel of a node for these operands.

    Raises UnknownOperatorError if there is none of that name, OperatorInputError if the kernel
    refuses the operands, LibraryLoadError for a library that is not there, or that has a program
    that is none.
    """
    numbers = libraries.device_numbers(who, node.device)
    try:
        found = libraries.find(node.guid, numbers, node.library)
        if found is None:
            ready = builtin.find(node.guid)
            if ready is None:
                raise _unknown(who, node)
            ready.check(who, inputs, outputs)
            return ready
        library, number = found
        ins = [kernel_spec(who, info) for info in inputs]
        outs = [kernel_spec(who, info) for info in outputs]
        return library.instantiate(number, node.guid, ins, outs, node.parameters)
    except LibraryLoadError as error:
        raise LibraryLoadError(f"{who}: {error}") from None
    except OperatorInputError as error:
        text = str(error)
        raise OperatorInputError(text if text.startswith(who) else f"{who}: {text}.") from None


def _unknown(who: str, node: Node) -> UnknownOperatorError:
    """The error for a name that no kernel has."""
    of = f" of the device {node.device}" if node.device else ""
    others = [
        name
        for name, number in DEVICES.items()
        if libraries.find(node.guid, [number], node.library) is not None
    ]
    names = {*libraries.known(), *builtin.names()} - {node.guid}
    hint = (
        f" There is one of {' and '.join(others)}."
        if others
        else did_you_mean(node.guid, sorted(names))
    )
    return UnknownOperatorError(
        f"{who}: there is no TPC kernel '{node.guid}'{of}, neither built in nor in the libraries "
        f"of {libraries.PATH} ({', '.join(libraries.paths()) or 'none'}).{hint}"
    )


def check_limit(who: str, value: Any) -> None:
    """Raises OperatorAttributeError unless a time limit is a number of milliseconds."""
    if not isinstance(value, int) or not 0 <= value <= LONGEST:
        raise OperatorAttributeError(
            f"{who}: 'time_limit_ms' is {value!r}; it is a number of milliseconds up to {LONGEST}, "
            "0 for no limit."
        )


class NodesOpx(Opx):
    """Lowers an operator that consists of TPC kernels."""

    def nodes(self) -> Sequence[Node]:
        """The kernels, each of which writes other outputs."""
        raise NotImplementedError

    def result(self, i: int) -> TensorInfo:
        """Type and shape of output `i`, which the model may leave out."""
        return self.op_p.outInfo(i)

    def limit(self) -> int:
        """The longest time of a call in milliseconds; 0 for any."""
        return int(self.op_p.attributes.get("time_limit_ms", 0))

    def grow(self, prog: Any) -> None:
        """Adds the kernels. Raises the errors of `prepared`."""
        op = self.op_p
        who = short(op)
        for node in self.nodes():
            ins, outs = [op.inInfo(i) for i in node.inputs], [*map(self.result, node.outputs)]
            tensors = [self.getInTensor(i) for i in node.inputs]
            kernel = prepared(who, node, ins, outs)
            if isinstance(kernel, builtin.Builtin):
                self.setOutTensor(
                    node.outputs[0], kernel.grow(self, prog, tensors, node.parameters)
                )
                continue
            results = [
                builtin.like(self, info, f"out{i}")
                for i, info in zip(node.outputs, outs, strict=True)
            ]
            context = self.debugContext(node.name or node.guid)
            text = f"{who}: the TPC kernel '{node.guid}'"
            device.addKernel(
                self.graph(), prog, text, kernel, tensors, results, self.limit(), context
            )
            for i, result in zip(node.outputs, results, strict=True):
                self.setOutTensor(i, result)


def short(op: Op) -> str:
    """An operator in messages: its identifier and name."""
    return f"{op.opid} '{op.name()}'" if op.name() else str(op.opid)
