"""TfIdfVectorizer: how often n-grams are in sequences of words or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.host import Call, host_operator, shown
from popir.memory import require

Array = np.ndarray[Any, Any]

_MODES = ("TF", "IDF", "TFIDF")


@host_operator("ai.onnx", "TfIdfVectorizer", 9, why="it looks n-grams up in a table")
def tf_idf_vectorizer(call: Call, x: Array) -> Array:
    """ONNX's TfIdfVectorizer, version 9: for each n-gram of the pool its count in the row, at the
    place that `ngram_indexes` names; whether it is there times its weight (IDF), or the count times
    its weight (TFIDF).

    The words of an n-gram are 1 to `max_skip_count` + 1 apart, all as far. Integers run here too:
    they are looked up as words are.
    """
    if x.ndim not in (1, 2):
        raise call.wrong(f"its input is {shown(x)}; it must be [C] or [N, C].")
    pool = call.once(_Pool)
    if pool.is_text != (x.dtype == object):
        raise call.wrong(f"its input is {shown(x)}; it must be of the type of the pool.")
    rows = x.reshape(1, -1) if x.ndim == 1 else x
    require(call.who, 4 * len(rows) * pool.width)
    words = pool.words(rows)
    counts = np.zeros([len(rows), len(pool.places)], np.int64)
    for n, table in pool.tables.items():
        for apart in range(1, (1 if n == 1 else pool.apart) + 1):
            starts = words.shape[1] - (n - 1) * apart
            if starts <= 0:
                break
            at, grams = table.found(words, starts, apart)
            np.add.at(counts, (at, grams), 1)
    mode = call["mode"]
    scaled = counts.astype(np.float32) if mode != "IDF" else (counts > 0).astype(np.float32)
    if mode != "TF":
        scaled *= pool.weights
    found = np.zeros([len(rows), pool.width], np.float32)
    np.add.at(found.T, pool.places, scaled.T)
    return found.reshape(*x.shape[:-1], pool.width)


class _Table:
    """The n-grams of one length, as a tree: what follows a node with a word."""

    def __init__(self, grams: Array, first: int, size: int) -> None:
        """`grams` are words by number, [count, n]; `first` is the number of the first n-gram."""
        self._size = size
        """The number of different words."""
        self._levels: list[Array] = []
        node = np.zeros(len(grams), np.int64)
        for column in range(grams.shape[1]):
            codes, node = np.unique(node * size + grams[:, column], return_inverse=True)
            self._levels.append(codes)
        # Of n-grams that are there twice the first counts.
        _, firsts = np.unique(node, return_index=True)
        self._grams = first + firsts

    def found(self, words: Array, starts: int, apart: int) -> tuple[Array, Array]:
        """The rows and n-grams that are there, from each of the first places on."""
        rows = np.repeat(np.arange(len(words)), starts)
        places = np.tile(np.arange(starts), len(words))
        node = np.zeros(len(rows), np.int64)
        for k, codes in enumerate(self._levels):
            word = words[rows, places + k * apart]
            code = node * self._size + word
            at = np.minimum(np.searchsorted(codes, code), len(codes) - 1)
            kept = (codes[at] == code) & (word >= 0)
            rows, places, node = rows[kept], places[kept], at[kept]
        return rows, self._grams[node]


class _Pool:
    """The n-grams in the attributes, checked."""

    def __init__(self, call: Call) -> None:
        texts, numbers = call["pool_strings"], call["pool_int64s"]
        if bool(texts) == bool(numbers):
            raise _wrong(call, "it needs one of 'pool_strings' and 'pool_int64s'")
        self.is_text = bool(texts)
        pool: Sequence[Any] = texts or numbers
        if call["mode"] not in _MODES:
            raise _wrong(call, f"'mode' is {call['mode']!r}; expected is one of {_MODES}")
        least, most = call["min_gram_length"], call["max_gram_length"]
        self.apart = call["max_skip_count"] + 1
        if not 1 <= least <= most or self.apart < 1:
            raise _wrong(
                call,
                f"lengths of {least} to {most} and {self.apart - 1} skips; expected are 1 or more, "
                "in order, and 0 or more",
            )
        self._numbers = {word: i for i, word in enumerate(dict.fromkeys(pool))}
        starts = call["ngram_counts"]
        ends = [*starts[1:], len(pool)]
        if not starts or starts[0] or any(a > b for a, b in zip(starts, ends, strict=True)):
            raise _wrong(
                call, f"'ngram_counts' is {starts}; it must ascend from 0 to the pool's size"
            )
        if len(starts) < most:
            raise _wrong(
                call, f"'ngram_counts' has {len(starts)} lengths; 'max_gram_length' is {most}"
            )
        self.tables: dict[int, _Table] = {}
        coded = np.array([self._numbers[word] for word in pool], np.int64)
        count = 0
        for n, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
            if (end - start) % n:
                raise _wrong(
                    call, f"the pool has {end - start} words for {n}-grams, which {n} is no part of"
                )
            if start < end and least <= n <= most:
                grams = coded[start:end].reshape(-1, n)
                self.tables[n] = _Table(grams, count, len(self._numbers))
            count += (end - start) // n
        self.places = np.array(call["ngram_indexes"], np.int64)
        if len(self.places) != count or self.places.min() < 0:
            raise _wrong(
                call,
                f"'ngram_indexes' has {len(self.places)} places; expected is one, 0 or more, for "
                f"each of {count} n-grams",
            )
        self.width = int(self.places.max()) + 1
        given = call["weights"]
        self.weights = np.array([1.0] * count if given is None else given, np.float32)
        if len(self.weights) != count:
            raise _wrong(call, f"there are {len(self.weights)} weights for {count} n-grams")

    def words(self, rows: Array) -> Array:
        """The rows as numbers of words, -1 for a word that the pool does not have."""
        get = self._numbers.get
        flat = rows.reshape(-1).tolist()
        return np.fromiter((get(word, -1) for word in flat), np.int64, len(flat)).reshape(
            rows.shape
        )


def _wrong(call: Call, why: str) -> OperatorAttributeError:
    return call.wrong_attribute(f"{why}.")
