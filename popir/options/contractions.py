"""The entries of SessionOptions.matmulOptions, convolutionOptions and lstmOptions.

The names are those of PopLibs; names and values are text. Entries with an effect are passed to
poplin's planner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from popir.errors import did_you_mean, popart_exception
from popir.options.table import Kind, OptionWarning, Row, warn
from popir.typed import shown

MATMUL, CONVOLUTION, LSTM = "matmulOptions", "convolutionOptions", "lstmOptions"
_TEST = "tests/test_contraction_options.py::test_entries_of_a_session_reach_the_planner"
_SWITCH = ("false", "true")
_PASSES = ("NONE", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU")
_BY_PLACE = (
    "the pass that every convolution is planned as, by default its own; TRAINING_FWD alone has a "
    "plan of its own, which minds the backward pass."
)
_AS_PLANNED = "a result lies as its plan makes it."
_ONE_VARIABLE = "a result is one variable."
_KEPT = "the gradient reads the gates and states that the forward pass has written."


@dataclass(frozen=True)
class Entry(Row):
    """One entry of one of the three maps."""

    choices: tuple[str, ...] = ()
    """The possible values; empty for a number from 0 to 1."""

    def fits(self, value: str) -> bool:
        """Whether `value` is possible for the entry."""
        if self.choices:
            return value in self.choices
        try:
            return 0 <= float(value) <= 1
        except ValueError:
            return False


def _entry(
    holder: str, name: str, choices: tuple[str, ...], default: str, kind: Kind, why: str
) -> Entry:
    words = (
        f"one of {', '.join(map(repr, choices))}" if choices else "a number from 0 to 1, as text"
    )
    test = _TEST if kind is Kind.ACTS else ""
    return Entry(f"{holder}.{name}", words, default, kind, why, test, choices=choices)


def _planned(holder: str) -> list[Entry]:
    """The entries that affect every contraction."""
    return [
        _entry(
            *(holder, "partialsType", ("float", "half"), "float", Kind.ACTS),
            "the type of partial sums on the machine; the Cpu device adds up in float.",
        ),
        _entry(
            *(holder, "availableMemoryProportion", (), "0.6", Kind.ACTS),
            "how much of a tile's memory a plan may use for temporary data.",
        ),
        _entry(
            *(holder, "use128BitConvUnitLoad", _SWITCH, "false", Kind.ACTS),
            "whether weights are loaded 128 bits at a time, where the machine can.",
        ),
        _entry(
            *(holder, "enableMultiStageReduce", _SWITCH, "true", Kind.ACTS),
            "whether many partial sums are added up in several stages.",
        ),
        _entry(
            *(holder, "enableFastReduce", _SWITCH, "false", Kind.ACTS),
            "whether partial sums lie in interleaved memory, where they are added up faster.",
        ),
    ]


def _without(holder: str, why: str, *names: str, default: str = "false") -> list[Entry]:
    """Switches that have no effect."""
    return [_entry(holder, name, _SWITCH, default, Kind.NO_MEANING, why) for name in names]


ENTRIES: list[Row] = [
    *_planned(MATMUL),
    _entry(
        *(MATMUL, "fullyConnectedPass", _PASSES, "NONE", Kind.ACTS),
        "the pass that every product is, where enableFullyConnectedPass is False.",
    ),
    _entry(
        *(MATMUL, "inputRHSIsPreArranged", _SWITCH, "false", Kind.ACTS),
        "the weights of a backward pass are transposed before, and not by its product.",
    ),
    *_without(MATMUL, _AS_PLANNED, "remapOutputTensor", default="true"),
    *_without(MATMUL, _ONE_VARIABLE, "gatherOutput"),
    *_planned(CONVOLUTION),
    _entry(
        *(CONVOLUTION, "pass", (*_PASSES, *(f"FC_{name}" for name in _PASSES[1:])), "NONE"),
        *(Kind.ACTS, _BY_PLACE),
    ),
    *_without(CONVOLUTION, _AS_PLANNED, "remapOutputTensor", default="true"),
    *_without(CONVOLUTION, _ONE_VARIABLE, "gatherConvOutput"),
    _entry(
        *(CONVOLUTION, "enableConvDithering", _SWITCH, "false", Kind.REFUSED),
        "a plan names the tiles of a convolution; none is chosen at random.",
    ),
    *_planned(LSTM),
    *_without(
        LSTM, "the model and the kind of session say whether it is trained.", "inferenceOnly"
    ),
    *_without(LSTM, "the gates' part of the input is one product, always.", "preCalcWeights"),
    _entry(
        *(LSTM, "weightAccumulatorsType", ("float", "half"), "float", Kind.NO_MEANING),
        "the gradients of the weights are one product over all steps.",
    ),
    _entry(
        *(LSTM, "recomputationMode", ("none", "cellAndTanh", "full"), "none", Kind.REFUSED, _KEPT),
    ),
]
"""The table of entries; the names are as in `matmulOptions.partialsType`."""

_BY_NAME: Mapping[str, Entry] = {row.name: row for row in ENTRIES if isinstance(row, Entry)}


def check_entries(holder: str, given: Mapping[str, str], told: set[str]) -> None:
    """Checks the entries of one of the three maps. `told` has the entries already warned of.

    Raises popart_exception for an entry that is unknown, has a wrong value, or is refused.
    """
    who = f"SessionOptions.{holder}"
    names = [name.partition(".")[2] for name in _BY_NAME if name.startswith(f"{holder}.")]
    for name, value in given.items():
        row = _BY_NAME.get(f"{holder}.{name}")
        if row is None:
            near = did_you_mean(name, names) or f" It takes {', '.join(names)}."
            raise popart_exception(f"{who} has no entry '{name}'.{near}")
        if not row.fits(value):
            near = did_you_mean(value, row.choices)
            raise popart_exception(
                f"{who}['{name}'] takes {row.type}; given was {shown(value)}.{near}"
            )
        if value == row.default:
            continue
        words = f"{who}['{name}'] = {shown(value)}"
        if row.kind is Kind.REFUSED:
            raise popart_exception(f"{words}: {row.reason} Leave it at {shown(row.default)}.")
        if row.kind is Kind.NO_MEANING and row.name not in told:
            told.add(row.name)
            warn(f"{words} has no meaning here: {row.reason}", OptionWarning)
