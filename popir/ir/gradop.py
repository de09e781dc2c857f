"""Gradient operators: the base class `GradOp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from popir.errors import popart_exception
from popir.ir.graph import Op
from popir.ir.identifier import OperatorIdentifier
from popir.typed import fitted, typed


@typed(by_hand=["__init__"])
class GradOp(Op):
    """An operator that computes gradients of another one, the forward operator.

    It is made in the forward operator's `getGradOps()`; models do not contain it, and it is not
    registered. A subclass sets the class attribute `opid` and overrides `gradInputInfo()` and
    `gradOutToNonGradIn()`, as PopART's gradient operators do. An attribute that it declares takes
    the value of the forward operator's attribute of that name.
    """

    def __init__(
        self,
        fwdOp: Op,
        opid: OperatorIdentifier | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes the gradient operator of `fwdOp`, with the same settings.

        `opid` defaults to the class attribute; `attributes` override those of `fwdOp`. Raises
        popart_exception if there is no `opid`, OperatorAttributeError for a wrong attribute.
        """
        if not isinstance(fwdOp, Op):
            fitted(type(self).__name__, "fwdOp", fwdOp, Op)
        if opid is not None and opid.__class__ is not OperatorIdentifier:
            opid = fitted(type(self).__name__, "opid", opid, OperatorIdentifier | None)
        if attributes is not None:
            hint = Mapping[str, Any] | None
            attributes = fitted(type(self).__name__, "attributes", attributes, hint)
        opid = opid or getattr(type(self), "opid", None)
        if opid is None:
            raise popart_exception(
                f"{type(self).__name__} has no identifier: give it a class attribute `opid`, or "
                "pass one."
            )
        if names := self.declaredAttributes():
            taken = {name: value for name, value in fwdOp.attributes.items() if name in names}
            attributes = taken if attributes is None else {**taken, **attributes}
        super().__init__(opid, fwdOp.settings, attributes)

    def passesOn(self) -> bool:
        """Whether output 0 is input 0, the gradient of an output of the forward operator, as it
        is. Autodiff then takes that gradient, and does without the operator.
        """
        return False
