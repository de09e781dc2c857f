"""The seed of the random numbers that a step draws."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from popir.errors import (
    popart_exception,
)
from popir.exclusive import exclusive
from popir.reserved import RANDOM_SEED
from popir.session.prepared import Prepared
from popir.typed import shown, typed

Array = np.ndarray[Any, Any]


def seed_of(words: Sequence[int] | Array) -> int:
    """The random seed of two words of 32 bits, the lower first."""
    return int(words[0]) | int(words[1]) << 32


def words_of(seed: int) -> list[int]:
    """The lower 64 bits of a random seed as two words, the lower first."""
    return [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]


@typed
class RandomNumbers(Prepared):
    """The methods that read and set the random seed."""

    @exclusive()
    def setRandomSeed(self, seed: int) -> None:
        """Sets the random seed for the next batch: the lower 64 bits of `seed`.

        The same seed gives the same random numbers; each replica draws others. The device changes
        the seed after each batch. Without a call it starts at 0, or with the seed saved in the
        model; before `prepareDevice`, a call says what it starts with. Without effect if the model
        draws no random numbers.
        """
        value = np.array(words_of(seed), np.uint32)
        if self._step is None:
            if RANDOM_SEED in self._host:
                self._host.writeable(RANDOM_SEED)[...] = value
            return
        self._prepared("setRandomSeed")
        if self._draws_random_numbers():
            self._send_seed(value)

    @exclusive()
    def getRandomSeed(self) -> int:
        """The seed of the next batch; 0 if the model draws no random numbers.

        Raises popart_exception before `prepareDevice`.
        """
        value = np.zeros(2, np.uint32)
        engine = self._prepared("getRandomSeed")
        if self._draws_random_numbers():
            engine.readTensor(RANDOM_SEED, value)
        return seed_of(value)

    def getRNGState(self) -> list[int]:
        """The state of the random number generator: the two words of the seed of the next batch,
        the lower first.

        Raises popart_exception before `prepareDevice`.
        """
        return words_of(self.getRandomSeed())

    def setRNGState(self, rngValue: Collection[int]) -> None:
        """Sets the state of the random number generator to one that `getRNGState` returned.

        Raises popart_exception for anything but two words of 32 bits.
        """
        words = list(rngValue)
        if len(words) != 2 or not all(0 <= word < 1 << 32 for word in words):
            raise popart_exception(
                "setRNGState takes what getRNGState returns, two words of 32 bits; given was "
                f"{shown(words)}."
            )
        self.setRandomSeed(seed_of(words))
