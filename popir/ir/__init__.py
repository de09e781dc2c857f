"""The intermediate representation: graphs of operators and tensors."""

from popir.ir.attributes import AttributeKind, AttributeSpec
from popir.ir.blame import blamed
from popir.ir.folding import fold
from popir.ir.gradients import gradientsOf
from popir.ir.gradop import GradOp
from popir.ir.graph import Graph
from popir.ir.identifier import GradInOutMapper, GradOpInType, OperatorIdentifier
from popir.ir.op import Op
from popir.ir.origin import Origin
from popir.ir.region import Region
from popir.ir.settings import OpSerialiser, OpSettings
from popir.ir.tensor import Tensor, TensorType
from popir.ir.verify import verify

__all__ = [
    "AttributeKind",
    "AttributeSpec",
    "GradInOutMapper",
    "GradOp",
    "GradOpInType",
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
    "fold",
    "gradientsOf",
    "verify",
]
