"""Operators that draw random numbers: what makes the numbers of one differ from another's."""

from __future__ import annotations

import struct
import zlib

from popir.ir import Op, OpSerialiser


class DrawingOp(Op):
    """The base class of operators that draw random numbers.

    Numbers are a function of the session's seed, `modifier` and the number's index.
    """

    _modifier: int | None = None

    @property
    def modifier(self) -> int:
        """A number that makes the operator's random numbers differ from those of others: its id at
        the first `setup()`.
        """
        return self.id if self._modifier is None else self._modifier

    def requiresRandomSeed(self) -> bool:
        """True: it draws random numbers."""
        return True

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes and, if it draws, `modifier`: operators with different random numbers are
        not equal.
        """
        super().appendAttributes(os)
        if self.requiresRandomSeed():
            os.appendAttribute("modifier", self.modifier)

    def setup(self) -> None:
        """Keeps `modifier`. A subclass infers the outputs too."""
        self._modifier = self.modifier


class SeededOp(DrawingOp):
    """A drawing operator with ONNX's attribute `seed`.

    Without it an operator's numbers are its own. With it, operators of equal seeds and shapes draw
    the same numbers. In both cases the numbers follow the session's seed too, which changes after
    each batch (`Session.setRandomSeed`).
    """

    seed: float | None

    @property
    def modifier(self) -> int:
        """A number from the attribute `seed` if it is given, else the operator's own."""
        if self.seed is None:
            return super().modifier
        # The upper half of the range: ids of operators are below.
        return zlib.crc32(struct.pack("<f", self.seed)) | 1 << 31
