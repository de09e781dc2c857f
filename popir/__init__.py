"""popir: an operator registry, compiler and runtime for ONNX models in the style of PopART.

`Builder` makes a model, `InferenceSession` runs one, `TrainingSession` trains one. Operators of
your own are written in Python (`Op`, `GradOp`, `Opx`, `OpCreator`, `OpxCreator`) or in C++
(`build_op_library`, `load_op_library`); `popir.testing` checks them.
"""

from popir import _library, ops, testing
from popir.autodiff import reservedGradientPrefix
from popir.builder import Builder
from popir.dataflow import AnchorReturnType, AnchorReturnTypeId, DataFlow
from popir.definitions import OpDefinition
from popir.devices import DeviceInfo, DeviceManager
from popir.enums import (
    DeviceConnectionType,
    DeviceType,
    ExchangeStrategy,
    RecomputationType,
    SGDAccumulatorAndMomentum,
    SyntheticDataMode,
    TileSet,
    VirtualGraphMode,
)
from popir.errors import (
    AnchorError,
    DuplicateOperatorError,
    GradientError,
    LeavesDeviceError,
    LibraryBuildError,
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
from popir.foreign.build import build_op_library
from popir.foreign.load import OpLibrary, load_op_library
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
from popir.onnxio.load import ModelInFolder
from popir.optimizers import SGD, ConstSGD, OptimizerValue
from popir.options import SessionOptions
from popir.opx import InputCreatorType, Opx
from popir.pattern import PatternCreator, PreAliasPattern, Rewrite
from popir.patterns import Patterns, PatternsLevel
from popir.registry import OpCreator, OpxCreator
from popir.reserved import reservedAccl1Prefix, reservedAcclPrefix
from popir.segments import SegmentedModel
from popir.session import InferenceSession, TrainingSession
from popir.stepio import PyStepIO, PyStepIOCallback, PyWeightsIO
from popir.types import DataType, ReductionType, TensorInfo

__version__ = _library.version()

__all__ = [
    "SGD",
    "AnchorError",
    "AnchorReturnType",
    "AnchorReturnTypeId",
    "Builder",
    "ConstSGD",
    "DataFlow",
    "DataType",
    "DeviceConnectionType",
    "DeviceInfo",
    "DeviceManager",
    "DeviceType",
    "DuplicateOperatorError",
    "ExchangeStrategy",
    "GradInOutMapper",
    "GradOp",
    "GradOpInType",
    "GradientError",
    "Graph",
    "InferenceSession",
    "InputCreatorType",
    "InputShapeInfo",
    "LeavesDeviceError",
    "LibraryBuildError",
    "LibraryLoadError",
    "MissingGradientError",
    "MissingOpxError",
    "ModelError",
    "ModelInFolder",
    "Op",
    "OpCreator",
    "OpDefinition",
    "OpLibrary",
    "OperatorAttributeError",
    "OperatorIdentifier",
    "OperatorInputError",
    "OpsetVersionError",
    "OptimizerValue",
    "Opx",
    "OpxCreator",
    "OutOfMemoryException",
    "PatternCreator",
    "Patterns",
    "PatternsLevel",
    "PopirError",
    "PreAliasPattern",
    "PyStepIO",
    "PyStepIOCallback",
    "PyWeightsIO",
    "RecomputationType",
    "ReductionType",
    "Rewrite",
    "SGDAccumulatorAndMomentum",
    "SegmentedModel",
    "SessionOptions",
    "StepIOError",
    "SyntheticDataMode",
    "TensorInfo",
    "TensorType",
    "TileSet",
    "TrainingSession",
    "UnknownOperatorError",
    "VerificationError",
    "VirtualGraphMode",
    "__version__",
    "build_op_library",
    "load_op_library",
    "ops",
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
    "reservedAccl1Prefix",
    "reservedAcclPrefix",
    "reservedGradientPrefix",
    "testing",
]
