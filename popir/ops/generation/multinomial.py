"""Multinomial: samples of classes, by the Gumbel-max method."""

from __future__ import annotations

from popir import popnn, poprand
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.drawing import SeededOp
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.symbolic import Arg
from popir.opx import Opx, popType
from popir.poplar import VariableMappingMethod, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_KINDS = (DataType.INT32, DataType.INT64)
_LEAST = 2.0**-33
"""In place of a uniform number of 0, which stands for numbers below 2^-32."""


class MultinomialOp(SeededOp):
    """ONNX's Multinomial, versions 7 and 22: for each row of logarithms of probabilities, which
    need not be normalized, `sample_size` classes drawn independently. They follow the session's
    seed and `seed` (`SeededOp`). No gradient.

    Memory of batch * sample_size * classes numbers is used.
    """

    dtype: int
    sample_size: int

    def getSeedInIndex(self) -> int:
        """Input 1, after the model's input."""
        return 1

    def setup(self) -> None:
        """Infers [batch, sample_size]. Raises OperatorInputError unless the input is [batch,
        classes] with a class at least, and OperatorAttributeError for another type than INT32 and
        INT64 and for less than one sample.
        """
        super().setup()
        shape, kind = self.inShape(0), DataType.of(self.dtype)
        if len(shape) != 2 or not shape[1]:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {shape}; expected is [batch, classes] "
                "with one class at least."
            )
        if kind not in _KINDS:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'dtype' is {kind.name}; expected is INT32 (6) "
                "or INT64 (7)."
            )
        if self.sample_size < 1:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'sample_size' is {self.sample_size}; expected "
                "is 1 or more."
            )
        self.setOutInfo(0, TensorInfo(kind, [shape[0], self.sample_size]))


class MultinomialOpx(Opx):
    """The lowering: a draw for each sample and class, and the first maximum of each sample."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poprand::uniform, popops::map and popnn::argMax."""
        op, arithmetic = self.getOp(MultinomialOp), Arithmetic(self, prog)
        logits = self.getInTensor(0)
        (batch, samples), classes = self.outShape(0), logits.dim(1)
        kind, shape = accumulator(logits.elementType()), [batch, samples, classes]
        linear = VariableMappingMethod.LINEAR
        like = self.graph().addVariable(kind, shape, linear, self.debugContext("like"))
        seed, context = self.getInTensor(1), self.debugContext("draw")
        u = poprand.uniform(self.graph(), seed, op.modifier, like, kind, 0, 1, prog, context)
        # -log(1 - u) is exponential; minus its logarithm has Gumbel's distribution.
        gumbel = -s.log(-s.log1p(-s.maximum(Arg(1), _LEAST)))
        rows = logits.reshape([batch, 1, classes]).broadcast(samples, 1)
        scores = arithmetic.map(Arg(0) + gumbel, [rows, u], "scores", kind)
        flat = scores.reshape([batch * samples, classes])
        found = popnn.argMax(self.graph(), flat, prog, self.debugContext("argMax"))
        found = arithmetic.converted(found, popType(self.outInfo(0)), "index")
        self.setOutTensor(0, found.reshape([batch, samples]))


_IDS = onnx_ids("Multinomial", 7, 22)
OpCreator(MultinomialOp, _IDS)
OpxCreator(MultinomialOpx, _IDS)
