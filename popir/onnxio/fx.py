"""What PyTorch's default exporter says of a node, in its metadata: the module, and the call of
`torch.export`'s graph that it comes from.
"""

from __future__ import annotations

import re

from onnx import NodeProto

_SCOPES = "pkg.torch.onnx.name_scopes"
"""The repr of a list of dotted paths, from that of the whole network, "", to the node itself."""
_CALL = "pkg.torch.onnx.fx_node"
"""The call as torch.fx prints it: `%y : [...] = call_function[target=...](args = (%x, ...), ...)`.
"""


def module(node: NodeProto) -> str:
    """The path of the module that a node was in; "" if the file does not say, or for the network
    itself.
    """
    return ([""] * 2 + re.findall("'([^']*)'", _entry(node, _SCOPES)))[-2]


def call(node: NodeProto) -> str:
    """The text of the call, "" if the file has none."""
    return _entry(node, _CALL)


def target(node: NodeProto) -> str:
    """What is called: "torch.ops.aten.linear.default"; "" if the file does not say."""
    found = re.search(r"call_function\[target=([\w.]+)\]", call(node))
    return found[1] if found else ""


def parameters(node: NodeProto) -> set[str]:
    """The parameters and buffers among the arguments of the call, as `argument` has them."""
    return set(re.findall(r"%[pb]_(\w+)", call(node)))


def argument(parameter: str) -> str:
    """How a call names a parameter such as "layers.0.weight": "layers_0_weight"."""
    return parameter.replace(".", "_")


def _entry(node: NodeProto, key: str) -> str:
    return next((entry.value for entry in node.metadata_props if entry.key == key), "")
