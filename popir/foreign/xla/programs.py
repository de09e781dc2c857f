"""Programs of XLA as models: from the text of an HLO module, or from functions in C++ that build
them with xla::XlaBuilder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from popir._device import xla as device
from popir.builder import Builder
from popir.errors import LibraryLoadError, ModelError, PopirError, did_you_mean
from popir.foreign.xla import (
    convolutions,
    elementwise,
    hlo_text,
    indexing,
    instructions,
    libraries,
    moves,
    pooling,
    scatters,
    shapes,
    sorts,
    sums,
    targets,
)
from popir.foreign.xla.calls import Token, create_token, custom_call
from popir.foreign.xla.hlo_text import Computation, Instruction, Module
from popir.foreign.xla.instructions import At, Operand, Step, Value, wrong
from popir.foreign.xla.operator import CustomCallGradient
from popir.foreign.xla.shapes import Array, Shape, Tuple
from popir.typed import typed
from popir.types import DataType


@dataclass(frozen=True)
class Program:
    """A program of XLA as a model."""

    name: str
    builder: Builder
    """The model; its outputs are marked."""
    inputs: list[Any]
    """For each parameter the id of its tensor, or for a tuple a list of ids."""
    output: Any
    """The id of the result, or for a tuple a list of ids."""


@typed
def xla_programs(
    library: str | os.PathLike[str],
    function: str,
    *,
    gradients: dict[str, str | CustomCallGradient] | None = None,
    platform: str = "Host",
) -> list[Program]:
    """Calls a function of a library that builds programs with xla::XlaBuilder, and makes models of
    them.

    Args:
        library: the path of the library, or an OpLibrary.
        function: its name, with namespaces as in C++. It takes no arguments.
        gradients: for targets of custom calls, their gradients.
        platform: that of the custom calls.

    Returns a Program for each builder, in the order in which they were built; one that is destroyed
    without Build() ends with its last operator. Raises LibraryLoadError if there is no such library
    or function, ModelError with the builder's error if a program is wrong, and popart_exception if
    the function throws.
    """
    path = libraries.allow("xla_programs", str(library))
    who = f"The function '{function}' of '{path}'"
    symbols = (function, _mangled(function))
    there = [each for each in symbols if libraries.symbol(who, path, each)[0]]
    if not there:
        raise LibraryLoadError(
            f"The library '{path}' has no function '{function}' without arguments. It must not be "
            "static, nor in an anonymous namespace."
        )
    found: list[Program] = []
    for name, text, error in device.programs(
        os.fsencode(libraries.symbol(who, path, there[0])[1]), there[0]
    ):
        if error:
            raise ModelError(f"{who} builds the program '{name}', which has an error: {error}")
        made = xla_program(text, gradients=gradients, platform=platform, library=path)
        found.append(made)
    return found


def _mangled(function: str) -> str:
    """The symbol of a function of C++ that has no arguments."""
    parts = "".join(f"{len(part)}{part}" for part in function.split("::"))
    return f"_ZN{parts}Ev" if "::" in function else f"_Z{parts}v"


@typed
def xla_program(
    text: str,
    *,
    gradients: dict[str, str | CustomCallGradient] | None = None,
    platform: str = "Host",
    library: str | os.PathLike[str] = "",
) -> Program:
    """Makes a model of the text of an HLO module, such as jax.jit(f).lower(x).as_text("hlo") gives.

    Args:
        text: the module. Layouts are those of custom calls alone; values are the same in all.
        gradients: for targets of custom calls, their gradients.
        platform: that of the custom calls.
        library: the library of targets that are not registered.

    Raises ModelError for text that cannot be read, and for operators of XLA that are not known
    here.
    """
    return _Reader(hlo_text.parsed(text), gradients or {}, platform, str(library)).program()


class _Reader:
    """Adds the instructions of a module to a Builder."""

    def __init__(
        self,
        module: Module,
        gradients: dict[str, str | CustomCallGradient],
        platform: str,
        library: str,
    ) -> None:
        self.module = module
        self.gradients = gradients
        self.platform = platform
        self.library = library
        self.builder = Builder(opsets={"ai.onnx": 26})
        self.on = self.builder.aiOnnx
        self.depth = 0

    def program(self) -> Program:
        entry = self.module.entry
        numbered: dict[int, Instruction] = {}
        for each in entry.instructions:
            if each.opcode == "parameter":
                number = int(each.operands[0])
                if number in numbered:
                    raise wrong(each, f"'{numbered[number].name}' is the parameter {number} too")
                numbered[number] = each
        if sorted(numbered) != [*range(len(numbered))]:
            raise ModelError(
                f"The program '{self.module.name}' has the parameters {sorted(numbered)}; expected "
                f"are all from 0."
            )
        inputs = [self._input(numbered[i]) for i in range(len(numbered))]
        output = self._run(entry, inputs)
        ids: list[Any] = [v for v in _flat(output) if isinstance(v, str)]
        if not ids:
            raise ModelError(f"The program '{self.module.name}' has no result.")
        output = self._outputs(output, set())
        return Program(self.module.name, self.builder, inputs, output)

    def _input(self, instruction: Instruction) -> Value:
        match = re.search(r'op_name="([^"]*)"', instruction.attributes.get("metadata", ""))
        name = match[1] if match else instruction.name
        leaves = [*shapes.leaves(instruction.shape)]
        count = iter(range(len(leaves)))

        def make(leaf: Array) -> Value:
            if leaf.kind == shapes.TOKEN:
                return create_token(self.builder)
            i = next(count)
            own = name if len(leaves) == 1 else f"{name}.{i}"
            return self.builder.addInputTensor(leaf.info(), own)

        return shapes.rebuilt(instruction.shape, make)

    def _outputs(self, value: Value, seen: set[str]) -> Value:
        if isinstance(value, list):
            items: list[Any] = value
            return [self._outputs(each, seen) for each in items]
        if isinstance(value, Token):
            return value
        if value in seen:
            value = self.on.identity([value])
        seen.add(value)
        self.builder.addOutputTensor(value)
        return value

    def _run(self, computation: Computation, arguments: Sequence[Value]) -> Value:
        if self.depth > 64:
            raise ModelError(f"The computation '{computation.name}' calls itself.")
        self.depth += 1
        values: dict[str, Value] = {}
        needed = _needed(computation)
        for each in computation.instructions:
            if each.name not in needed:
                continue
            if each.opcode == "parameter":
                number = int(each.operands[0])
                if number >= len(arguments):
                    raise wrong(each, f"'{computation.name}' gets {len(arguments)} arguments")
                values[each.name] = self._checked(each, arguments[number])
                continue
            if each.opcode == "constant":
                values[each.name] = self._constant(each)
                continue
            operands: list[Value] = []
            for name in each.operands:
                if name not in values:
                    near = did_you_mean(name, values)
                    raise wrong(each, f"'{name}' is no instruction before it.{near}")
                operands.append(values[name])
            values[each.name] = self._instruction(each, operands)
        self.depth -= 1
        return values[computation.root]

    def _constant(self, each: Instruction) -> Value:
        info = self._at(each).result.info()
        dims = tuple(info.shape())
        return self.on.constant(np.asarray(hlo_text.constant(each, info.dataType().numpy, dims)))

    def _instruction(self, each: Instruction, operands: list[Value]) -> Value:
        method = getattr(self, f"_op_{each.opcode.replace('-', '_')}", None)
        if method is not None:
            value = method(each, operands)
        elif each.opcode in instructions.OPERATORS:
            at = self._at(each)
            try:
                value = instructions.add(at, [self._operand(each, v) for v in operands])
            except ModelError:
                raise
            except PopirError as error:
                raise wrong(each, str(error)) from error
        else:
            known = [*(n[4:].replace("_", "-") for n in dir(self) if n.startswith("_op_"))]
            near = did_you_mean(each.opcode, [*instructions.OPERATORS, *known])
            raise wrong(each, f"the operator is not known here.{near}")
        return self._checked(each, value)

    def _at(self, each: Instruction) -> At:
        return At(self.builder, each, self._called, self._run, partial(self._loop, each))

    def _operand(self, each: Instruction, value: Value) -> Operand:
        if not isinstance(value, str):
            raise wrong(each, "an operand is a tuple or a token; expected are arrays")
        found = self._array(value)
        return Operand(value, shapes.kind_of(found.kind), found.dims)

    def _array(self, id: str) -> Array:
        """Type and shape of a tensor of the model."""
        kind = DataType.of(self.builder.getTensorDtypeString(id))
        return Array(shapes.name(kind), tuple(self.builder.getTensorShape(id)))

    def _checked(self, each: Instruction, value: Value) -> Value:
        """The value. Raises ModelError unless it has the shape that the instruction declares."""
        found = self._shape(value)
        if found != _row_major(each.shape):
            raise wrong(each, f"its shape is {_row_major(each.shape)}; its value is {found}")
        return value

    def _shape(self, value: Value) -> Shape:
        if isinstance(value, list):
            items: list[Any] = value
            return Tuple(tuple(self._shape(each) for each in items))
        return Array(shapes.TOKEN) if isinstance(value, Token) else self._array(value)

    # Operators, by their name in HLO.

    def _op_tuple(self, each: Instruction, operands: list[Value]) -> Value:
        return operands

    def _op_get_tuple_element(self, each: Instruction, operands: list[Value]) -> Value:
        if len(operands) != 1 or not isinstance(operands[0], list):
            raise wrong(each, "its operand must be one tuple")
        return operands[0][self._at(each).number("index", len(operands[0]))]

    def _op_opt_barrier(self, each: Instruction, operands: list[Value]) -> Value:
        """The operand: the barrier says only what the compiler may not move."""
        if len(operands) != 1:
            raise wrong(each, f"it has {len(operands)} operands; expected is 1")
        return operands[0]

    def _op_call(self, each: Instruction, operands: list[Value]) -> Value:
        return self._run(self._called(each, "to_apply"), operands)

    def _op_fusion(self, each: Instruction, operands: list[Value]) -> Value:
        return self._run(self._called(each, "calls"), operands)

    def _op_while(self, each: Instruction, operands: list[Value]) -> Value:
        """A Loop, whose condition is that before the first time, then that after each time."""
        if len(operands) != 1:
            raise wrong(each, f"it has {len(operands)} operands; expected is 1")
        (state,) = operands
        condition, body = (self._called(each, name) for name in ("condition", "body"))
        ids = self._arrays(each, state)
        infos = [self._array(id).info() for id in ids]
        first = self._condition(each, condition, state)

        def add() -> list[str]:
            self.builder.addInputTensor("INT64", [])
            self.builder.addInputTensor("BOOL", [])
            inner = [self.builder.addInputTensor(info) for info in infos]
            after = self._run(body, [_with_ids(state, iter(inner))])
            if self._shape(after) != self._shape(_with_ids(state, iter(inner))):
                raise wrong(each, f"'{body.name}' returns {self._shape(after)}, another shape")
            return [self._condition(each, condition, after), *self._arrays(each, after)]

        found = self.on.loop(["", first, *ids], len(ids), self._subgraph(add))
        return _with_ids(state, iter(found))

    def _loop(self, each: Instruction, count: int, state: Sequence[str], step: Step) -> list[str]:
        infos = [self._array(id).info() for id in state]

        def add() -> list[str]:
            number = self.builder.addInputTensor("INT64", [])
            again = self.builder.addInputTensor("BOOL", [])
            inner = [self.builder.addInputTensor(info) for info in infos]
            return [again, *step(self._at(each), number, inner)]

        often = self.on.constant(np.array(count, np.int64))
        return self.on.loop([often, "", *state], len(state), self._subgraph(add))

    def _condition(self, each: Instruction, computation: Computation, state: Value) -> str:
        found = self._run(computation, [state])
        if self._shape(found) != Array("pred", ()):
            raise wrong(each, f"'{computation.name}' returns {self._shape(found)}, not pred[]")
        return found

    def _op_conditional(self, each: Instruction, operands: list[Value]) -> Value:
        """An If, or for several branches one in the other. An index that no branch has chooses the
        last one.
        """
        names = each.attributes.get("branch_computations", "").strip("{}")
        attributes = ["true_computation", "false_computation"]
        if names:
            branches = [self._computation(each, n, "a branch") for n in names.split(",")]
        else:
            branches = [self._called(each, name) for name in attributes]
        kind = Array("s32" if names else "pred", ())
        if len(operands) != len(branches) + 1 or self._shape(operands[0]) != kind:
            raise wrong(each, f"its operands must be {kind} and one for each branch")
        chooses, *values = operands

        def choose(i: int) -> Value:
            if i == len(branches) - 1:
                return self._checked(each, self._run(branches[i], [values[i]]))
            test = chooses
            if names:
                test = self.on.equal([test, self.on.constant(np.array(i, np.int32))])
            made: list[Value] = []

            def branch(which: int | None) -> list[str]:
                if which is None:
                    made.append(choose(i + 1))
                else:
                    value = self._run(branches[which], [values[which]])
                    made.append(self._checked(each, value))
                return self._arrays(each, made[-1])

            then, other = (self._subgraph(partial(branch, which)) for which in (i, None))
            count = len(self._leaves(made[0]))
            return _with_ids(made[0], iter(self.on.logical_if([test], count, other, then)))

        return choose(0)

    def _leaves(self, value: Value) -> list[Any]:
        return [*_flat(value)]

    def _arrays(self, each: Instruction, value: Value) -> list[str]:
        """The tensors of a value. Raises ModelError for a token."""
        found = self._leaves(value)
        if not found or not all(isinstance(id, str) for id in found):
            raise wrong(each, "it passes a token or nothing, which is not known here")
        return found

    def _subgraph(self, add: Callable[[], list[str]]) -> Builder:
        """A subgraph with what `add` adds and returns."""
        outer, on = self.builder, self.on
        self.builder = outer.createSubgraphBuilder()
        self.on = self.builder.aiOnnx
        try:
            for id in add():
                self.builder.addOutputTensor(self.on.identity([id]))
            return self.builder
        finally:
            self.builder, self.on = outer, on

    def _called(self, each: Instruction, attribute: str) -> Computation:
        return self._computation(each, each.attributes.get(attribute, ""), f"its {attribute}")

    def _computation(self, each: Instruction, text: str, what: str) -> Computation:
        name = text.strip().lstrip("%")
        if name not in self.module.computations:
            raise wrong(each, f"{what} is '{name}', and there is no such computation")
        return self.module.computations[name]

    def _op_after_all(self, each: Instruction, operands: list[Value]) -> Value:
        if not operands:
            return create_token(self.builder)
        if len(operands) == 1:
            return operands[0]
        return Token(self.on.concat([token.id for token in operands], 0))

    def _op_custom_call(self, each: Instruction, operands: list[Value]) -> Value:
        attributes = each.attributes
        try:
            target = hlo_text.string(attributes.get("custom_call_target", '""')).decode()
        except UnicodeDecodeError:
            raise wrong(each, "its custom_call_target is no text in UTF-8") from None
        name = attributes.get("api_version", "API_VERSION_ORIGINAL")
        if name not in _VERSIONS:
            raise wrong(each, f"its api_version is {name}")
        version = _VERSIONS.index(name) + 1
        config = attributes.get("backend_config", "")
        is_text = config.startswith('"')
        opaque = hlo_text.string(config) if is_text else b""
        values: dict[str, Any] = {}
        if version == 4:
            text = opaque.decode() if is_text else config
            values, opaque = hlo_text.dictionary(each.name, text) if text else {}, b""
        layouts = None
        if (constraints := attributes.get("operand_layout_constraints")) is not None:
            given = shapes.parsed(each.name, f"({constraints[1:-1]})")
            assert isinstance(given, Tuple)
            layouts = [e.layout if isinstance(e, Array) else None for e in given.elements]
            layouts = [None if layout == () else layout for layout in layouts]
        return custom_call(
            target,
            operands,
            _row_major(each.shape) if layouts is None else each.shape,
            opaque=opaque,
            attributes=values,
            api_version=version,
            gradient=self.gradients.get(target),
            platform=self.platform,
            library=self.library if targets.library_of(target, self.platform) is None else "",
            has_side_effect=attributes.get("custom_call_has_side_effect") == "true",
            output_operand_aliases=self._aliases(each, operands),
            operand_layouts=layouts,
            builder=self.builder,
        )

    def _aliases(self, each: Instruction, operands: list[Value]) -> dict[int, int]:
        """Leaves of the result, and the leaves of the operands whose memory they have."""
        text = each.attributes.get("output_to_operand_aliasing", "")
        found: dict[int, int] = {}
        pattern = r"\{([\d,\s]*)\}\s*:\s*\(\s*(\d+)\s*,\s*\{([\d,\s]*)\}[^)]*\)"
        for out, number, inner in re.findall(pattern, text):
            result = _leaf(each, each.shape, [int(n) for n in re.findall(r"\d+", out)])
            at = [int(number), *(int(n) for n in re.findall(r"\d+", inner))]
            found[result] = _leaf(each, _structure(operands), at)
        return found


# They register operators of `instructions`.
assert convolutions and elementwise and indexing and moves and pooling and scatters
assert sorts and sums

_KEPT = ("call", "conditional", "parameter", "while")
"""Instructions that are kept, since what they call may have side effects."""


def _with_ids(value: Value, ids: Iterator[str]) -> Value:
    """A value of the same structure, of other tensors."""
    if isinstance(value, list):
        items: list[Any] = value
        return [_with_ids(each, ids) for each in items]
    return next(ids)


def _needed(computation: Computation) -> set[str]:
    """The instructions that the result needs, or that have a side effect, and the operands of
    these.
    """
    effect = "custom_call_has_side_effect"
    found = {computation.root}
    for each in reversed(computation.instructions):
        if each.attributes.get(effect) == "true" or each.opcode in _KEPT:
            found.add(each.name)
        if each.name in found and each.opcode not in ("constant", "parameter"):
            found.update(each.operands)
    return found


def _structure(value: Value) -> Shape:
    if isinstance(value, list):
        items: list[Any] = value
        return Tuple(tuple(_structure(each) for each in items))
    return Array(shapes.ANY)


def _leaf(each: Instruction, shape: Shape, index: Sequence[int]) -> int:
    """The number of the leaf at an index, such as {1, 0}."""
    before, at = 0, shape
    for i in index:
        if not isinstance(at, Tuple) or i >= len(at.elements):
            raise wrong(each, f"its output_to_operand_aliasing names {[*index]} of {shape}")
        before += sum(len([*shapes.leaves(e)]) for e in at.elements[:i])
        at = at.elements[i]
    return before


def _row_major(shape: Shape) -> Shape:
    if isinstance(shape, Tuple):
        return Tuple(tuple(_row_major(each) for each in shape.elements))
    return Array(shape.kind, shape.dims)


def _flat(value: Value) -> list[Value]:
    if isinstance(value, list):
        items: list[Any] = value
        return [leaf for each in items for leaf in _flat(each)]
    return [value]


_VERSIONS = (
    "API_VERSION_ORIGINAL",
    "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED",
    "API_VERSION_TYPED_FFI",
)
