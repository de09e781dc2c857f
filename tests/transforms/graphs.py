"""Graphs for tests of transforms: read from text, with real operators."""

from __future__ import annotations

from typing import Any

from popir import registry
from popir.ir import Graph, Op, OperatorIdentifier
from popir.ir.parser import parse_graph


def _make(opid: OperatorIdentifier, settings: Op.Settings, attributes: dict[str, Any]) -> Op:
    entry = registry.find(opid.domain, opid.type, opid.version)
    return entry.factory(registry.OpCreatorInfo(entry.opid, settings, attributes, ()))


def graph_of(body: str) -> Graph:
    """The graph of those lines, with the operators of the registry."""
    return parse_graph(f'graph "main" {{\n{body}\n}}', _make)
