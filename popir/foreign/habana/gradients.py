"""Gradients that name another operator: `GradientRule`, `RuleGradOp`.

A gradient operator reads gradients of outputs, inputs and outputs of the forward operator, each
written as "grad:0", "in:1" or "out:0", and gives the gradients of some inputs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.errors import OperatorAttributeError
from popir.foreign.habana.nodes import short
from popir.ir import GradInOutMapper, GradOp, GradOpInType, Op, OperatorIdentifier

_SOURCES = {
    "grad": GradOpInType.GradOut,
    "in": GradOpInType.In,
    "out": GradOpInType.Out,
}

INPUTS, OUTPUTS = ("grad:0",), (0,)
"""What a gradient operator reads, and which inputs it is for, unless a rule says."""

ATTRIBUTES = ("gradient", "gradient_inputs", "gradient_outputs")
"""The attributes of a node that say what its gradient is."""


@dataclass(frozen=True)
class GradientRule:
    """The gradient operator, where its inputs come from, and which inputs its outputs are for."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[int, ...]

    @staticmethod
    def of(who: str, attributes: Mapping[str, Any]) -> GradientRule | None:
        """The rule in the attributes of a node; None if they have none. Raises
        OperatorAttributeError for what is no rule.
        """
        operator = attributes.get("gradient", "")
        if not operator:
            stray = [name for name in ATTRIBUTES[1:] if name in attributes]
            if stray:
                raise OperatorAttributeError(
                    f"{who}: {' and '.join(stray)} are given, and no `gradient` that they are for."
                )
            return None
        inputs = attributes.get("gradient_inputs", list(INPUTS))
        outputs = attributes.get("gradient_outputs", list(OUTPUTS))
        for name, given, kind, is_right in (
            ("gradient", operator, "text", isinstance(operator, str)),
            ("gradient_inputs", inputs, "a list of text", _is_list(inputs, str)),
            ("gradient_outputs", outputs, "a list of integers", _is_list(outputs, int)),
        ):
            if not is_right:
                raise OperatorAttributeError(f"{who}: '{name}' is {given!r}; expected is {kind}.")
        rule = GradientRule(operator, tuple(inputs), tuple(outputs))
        rule.mappers(who)
        return rule

    def mappers(self, who: str) -> list[GradInOutMapper]:
        """Where the inputs of the gradient operator come from. Raises OperatorAttributeError."""
        found: list[GradInOutMapper] = []
        for i, text in enumerate(self.inputs):
            match = re.fullmatch(r"(grad|in|out):(\d+)", text)
            if match is None:
                raise OperatorAttributeError(
                    f"{who}: '{text}' is no input of a gradient; write 'grad:N' for the gradient "
                    "of output N, 'in:N' or 'out:N' for an input or output."
                )
            found.append(GradInOutMapper(i, int(match[2]), _SOURCES[match[1]]))
        return found

    def distinct(self, who: str) -> None:
        """Raises OperatorAttributeError if two outputs are the gradient of one input."""
        for number in self.outputs:
            if self.outputs.count(number) > 1:
                raise OperatorAttributeError(
                    f"{who}: gradient_outputs names input {number} more than once; an input has "
                    "one gradient."
                )

    def check(self, op: Op, who: str) -> None:
        """Raises OperatorAttributeError for indices that the operator does not have."""
        for text in self.inputs:
            source, _, number = text.partition(":")
            has = op.hasInput if source == "in" else op.hasOutput
            if not has(int(number)):
                raise OperatorAttributeError(
                    f"{who}: its gradient reads '{text}', which the operator does not have."
                )
        self.distinct(who)
        for number in self.outputs:
            if not op.hasInput(number):
                raise OperatorAttributeError(
                    f"{who}: its gradient gives that of input {number}, which the operator does "
                    "not have."
                )


def _is_list(given: Any, kind: type) -> bool:
    if not isinstance(given, list):
        return False
    items: list[Any] = given
    return all(isinstance(each, kind) for each in items)


def rule_attributes(
    who: str, gradient: str, inputs: Sequence[str], outputs: Sequence[int]
) -> dict[str, Any]:
    """The attributes of a node for a rule; {} for none. Raises OperatorAttributeError for inputs or
    outputs without a gradient, and for what is no rule.
    """
    given = {"gradient_inputs": list(inputs), "gradient_outputs": list(outputs)}
    if not gradient:
        usual = {"gradient_inputs": list(INPUTS), "gradient_outputs": list(OUTPUTS)}
        GradientRule.of(who, {name: v for name, v in given.items() if v != usual[name]})
        return {}
    given = {"gradient": gradient, **given}
    GradientRule.of(who, given)
    return given


class RuleGradOp(GradOp):
    """The base class of gradient operators that a rule describes."""

    openAttributes = True

    def __init__(
        self, fwdOp: Op, opid: OperatorIdentifier, attributes: Mapping[str, Any], rule: GradientRule
    ) -> None:
        super().__init__(fwdOp, opid, {**attributes, **vars(rule)})
        self.rule = rule
        self.infos = [fwdOp.inInfo(i) for i in rule.outputs]
        """The types and shapes of its outputs."""

    def setup(self) -> None:
        for i, info in enumerate(self.infos):
            self.setOutInfo(i, info)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return self.rule.mappers(short(self))

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return dict(enumerate(self.rule.outputs))
