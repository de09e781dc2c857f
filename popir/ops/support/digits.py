"""Sums of products of 8-bit integers, computed exactly in FLOAT, which is many times as fast as in
INT or DOUBLE: with one operand cut into digits where that is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_EXACT = 1 << 24
"""Up to here FLOAT holds all integers."""


def digit_base(most: int, others: int) -> int | None:
    """The base of the digits of an operand with absolute values up to `most` <= 256, for sums in
    which the absolute values of the other operand sum up to `others`: 256 if the operand needs not
    be cut. None if there is none, for sums of more than 2^22.

    A digit is from -base to base, so that no sum of its products is more than 2^24.
    """
    if most * others <= _EXACT:
        return 256
    return next((base for base in (16, 4) if base * others <= _EXACT), None)


def digits(
    x: T, base: int, floor_of_quotient: Callable[[T], T], rest: Callable[[T, T], T]
) -> list[T]:
    """The digits of `x`, the lowest first; the highest has the sign. `floor_of_quotient(x)` is the
    floor of x / base, `rest(x, q)` is x - base q.
    """
    found, power = [], base
    while power < 256:
        upper = floor_of_quotient(x)
        found.append(rest(x, upper))
        x, power = upper, power * base
    return [*found, x]
