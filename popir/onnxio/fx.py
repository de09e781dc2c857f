"""Metadata of a node in models of PyTorch's default exporter: the module it comes from, and the
call in the graph of `torch.export`.
"""

from __future__ import annotations

import re

from onnx import NodeProto

_SCOPES = "pkg.torch.onnx.name_scopes"
"""The key of a repr of a list of dotted paths, from the whole network, "", to the node itself."""
_CALL = "pkg.torch.onnx.fx_node"
"""The key of the call as torch.fx prints it: `%y : [...] = call_function[target=...](args = (%x,
...), ...)`.
"""


def module(node: NodeProto) -> str:
    """The path of the module that a node comes from; "" for the network itself, or if the file does
    not say.
    """
    scopes = _entry(node, _SCOPES)
    return ([""] * 2 + re.findall("'([^']*)'", scopes))[-2] if scopes else ""


def call(node: NodeProto) -> str:
    """The text of the call that a node comes from; "" if the file has none."""
    return _entry(node, _CALL)


def target(node: NodeProto) -> str:
    """The function that is called, such as "torch.ops.aten.linear.default"; "" if the file does not
    say.
    """
    found = re.search(r"call_function\[target=([\w.]+)\]", call(node))
    return found[1] if found else ""


def parameters(node: NodeProto) -> set[str]:
    """The parameters and buffers among the arguments of the call, in the spelling of `argument`."""
    return set(re.findall(r"%[pb]_(\w+)", call(node)))


def kind(node: NodeProto, parameter: str) -> str:
    """What the call takes a parameter or buffer of this name for: "PARAMETER" or "BUFFER", as in
    `torch.export.graph_signature.InputKind`; "" if it is no argument of the call.
    """
    found = re.search(rf"%([pb])_{re.escape(argument(parameter))}\b", call(node))
    return {"p": "PARAMETER", "b": "BUFFER"}[found[1]] if found else ""


def argument(parameter: str) -> str:
    """The spelling of a parameter in a call: "layers_0_weight" for "layers.0.weight"."""
    return parameter.replace(".", "_")


def _entry(node: NodeProto, key: str) -> str:
    for entry in node.metadata_props[:]:
        if entry.key == key:
            return entry.value
    return ""
