"""popir: an operator registry, compiler and runtime for ONNX models in the style of PopART."""

from popir import _library
from popir.builder import Builder
from popir.definitions import OpDefinition
from popir.errors import (
    AnchorError,
    DuplicateOperatorError,
    LibraryLoadError,
    MissingGradientError,
    MissingOpxError,
    ModelError,
    OperatorAttributeError,
    OperatorInputError,
    OpsetVersionError,
    OutOfMemoryException,
    PopirError,
    StepIOError,
    UnknownOperatorError,
    VerificationError,
    popart_exception,
    popart_internal_exception,
    popart_runtime_error,
    poplar_application_runtime_error,
    poplar_exception,
    poplar_recoverable_runtime_error,
    poplar_runtime_error,
    poplar_system_runtime_error,
    poplar_unknown_runtime_error,
    poplar_unrecoverable_runtime_error,
    poplibs_exception,
)
from popir.ir import (
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Graph,
    Op,
    OperatorIdentifier,
    TensorType,
)
from popir.onnxio.importer import InputShapeInfo
from popir.opx import InputCreatorType, Opx
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, ReductionType, TensorInfo

__version__ = _library.version()

__all__ = [
    "AnchorError",
    "Builder",
    "DataType",
    "DuplicateOperatorError",
    "GradInOutMapper",
    "GradOp",
    "GradOpInType",
    "Graph",
    "InputCreatorType",
    "InputShapeInfo",
    "LibraryLoadError",
    "MissingGradientError",
    "MissingOpxError",
    "ModelError",
    "Op",
    "OpCreator",
    "OpDefinition",
    "OperatorAttributeError",
    "OperatorIdentifier",
    "OperatorInputError",
    "OpsetVersionError",
    "Opx",
    "OpxCreator",
    "OutOfMemoryException",
    "PopirError",
    "ReductionType",
    "StepIOError",
    "TensorInfo",
    "TensorType",
    "UnknownOperatorError",
    "VerificationError",
    "__version__",
    "popart_exception",
    "popart_internal_exception",
    "popart_runtime_error",
    "poplar_application_runtime_error",
    "poplar_exception",
    "poplar_recoverable_runtime_error",
    "poplar_runtime_error",
    "poplar_system_runtime_error",
    "poplar_unknown_runtime_error",
    "poplar_unrecoverable_runtime_error",
    "poplibs_exception",
]
