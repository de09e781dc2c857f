"""The options of a session, and the table of options that documents and checks them."""

from popir.options.session import (
    AccumulateOuterFragmentSettings,
    AutodiffSettings,
    AutomaticLossScalingSettings,
    BatchSerializationSettings,
    ExecutionPhaseSettings,
    ExperimentalSettings,
    NumIOTiles,
    ReplicatedCollectivesSettings,
    SessionOptions,
    TensorLocation,
    TensorLocationSettings,
)
from popir.options.table import Kind, OptionWarning, Row, rows, warn
from popir.typed import shown

__all__ = [
    "AccumulateOuterFragmentSettings",
    "AutodiffSettings",
    "AutomaticLossScalingSettings",
    "BatchSerializationSettings",
    "ExecutionPhaseSettings",
    "ExperimentalSettings",
    "Kind",
    "NumIOTiles",
    "OptionWarning",
    "ReplicatedCollectivesSettings",
    "Row",
    "SessionOptions",
    "TensorLocation",
    "TensorLocationSettings",
    "rows",
    "shown",
    "warn",
]
