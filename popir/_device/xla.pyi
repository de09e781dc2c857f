"""
Custom calls of XLA: targets, and steps that call them.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "Attribute",
    "Call",
    "Shape",
    "Target",
    "addCall",
    "find",
    "generation",
    "nameLibrary",
    "programs",
    "refusals",
    "registerFunction",
    "registerHandlers",
    "registerType",
    "remove",
    "symbol",
    "takeFaults",
    "targets",
]

class Shape:
    """
    The shape of an operand or a result.
    """
    @staticmethod
    def array(
        type: typing.SupportsInt | typing.SupportsIndex,
        dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> Shape:
        """
        An array; `type` is a number of xla::PrimitiveType, 17 for a token.
        """
    @staticmethod
    def tupleOf(elements: collections.abc.Sequence[Shape]) -> Shape:
        """
        A tuple of shapes.
        """
    def leaves(self) -> int:
        """
        The number of arrays and tokens in it.
        """

class Attribute:
    """
    An attribute of a call with the typed interface.
    """
    @staticmethod
    def array(
        type: typing.SupportsInt | typing.SupportsIndex,
        count: typing.SupportsInt | typing.SupportsIndex,
        bytes: bytes,
    ) -> Attribute:
        """
        Numbers of one type.
        """
    @staticmethod
    def dictionary(items: collections.abc.Sequence[tuple[str, Attribute]]) -> Attribute:
        """
        Attributes, sorted by name.
        """
    @staticmethod
    def scalar(type: typing.SupportsInt | typing.SupportsIndex, bytes: bytes) -> Attribute:
        """
        A number, as the bytes of its type.
        """
    @staticmethod
    def text(bytes: bytes) -> Attribute:
        """
        Text, or any bytes.
        """

class Target:
    """
    A registered target of custom calls.
    """
    @property
    def address(self) -> int:
        """
        The address of the function.
        """
    @property
    def library(self) -> str:
        """
        The absolute path of its library; '' if Python code has registered it.
        """
    @property
    def name(self) -> str:
        """
        The name that custom calls use.
        """
    @property
    def platform(self) -> str:
        """
        Host, CUDA or ROCM.
        """
    @property
    def source(self) -> str:
        """
        What the library is called: its path, or the sources it was built from.
        """
    @property
    def typed(self) -> bool:
        """
        Whether it has the typed interface, API version 4.
        """

class Call:
    """
    What a custom call calls, and how.
    """
    def __init__(
        self,
        target: Target,
        apiVersion: typing.SupportsInt | typing.SupportsIndex,
        opaque: bytes,
        operands: collections.abc.Sequence[Shape],
        result: Shape,
        aliases: collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ]
        ],
        attributes: collections.abc.Sequence[tuple[str, Attribute]],
    ) -> None:
        """
        `aliases`: pairs of a leaf of the result and the leaf of the operands whose memory it
        has. `attributes`: for API version 4, sorted by name.
        """

def addCall(
    graph: popir._device.poplar.Graph,
    prog: popir._device.poplar.program.Sequence,
    who: str,
    call: Call,
    inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    outputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    debugContext: popir._device.poplar.DebugContext | str = "",
    hasEffects: bool = True,
    limit: typing.SupportsInt | typing.SupportsIndex = 0,
) -> None:
    """
    Adds a step that makes the call. `inputs` and `outputs` are the leaves of operands and
    result. `limit`: the longest time that it may take, in milliseconds; 0 for any.
    Raises popart_exception, beginning with `who`, if the target does not fit the version
    or refuses the call.
    """

def find(name: str, platform: str) -> Target | None:
    """
    The target with that name, or None.
    """

def generation() -> int:
    """
    A number that changes with every registration.
    """

def nameLibrary(path: bytes, source: str, library: bytes) -> None:
    """
    The library that is loaded from `path` after this is called `source`, and is found again
    at `library`.
    """

def programs(path: bytes, symbol: str) -> list[tuple[str, str, str]]:
    """
    Calls a function without arguments of a library. Returns name, text and error of each
    program that it built with xla::XlaBuilder.
    Raises LibraryLoadError if there is none, popart_exception if it throws.
    """

def refusals(library: bytes) -> list[tuple[bool, str]]:
    """
    The faults for which the targets of a library were refused, as `takeFaults` gives them.
    """

def registerFunction(
    name: str, platform: str, function: typing.SupportsInt | typing.SupportsIndex, library: str
) -> None:
    """
    Registers the function at an address, for the API versions 1 to 3.
    """

def registerHandlers(
    name: str,
    platform: str,
    instantiate: typing.SupportsInt | typing.SupportsIndex,
    prepare: typing.SupportsInt | typing.SupportsIndex,
    initialize: typing.SupportsInt | typing.SupportsIndex,
    execute: typing.SupportsInt | typing.SupportsIndex,
    library: str,
) -> None:
    """
    Registers handlers of the typed interface; 0 for a stage without one.
    """

def registerType(
    name: str,
    id: typing.SupportsInt | typing.SupportsIndex,
    info: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    Registers a type of handlers' states, by the addresses of its id and its info.
    Raises popart_exception if it has another id already.
    """

def remove(name: str, platform: str) -> bool:
    """
    Removes a target. Returns whether it was there.
    """

def symbol(path: bytes, symbol: str) -> int:
    """
    The address of a symbol that a library defines itself; 0 if it has none of that name. The
    library is loaded.
    Raises LibraryLoadError if it cannot be loaded.
    """

def takeFaults() -> list[tuple[bool, str]]:
    """
    What was wrong with registrations since the last call: whether the name was taken, and the
    message.
    """

def targets() -> list[Target]:
    """
    All targets that are registered, in order.
    """
