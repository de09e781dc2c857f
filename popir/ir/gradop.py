"""Operators that are the gradient of another one: `GradOp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from popir.errors import popart_exception
from popir.ir.identifier import OperatorIdentifier
from popir.ir.op import Op
from popir.typed import typed


@typed
class GradOp(Op):
    """An operator that computes gradients of another one. Only `getGradOps()` makes it; it has no
    OpCreator.

    A subclass names its identifier as the class attribute `opid` and overrides gradInputInfo() and
    gradOutToNonGradIn(). Attributes that it declares are taken from the forward operator's of the
    same name.
    """

    def __init__(
        self,
        fwdOp: Op,
        opid: OperatorIdentifier | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes the gradient operator of `fwdOp` with its settings; `attributes` go before the
        forward operator's.
        """
        opid = opid or getattr(type(self), "opid", None)
        if opid is None:
            raise popart_exception(
                f"{type(self).__name__} has no identifier: give it a class attribute `opid`, or "
                "pass one."
            )
        names = self.declaredAttributes()
        taken = {name: value for name, value in fwdOp.attributes.items() if name in names}
        super().__init__(opid, fwdOp.settings, {**taken, **(attributes or {})})
