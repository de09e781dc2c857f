"""Programs of XLA as models: from the text of an HLO module, or from functions in C++ that build
them with xla::XlaBuilder.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir._device import xla as device
from popir.builder import Builder
from popir.errors import LibraryLoadError, ModelError, did_you_mean
from popir.foreign.xla import hlo_text, libraries, shapes, targets
from popir.foreign.xla.calls import Token, create_token, custom_call
from popir.foreign.xla.hlo_text import Computation, Instruction, Module
from popir.foreign.xla.operator import CustomCallGradient
from popir.foreign.xla.shapes import Array, Shape, Tuple
from popir.typed import typed
from popir.types import DataType, TensorInfo

Value = Any
"""A value of a program: a tensor id, a Token, or a list of values for a tuple."""


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
        self.builder = Builder(opsets={"ai.onnx": 18})
        self.on = self.builder.aiOnnx
        self.depth = 0
        self.at = module.entry.instructions[0]
        """The instruction that is added."""

    def program(self) -> Program:
        entry = self.module.entry
        numbered: dict[int, Instruction] = {}
        for each in entry.instructions:
            if each.opcode == "parameter":
                numbered[int(each.operands[0])] = each
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
                    raise self._wrong(each, f"'{computation.name}' gets {len(arguments)} arguments")
                values[each.name] = arguments[number]
                continue
            if each.opcode == "constant":
                values[each.name] = self._constant(each)
                continue
            operands: list[Value] = []
            for name in each.operands:
                if name not in values:
                    near = did_you_mean(name, values)
                    raise self._wrong(each, f"'{name}' is no instruction before it.{near}")
                operands.append(values[name])
            values[each.name] = self._instruction(each, operands)
        self.depth -= 1
        return values[computation.root]

    def _wrong(self, instruction: Instruction, why: str) -> ModelError:
        return ModelError(
            f"Line {instruction.line} of the HLO module, '{instruction.name}' "
            f"({instruction.opcode}): {why.rstrip('.')}."
        )

    def _constant(self, instruction: Instruction) -> Value:
        info = self._info(instruction)
        dims = tuple(info.shape())
        value = hlo_text.constant(instruction, info.dataType().numpy, dims)
        return self.on.constant(np.asarray(value))

    def _info(self, instruction: Instruction) -> TensorInfo:
        if not isinstance(instruction.shape, Array):
            raise self._wrong(instruction, f"its shape is {instruction.shape}, not an array")
        return instruction.shape.info()

    def _dims(self, dims: Sequence[int]) -> Value:
        return self.on.constant(np.array(dims, np.int64))

    def _instruction(self, each: Instruction, operands: list[Value]) -> Value:
        method = getattr(self, f"_op_{each.opcode.replace('-', '_')}", None)
        if method is not None:
            self.at = each
            return method(operands)
        if each.opcode in _PLAIN:
            return _PLAIN[each.opcode](self.on, operands)
        known = [*_PLAIN, *(n[4:].replace("_", "-") for n in dir(self) if n.startswith("_op_"))]
        raise self._wrong(
            each, f"the operator is not known here.{did_you_mean(each.opcode, known)}"
        )

    # Operators, by their name in HLO.

    def _op_tuple(self, operands: list[Value]) -> Value:
        return operands

    def _op_get_tuple_element(self, operands: list[Value]) -> Value:
        each = self.at
        index = int(each.attributes.get("index", "-1"))
        if not isinstance(operands[0], list) or not 0 <= index < len(operands[0]):
            raise self._wrong(each, f"its operand has no element {index}")
        return operands[0][index]

    def _op_call(self, operands: list[Value]) -> Value:
        each = self.at
        return self._run(self._called(each, "to_apply"), operands)

    def _op_fusion(self, operands: list[Value]) -> Value:
        each = self.at
        return self._run(self._called(each, "calls"), operands)

    def _called(self, each: Instruction, attribute: str) -> Computation:
        name = each.attributes.get(attribute, "").lstrip("%")
        if name not in self.module.computations:
            raise self._wrong(each, f"the computation '{name}' is not there")
        return self.module.computations[name]

    def _op_after_all(self, operands: list[Value]) -> Value:
        if not operands:
            return create_token(self.builder)
        if len(operands) == 1:
            return operands[0]
        return Token(self.on.concat([token.id for token in operands], 0))

    def _op_copy(self, operands: list[Value]) -> Value:
        return operands[0]

    def _op_reshape(self, operands: list[Value]) -> Value:
        each = self.at
        return self.on.reshape([operands[0], self._dims(self._info(each).shape())])

    def _op_broadcast(self, operands: list[Value]) -> Value:
        each = self.at
        to, dims = self._info(each).shape(), each.numbers("dimensions")
        between = [1] * len(to)
        for d in dims:
            between[d] = to[d]
        found = self.on.reshape([operands[0], self._dims(between)])
        return found if between == to else self.on.expand([found, self._dims(to)])

    def _op_transpose(self, operands: list[Value]) -> Value:
        each = self.at
        return self.on.transpose([operands[0]], each.numbers("dimensions"))

    def _op_slice(self, operands: list[Value]) -> Value:
        each = self.at
        parts = re.findall(r"\[([^\]]*)\]", each.attributes.get("slice", ""))
        rows = [[int(n) for n in part.split(":")] for part in parts]
        starts, ends = [row[0] for row in rows], [row[1] for row in rows]
        steps = [row[2] if len(row) > 2 else 1 for row in rows]
        axes = [*range(len(rows))]
        if not rows:
            return operands[0]
        return self.on.slice([operands[0], *map(self._dims, (starts, ends, axes, steps))])

    def _op_concatenate(self, operands: list[Value]) -> Value:
        each = self.at
        return self.on.concat(operands, each.numbers("dimensions")[0])

    def _op_convert(self, operands: list[Value]) -> Value:
        each = self.at
        return self.on.cast([operands[0]], self._info(each).data_type())

    def _op_iota(self, operands: list[Value]) -> Value:
        each = self.at
        if operands:
            raise self._wrong(each, "it has operands")
        info = self._info(each)
        axis = int(each.attributes.get("iota_dimension", "0"))
        sizes = [n if d == axis else 1 for d, n in enumerate(info.shape())]
        values = np.arange(info.shape()[axis]).reshape(sizes)
        array = np.ascontiguousarray(np.broadcast_to(values, info.shape()))
        return self.on.constant(array.astype(info.dataType().numpy))

    def _op_compare(self, operands: list[Value]) -> Value:
        each = self.at
        direction = each.attributes.get("direction", "")
        if direction == "NE":
            return self.on.logical_not([self.on.equal(operands)])
        names = {
            "EQ": self.on.equal,
            "LT": self.on.less,
            "GT": self.on.greater,
            "LE": self.on.lessorequal,
            "GE": self.on.greaterorequal,
        }
        if direction not in names:
            raise self._wrong(each, f"its direction is {direction!r}")
        return names[direction](operands)

    def _op_select(self, operands: list[Value]) -> Value:
        return self.on.where(operands)

    def _op_clamp(self, operands: list[Value]) -> Value:
        low, x, high = operands
        return self.on.min([self.on.max([x, low]), high])

    def _op_and(self, operands: list[Value]) -> Value:
        each = self.at
        return self._bits(each, operands, "logical_and", "bitwiseand")

    def _op_or(self, operands: list[Value]) -> Value:
        each = self.at
        return self._bits(each, operands, "logical_or", "bitwiseor")

    def _op_xor(self, operands: list[Value]) -> Value:
        each = self.at
        return self._bits(each, operands, "logical_xor", "bitwisexor")

    def _op_not(self, operands: list[Value]) -> Value:
        each = self.at
        return self._bits(each, operands, "logical_not", "bitwisenot")

    def _bits(self, each: Instruction, operands: list[Value], logical: str, bits: str) -> Value:
        is_bool = self._info(each).dataType() is DataType.BOOL
        return getattr(self.on, logical if is_bool else bits)(operands)

    def _op_remainder(self, operands: list[Value]) -> Value:
        return self.on.mod(operands, fmod=1)

    def _op_log_plus_one(self, operands: list[Value]) -> Value:
        return self.builder.aiGraphcore.log1p(operands)

    def _op_exponential_minus_one(self, operands: list[Value]) -> Value:
        return self.builder.aiGraphcore.expm1(operands)

    def _op_rsqrt(self, operands: list[Value]) -> Value:
        return self.on.reciprocal([self.on.sqrt(operands)])

    def _op_round_nearest_afz(self, operands: list[Value]) -> Value:
        each = self.at
        (x,) = operands
        sign, size = self.on.sign([x]), self.on.abs([x])
        whole = self.on.floor([size])
        half = self.on.constant(np.array(0.5, self._info(each).dataType().numpy))
        up = self.on.greaterorequal([self.on.sub([size, whole]), half])
        whole = self.on.add([whole, self.on.cast([up], self._info(each).data_type())])
        return self.on.mul([sign, whole])

    def _op_pad(self, operands: list[Value]) -> Value:
        each = self.at
        rows = [[int(n) for n in part.split("_")] for part in each.attributes["padding"].split("x")]
        if any(len(row) > 2 and row[2] for row in rows):
            raise self._wrong(each, "elements are put between others")
        pads = [row[0] for row in rows] + [row[1] for row in rows]
        return self.on.pad([operands[0], self._dims(pads), operands[1]])

    def _op_reverse(self, operands: list[Value]) -> Value:
        each = self.at
        axes = each.numbers("dimensions")
        ends = [-(1 << 31)] * len(axes)
        ones = [-1] * len(axes)
        return self.on.slice([operands[0], *map(self._dims, (ones, ends, axes, ones))])

    def _op_is_finite(self, operands: list[Value]) -> Value:
        bad = self.on.logical_or([self.on.isinf(operands), self.on.isnan(operands)])
        return self.on.logical_not([bad])

    def _op_reduce(self, operands: list[Value]) -> Value:
        each = self.at
        if len(operands) != 2:
            raise self._wrong(each, "several arrays are reduced together")
        steps = self._called(each, "to_apply").instructions
        opcode = steps[-1].opcode
        plain = len(steps) == 3 and {s.opcode for s in steps} == {"parameter", opcode}
        dims = each.numbers("dimensions")
        x, start = operands
        names = {"add": "reducesum", "multiply": "reduceprod"}
        names |= {"maximum": "reducemax", "minimum": "reducemin"}
        if opcode in ("and", "or") and self._info(each).dataType() is DataType.BOOL and plain:
            found = self._reduced(
                "reducemax" if opcode == "or" else "reducemin", self.on.cast([x], "INT32"), dims
            )
            found = self.on.cast([found], "BOOL")
            return getattr(self.on, f"logical_{opcode}")([found, start])
        if not plain or opcode not in names:
            raise self._wrong(
                each, "its computation is none of add, multiply, maximum, minimum, and, or"
            )
        return _PLAIN[opcode](self.on, [self._reduced(names[opcode], x, dims), start])

    def _reduced(self, name: str, x: Value, dims: list[int]) -> Value:
        if not dims:
            return x
        return getattr(self.on, name)([x, self._dims(dims)], 0)

    def _op_dot(self, operands: list[Value]) -> Value:
        each = self.at
        ranks = [len(self.builder.getTensorShape(x)) for x in operands]
        letters = iter(string.ascii_letters)
        left = [next(letters) for _ in range(ranks[0])]
        right = [next(letters) for _ in range(ranks[1])]
        pairs: list[tuple[int, int]] = []
        for kind in ("batch", "contracting"):
            both = [each.numbers(f"{side}_{kind}_dims") for side in ("lhs", "rhs")]
            pairs += zip(*both, strict=True)
        batch = each.numbers("lhs_batch_dims")
        for a, b in pairs:
            right[b] = left[a]
        shared = {left[a] for a, _ in pairs}
        out = [left[a] for a in batch]
        out += [letter for letter in left + right if letter not in shared]
        equation = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
        return self.on.einsum(operands, equation)

    def _op_custom_call(self, operands: list[Value]) -> Value:
        each = self.at
        attributes = each.attributes
        target = hlo_text.string(attributes.get("custom_call_target", '""')).decode()
        name = attributes.get("api_version", "API_VERSION_ORIGINAL")
        if name not in _VERSIONS:
            raise self._wrong(each, f"its api_version is {name}")
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
            library=self.library if targets.library_of(target, self.platform) == "" else "",
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
            result = _leaf(each.shape, [int(n) for n in re.findall(r"\d+", out)])
            at = [int(number), *(int(n) for n in re.findall(r"\d+", inner))]
            found[result] = _leaf(_structure(operands), at)
        return found


def _needed(computation: Computation) -> set[str]:
    """The instructions that the result needs, or that have a side effect, and the operands of
    these.
    """
    effect = "custom_call_has_side_effect"
    found = {computation.root}
    for each in reversed(computation.instructions):
        if each.attributes.get(effect) == "true" or each.opcode in ("call", "parameter"):
            found.add(each.name)
        if each.name in found and each.opcode not in ("constant", "parameter"):
            found.update(each.operands)
    return found


def _structure(value: Value) -> Shape:
    if isinstance(value, list):
        items: list[Any] = value
        return Tuple(tuple(_structure(each) for each in items))
    return Array(shapes.ANY)


def _leaf(shape: Shape, index: Sequence[int]) -> int:
    """The number of the leaf at an index, such as {1, 0}."""
    before = 0
    for i in index:
        assert isinstance(shape, Tuple)
        before += sum(len([*shapes.leaves(each)]) for each in shape.elements[:i])
        shape = shape.elements[i]
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


def _plain(name: str) -> Callable[[Any, list[Value]], Value]:
    return lambda on, operands: getattr(on, name)(operands)


_PLAIN: dict[str, Callable[[Any, list[Value]], Value]] = {
    hlo: _plain(onnx)
    for hlo, onnx in {
        "abs": "abs",
        "add": "add",
        "ceil": "ceil",
        "cosine": "cos",
        "divide": "div",
        "exponential": "exp",
        "floor": "floor",
        "log": "log",
        "logistic": "sigmoid",
        "maximum": "max",
        "minimum": "min",
        "multiply": "mul",
        "negate": "neg",
        "power": "pow",
        "round-nearest-even": "round",
        "sign": "sign",
        "sine": "sin",
        "sqrt": "sqrt",
        "subtract": "sub",
        "tan": "tan",
        "tanh": "tanh",
        "erf": "erf",
    }.items()
}
