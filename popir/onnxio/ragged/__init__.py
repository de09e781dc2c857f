"""Tensors of which one size is known at run time alone, in a device program: padded, with a count.

`y[mask]` has as many elements as the mask has truths. PyTorch's exporters write NonZero and a
gather, and mostly a reduction or a scatter soon makes shapes of it that do not depend on the data.
As far as that is so, such a tensor is a `Ragged` here: a tensor of the most elements along one
axis, of which the first `count` exist. The others are copies of the last one that exists, if there
is one, so that nothing is infinite that is computed of them alone, and their gradients are 0.

Operators on them become operators on the padded tensors. What is not done so leaves the device.
"""

from __future__ import annotations

from onnx import NodeProto

from popir.errors import LeavesDeviceError, OperatorInputError
from popir.onnxio.ragged.beginnings import BEGIN
from popir.onnxio.ragged.rules import FOLLOW
from popir.onnxio.ragged.values import MALFORMED, NotDone, Values


class RaggedValues(Values):
    """The ragged tensors of one graph, by id."""

    def follow(self, node: NodeProto) -> bool:
        """Adds what a node computes of ragged tensors; False if it reads none. Raises
        LeavesDeviceError if that is not done here.
        """
        if not self._found:
            return False
        given = {i: self._found[id] for i, id in enumerate(node.input) if id in self._found}
        if not given:
            return False
        self._base = next(filter(None, node.output), node.name)
        make = FOLLOW.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        try:
            if make is None:
                raise NotDone
            make(self, node, given)
        except (NotDone, *MALFORMED):
            raise next(iter(given.values())).why from None
        return True

    def begin(self, node: NodeProto, why: LeavesDeviceError) -> bool:
        """Makes the output of a node ragged that cannot be added, and returns whether it is."""
        make = BEGIN.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if make is None or not all(node.output) or not self.graph.keeps_ragged:
            return False
        if any(id and id not in self.graph.tensors for id in node.input):
            return False
        self._base = node.output[0]
        try:
            make(self, node, why)
        except (NotDone, OperatorInputError, *MALFORMED):
            return False
        return True
