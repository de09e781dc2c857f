"""Parser of the text form of a graph, which `popir.ir.text` describes."""

from __future__ import annotations

import base64
import binascii
import itertools
import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from popir.errors import popart_exception
from popir.ir.graph import Graph, Op, OpSettings, TensorType
from popir.ir.identifier import OperatorIdentifier
from popir.types import DataType, TensorInfo

Factory = Callable[[OperatorIdentifier, OpSettings, dict[str, Any]], Op]
"""A function that makes an operator from its identifier, settings and attributes."""

PLAIN_ID = re.compile(r"[\w./:-]*[\w./-]")
"""Ids that need no quotes."""

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*)+)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<id>%(?:"(?:[^"\\]|\\.)*"|[\w./:-]*[\w./-]))
    |(?P<word>[-+\w./]+)
    |(?P<mark>[][(){}:=,?])""",
    re.VERBOSE,
)


_TENSORS = {kind.value: kind for kind in TensorType}
_WORDS = {"true": True, "false": False}


class AnyOp(Op):
    """An operator without a meaning: any identifier, any attributes, no shape inference.

    The parser uses it to read graphs of operators that are not registered.
    """

    openAttributes = True

    def setup(self) -> None:
        """Keeps the types and shapes that the text gives the outputs."""


def parse_graph(text: str, factory: Factory = AnyOp) -> Graph:
    """Parses `text` and returns the graph. `factory` makes the operators; `AnyOp` takes any.

    Raises popart_exception, with the line and what was expected, for a syntax error.
    """
    parser = _Parser(text)
    parser.expect("graph")
    graph = parser.graph(factory)
    parser.expect("")
    return graph


def data(text: str, info: TensorInfo) -> np.ndarray[Any, Any]:
    """Parses `text`, such as "[1.0, 2.0]", as an array of the type and shape in `info`.

    Raises popart_exception for a syntax error or a wrong number of values.
    """
    return _Parser(text).data(info)


class _Parser:
    """A recursive-descent parser: the tokens of a text, and one function for each grammar rule."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.tokens = self._scan()
        self.next = 0

    def _scan(self) -> list[tuple[str, int]]:
        tokens: list[tuple[str, int]] = []
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                self.at = at
                self.fail("a word, a number, a string or a mark")
            if match.lastgroup != "space":
                tokens.append((match[0], at))
            at = match.end()
        return [*tokens, ("", len(self.text))]

    # Tokens.

    def peek(self) -> str:
        return self.tokens[self.next][0]

    def take(self) -> str:
        token, self.at = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.take()
            return True
        return False

    def expect(self, token: str) -> None:
        if self.take() != token:
            self.fail(repr(token) if token else "the end")

    def fail(self, expected: str) -> NoReturn:
        before = self.text[: self.at]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        found = self.text[self.at : self.at + 20].partition("\n")[0]
        raise popart_exception(
            f"Text of a graph, line {line}, column {column}: expected {expected}, found {found!r}."
        )

    def integer(self) -> int:
        try:
            return int(self.take())
        except ValueError:
            self.fail("an integer")

    def string(self) -> str:
        token = self.take()
        if not token.startswith('"'):
            self.fail("a string in quotes")
        return json.loads(token)

    def id(self) -> str:
        token = self.take()
        if not token.startswith("%"):
            self.fail("an id, which begins with %")
        return json.loads(token[1:]) if token[1] == '"' else token[1:]

    # Types and values.

    def info(self) -> TensorInfo | None:
        if self.accept("?"):
            return None
        name = self.take()
        if name not in DataType.__members__:
            self.fail("an element type")
        self.expect("[")
        return TensorInfo(DataType[name], self.listed(self.integer, "]"))

    def listed(self, item: Callable[[], Any], end: str) -> list[Any]:
        items: list[Any] = []
        while not self.accept(end):
            if items:
                self.expect(",")
            items.append(item())
        return items

    def bytes(self) -> bytes:
        try:
            return base64.b64decode(self.string(), validate=True)
        except binascii.Error:
            self.fail("base64")

    def data(self, info: TensorInfo) -> np.ndarray[Any, Any]:
        kind = info.dataType().numpy
        if self.accept("base64"):
            found = np.frombuffer(self.bytes(), kind)
        else:
            self.expect("[")
            found = np.array(self.listed(self.value, "]"), kind)
        if found.size != info.nelms():
            self.fail(f"{info.nelms()} values for {info} before it, not {found.size}")
        return found.reshape(info.shape())

    def value(self) -> Any:
        token = self.peek()
        if token.startswith('"'):
            return self.string()
        self.take()
        if token in _WORDS:
            return _WORDS[token]
        if token == "[":
            return self.listed(self.value, "]")
        if token == "base64":
            return self.bytes()
        if token == "tensor":
            info = self.info()
            return self.data(info) if info is not None else self.fail("a type and shape")
        if token == "graph":
            return self.graph(AnyOp)
        try:
            return int(token) if re.fullmatch(r"[-+]?\d+", token) else float(token)
        except ValueError:
            self.fail("a value")

    def attributes(self) -> dict[str, Any]:
        self.expect("{")
        return dict(self.listed(self.attribute, "}"))

    def attribute(self) -> tuple[str, Any]:
        name = self.take()
        self.expect("=")
        return name, self.value()

    # Graphs.

    def graph(self, factory: Factory) -> Graph:
        graph = Graph(self.string())
        self.expect("{")
        while not self.accept("}"):
            self.statement(graph, factory)
        return graph

    def statement(self, graph: Graph, factory: Factory) -> None:
        word = self.peek()
        if word in _TENSORS:
            self.take()
            self.tensor(graph, _TENSORS[word])
        elif word == "opset":
            self.take()
            domain = self.take()
            graph.opsets[domain] = self.integer()
        elif word in ("inputs", "outputs"):
            self.take()
            ids = [self.id()]
            while self.accept(","):
                ids.append(self.id())
            setattr(graph, word, ids)
        elif word == "after":
            self.take()
            self.constraint(graph)
        else:
            self.op(graph, factory)

    def tensor(self, graph: Graph, kind: TensorType) -> None:
        id, info = self.declaration()
        tensor = graph.addActGrad(id)
        tensor.tensorType, tensor.info = kind, info
        if info is not None and self.accept("="):
            tensor.data = self.data(info)

    def declaration(self) -> tuple[str, TensorInfo | None]:
        id = self.id()
        self.expect(":")
        return id, self.info()

    def constraint(self, graph: Graph) -> None:
        after = self.known_op(graph)
        self.expect(":")
        graph.addConstraint(self.known_op(graph), after)
        while self.accept(","):
            graph.addConstraint(self.known_op(graph), after)

    def known_op(self, graph: Graph) -> Op:
        number = self.integer()
        if number not in graph.ops:
            self.fail("the number of an operator above")
        return graph.ops[number]

    def op(self, graph: Graph, factory: Factory) -> None:
        number = None
        if self.peek().isdecimal():
            number = self.integer()
            self.expect(":")
        outputs = self.holes(self.declaration)
        self.expect("=")
        opid = self.opid()
        self.expect("(")
        inputs = self.holes(self.id)
        self.expect(")")
        attributes = self.attributes() if self.peek() == "{" else {}
        settings = OpSettings(graph, self.string() if self.accept("name") else "")
        if self.accept("notes"):
            settings.nodeAttributes = self.attributes()
        op = factory(opid, settings, attributes)
        op.id = op.id if number is None else number
        graph.moveIntoGraph(op)
        for i, id in inputs:
            op.connectInTensor(i, id)
        for i, (id, info) in outputs:
            op.createAndConnectOutTensor(i, id)
            op.outTensor(i).info = info

    def opid(self) -> OperatorIdentifier:
        domain, _, type = self.take().rpartition(".")
        self.expect(":")
        return OperatorIdentifier(domain, type, self.integer())

    def holes(self, item: Callable[[], Any]) -> list[tuple[int, Any]]:
        """Parses items separated by commas, and returns (index, item); `_` skips an index."""
        found: list[tuple[int, Any]] = []
        if self.peek() in "=)":
            return found
        for i in itertools.count():
            if not self.accept("_"):
                found.append((i, item()))
            if not self.accept(","):
                return found
        return found
