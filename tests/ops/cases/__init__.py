"""The table that drives the tests of operators: one row for each operator, more where it has
several forms; a file for each family, as in `popir/ops`.

A row is tested forwards against onnxruntime (or a formula, where ONNX lacks the operator), its
gradient against finite differences in double, and its lowering on a machine of several tiles.
"""

from tests.ops.cases.attention import ATTENTION
from tests.ops.cases.case import Array, Case, ints
from tests.ops.cases.contraction import CONTRACTIONS
from tests.ops.cases.control import CONTROL
from tests.ops.cases.elementwise import BITWISE, ELEMENTWISE
from tests.ops.cases.generation import GENERATION
from tests.ops.cases.loss import LOSSES
from tests.ops.cases.microsoft import MICROSOFT
from tests.ops.cases.ml import ML
from tests.ops.cases.movement import MOVEMENT
from tests.ops.cases.normalization import NORMALISATION
from tests.ops.cases.pooling import POOLING
from tests.ops.cases.popart import PARTS
from tests.ops.cases.quantization import QUANTIZATION
from tests.ops.cases.recurrent import RECURRENT
from tests.ops.cases.reduction import REDUCTIONS, SCANS, SEARCHES, SOFTMAX
from tests.ops.cases.sampling import SAMPLING
from tests.ops.cases.signal import SIGNAL
from tests.ops.cases.tensorflow import EXPRESSIONS, NEEDS_LIBRARY
from tests.ops.cases.update import STEPS

__all__ = ["CASES", "NEEDS_LIBRARY", "Array", "Case", "ints"]

CASES = [
    *ELEMENTWISE,
    *BITWISE,
    *MOVEMENT,
    *CONTROL,
    *GENERATION,
    *RECURRENT,
    *NORMALISATION,
    *ATTENTION,
    *CONTRACTIONS,
    *POOLING,
    *QUANTIZATION,
    *REDUCTIONS,
    *SEARCHES,
    *SCANS,
    *SOFTMAX,
    *LOSSES,
    *SAMPLING,
    *SIGNAL,
    *MICROSOFT,
    *ML,
    *STEPS,
    *PARTS,
    *EXPRESSIONS,
]
