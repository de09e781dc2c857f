"""Inlining of a model's own functions: a call becomes the nodes of the function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx.inliner
from onnx import FunctionProto, ModelProto, NodeProto

from popir import budget
from popir.errors import ModelError
from popir.onnxio.limits import MAX_DEPTH, MAX_NODES, each_node

_Key = tuple[str, str, str]


def expand(where: str, model: ModelProto) -> ModelProto:
    """The model with all calls of its functions inlined; `model` itself if it has none.

    Raises ModelError, naming `where`, for functions that are recursive, are defined twice, or
    expand to more nodes than allowed.
    """
    if not model.functions:
        return model
    _check(where, model)
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # onnx raises exceptions of many classes.
        raise ModelError(f"{where} has functions that cannot be expanded: {error}.") from error


def _check(where: str, model: ModelProto) -> None:
    functions: dict[_Key, FunctionProto] = {}
    for function in model.functions:
        key = _key(function.domain, function.name, function.overload)
        if key in functions:
            raise ModelError(f"{where} defines the function {_text(key)} twice.")
        functions[key] = function
    sizes: dict[_Key, int] = {}
    path: dict[_Key, Iterator[_Key]] = {}
    """The stack of functions being visited, each with the calls not visited yet."""
    for start in functions:
        ahead: _Key | None = start
        while ahead is not None:
            if ahead in path:
                names = [_text(key) for key in path]
                raise ModelError(
                    f"{where} has functions that call themselves: {' calls '.join(names)} calls "
                    f"{_text(ahead)}."
                )
            if len(path) == MAX_DEPTH:
                raise ModelError(
                    f"{where} has functions that call functions more than {MAX_DEPTH} deep."
                )
            if ahead not in sizes:
                path[ahead] = iter(_calls(functions[ahead].node, functions))
            ahead = _next(path, functions, sizes)
    total = _size(model.graph.node, functions, sizes)
    if total > MAX_NODES:
        raise ModelError(
            f"{where} has {total} nodes once its functions are expanded; popir takes up to "
            f"{MAX_NODES}."
        )
    budget.operators(total)


def _next(
    path: dict[_Key, Iterator[_Key]],
    functions: dict[_Key, FunctionProto],
    sizes: dict[_Key, int],
) -> _Key | None:
    """The next function to visit; None when `path` is empty. A function with all callees visited
    gets its size and leaves the path.
    """
    while path:
        last = next(reversed(path))
        for call in path[last]:
            if call not in sizes:
                return call
        sizes[last] = _size(functions[last].node, functions, sizes)
        del path[last]
    return None


def _calls(nodes: Iterable[NodeProto], functions: dict[_Key, FunctionProto]) -> Iterator[_Key]:
    for node in each_node(nodes):
        key = _key_of(node)
        if key in functions:
            yield key


def _size(
    nodes: Iterable[NodeProto], functions: dict[_Key, FunctionProto], sizes: dict[_Key, int]
) -> int:
    found = 0
    for node in each_node(nodes):
        key = _key_of(node)
        found += sizes[key] + 1 if key in functions else 1
    return found


def _key_of(node: NodeProto) -> _Key:
    return _key(node.domain, node.op_type, node.overload)


def _key(domain: str, name: str, overload: str) -> _Key:
    return ("" if domain == "ai.onnx" else domain, name, overload)


def _text(key: _Key) -> str:
    domain, name, overload = key
    return f"{domain or 'ai.onnx'}.{name}{':' if overload else ''}{overload}"
