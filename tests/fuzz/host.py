"""Random models with operators on the host, in segments, against onnxruntime.

A finding is a value that differs, an error of popir's alone, or an exception that is no PopirError.
"""

from __future__ import annotations

import random
import shutil
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from popir.backend import prepare
from popir.errors import PopirError
from popir.segments import SegmentedModel
from tests.fuzz.graphs import Verdict, words
from tests.fuzz.host_operators import grow
from tests.fuzz.host_values import HostGraph, Item

OPSETS = (13, 15, 17, 18, 19, 20, 20, 21, 21, 22, 23)


def make(seed: str, number: int) -> tuple[HostGraph, list[Item]]:
    """The case of this number, and its outputs."""
    rng = random.Random(f"{seed}/{number}")
    graph = HostGraph(rng, rng.choice(OPSETS), rng.choice([1, 2, 3, 4, 5]))
    grow(graph, rng.choice([1, 2, 3, 5, 8]))
    return graph, graph.results() if graph.nodes else []


def model_of(graph: HostGraph, outputs: Sequence[Item]) -> onnx.ModelProto:
    """The model of these outputs, whose shapes it does not say."""
    model = graph.model([onnx.ValueInfoProto(name=o.name, type=o.type) for o in outputs])
    needed, nodes = {o.name for o in outputs}, []
    for node in reversed(graph.nodes):
        if needed & set(node.output):
            nodes.append(node)
            needed |= _read(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes[::-1])
    for field in (model.graph.input, model.graph.initializer):
        kept = [each for each in field if each.name in needed]
        del field[:]
        field.extend(kept)  # type: ignore[arg-type]
    return model


def _read(node: onnx.NodeProto) -> set[str]:
    inner = [a.g for a in node.attribute if a.HasField("g")]
    return set(node.input).union(*(_read(each) for g in inner for each in g.node))


def judge(graph: HostGraph, outputs: Sequence[Item]) -> Verdict:
    """Runs the model in segments twice, the second time with what the first one has compiled; then
    as a whole, if it can be.
    """
    model = model_of(graph, outputs)
    read = {value.name for value in model.graph.input}
    feeds = {name: array for name, array in graph.feeds().items() if name in read}
    try:
        segmented = SegmentedModel(model.SerializeToString())
        for again in ("", "the second run: "):
            found = segmented.run(feeds)
            for output in outputs:
                text = different(found[output.name], output.value)
                if text:
                    return Verdict("differs", f"{again}differs", f"{output.name}: {text}")
        found = prepare(model).run(feeds)
        for got, output in zip(found, outputs, strict=True):
            if text := different(got, output.value):
                return Verdict("differs", "as a whole: differs", f"{output.name}: {text}")
    except PopirError as error:
        return Verdict("refused", f"refused: {words(error)}", repr(error))
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Verdict("error", f"{type(error).__name__}: {words(error)}", text)
    return Verdict("equal")


def different(got: Any, want: Any) -> str:
    """Where two values differ; "" if nowhere."""
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return f"{got!r} instead of {want!r}"
        return next(filter(None, map(different, got, want)), "")
    if isinstance(want, dict):
        if not isinstance(got, dict) or got.keys() != want.keys():
            return f"{got!r} instead of {want!r}"
        return next(filter(None, (different(got[key], each) for key, each in want.items())), "")
    a, b = np.asarray(got), np.asarray(want)
    if not isinstance(got, np.ndarray) and isinstance(want, np.ndarray):
        return f"{got!r} instead of an array"
    if isinstance(want, np.ndarray) and (a.dtype, a.shape) != (b.dtype, b.shape):
        return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
    if b.dtype.kind == "f":
        equal = np.allclose(a, b, 1e-4, 1e-5, equal_nan=True)
    else:
        equal = a.tolist() == b.tolist()
    return "" if equal else f"{a.tolist()} instead of {b.tolist()}"


def start() -> None:
    """Nothing to prepare."""


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Makes one case in the folder, and says what became of it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    graph, outputs = make(seed, number)
    if not outputs:
        return {"stage": "host", "outcome": "nothing to run"}
    (folder / "model.onnx").write_bytes(model_of(graph, outputs).SerializeToString())
    verdict = judge(graph, outputs)
    if not verdict.kind:
        return {"stage": "host", "outcome": verdict.outcome}
    for item in _made(graph):  # The first value that shows it.
        smaller = judge(graph, [item])
        if smaller.kind == verdict.kind:
            outputs, verdict = [item], smaller
            break
    model = model_of(graph, outputs)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    given = "\n".join(f"{name} = {array.tolist()}" for name, array in graph.feeds().items())
    last = {node.op_type for node in model.graph.node if set(node.output) & {outputs[0].name}}
    return {
        "stage": "host",
        "outcome": verdict.outcome,
        "signature": f"{verdict.kind} | {' '.join(sorted(last))}",
        "finding": f"{verdict.kind}\n{verdict.text}\n\n{onnx.printer.to_text(model)}\n{given}",
    }


def _made(graph: HostGraph) -> list[Item]:
    made = [graph.items[name] for node in graph.nodes for name in node.output]
    return [item for item in made if not item.type.HasField("optional_type")]
