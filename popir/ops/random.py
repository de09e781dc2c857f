"""Operators that draw random numbers: Dropout, and what moves the seed on.

Numbers are a function of the seed, of the operator and of the element's place: the backward pass
draws the mask of the forward pass again.
"""

from __future__ import annotations

from popir import popops, poprand
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, Op, OpSerialiser
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import constInput
from popir.opx import Opx, popType
from popir.poplar import program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

SEED = 3


class DropoutOp(Op):
    """Elements set to zero with the probability `ratio`, the others divided by 1 - ratio.

    It does so in training: where the constant third input of versions from 12 on says so, or else
    in a TrainingSession. Otherwise it passes its input on. The second output is the mask of kept
    elements.
    """

    constantInputs = frozenset({1, 2})
    withoutMeaning = {
        "seed": "random numbers follow the session's seed, and repeat: see Session.setRandomSeed."
    }
    ratio: float | None
    seed: int | None
    is_test: bool | None
    _modifier: int | None = None

    @property
    def modifier(self) -> int:
        """What tells the operator's random numbers from others': its id when it was set up."""
        return self.id if self._modifier is None else self._modifier

    def appendAttributes(self, os: OpSerialiser) -> None:
        """Operators that draw different numbers are not equal."""
        super().appendAttributes(os)
        if self.isActive():
            os.appendAttribute("modifier", self.modifier)

    def keepProbability(self) -> float:
        """1 - ratio. Raises OperatorInputError for a ratio that is not one number from 0 to 1."""
        ratio = self._constant(1, 0.5 if self.ratio is None else self.ratio)
        if not 0 <= ratio <= 1:
            raise OperatorInputError(
                f"{self.debugName()}: the ratio is {ratio}; expected is a probability, 0 to 1."
            )
        return 1 - ratio

    def _constant(self, i: int, default: float) -> float:
        found = constInput(self, i)
        if found is None:
            return default
        if found.size != 1:
            raise OperatorInputError(
                f"{self.debugName()}: input {i} has shape {list(found.shape)}; expected is one "
                "number."
            )
        return found.item()

    def isActive(self) -> bool:
        """Whether it drops anything."""
        training = self.graph.isTraining and not self.is_test
        asked = self._constant(2, training)
        return self.keepProbability() < 1 and bool(asked)

    def runsAs(self) -> str:
        """Whether it drops."""
        return f"drops {1 - self.keepProbability():.3g}" if self.isActive() else "drops nothing"

    def requiresRandomSeed(self) -> bool:
        """If it is active."""
        return self.isActive()

    def getSeedInIndex(self) -> int:
        """After the model's inputs."""
        return SEED

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """What is not active passes its input on."""
        return inIndex == 0 and outIndex == 0 and not self.isActive()

    def canBeReplacedByIdentity(self) -> bool:
        """If it is not active."""
        return not self.isActive()

    def setup(self) -> None:
        """Both outputs have the input's shape."""
        self._modifier = self.modifier
        info = self.inInfo(0)
        self.setOutInfo(0, info)
        mask = info.dataType() if self.opid.version < 10 else DataType.BOOL
        self.setOutInfo(1, TensorInfo(mask, info.shape()))

    def getGradOps(self) -> list[Op]:
        """The same mask on the gradient."""
        return [DropoutGradOp(self)]


class DropoutGradOp(InputGradOp):
    """The gradient of the output, with the forward operator's mask."""

    opid = graphcoreId("DropoutGrad")

    def __init__(self, fwdOp: DropoutOp) -> None:
        super().__init__(fwdOp)
        self.keep = fwdOp.keepProbability() if fwdOp.isActive() else 1.0
        self.modifier = fwdOp.modifier

    def appendAttributes(self, os: OpSerialiser) -> None:
        """As for the forward operator."""
        super().appendAttributes(os)
        os.appendAttribute("modifier", self.modifier)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient and, if it is active, the seed."""
        seed = [GradInOutMapper(1, SEED, IN)] if self.keep < 1.0 else []
        return [GradInOutMapper(0, 0, GRAD), *seed]

    def canBeReplacedByIdentity(self) -> bool:
        """If it is not active."""
        return self.keep == 1.0

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """As the forward operator."""
        return inIndex == 0 and self.keep == 1.0


class NextRandomSeedOp(Op):
    """Adds one to the lower word of the seed, in place, after all that read it."""

    def setup(self) -> None:
        """The output is the seed."""
        self.setOutInfo(0, self.inInfo(0))

    def modifies(self, inIndex: int) -> bool:
        """The seed."""
        return True

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the seed itself."""
        return True

    def hasSideEffect(self) -> bool:
        """It changes the seed."""
        return True


class DropoutOpx(Opx):
    """One pass."""

    def grow(self, prog: program.Sequence) -> None:
        """poprand's dropout, and where it is asked for the mask."""
        op, given = self.getOp(DropoutOp), self.getInTensor(0)
        if not op.isActive():
            self.setOutTensor(0, given)
            if op.hasOutput(1):
                ones = self.graph().clone(
                    popType(self.outInfo(1)), given, self.debugContext("mask")
                )
                popops.fill(self.graph(), ones, prog, True, self.debugContext("mask"))
                self.setOutTensor(1, ones)
            return
        seed, keep = self.getInTensor(SEED), op.keepProbability()
        self.setOutTensor(
            0,
            poprand.dropout(
                self.graph(),
                seed,
                op.modifier,
                given,
                given,
                keep,
                1 / keep if keep else 0.0,
                prog,
                self.debugContext(),
            ),
        )
        if op.hasOutput(1):
            kind = popType(self.outInfo(1))
            mask = poprand.bernoulli(
                self.graph(), seed, op.modifier, given, kind, keep, prog, self.debugContext("mask")
            )
            self.setOutTensor(1, mask)


class DropoutGradOpx(Opx):
    """One pass."""

    def grow(self, prog: program.Sequence) -> None:
        """poprand's dropout on the gradient."""
        op, g = self.getOp(DropoutGradOp), self.getInTensor(0)
        if op.keep == 1.0:
            self.setOutTensor(0, g)
            return
        out = poprand.dropout(
            self.graph(),
            self.getInTensor(1),
            op.modifier,
            g,
            g,
            op.keep,
            1 / op.keep if op.keep else 0.0,
            prog,
            self.debugContext(),
        )
        self.setOutTensor(0, out)


class NextRandomSeedOpx(Opx):
    """One addition."""

    def grow(self, prog: program.Sequence) -> None:
        """In place."""
        seed = self.getInTensor(0)
        lower = seed.slice(0, 1)
        popops.mapInPlace(
            self.graph(), pe.Add(pe._1, pe.Const(1)), [lower], prog, self.debugContext()
        )
        self.setOutTensor(0, seed)


_IDS = onnxIds("Dropout", 6, 7, 10, 12, 13, 22)
OpCreator(DropoutOp, _IDS)
OpxCreator(DropoutOpx, _IDS)
OpxCreator(DropoutGradOpx, DropoutGradOp.opid)
OpCreator(NextRandomSeedOp, [graphcoreId("NextRandomSeed")], isPublic=False)
OpxCreator(NextRandomSeedOpx, graphcoreId("NextRandomSeed"))
