"""
TPC kernels of Habana's accelerators, compiled for the host, and operators of
Habana's TensorFlow API.
"""

from __future__ import annotations
import collections.abc
import numpy
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "DefinedNode",
    "Kernel",
    "KernelLibrary",
    "KernelRecord",
    "OperatorRecord",
    "addKernel",
    "define",
    "definitions",
    "forget",
    "inferShapes",
    "loadOperators",
    "registeredKernels",
    "registeredOperators",
]

class Kernel:
    """
    A TPC kernel for concrete shapes: KernelLibrary.instantiate makes it.
    """
    @property
    def auxiliaries(self) -> int:
        """
        The number of tensors that the library has filled in itself.
        """
    @property
    def guid(self) -> str:
        """
        The name of the kernel.
        """
    @property
    def indexSpace(self) -> list[int]:
        """
        The sizes of its index space, five of them.
        """
    @property
    def scalars(self) -> list[int]:
        """
        The words that its scalar parameters are read from, 32 of them.
        """

class KernelLibrary:
    """
    A library with GetKernelGuids and InstantiateTpcKernel.
    """
    def __init__(self, path: str) -> None:
        """
        Raises LibraryLoadError if it does not load, or lacks one of the two.
        """
    def guids(self, device: typing.SupportsInt | typing.SupportsIndex) -> list[str]:
        """
        The names of its kernels for a device, by its number. Raises OperatorInputError
        if the library returns an error.
        """
    def instantiate(
        self,
        device: typing.SupportsInt | typing.SupportsIndex,
        guid: str,
        inputs: collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex,
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            ]
        ],
        outputs: collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex,
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            ]
        ],
        parameters: bytes,
    ) -> Kernel:
        """
        A kernel for tensors of these types (numbers of the interface) and shapes.
        Raises OperatorInputError if the library refuses, with the name of its code;
        LibraryLoadError if its program is not for the host.
        """
    @property
    def path(self) -> str:
        """
        The file that it was loaded from.
        """

class OperatorRecord:
    """
    An operator that REGISTER_OP registers.
    """
    @property
    def attributes(self) -> list[str]:
        """
        Specifications, such as "T: {float, bfloat16}".
        """
    @property
    def doc(self) -> str:
        """
        What the library says of it.
        """
    @property
    def hasShapeFunction(self) -> bool:
        """
        Whether it has a shape function.
        """
    @property
    def inputs(self) -> list[str]:
        """
        Specifications, such as "x: T".
        """
    @property
    def library(self) -> str:
        """
        The file of its library.
        """
    @property
    def name(self) -> str:
        """
        The name that models call it by.
        """
    @property
    def outputs(self) -> list[str]:
        """
        Specifications, such as "y: T".
        """
    @property
    def stateful(self) -> bool:
        """
        Whether it is stateful.
        """

class KernelRecord:
    """
    A kernel that REGISTER_KERNEL_BUILDER registers.
    """
    @property
    def constraints(self) -> list[tuple[str, list[str]]]:
        """
        Names of attributes, each with the types that it may have.
        """
    @property
    def device(self) -> str:
        """
        The device, such as "HPU".
        """
    @property
    def hostMemory(self) -> list[str]:
        """
        The arguments whose values are on the host.
        """
    @property
    def label(self) -> str:
        """
        The label that a node would ask for it by.
        """
    @property
    def library(self) -> str:
        """
        The file of its library.
        """
    @property
    def number(self) -> int:
        """
        What `define` knows it by.
        """
    @property
    def op(self) -> str:
        """
        The name of its operator.
        """
    @property
    def priority(self) -> int:
        """
        The highest one is taken.
        """

class DefinedNode:
    """
    One TPC kernel of an operator.
    """
    @property
    def guid(self) -> str:
        """
        The name of the kernel.
        """
    @property
    def inputs(self) -> list[int]:
        """
        The operator's inputs that it reads.
        """
    @property
    def name(self) -> str:
        """
        The name that the functor gave, or "".
        """
    @property
    def outputs(self) -> list[int]:
        """
        The operator's outputs that it writes.
        """
    @property
    def parameters(self) -> bytes:
        """
        The bytes of its parameters.
        """

def addKernel(
    graph: popir._device.poplar.Graph,
    prog: popir._device.poplar.program.Sequence,
    who: str,
    kernel: Kernel,
    inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    outputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    limit: typing.SupportsInt | typing.SupportsIndex,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Adds a step that runs a kernel. What goes wrong in it is an error that begins with
    `who`. `limit` is the longest time of a call in milliseconds, 0 for any.
    """

def define(
    kernel: typing.SupportsInt | typing.SupportsIndex,
    node: tuple[
        str,
        str,
        collections.abc.Mapping[
            str,
            tuple[
                str,
                bool
                | typing.SupportsInt
                | typing.SupportsIndex
                | typing.SupportsFloat
                | typing.SupportsIndex
                | str
                | collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
                | collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex]
                | collections.abc.Sequence[str]
                | collections.abc.Sequence[
                    collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
                ],
            ],
        ],
        collections.abc.Sequence[str],
    ],
    inputs: collections.abc.Sequence[
        tuple[
            typing.SupportsInt | typing.SupportsIndex,
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        ]
    ],
    outputs: typing.SupportsInt | typing.SupportsIndex,
    hostMemory: collections.abc.Mapping[typing.SupportsInt | typing.SupportsIndex, numpy.ndarray],
    severalNodes: bool,
) -> tuple[list[DefinedNode], list[tuple[int, list[int]]]]:
    """
    Has the functor of a kernel define its nodes. Types are TensorFlow's numbers.
    `node` is its name, its operator, its attributes and the names of its inputs;
    `hostMemory` has C-contiguous arrays by the number of the input. Returns the nodes,
    and type and shape of each output. Raises OperatorInputError with what is
    wrong.
    """

def definitions() -> int:
    """
    How often functors have been asked for a node in this process.
    """

def forget(library: str) -> None:
    """
    Removes what a library has registered.
    """

def inferShapes(
    library: str,
    node: tuple[
        str,
        str,
        collections.abc.Mapping[
            str,
            tuple[
                str,
                bool
                | typing.SupportsInt
                | typing.SupportsIndex
                | typing.SupportsFloat
                | typing.SupportsIndex
                | str
                | collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
                | collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex]
                | collections.abc.Sequence[str]
                | collections.abc.Sequence[
                    collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
                ],
            ],
        ],
        collections.abc.Sequence[str],
    ],
    inputs: collections.abc.Sequence[
        tuple[
            typing.SupportsInt | typing.SupportsIndex,
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        ]
    ],
    values: collections.abc.Mapping[typing.SupportsInt | typing.SupportsIndex, numpy.ndarray],
    inputNames: collections.abc.Mapping[
        str,
        tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex],
    ],
    outputNames: collections.abc.Mapping[
        str,
        tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex],
    ],
    outputs: typing.SupportsInt | typing.SupportsIndex,
) -> list[list[int] | None]:
    """
    The shapes of the outputs, by the operator's shape function: None for one that is
    not known, -1 for a size that is not. `values` has C-contiguous arrays of inputs that
    are constants; the names are those of arguments, each with the first of its tensors
    and how many they are. Raises OperatorInputError with what is
    wrong.
    """

def loadOperators(path: str) -> None:
    """
    Loads a library, whose operators are registered then. Raises LibraryLoadError.
    """

def registeredKernels() -> list[KernelRecord]:
    """
    What the libraries loaded so far have registered by REGISTER_KERNEL_BUILDER.
    """

def registeredOperators() -> list[OperatorRecord]:
    """
    What the libraries loaded so far have registered by REGISTER_OP.
    """
