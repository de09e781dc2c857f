"""Reads the text of HLO modules: computations with instructions, their shapes and attributes.

HloModule m

ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[2] custom-call(x), custom_call_target="f"
}
"""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from popir.errors import ModelError
from popir.foreign.xla import shapes
from popir.foreign.xla.shapes import Shape

_HEADER = re.compile(r"(ENTRY\s+)?%?([\w.-]+)\s*(\(.*\)\s*->\s*[^{]*(\{[\d,]*\})?[^{]*)?\{\s*$")
_INSTRUCTION = re.compile(r"(ROOT\s+)?%?([\w.-]+)\s*=\s*")
_OPCODE = re.compile(r"\s*([a-z][\w-]*)\(")
_NAME = re.compile(r"(?:.*\s)?%?([\w.-]+)$", re.DOTALL)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Instruction:
    """One instruction of a computation."""

    name: str
    shape: Shape
    opcode: str
    operands: list[str]
    """The names of the operands; for a constant or parameter, what is in their place."""
    attributes: dict[str, str]
    line: int


@dataclass
class Computation:
    """A named list of instructions, the last of which may not be the root."""

    name: str
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    root: str = ""

    def step(self, name: str) -> Instruction:
        """The instruction of a name."""
        return next(each for each in self.instructions if each.name == name)


@dataclass
class Module:
    """The computations of a module by name, and the one where it begins."""

    name: str
    computations: dict[str, Computation]
    entry: Computation


def parsed(text: str) -> Module:
    """The module that a text says. Raises ModelError with the line for what cannot be read."""
    name, current = "", None
    computations: dict[str, Computation] = {}
    entry: Computation | None = None
    for number, line in _lines(text):
        if line.startswith("HloModule"):
            name = re.split(r"[\s,]", line.removeprefix("HloModule").strip())[0]
        elif current is None:
            found = _HEADER.match(line)
            if found is None:
                raise _wrong(number, line, "the beginning of a computation, 'NAME {'")
            current = Computation(found[2])
            if current.name in computations:
                raise _wrong(number, line, "a name that no other computation has")
            computations[current.name] = current
            if found[1]:
                entry = current
        elif line.startswith("}"):
            current = None
        else:
            current.instructions.append(_instruction(number, line, current))
    if current is not None:
        raise ModelError(
            f"The text of the HLO module ends within the computation '{current.name}'; expected is "
            "'}'."
        )
    if entry is None and len(computations) == 1:
        (entry,) = computations.values()
    if entry is None or not entry.instructions:
        raise ModelError("The text of the HLO module has no ENTRY computation with instructions.")
    for each in computations.values():
        if not each.root and each.instructions:
            each.root = each.instructions[-1].name
    return Module(name, computations, entry)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without comments. What follows a line that ends with a comma
    belongs to it.
    """
    first, whole = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"/\*.*?\*/", "", line).strip()
        if not line or line.startswith("//"):
            continue
        first, whole = (first, f"{whole} {line}") if whole else (number, line)
        if not line.endswith(","):
            yield first, whole
            whole = ""
    if whole:
        yield first, whole


def _wrong(number: int, line: str, expected: str) -> ModelError:
    return ModelError(f"Line {number} of the HLO module is {line[:120]!r}; expected is {expected}.")


def _instruction(number: int, line: str, computation: Computation) -> Instruction:
    found = _INSTRUCTION.match(line)
    if found is None:
        raise _wrong(number, line, "an instruction, 'NAME = SHAPE OPCODE(...)'")
    rest = line[found.end() :]
    end = _close(rest, 0) if rest.startswith("(") else rest.find(" ")
    opcode = _OPCODE.match(rest, end)
    if end < 0 or opcode is None:
        raise _wrong(number, line, "a shape and an operator, 'f32[2] add('")
    close = _close(rest, opcode.end() - 1)
    if close < 0:
        raise _wrong(number, line, "a closing parenthesis")
    inside = rest[opcode.end() : close - 1]
    shape = shapes.parsed(f"Line {number} of the HLO module", _without_tiles(rest[:end]))
    if opcode[1] in ("constant", "parameter"):
        operands = [inside.strip()]
        if opcode[1] == "parameter" and not operands[0].isdecimal():
            raise _wrong(number, line, "the number of a parameter")
    else:
        operands = [_operand(number, line, item) for item in _split(inside)]
    attributes: dict[str, str] = {}
    for item in _split(rest[close:].lstrip(" ,")):
        key, _, value = item.partition("=")
        attributes[key.strip()] = value.strip()
    if any(each.name == found[2] for each in computation.instructions):
        raise _wrong(number, line, "a name that no other instruction of the computation has")
    if found[1]:
        if computation.root:
            raise _wrong(number, line, f"no second ROOT beside '{computation.root}'")
        computation.root = found[2]
    return Instruction(found[2], shape, opcode[1], operands, attributes, number)


def _operand(number: int, line: str, item: str) -> str:
    found = _NAME.match(item)
    if found is None:
        raise _wrong(number, line, f"the name of an operand instead of {item!r}")
    return found[1]


def _without_tiles(text: str) -> str:
    """The text of a shape without what follows the layout in braces, such as {1,0:T(8,128)}."""
    return re.sub(r"\{([\d,]*):[^}]*\}", r"{\1}", text)


def _close(text: str, at: int) -> int:
    """The index behind the bracket that closes the one at `at`; -1 if there is none."""
    depth, i = 0, at
    while i < len(text):
        if text[i] == '"':
            i = _end_of_string(text, i)
            continue
        if text[i] in _PAIRS:
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return -1


def _end_of_string(text: str, at: int) -> int:
    i = at + 1
    while i < len(text) and text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i + 1


def _split(text: str) -> list[str]:
    """The items between commas that are in no brackets, strings or angle brackets."""
    items: list[str] = []
    depth, begin, i = 0, 0, 0
    while i < len(text):
        if text[i] == '"':
            i = _end_of_string(text, i)
            continue
        if text[i] in "([{<":
            depth += 1
        elif text[i] in ")]}" or (text[i] == ">" and text[i - 1] != "-"):
            depth -= 1
        elif text[i] == "," and depth == 0:
            items.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    items.append(text[begin:].strip())
    return [item for item in items if item]


def string(text: str) -> bytes:
    """The bytes of a string in quotes, with the escapes of C."""
    escapes = {"n": b"\n", "t": b"\t", "r": b"\r"}

    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code.isdecimal():
            return chr(int(code, 8) & 0xFF)
        if code[0] == "x":
            return chr(int(code[1:], 16))
        return escapes.get(code, code.encode()).decode("latin-1")

    inside = text[1:-1].encode("utf-8", "surrogateescape").decode("latin-1")
    return re.sub(r"\\([0-7]{1,3}|x[0-9a-fA-F]{2}|.)", one, inside).encode("latin-1")


def constant(instruction: Instruction, dtype: np.dtype[Any], dims: tuple[int, ...]) -> Any:
    """The value of a constant: "1.5", "{1, 2}", "{{true, false}}"."""
    text = instruction.operands[0]
    if "..." in text:
        raise ModelError(
            f"Line {instruction.line} of the HLO module leaves out the values of a constant, "
            f"{text!r}: print the module with large constants."
        )
    if dtype.kind == "c":
        words = re.findall(r"\(([^)]*)\)", text)
        values: list[Any] = [complex(*map(float, word.split(","))) for word in words]
    else:
        words = re.findall(r"[^\s,{}]+", text)
        values = [_number(instruction, word, dtype) for word in words]
    if len(values) != int(np.prod(dims)):
        raise ModelError(
            f"Line {instruction.line} of the HLO module has {len(values)} values for a constant "
            f"of the shape {list(dims)}."
        )
    return (
        np.array(values, dtype=object if dtype.kind in "iu" else None).astype(dtype).reshape(dims)
    )


def _number(instruction: Instruction, word: str, dtype: np.dtype[Any]) -> Any:
    try:
        if word in ("true", "false"):
            return word == "true"
        if dtype.kind not in "iu":
            return float(word)
        limits = np.iinfo(dtype)
        if not limits.min <= int(word) <= limits.max:
            raise ModelError(
                f"Line {instruction.line} of the HLO module has the constant {word}, which is no "
                f"{dtype}."
            )
        return int(word)
    except ValueError:
        raise ModelError(
            f"Line {instruction.line} of the HLO module has {word!r} where a number is expected."
        ) from None


# The attributes of typed calls: the text of a dictionary in MLIR.

_MLIR = {"i1": "pred", "index": "s64"}


def dictionary(where: str, text: str) -> dict[str, Any]:
    """The values of a dictionary, "{eps = 1.0e-05 : f32, axes = array<i64: 0, 1>}".

    Raises ModelError, naming `where`, for what cannot be read.
    """
    try:
        return {
            key.strip().strip('"'): _attribute(value.strip())
            for key, _, value in (item.partition("=") for item in _split(text.strip()[1:-1]))
        }
    except (ValueError, KeyError, SyntaxError, struct.error) as error:
        raise ModelError(
            f"{where} has the attributes {text!r}, which cannot be read: {error}"
        ) from None


def _dtype(name: str) -> np.dtype[Any]:
    name = re.sub(r"^i(\d+)$", r"s\1", name) if name not in _MLIR else _MLIR[name]
    name = re.sub(r"^(ui)(\d+)$", r"u\2", name)
    return shapes.kind_of(name).numpy


def _attribute(text: str) -> Any:
    if not text:
        return True  # An attribute without a value.
    if text[0] == '"':
        return _bytes_of_mlir(text)
    if text[0] == "{":
        return dictionary("A dictionary", text)
    if text in ("true", "false"):
        return text == "true"
    if found := re.fullmatch(r"dense<(.*)>\s*:\s*tensor<(?:(\d+)x)?(\w+)>", text, re.DOTALL):
        return _dense(found[1], found[2], _dtype(found[3]))
    if found := re.fullmatch(r"array<(\w+)(?::\s*(.*))?>", text, re.DOTALL):
        words = [word.strip() for word in (found[2] or "").split(",") if word.strip()]
        return _array(words, _dtype(found[1]))
    word, _, kind = text.partition(":")
    default = "i64" if re.fullmatch(r"-?\d+", word.strip()) else "f64"
    return _array([word.strip()], _dtype(kind.strip() or default))[0]


def _bytes_of_mlir(text: str) -> str | bytes:
    """A string, whose escapes are two hexadecimal digits."""
    inside = text[1:-1].encode("utf-8", "surrogateescape").decode("latin-1")
    plain = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}

    def one(found: re.Match[str]) -> str:
        return plain[found[1]] if found[1] in plain else chr(int(found[1], 16))

    found = re.sub(r'\\([0-9A-Fa-f]{2}|[nt\\"])', one, inside).encode("latin-1")
    try:
        return found.decode()
    except UnicodeDecodeError:
        return found


def _dense(text: str, size: str | None, dtype: np.dtype[Any]) -> Any:
    if text.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(text[3:-1]), dtype)
    words = [word for word in re.split(r"[\s,\[\]]+", text) if word]
    array = _array(words, dtype)
    if size is None:
        return array[0]
    return np.full(int(size), array[0], dtype) if len(array) == 1 else array


def _array(words: list[str], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    values: list[Any] = []
    for word in words:
        if word in ("true", "false"):
            values.append(word == "true")
        elif dtype.kind in "iu":
            values.append(int(word, 0))
        elif word.startswith("0x"):  # The bits of a NaN or an infinity.
            bits = int(word, 16).to_bytes(dtype.itemsize, "little")
            values.append(float(np.frombuffer(bits, dtype)[0]))
        else:
            values.append(float(ast.literal_eval(word)) if word[-1].isdigit() else float(word))
    return np.array(values, dtype=object if dtype.kind in "iu" else None).astype(dtype)
