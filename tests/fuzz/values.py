"""Arguments for the bindings: plausible ones, so that calls get far, and hostile ones."""

from __future__ import annotations

import ast
import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from popir import _device, poplar
from popir.errors import PopirError

INTEGERS = [-1, -(2**31), -(2**63), 2**16, 2**20 + 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, 10**30]
FLOATS = [float("nan"), float("inf"), -float("inf"), -0.0, 1e308, 1e-320, 1e39, -1.0]
TEXTS = [
    "",
    "\0",
    "a\nb",
    "é\ud800",
    "x" * 5000,
    "%s%n",
    "../..",
    "t0",
    "in",
    "out",
    "float",
    "half",
]
SHAPES = [
    [4, 4],
    [4],
    [4, 4],
    [2, 4, 4],
    [1, 4, 4, 4],
    [4, 4, 4],
    [],
    [0, 4],
    [1],
    [8],
    [2],
    [4, 0],
]
TYPES = ["FLOAT"] * 6 + ["HALF", "INT", "UNSIGNED_INT", "BOOL", "LONGLONG", "DOUBLE", "QUARTER"]
OPTIONS = {
    "partialsType": ["half", "float"],
    "availableMemoryProportion": ["0.1", "0", "nan", "-1"],
    "fullyConnectedPass": ["INFERENCE_FWD", "TRAINING_WU"],
    "host.numThreads": ["1", "2", "0", "-1", "99999999999"],
    "host.profile": ["true", "perhaps"],
    "inputType": ["float"],
    "planType": ["x"],
}


OF_A_GRAPH = (
    *(poplar.Tensor, poplar.ComputeSet, poplar.Function, poplar.VertexRef, poplar.FieldRef),
    *(poplar.DataStream, poplar.HostFunction),
)


class CallbackError(Exception):
    """What a callback of a program raises; it arrives where the callback was called from."""


class Program:
    """The objects of one program, and how arguments are made from them."""

    def __init__(
        self,
        rng: random.Random,
        constructors: dict[str, list[Any]],
        call: Callable[[Any, list[Any]], Any],
    ) -> None:
        self.rng = rng
        self.objects: dict[str, list[Any]] = {}
        """By the name of their type below popir._device."""
        self.hostility = rng.choice([0.02, 0.1, 0.3])
        self._constructors = constructors
        self._call = call
        self._depth = 0

    def add(self, value: Any) -> None:
        """Makes a value, or those in it, known as arguments of later calls."""
        if isinstance(value, (list, tuple, set)):
            for each in list(value)[:8]:
                self.add(each)
            return
        kind = type(value)
        if kind.__module__.startswith("popir._device"):
            for each in kind.__mro__:
                name = f"{each.__module__}.{each.__qualname__}".removeprefix("popir._device.")
                self.objects.setdefault(name, []).append(value)

    def hostile(self) -> bool:
        """Whether the next value is one that should be refused."""
        return self.rng.random() < self.hostility

    def value(self, type: ast.expr, name: str = "") -> Any:
        """A value of a type, or at times of another one."""
        if self.rng.random() < 0.1 * self.hostility:
            return self._anything()
        match type:
            case ast.Constant(value=None):
                return None
            case ast.BinOp(left=left, right=right):
                return self.value(left if self.rng.random() < 0.8 else right, name)
            case ast.Subscript(value=outer, slice=inner):
                return self._made_of(ast.unparse(outer), inner)
            case _:
                return self._plain(ast.unparse(type), name)

    def _plain(self, type: str, name: str) -> Any:
        made = {
            "typing.SupportsInt": self.integer,
            "int": self.integer,
            "typing.SupportsIndex": self.integer,
            "typing.SupportsFloat": self.number,
            "float": self.number,
            "bool": lambda: self.rng.random() < 0.5,
            "str": self.text,
            "bytes": lambda: self.rng.randbytes(self.rng.randrange(40)),
            "object": self._operand,
            "numpy.typing.ArrayLike": self._operand,
            "numpy.typing.DTypeLike": self._operand,
            "dict": lambda: {self.text(): self._anything() for _ in range(self.rng.randrange(3))},
            "list": lambda: [self._anything() for _ in range(self.rng.randrange(3))],
            "tuple": lambda: tuple(self._anything() for _ in range(self.rng.randrange(4))),
            "numpy.ndarray": self.array,
            "function": self.function,
            "collections.abc.Callable": self.function,
            "popir._device.poplar.DebugContext": self.text,
            "popir._device.poplar.OptionFlags": self.options,
            "popir._device.poplar.Type": lambda: getattr(poplar, self.rng.choice(TYPES)),
        }.get(type)
        if made is not None:
            return made()
        if type.startswith(("popir.ir.", "popir.types.")):  # the compiler's
            return self._operand()
        name = type.removeprefix("popir._device.")
        if _kind(name) is None:
            raise ValueError(f"No value is known of the type '{type}' of the parameter '{name}'.")
        return self.object(name)

    def _made_of(self, outer: str, inner: ast.expr) -> Any:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if outer == "typing.Annotated":  # of a fixed size
            assert isinstance(parts[1], ast.Constant)
            size = int("".join(filter(str.isdigit, parts[1].value)))
            assert isinstance(parts[0], ast.Subscript)
            return [self.value(parts[0].slice) for _ in range(size - self.hostile())]
        if outer == "tuple":
            return tuple(self.value(part) for part in parts)
        if outer in ("dict", "collections.abc.Mapping"):
            entries = range(self.rng.randrange(3))
            made = [(self.value(parts[0]), self.value(parts[1])) for _ in entries]
            return {key if _is_key(key) else str(key): value for key, value in made}
        if outer == "collections.abc.Callable":
            given = inner.elts[1] if isinstance(inner, ast.Tuple) else None
            return self.function(given)
        if "Supports" in ast.unparse(inner) and not isinstance(inner, (ast.Subscript, ast.Tuple)):
            return self.integers()
        sizes = [0, 1, 200] if self.hostile() else [1, 2, 2, 3]
        return [self.value(inner) for _ in range(self.rng.choice(sizes))]

    def integer(self) -> int:
        """A small number, or one that is out of all ranges."""
        return (
            self.rng.choice(INTEGERS) if self.hostile() else self.rng.choice([0, 1, 1, 2, 3, 4, 8])
        )

    def number(self) -> float:
        """A real number."""
        return self.rng.choice(FLOATS) if self.hostile() else self.rng.choice([0.0, 0.5, 1.0, 2.5])

    def text(self) -> str:
        """A name."""
        return (
            self.rng.choice(TEXTS) if self.hostile() else self.rng.choice(["t0", "t1", "in", "out"])
        )

    def integers(self) -> list[int]:
        """A shape, a permutation, a list of indices: small numbers."""
        if self.hostile():
            return [self.integer() for _ in range(self.rng.choice([0, 1, 3, 40]))]
        if self.rng.random() < 0.4:
            return list(self.rng.choice(SHAPES))
        if self.rng.random() < 0.3:
            return self.rng.sample(range(n := self.rng.randrange(1, 5)), n)
        return [self.integer() for _ in range(self.rng.choice([1, 1, 2, 2, 3, 4]))]

    def array(self) -> Any:
        """An array of numpy's."""
        shape = self.rng.choice(SHAPES)
        dtype = self.rng.choice(["f4", "f4", "f4", "i4", "u4", "f2", "f8", "?"])
        if self.hostile():
            dtype = self.rng.choice(["O", "S3", "c8", ">f4", "M8[s]", "i8", "V5"])
        made = np.zeros(shape, dtype)
        if self.hostile():
            made = (
                np.broadcast_to(made, [3, *shape]) if self.rng.random() < 0.5 else made[..., None].T
            )
        return made

    def options(self) -> dict[Any, Any]:
        """Options by name."""
        if self.rng.random() < 0.7:
            return {}
        name = self.rng.choice([*OPTIONS])
        return {name: self.rng.choice([*OPTIONS[name], self.text()])}

    def function(self, result: ast.expr | None = None) -> Callable[..., Any]:
        """A callback, which may fail, or give or do what it should not."""
        given = self._anything() if result is None or self.hostile() else self.value(result)
        kind = self.rng.randrange(3) if result is None or self.hostile() else 1

        def callback(*arguments: Any) -> Any:
            if kind == 0:
                raise CallbackError
            for each in arguments:
                if isinstance(each, np.ndarray) and each.flags.writeable:
                    each[...] = 1
            return given if kind == 1 else None

        return callback

    def object(self, type: str) -> Any:
        """One of the program's, or a new one; at times a number in place of an enum's member."""
        known = self.objects.get(type) or []
        kind = _kind(type)
        if kind is not None and hasattr(kind, "__members__"):
            if self.hostile():
                with contextlib.suppress(PopirError):
                    return kind(self.rng.choice([-1, 7, 77, 2**31 - 1]))
            return self.rng.choice([*kind.__members__.values()])
        if known and (self.rng.random() < 0.9 or self._depth > 2):
            if kind in OF_A_GRAPH and not self.hostile():
                mine = [each for each in self.own if isinstance(each, kind)]
                return self.rng.choice(mine or known)
            return self.rng.choice(known)
        made = self._constructors.get(type)
        if made and self._depth <= 2:
            self._depth += 1
            try:
                value = self._call(self.rng.choice(made), self)
            finally:
                self._depth -= 1
            if value is not None:
                return value
        return self.rng.choice(known) if known else None

    own: list[Any] = []
    """What belongs to the graph of the next call: tensors, compute sets and so on."""

    def alike(self) -> None:
        """Leaves, of the tensors in `own`, those of one shape, and mostly of one type, as most
        functions of several tensors want them.
        """
        tensors = [each for each in self.own if isinstance(each, poplar.Tensor) and each.valid()]
        kinds: dict[Any, list[Any]] = {}
        any_type = self.rng.random() < 0.3
        for each in tensors:
            name = "" if any_type else str(each.elementType())
            kinds.setdefault((name, *each.shape()), []).append(each)
        if not kinds:
            return
        same = self.rng.choice([*kinds.values()])
        others = [each for each in self.own if not isinstance(each, poplar.Tensor)]
        self.own = [*same, *others]

    def _operand(self) -> Any:
        """For what takes any object: mostly what expressions or functions of elements take."""
        if self.hostile():
            return self._anything()
        kind = "popops.expr.Expr" if self.makes_expression else "poplar.Tensor"
        made = [lambda: self.object(kind)] * 4
        return self.rng.choice([self.number, self.integer, *made])()

    makes_expression = False
    """Whether the next call makes one; other functions take tensors in the same places."""

    def _anything(self) -> Any:
        every = [value for values in self.objects.values() for value in values]
        plain = [None, self.integer, self.number, self.text, self.array, self.integers]
        made = self.rng.choice([*plain, *([lambda: self.rng.choice(every)] * 6 if every else [])])
        return made() if callable(made) else made


def _is_key(value: Any) -> bool:
    """Whether a dict takes a value as a key: no list, not even in a tuple."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _kind(name: str) -> Any:
    """A class below popir._device, None if there is none of that name."""
    found: Any = _device
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def views(rng: random.Random, tensor: Any) -> Iterator[Any]:
    """Views of a tensor, and views of those."""
    for _ in range(rng.randrange(3)):
        made = [
            lambda t: t.flatten(),
            lambda t: t.reverse(0),
            lambda t: t.slice(0, 2, 0),
            lambda t: t.transpose(),
            lambda t: t.broadcast(2, 0),
            lambda t: t.subSample(2, 0),
            lambda t: poplar.concat([t, t]),
            lambda t: t[0],
        ]
        try:
            tensor = rng.choice(made)(tensor)
        except (RuntimeError, IndexError):
            return
        yield tensor
