"""The intermediate representation: graphs of operators and tensors."""

from popir.ir.attributes import AttributeKind, AttributeSpec
from popir.ir.blame import blamed
from popir.ir.folding import fold
from popir.ir.gradients import Gradient, described, gradients_of
from popir.ir.gradop import GradOp
from popir.ir.graph import Graph, Op, OpSettings, Tensor, TensorType
from popir.ir.identifier import GradInOutMapper, GradOpInType, OperatorIdentifier
from popir.ir.origin import Origin
from popir.ir.region import Region
from popir.ir.traits import OpSerialiser
from popir.ir.verify import verify

__all__ = [
    "AttributeKind",
    "AttributeSpec",
    "GradInOutMapper",
    "GradOp",
    "GradOpInType",
    "Gradient",
    "Graph",
    "Op",
    "OpSerialiser",
    "OpSettings",
    "OperatorIdentifier",
    "Origin",
    "Region",
    "Tensor",
    "TensorType",
    "blamed",
    "described",
    "fold",
    "gradients_of",
    "verify",
]
