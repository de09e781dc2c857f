"""
Operators in libraries that were written for TensorFlow on the IPU.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = ["Metadata", "UserOp", "requireLevel"]

class Metadata:
    """
    What a library says of one of its operators.
    """
    def __init__(self) -> None: ...
    @property
    def aliasing(self) -> dict[int, int]:
        """
        The inputs that are written in place, each with the output that shows it.
        """
    @property
    def allocating(self) -> list[int]:
        """
        The inputs whose layout the library chooses.
        """
    @property
    def isElementwise(self) -> bool:
        """
        Whether the output has the layout of the first input.
        """
    @property
    def isHashable(self) -> bool:
        """
        Whether a program with the operator may be kept.
        """
    @property
    def isStateless(self) -> bool:
        """
        Whether the outputs depend on the inputs alone.
        """
    @property
    def replicaIdentical(self) -> list[int]:
        """
        The outputs that are equal on all replicas.
        """

class UserOp:
    """
    One operator of a library.
    Raises LibraryLoadError for a library that cannot be loaded, for one of
    another API level than 1, 2, 4 and 5, and for one without the symbol `name`.
    """
    def __init__(self, path: str, name: str) -> None: ...
    def addCallback(
        self,
        graph: popir._device.poplar.Graph,
        prog: popir._device.poplar.program.Sequence,
        inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        outputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        attributes: str,
        name: str,
        who: str,
        asDocumented: bool,
        limit: typing.SupportsInt | typing.SupportsIndex,
    ) -> None:
        """
        Adds a step that calls the function on the host, at most `limit` milliseconds long
        (0 for any). With `asDocumented` it is called without `attributes`. Messages of a
        run begin with `who`.
        """
    def allocate(
        self,
        graph: popir._device.poplar.Graph,
        operand: typing.SupportsInt | typing.SupportsIndex,
        shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        type: popir._device.poplar.Type,
        attributes: str,
        debugPrefix: str,
    ) -> popir._device.poplar.Tensor:
        """
        The tensor that the library makes for an input.
        Raises what the library throws, and popart_exception for another shape or type.
        """
    def build(
        self,
        graph: popir._device.poplar.Graph,
        inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        outputs: typing.SupportsInt | typing.SupportsIndex,
        attributes: str,
        debugPrefix: str,
    ) -> tuple[popir._device.poplar.program.Program, list[popir._device.poplar.Tensor | None]]:
        """
        (program, outputs): what the library adds to the graph. At most `outputs` tensors,
        with None for one that is invalid.
        Raises what the library throws.
        """
    def buildGradient(
        self,
        graph: popir._device.poplar.Graph,
        index: typing.SupportsInt | typing.SupportsIndex,
        gradients: collections.abc.Sequence[popir._device.poplar.Tensor],
        fwdInputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        fwdOutputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        outputs: typing.SupportsInt | typing.SupportsIndex,
        attributes: str,
        debugPrefix: str,
    ) -> tuple[popir._device.poplar.program.Program, list[popir._device.poplar.Tensor | None]]:
        """
        The same for an operator that is a gradient, of input `index` or of all.
        """
    def hasAllocator(self) -> bool:
        """
        Whether the library has a function that chooses layouts of inputs.
        """
    def metadata(
        self,
        inputs: typing.SupportsInt | typing.SupportsIndex,
        outputs: typing.SupportsInt | typing.SupportsIndex,
    ) -> Metadata:
        """
        Asks for the metadata of the operator with that many inputs and outputs.
        Raises popart_exception for values that no operator can have.
        """
    @property
    def level(self) -> int:
        """
        The API level of the library.
        """
    @property
    def name(self) -> str:
        """
        The symbol of the operator.
        """
    @property
    def path(self) -> str:
        """
        The path of the library.
        """

def requireLevel(path: str, name: str = "") -> int:
    """
    The API level of the library at `path`, read from its file: nothing of the library runs.
    Raises LibraryLoadError, which says that the operator `name` was asked for if it is given,
    for a library without a level, and for another level than 1, 2, 4 and 5.
    """
