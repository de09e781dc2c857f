"""What the compiler does with a model, and why it leaves things: the table of `popir info`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from popir.cli.output import Output
from popir.cli.training import loss_of
from popir.compiler import Compilation, compile
from popir.onnxio.importer import importModel
from popir.onnxio.load import Loaded
from popir.onnxio.training_form import inTrainingForm
from popir.optimizers import ConstSGD
from popir.transforms.decision import Decision
from popir.types import TensorInfo


def decisionsOf(
    loaded: Loaded,
    infos: Mapping[str, TensorInfo],
    loss: str | None,
    trained: Sequence[str] = (),
    frozen: Sequence[str] = (),
) -> list[Decision]:
    """Those of a session with the default patterns: one that infers or, with a loss, trains, and
    which initializers.

    Raises CommandError for a loss that no node computes, and what compiling raises.
    """
    if loss is None:
        graph = importModel(loaded, infos)
        made = Compilation(graph, list(graph.outputs))
    else:
        id, graph = loss_of(loaded.model, loss), importModel(inTrainingForm(loaded), infos)
        updater = ConstSGD(0.0)
        made = Compilation(graph, [], loss=id, optimizer=updater, trained=trained, frozen=frozen)
    compile(made)
    return made.decisions


def show(output: Output, decisions: Sequence[Decision]) -> None:
    """A row for each: what was done first."""
    ordered = sorted(decisions, key=lambda decision: decision.reason is not None)
    rows = [[each.what, each.reason or "done", each.where] for each in ordered]
    output.table("decisions", ["what", "outcome", "where"], rows)


def asJson(decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """The same for JSON."""
    return [dataclasses.asdict(decision) for decision in decisions]
