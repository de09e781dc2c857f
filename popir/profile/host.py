"""`HostProfile`: the host's time by instruction, and by the operators that these belong to."""

from __future__ import annotations

from dataclasses import dataclass

from popir.ir import Graph
from popir.poplar import Engine
from popir.profile.names import Place, beginning, places

HOST = "host"
"""The type of what brings data from the host's arrays and back."""
OTHER = "other"
"""The type of what belongs to no operator: copies between operators, the control of loops."""
_TRANSFERS = ("bind ", "done ", "stream ")


@dataclass(frozen=True)
class InstructionTime:
    """One instruction of the plan, over all runs."""

    operator: str
    """The operators that it belongs to, joined by " + ": the name in the model, or type and id. ""
    if it belongs to none.
    """
    type: str
    """The operators' types ("Conv", "Conv+Relu"), HOST or OTHER. Operators with one name, as an
    operator and its gradients have, are not told apart: "MatMul/MatMulLhsGrad".
    """
    what: str
    """The instruction's line in `Engine.planText()`: kernel, name, shapes and layouts."""
    runs: int
    """How often it has run."""
    seconds: float
    """The time of all its runs together."""


@dataclass(frozen=True)
class HostProfile:
    """The instructions of a program, in the order of the plan.

    The seconds are wall-clock time, read after each instruction.
    """

    instructions: list[InstructionTime]

    @staticmethod
    def of(engine: Engine, graph: Graph) -> HostProfile:
        """Reads the times of a `poplar.Engine` that runs the graph.

        Raises poplar_profiling_disabled unless the engine has the option `host.profile = "true"`.
        """
        filed: dict[str, list[Place]] = {}
        for place in places(graph):
            filed.setdefault(place.filed, []).append(place)
        rows: list[InstructionTime] = []
        for steps, what, runs, seconds in engine.hostProfile():
            transfer = what.startswith(_TRANSFERS)
            found = {} if transfer else _operators_of(steps, filed)
            kinds = "+".join(found.values())
            kind = kinds or (HOST if transfer else OTHER)
            rows.append(InstructionTime(" + ".join(found), kind, what, runs, seconds))
        return HostProfile(rows)

    @property
    def seconds(self) -> float:
        """The time of all instructions."""
        return sum(row.seconds for row in self.instructions)

    def since(self, earlier: HostProfile) -> HostProfile:
        """What has been added since `earlier`, a profile of the same engine. Raises ValueError for
        a profile with another number of instructions.
        """
        rows = [
            InstructionTime(
                now.operator,
                now.type,
                now.what,
                now.runs - then.runs,
                now.seconds - then.seconds,
            )
            for now, then in zip(self.instructions, earlier.instructions, strict=True)
        ]
        return HostProfile(rows)

    def byType(self) -> dict[str, float]:
        """Seconds by type of operator, the longest first."""
        sums: dict[str, float] = {}
        for row in self.instructions:
            sums[row.type] = sums.get(row.type, 0.0) + row.seconds
        return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _operators_of(steps: list[str], filed: dict[str, list[Place]]) -> dict[str, str]:
    """The types of the operators of the steps that an instruction came from, by their names."""
    found = (beginning(step, filed) for step in steps)
    return {
        of[0].name: "/".join(dict.fromkeys(place.op.plainType() for place in of))
        for of in found
        if of
    }
