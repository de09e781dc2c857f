"""Properties that are computed once."""

import functools
import threading
from pathlib import Path

import popir
from popir.cached import cached_property


class Kept:
    def __init__(self) -> None:
        self.computed = 0

    @cached_property
    def value(self) -> list[int]:
        """A new list."""
        self.computed += 1
        return []


def test_it_is_computed_once() -> None:
    kept = Kept()
    assert kept.value is kept.value
    assert kept.computed == 1
    assert Kept().value is not kept.value


def test_it_lies_in_the_object() -> None:
    kept = Kept()
    vars(kept)["value"] = [1]
    assert kept.value == [1] and kept.computed == 0
    del kept.value
    assert kept.value == [] and kept.computed == 1


def test_of_the_class_it_is_the_property() -> None:
    assert isinstance(Kept.value, cached_property)
    assert Kept.value.__doc__ == "A new list."


def test_threads_get_one_value_and_do_not_wait() -> None:
    inside, go = threading.Event(), threading.Event()
    main = threading.current_thread()

    class Slow:
        @cached_property
        def value(self) -> object:
            if threading.current_thread() is not main:
                inside.set()
                assert go.wait(60)
            return object()

    slow, seen = Slow(), list[object]()
    other = threading.Thread(target=lambda: seen.append(slow.value))
    other.start()
    assert inside.wait(60)
    value = slow.value  # While the other thread computes it, too.
    go.set()
    other.join()
    assert seen == [value] and slow.value is value


def test_there_is_no_other_one() -> None:
    assert not hasattr(Kept.value, "lock")
    name = functools.cached_property.__name__
    for file in Path(popir.__file__).parent.rglob("*.py"):
        text = file.read_text()
        assert f"functools.{name}\n" not in text, file
        assert not any(
            name in line for line in text.splitlines() if line.startswith("from functools import")
        ), file
