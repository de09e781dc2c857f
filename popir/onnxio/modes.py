"""Sets the mode, training or evaluation, of BatchNormalization and Dropout nodes, whatever the
model says.

Exporters lose the mode. PyTorch's default exporter writes batch normalisation in evaluation mode,
whatever the module's mode; the tracing exporter writes the mode that the module had at export.
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


def in_modes(
    model: ModelProto, training: Collection[str], evaluation: Collection[str]
) -> Sequence[NodeProto]:
    """The nodes of the model's graph, with the selected normalisation and dropout nodes in training
    or evaluation mode.

    `training` and `evaluation` are names or patterns. A node without a name has that of its first
    output. The model is not changed. Raises popart_exception for a pattern that matches no such
    node, and for contradicting ones.
    """
    if not training and not evaluation:
        return model.graph.node
    modal = {name_of(node): node for node in model.graph.node if node.op_type in MODAL}
    given = {"trainingMode": training, "evaluationMode": evaluation}
    advice = _FOLDED.format(count=len(modal) or "no")
    chosen = told("normalisation or dropout node", list(modal), given, advice)
    versions = {item.domain: item.version for item in model.opset_import}
    version = versions.get("", versions.get("ai.onnx", 0))
    taken = {id for node in model.graph.node for id in node.output}
    nodes: list[NodeProto] = []
    for node in model.graph.node:
        if node.op_type in MODAL and name_of(node) in chosen:
            isTraining = chosen[name_of(node)][0] == "trainingMode"
            change = _normalised if node.op_type == "BatchNormalization" else _dropped
            nodes += change(
                node, version if node.domain in ("", "ai.onnx") else 0, isTraining, taken
            )
        else:
            nodes.append(node)
    return nodes


def name_of(node: NodeProto) -> str:
    """The name of a node, or else of its first output."""
    return node.name or next(iter(node.output), "")


def _normalised(
    node: NodeProto, version: int, isTraining: bool, taken: set[str]
) -> Iterator[NodeProto]:
    """BatchNormalization in the given mode. From version 14 on an attribute gives the mode, before
    that the number of outputs.
    """
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
    """Dropout in the given mode. From version 12 on an input gives the mode; before that,
    evaluation is the ratio 0.
    """
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
    """A copy of a node without the named attributes."""
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
