"""The properties of an operator: `Traits`, the interface between operators and the compiler.

Every property has a default. An operator's class overrides those in which it differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from popir.errors import popart_exception
from popir.ir.dimensions import Dimensions
from popir.ir.identifier import GradInOutMapper, OperatorIdentifier
from popir.ir.origin import Origin
from popir.ir.region import Region
from popir.typed import typed

Array = np.ndarray[Any, Any]


class OpSerialiser:
    """Collects the attributes of an operator, for hashing, comparing and printing. PopART's
    `OpSerialiserBase`.
    """

    def __init__(self) -> None:
        self.attributes: dict[str, Any] = {}

    def appendAttribute(self, name: str, value: Any) -> None:
        """Adds one attribute, or replaces the earlier value of that name."""
        self.attributes[name] = value


@typed(by_hand=["aliases", "modifies"])
class Traits:
    """The properties of an operator: the part of `Op` that does not need a graph."""

    costly: ClassVar[bool] = False
    """Whether the operator's code is much more than that of element-wise ones: a contraction, a
    recurrent network, a batch normalization, and their gradients.
    """
    openAttributes: ClassVar[bool] = False
    """True for a class that accepts any attribute without declaring it; `attributes` holds them."""
    gradient_remedy: ClassVar[str] = ""
    """How a user gives the operator a gradient, for messages; "" if its class defines that."""
    refusesGradient: ClassVar[bool] = False
    """Whether it is an error that a loss depends on a trained weight through the operator, although
    its output is of a type that has no gradient, as integers have none.
    """
    accumulates: ClassVar[bool] = False
    """Whether the output adds up over the batches between two updates. What depends on it runs
    once, after the last of them.
    """
    constantInputs: frozenset[int] = frozenset()
    """The inputs that must be constants, because `setup()` or the lowering needs their values: for
    example the shape of a Reshape.
    """
    variableInputs: ClassVar[frozenset[int]] = frozenset()
    """The inputs that the operator updates. An initializer connected there becomes a variable,
    whatever its type.
    """
    nonDifferentiableOutputs: ClassVar[frozenset[int]] = frozenset()
    """The outputs without a gradient, such as BatchNormalization's running statistics."""
    nonDifferentiableInputs: frozenset[int] = frozenset()
    """The floating-point inputs that ONNX's schema marks NonDifferentiable: autodiff stops there
    without an error.
    """
    withoutMeaning: ClassVar[Mapping[str, str]] = {}
    """Attributes that are accepted but have no effect here, with the reason. A value other than
    the default gives an OptionWarning, once for a model.
    """
    repeatsCalls: ClassVar[bool] = False
    """Whether the operator runs a graph that it calls several times, as a loop does. Outlining
    leaves that graph alone: the copies of a call would be made in each iteration.
    """
    importsSubgraphs: ClassVar[bool] = False
    """Whether attributes that are graphs come as `popir.onnxio.subgraphs.Subgraph` at import;
    otherwise they are onnx.GraphProto.
    """
    mostFolded: ClassVar[int] = 1 << 16
    """The most output elements, of all outputs together, for which constant folding calls
    `evaluate`.
    """

    if TYPE_CHECKING:

        @property
        def attributes(self) -> dict[str, Any]: ...
        def debugName(self) -> str: ...
        def inShape(self, i: int) -> list[int]: ...
        def outShape(self, i: int) -> list[int]: ...

    def setup(self) -> None:
        """Shape inference: sets type and shape of every output from the inputs and attributes.

        May be called more than once. Raises popart_exception by default, and for inputs that do not
        fit the operator.
        """
        raise popart_exception(
            f"{self.debugName()}: the class {type(self).__name__} has no setup()."
        )

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """For constant folding: the output values, computed with numpy. None, the default, if they
        cannot be computed.

        `inputs` has the values of the constant inputs, by index. `setup()` has been called; the
        results are converted to the types and shapes that it has set.
        """
        return None

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """For a gradient operator: the tensor of the forward operator that each input is.

        Raises popart_exception for other operators.
        """
        raise popart_exception(
            f"{self.debugName()} is no gradient operator: it has no gradInputInfo()."
        )

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """For a gradient operator: maps the index of each output to that of the forward operator's
        input. Output 0 is the gradient of input 1 if the result is {0: 1}.

        Raises popart_exception for other operators.
        """
        raise popart_exception(
            f"{self.debugName()} is no gradient operator: it has no gradOutToNonGradIn()."
        )

    def appendAttributes(self, os: OpSerialiser) -> None:
        """Appends the values that determine what the operator computes; by default, all attributes.

        Digests of graphs (`popir.ir.hash`), and so caches, use them.
        """
        for name, value in self.attributes.items():
            os.appendAttribute(name, value)

    def appendOutlineAttributes(self, os: OpSerialiser) -> None:
        """Appends the values that must be equal for two operators to share outlined code; by
        default those of `appendAttributes`.
        """
        self.appendAttributes(os)

    def getSubgraphValue(self) -> float:
        """How much outlining saves by sharing this operator's code; by default the high value if
        it is costly, else the low one. `SessionOptions.outlineThreshold` is in the same unit.
        """
        return self.getHighSubgraphValue() if self.costly else self.getLowSubgraphValue()

    def getLowSubgraphValue(self) -> float:
        """The subgraph value of a cheap operator, as in PopART: 0.1."""
        return 0.1

    def getHighSubgraphValue(self) -> float:
        """The subgraph value of an expensive operator, as in PopART: 1000."""
        return 1000.0

    def requiresRandomSeed(self) -> bool:
        """Whether the operator needs a random seed as input."""
        return False

    def getSeedInIndex(self) -> int:
        """The index of the input for the random seed, UINT32[2], which the compiler connects;
        negative if it is to connect none.

        Raises popart_exception by default: an operator that requires a seed must override it.
        """
        raise popart_exception(
            f"{self.debugName()} requires a random seed and does not say where: let "
            f"getSeedInIndex() of {type(self).__name__} return the index of an input."
        )

    def only_compute(self) -> None:
        """Called for a copy that computes for gradients what its operator has computed: what else
        it would do, such as printing, was done. Nothing by default.
        """

    def hasSideEffect(self) -> bool:
        """Whether the operator does more than compute its outputs. Then it is not removed even if
        no operator reads them.
        """
        return False

    def filesRead(self) -> list[str]:
        """The files, besides its source, that its program is made from; [] by default. Caches
        compare their contents.
        """
        return []

    def whyNotKept(self) -> str:
        """Why a program with the operator must not be kept in a cache; "", the default, if it may
        be.
        """
        return ""

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """The in-place variants of the operator with their priorities; the highest is tried first.

        [] by default: no in-place variant.
        """
        return []

    def mayLackInput(self, i: int) -> bool:
        """Whether input `i`, which the model leaves out, is optional."""
        return True

    def mayLackOutput(self, i: int) -> bool:
        """Whether output `i`, which the model leaves out, is optional."""
        return True

    def mayLackGradient(self, i: int) -> bool:
        """Whether no gradient flows to input `i` if other inputs have gradient operators and it has
        none; by default False: then a loss that depends on it is refused.
        """
        return False

    def stateUpdates(self) -> dict[int, int]:
        """For an operator with a state that is kept between batches: maps the input that is the
        state before the batch to the output that is the state after it. {} by default.
        """
        return {}

    def keepStateOf(self, origin: Origin) -> None:
        """Prepares an operator with `stateUpdates` for training. Called once, at compile time.

        `origin` is the tool that wrote the model: PyTorch, for example, updates running variances
        differently from ONNX.
        """

    def runsAs(self) -> str:
        """For an operator that computes something else in training: its mode in words, for reports.

        "" for all other operators.
        """
        return ""

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the operator, as it is connected, returns its input 0 unchanged."""
        return False

    def dimensionNames(self) -> Dimensions | None:
        """The dimensions along which the operator can be computed in parts; None, the default, if
        it cannot.
        """
        return None

    def constantsOfPart(self, outputs: Mapping[int, list[int]]) -> dict[int, Array]:
        """For a part of the operator, with outputs of these shapes: the constant inputs that are
        other ones than for the whole, such as the shape of a Reshape; {} by default.
        """
        return {}

    def isOutlineable(self) -> bool:
        """Whether the operator may be outlined: moved into a subgraph that several places call."""
        return True

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the output aliases the input: it is a view of the input's memory."""
        return False

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """For an output that aliases the input: whether it is contiguous in row-major order if the
        input is. True for a Reshape, False for a Transpose.
        """
        return True

    def modifies(self, inIndex: int) -> bool:
        """Whether the operator writes to the memory of the input."""
        return False

    def aliasedRegions(self, inIndex: int, outIndex: int) -> list[Region]:
        """The elements of the input that the output aliases; by default all or none."""
        return [Region.full(self.inShape(inIndex))] if self.aliases(inIndex, outIndex) else []

    def modifiedRegions(self, inIndex: int) -> list[Region]:
        """The elements of the input that the operator writes; by default all or none."""
        return [Region.full(self.inShape(inIndex))] if self.modifies(inIndex) else []

    def usedRegions(self, inIndex: int) -> list[Region]:
        """The elements of the input that the operator reads; by default all."""
        return [Region.full(self.inShape(inIndex))]

    def fwdRegMap(self, inIndex: int, outIndex: int, region: Region) -> list[Region]:
        """The elements of the output that alias `region` of the input.

        By default the same region; if the shapes differ, the whole output.
        """
        inside, out = self.inShape(inIndex), self.outShape(outIndex)
        return [region if inside == out else Region.full(out)]

    def bwdRegMap(self, inIndex: int, outIndex: int, region: Region) -> list[Region]:
        """The elements of the input that alias `region` of the output.

        By default the same region; if the shapes differ, the whole input.
        """
        inside, out = self.inShape(inIndex), self.outShape(outIndex)
        return [region if inside == out else Region.full(inside)]
