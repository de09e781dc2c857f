"""The compiler's decisions on a model, with the reasons: a table of `popir info`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from popir.cli.output import Output
from popir.cli.training import loss_of
from popir.compiler import Compilation, compile
from popir.onnxio.importer import import_model
from popir.onnxio.load import Loaded
from popir.onnxio.training_form import in_training_form
from popir.optimizers import ConstSGD
from popir.transforms.decision import Decision
from popir.types import TensorInfo


def decisions_of(
    loaded: Loaded,
    infos: Mapping[str, TensorInfo],
    loss: str | None,
    trained: Sequence[str] = (),
    frozen: Sequence[str] = (),
) -> list[Decision]:
    """The decisions of a session with the default patterns: for inference or, with a loss, for
    training.

    Raises CommandError for a loss that no node computes, and the errors of compiling.
    """
    if loss is None:
        graph = import_model(loaded, infos)
        made = Compilation(graph, list(graph.outputs))
    else:
        id, graph = loss_of(loaded.model, loss), import_model(in_training_form(loaded), infos)
        updater = ConstSGD(0.0)
        made = Compilation(graph, [], loss=id, optimizer=updater, trained=trained, frozen=frozen)
    compile(made)
    return made.decisions


def show(output: Output, decisions: Sequence[Decision]) -> None:
    """Prints a table with a row for each decision; applied ones first."""
    ordered = sorted(decisions, key=lambda decision: decision.reason is not None)
    rows = [[each.what, each.reason or "done", each.where] for each in ordered]
    output.table("decisions", ["what", "outcome", "where"], rows)


def as_json(decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """The decisions as JSON values."""
    return [decision._asdict() for decision in decisions]
