"""Which patterns a session uses: `Patterns`, `PatternsLevel`."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from popir import pattern
from popir.errors import did_you_mean, popart_exception

# Patterns of PopART. What they are for is done elsewhere here, or has no counterpart: their names
# are accepted, and choosing them changes nothing.
POPART = """
    PreUniRepl PostNRepl SoftMaxGradDirect NlllWithSoftMaxGradDirect OpToIdentity SubtractArg1GradOp
    MulArgGradOp ReciprocalGradOp DivArg0GradOp DivArg1GradOp PowArg0GradOp PowArg1GradOp SinGradOp
    CosGradOp TanToSinOverCos CoshOp ExpGradOp Expm1GradOp LogGradOp Log1pGradOp LogSoftmaxOp
    SqrtGradOp AbsGradOp FmodArg0GradOp Atan2Arg0GradOp Atan2Arg1GradOp GemmDecomposition MatMulOp
    MatMulLhsGradOp MatMulRhsGradOp ConvDataGrad ConvTranspose ConvFlipWeightsDoubleFlip
    ConvFlipWeightsGradOp InPlace PadSum SplitGradOpToConcat SplitGather SplitOp
    DecomposeBinaryConstScalar ZerosLikeOpPattern LSTMOp RNNOp InitAccumulate
    UpdateInplacePrioritiesForIpu TiedGather TiedGatherAccumulate TiedGatherPattern
    TiedGatherAccumulatePattern LambSerialisedWeight Slice2SliceSubsample UpsampleToResize
    PackedDataBlock ExpandCast FoldMatMul ContiguateIpuCopyIndices LoopScanOut ViewSimplify SumToAdd
""".split()


class PatternsLevel(enum.Enum):
    """How many patterns are used."""

    NoPatterns, Minimal, Default, All = range(4)


class Patterns:
    """The choice of patterns: by a level, or by a list of names, which alone are then used.

    Raises popart_exception for a name that nobody registered and PopART does not have.
    """

    def __init__(
        self, choice: PatternsLevel | Iterable[str | PatternsLevel] = PatternsLevel.Default
    ) -> None:
        self._level = choice if isinstance(choice, PatternsLevel) else PatternsLevel.NoPatterns
        self._chosen: dict[str, bool] = {}
        self.inplaceEnabled = True
        if not isinstance(choice, PatternsLevel):
            for name in choice:
                self.enablePattern(str(name), True)

    def enablePattern(self, name: str, enable: bool) -> Patterns:
        """Switches one pattern on or off; returns this object."""
        known = {*POPART, *(entry.name for entry in pattern.entries())}
        if name not in known:
            raise popart_exception(f"Unknown pattern '{name}'.{did_you_mean(name, known)}")
        self._chosen[name] = enable
        return self

    def isPatternEnabled(self, name: str) -> bool:
        """Whether a pattern is used."""
        if name in self._chosen:
            return self._chosen[name]
        for entry in pattern.entries():
            if entry.name == name:
                return self.isUsed(entry)
        return self._level in (PatternsLevel.Default, PatternsLevel.All)

    def isUsed(self, entry: pattern.PatternEntry) -> bool:
        """Whether a registered pattern is used."""
        if entry.name in self._chosen:
            return self._chosen[entry.name]
        if self._level is PatternsLevel.All:
            return True
        return entry.mandatory or (entry.enabled and self._level is PatternsLevel.Default)

    def enableRuntimeAsserts(self, enable: bool) -> Patterns:
        """Accepted; nothing here depends on a pattern that can be missing."""
        return self

    def __repr__(self) -> str:
        return f"Patterns({self._level.name}, {self._chosen})"


def _switch(name: str) -> property:
    def read(self: Patterns) -> bool:
        return self.isPatternEnabled(name)

    def write(self: Patterns, enable: bool) -> None:
        self.enablePattern(name, enable)

    return property(read, write, doc=f"Whether the pattern {name} is used.")


for _name in POPART:
    setattr(Patterns, _name, _switch(_name))
