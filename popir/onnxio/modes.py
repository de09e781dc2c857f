"""Puts nodes that compute otherwise in training, BatchNormalization and Dropout, in one mode or the
other, whatever the model says.

Exporters lose the mode: PyTorch's default one writes batch norm as it runs in evaluation, whatever
the module's mode, and the one before wrote the mode of the module at that time for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from onnx import ModelProto, NodeProto, helper

from popir.naming import told
from popir.onnxio.proto import tensor

MODAL = {"BatchNormalization", "Dropout"}
_FOLDED = (
    " It has {count} such nodes. PyTorch's default exporter folds batch norm into convolutions"
    " unless it is told optimize=False."
)


def inModes(
    model: ModelProto, training: Collection[str], evaluation: Collection[str]
) -> Sequence[NodeProto]:
    """The nodes of the model's graph, those named or fitted by a pattern in that mode.

    A node without a name has that of its first output. The model itself does not change. Raises
    popart_exception for what fits no node, and for what contradicts itself.
    """
    if not training and not evaluation:
        return model.graph.node
    modal = {nameOf(node): node for node in model.graph.node if node.op_type in MODAL}
    given = {"trainingMode": training, "evaluationMode": evaluation}
    advice = _FOLDED.format(count=len(modal) or "no")
    chosen = told("normalisation or dropout node", list(modal), given, advice)
    versions = {item.domain: item.version for item in model.opset_import}
    version = versions.get("", versions.get("ai.onnx", 0))
    taken = {id for node in model.graph.node for id in node.output}
    nodes: list[NodeProto] = []
    for node in model.graph.node:
        if node.op_type in MODAL and nameOf(node) in chosen:
            isTraining = chosen[nameOf(node)][0] == "trainingMode"
            change = _normalised if node.op_type == "BatchNormalization" else _dropped
            nodes += change(
                node, version if node.domain in ("", "ai.onnx") else 0, isTraining, taken
            )
        else:
            nodes.append(node)
    return nodes


def nameOf(node: NodeProto) -> str:
    """What a node is called: by its name, or else by its first output."""
    return node.name or next(iter(node.output), "")


def _normalised(
    node: NodeProto, version: int, isTraining: bool, taken: set[str]
) -> Iterator[NodeProto]:
    """From version 14 on an attribute says it, before the number of outputs."""
    changed = _without(node, "training_mode", "is_test")
    if version >= 14:
        changed.attribute.append(helper.make_attribute("training_mode", int(isTraining)))
    elif isTraining:
        for what in ("mean", "var", "saved_mean", "saved_var")[len(node.output) - 1 :]:
            changed.output.append(_unused(f"{node.output[0]}/{what}", taken))
    if not isTraining:
        del changed.output[1:]
        if version == 6:
            changed.attribute.append(helper.make_attribute("is_test", 1))
    yield changed


def _dropped(
    node: NodeProto, version: int, isTraining: bool, taken: set[str]
) -> Iterator[NodeProto]:
    """From version 12 on an input says it; before, what drops nothing has the ratio 0."""
    changed = _without(node, "is_test")
    if version >= 12:
        mode = _unused(f"{node.output[0]}/training_mode", taken)
        value = tensor(mode, np.array(isTraining))
        yield helper.make_node("Constant", [], [mode], value=value)
        del changed.input[2:]
        changed.input.extend([""] * (2 - len(changed.input)))
        changed.input.append(mode)
    elif not isTraining:
        changed = _without(changed, "ratio")
        changed.attribute.append(helper.make_attribute("ratio", 0.0))
    yield changed


def _without(node: NodeProto, *names: str) -> NodeProto:
    """A copy without these attributes."""
    copy = NodeProto()
    copy.CopyFrom(node)
    kept = [attribute for attribute in node.attribute if attribute.name not in names]
    del copy.attribute[:]
    copy.attribute.extend(kept)
    return copy


def _unused(base: str, taken: set[str]) -> str:
    name, n = base, 0
    while name in taken:
        n += 1
        name = f"{base}/{n}"
    taken.add(name)
    return name
