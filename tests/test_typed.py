"""What the annotations of a function let through, and in what form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir.enums import TileSet
from popir.errors import StepIOError, popart_exception
from popir.typed import fitter, typed, words


@pytest.mark.parametrize(
    ("hint", "given", "made"),
    [
        (int, np.int64(3), 3),
        (float, np.float32(0.5), 0.5),
        (float, 3, 3.0),
        (bool, np.True_, True),
        (Sequence[int], np.array([1, 2]), [1, 2]),
        (Iterable[str], (c for c in "ab"), ["a", "b"]),
        (Mapping[str, float], {"a": 1}, {"a": 1.0}),
        (tuple[float, bool], (1, True), (1.0, True)),
        (Sequence[int] | None, None, None),
        (dict[int, str] | str, "a", "a"),
        (type[Exception], ValueError, ValueError),
    ],
)
def test_what_fits(hint: Any, given: Any, made: Any) -> None:
    found = fitter(hint)(given)
    assert found == made
    assert type(found) is type(made)


def test_what_fits_as_it_is_stays_the_same_object() -> None:
    for hint, value in ((Mapping[str, int], {"a": 1}), (Sequence[str], ["a"]), (set[int], {1})):
        assert fitter(hint)(value) is value


@pytest.mark.parametrize(
    ("hint", "given"),
    [
        (int, True),
        (int, 1.0),
        (int, np.array([1])),
        (float, True),
        (float, "1"),
        (float, np.array([1.0])),
        (float, 1j),
        (bool, 1),
        (str, b"a"),
        (str, Path("a")),
        (Sequence[str], "ab"),
        (Sequence[str], {"a": 1}),
        (Sequence[str], {"a"}),
        (Sequence[str], ["a", 1]),
        (Iterable[int], np.array(1)),
        (Mapping[str, int], [("a", 1)]),
        (tuple[float, bool], (1.0,)),
        (TileSet, "IO"),
        (type[Exception], int),
        (Callable[[int], int], 3),
    ],
)
def test_what_does_not_fit(hint: Any, given: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (Its words are those of a help, if any.)
        fitter(hint)(given)


def test_words() -> None:
    assert words(Sequence[int] | None) == "a list of integers or None"
    assert words(Mapping[str, list[str]]) == "a dict of strings to lists of strings"
    assert words(type[ValueError]) == "a class derived from ValueError"


@typed
class Sample:
    """A class as they are."""

    def __init__(self, a: int, b: str = "b") -> None:
        self.given = (a, b)

    @staticmethod
    def static(a: int) -> int:
        """Gives it back."""
        return a

    @classmethod
    def of_class(cls, a: "Sample | None" = None) -> "Sample | None":
        """Gives it back."""
        return a

    def several(self, *args: int, a: int = 0, **kwargs: str) -> tuple[Any, ...]:
        """Gives them back."""
        return (args, a, kwargs)


class Unnamed:
    """An object that is called."""

    @typed
    def __call__(self, a: int) -> int:
        """Gives it back."""
        return a


class Named(Unnamed):
    """One with the name by which it is called."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


class Derived(Sample):
    """Another that is made as the first."""


@typed(error=StepIOError)
def function(a: int) -> int:
    """Gives it back."""
    return a


def test_who_is_named() -> None:
    for call, who in (
        (lambda: Sample("1"), "Sample takes an integer as a; given was '1'."),  # pyright: ignore
        (lambda: Derived(1, b=2), "Derived takes a string as b; given was 2."),  # pyright: ignore
        (lambda: Sample.static("1"), "Sample.static takes an integer as a"),  # pyright: ignore
        (lambda: Derived.of_class(3), "Derived.of_class takes an object of Sample or None as a"),  # pyright: ignore
        (lambda: Derived(1).several(a=True), "Derived.several takes an integer as a"),
        (lambda: Derived(1).several(1, "x"), "Derived.several takes an integer as args[1]; given"),  # pyright: ignore
        (lambda: Named("scale_op")("x"), "scale_op takes an integer as a; given was 'x'."),  # pyright: ignore
        (lambda: Unnamed()("x"), "Unnamed.__call__ takes an integer as a; given was 'x'."),  # pyright: ignore
        (lambda: function(None), "function takes an integer as a; given was None."),  # pyright: ignore
    ):
        with pytest.raises(popart_exception if who[0] != "f" else StepIOError) as error:
            call()
        assert str(error.value).startswith(who)


def test_the_call_arrives_as_it_was() -> None:
    assert Derived(np.int64(3)).given == (3, "b")  # pyright: ignore
    assert Sample(1).several(np.int64(4), 5, a=2, b=3) == ((4, 5), 2, {"b": 3})  # pyright: ignore
    with pytest.raises(TypeError, match="missing 1 required"):
        Sample()  # pyright: ignore
