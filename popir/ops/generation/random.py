"""Operators that draw random numbers: Dropout, and the update of the random seed.

A random number is a function of the seed, the operator and the element's index. So the backward
pass draws the same mask as the forward pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from popir import popops, poprand
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, Op, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.drawing import DrawingOp
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import const_number, popart_name
from popir.opx import Opx, popType
from popir.poplar import program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

SEED = 3


class DropoutOp(DrawingOp):
    """ONNX's Dropout, versions 6, 7, 10, 12, 13 and 22: elements become zero with probability
    `ratio`; others are divided by 1 - ratio.

    It is active in training: if the third input says so (version 12 and later), or else in a
    TrainingSession, unless `is_test` is set (version 6). Otherwise it returns its input. Output 1
    is the mask, True for kept elements.

    Deviations: ratio and the third input must be known at compile time; a ratio of 1 is allowed;
    `seed` has no effect, since random numbers follow `Session.setRandomSeed`; a third input that is
    left out does not mean inference in a TrainingSession.
    """

    constantInputs = frozenset({1, 2})
    withoutMeaning = {
        "seed": "random numbers follow the session's seed, and repeat: see Session.setRandomSeed."
    }
    ratio: float | None
    seed: int | None
    is_test: bool | None

    def expand(self, inputs: Sequence[IrTensor | None], outputs: Sequence[str]) -> bool:
        """Drops elements of a type that is only stored as FLOATs; 1 / (1 - ratio) rounds them."""
        x, _, asked = [*inputs, None, None][:3]
        if x is None or x.info is None or not x.info.dataType().is_narrow:
            return False
        active = self.graph.isTraining if asked is None else asked.data is None or asked.data.any()
        if not active:
            return False
        on, kind = Decomposer(self, outputs[0]), x.info.dataType()
        wide = [on.cast(x, DataType.FLOAT), *inputs[1:]]
        made = on.add("ai.onnx", "Dropout", self.opid.version, wide, 2, {})
        assert isinstance(made, list)
        on.name([on.cast(made[0], kind), made[1]], outputs)
        return True

    def keepProbability(self) -> float:
        """1 - ratio. Raises OperatorInputError unless the ratio is one number from 0 to 1."""
        ratio = self._constant(1, 0.5 if self.ratio is None else self.ratio)
        if not 0 <= ratio <= 1:
            raise OperatorInputError(
                f"{self.debugName()}: the ratio is {ratio}; expected is a probability, 0 to 1.",
                popart=f"{popart_name(self)} ratio value {ratio} is not valid. Please use a value "
                "in the interval [0,1)",
            )
        return 1 - ratio

    def _constant(self, i: int, default: float) -> float:
        found = const_number(self, i)
        return default if found is None else found

    def is_active(self) -> bool:
        """Whether it drops elements."""
        training = self.graph.isTraining and not self.is_test
        asked = self._constant(2, training)
        return self.keepProbability() < 1 and bool(asked)

    def runsAs(self) -> str:
        """ "drops 0.1" or "drops nothing"."""
        return f"drops {1 - self.keepProbability():.3g}" if self.is_active() else "drops nothing"

    def requiresRandomSeed(self) -> bool:
        """Whether it is active."""
        return self.is_active()

    def getSeedInIndex(self) -> int:
        """Input 3, after the model's inputs."""
        return SEED

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether it is inactive: then output 0 is input 0."""
        return inIndex == 0 and outIndex == 0 and not self.is_active()

    def canBeReplacedByIdentity(self) -> bool:
        """Whether it is inactive."""
        return not self.is_active()

    def setup(self) -> None:
        """Gives both outputs the input's shape. The mask is BOOL, or of the input's type before
        version 10.
        """
        super().setup()
        info = self.inInfo(0)
        self.setOutInfo(0, info)
        mask = info.dataType() if self.opid.version < 10 else DataType.BOOL
        self.setOutInfo(1, TensorInfo(mask, info.shape()))

    def getGradOps(self) -> list[Op]:
        """The same mask, applied to the gradient."""
        return [DropoutGradOp(self)]


class DropoutGradOp(InputGradOp):
    """The output's gradient with the forward operator's mask applied."""

    opid = graphcore_id("DropoutGrad")

    def __init__(self, fwdOp: DropoutOp | DropoutGradOp) -> None:
        super().__init__(fwdOp)
        self.modifier = fwdOp.modifier
        if isinstance(fwdOp, DropoutGradOp):
            self.keep, self._seed = fwdOp.keep, 1
        else:
            self.keep = fwdOp.keepProbability() if fwdOp.is_active() else 1.0
            self._seed = SEED

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes and the forward operator's `modifier`."""
        super().appendAttributes(os)
        os.appendAttribute("modifier", self.modifier)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient and, if active, the seed."""
        seed = [GradInOutMapper(1, self._seed, IN)] if self.keep < 1.0 else []
        return [GradInOutMapper(0, 0, GRAD), *seed]

    def getGradOps(self) -> list[Op]:
        """The same mask, applied to the gradient of this gradient."""
        return [DropoutGradOp(self)]

    def canBeReplacedByIdentity(self) -> bool:
        """Whether it is inactive."""
        return self.keep == 1.0

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether it is inactive: then the output is the output's gradient."""
        return inIndex == 0 and self.keep == 1.0


class NextRandomSeedOp(Op):
    """Adds one to the lower word of the seed, in place, after all operators that read it."""

    def setup(self) -> None:
        """Gives the output the type and shape of the seed."""
        self.setOutInfo(0, self.inInfo(0))

    def modifies(self, inIndex: int) -> bool:
        """The seed is modified."""
        return True

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the seed itself."""
        return True

    def hasSideEffect(self) -> bool:
        """True: it changes the seed."""
        return True


class DropoutOpx(Opx):
    """The lowering of Dropout: one pass, and one for the mask if it is needed."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poprand::dropout, and poprand::bernoulli for the mask."""
        op, given = self.getOp(DropoutOp), self.getInTensor(0)
        if not op.is_active():
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
    """The lowering of the gradient: one pass."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poprand::dropout on the gradient."""
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
    """The lowering: one addition in place."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds 1 to element 0 of the seed, in place."""
        seed = self.getInTensor(0)
        lower = seed.slice(0, 1)
        popops.mapInPlace(
            self.graph(), pe.Add(pe._1, pe.Const(1)), [lower], prog, self.debugContext()
        )
        self.setOutTensor(0, seed)


_IDS = onnx_ids("Dropout", 6, 7, 10, 12, 13, 22)
OpCreator(DropoutOp, _IDS)
OpxCreator(DropoutOpx, _IDS)
OpxCreator(DropoutGradOpx, DropoutGradOp.opid)
OpCreator(NextRandomSeedOp, [graphcore_id("NextRandomSeed")], isPublic=False)
OpxCreator(NextRandomSeedOpx, graphcore_id("NextRandomSeed"))
