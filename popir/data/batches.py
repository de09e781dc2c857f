"""Batches of data for the steps of a session: `Batches`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from popir.data.files import read_arrays
from popir.data.prefetch import Prefetch
from popir.errors import CheckpointError, DataError
from popir.typed import shown, typed

Array = np.ndarray[Any, Any]
Inputs = dict[str, Array]


@typed
class Batches:
    """The inputs of steps, epoch by epoch, fetched by a thread while the session runs.

    `for inputs in batches` gives those of one epoch, or what is left of it, as a dict for
    `PyStepIO`; the next loop gives the next epoch. `Session.save(folder, batches)` saves the
    position, and `Session.load(folder, batches)` goes there.

    Args:
        source: the path of an .npz or parquet file, or a dict of arrays, with the samples along the
            first dimension; or anything that gives batches when it is iterated, such as a list or
            PyTorch's DataLoader, or a function of the epoch's number, from 1, that returns such a
            thing. A batch is a dict of arrays, a tuple of arrays or one array; these may be
            PyTorch's tensors.
        batch_size: the samples of a batch, of a file or of arrays. What does not fill a step at the
            end of an epoch is left out.
        shuffle: whether the samples of a file or of arrays have another order in each epoch.
        seed: of that order.
        names: the ids of the inputs, for batches that are tuples or one array; for others the
            inputs to take, by default all.
        batches_per_step: that of the session's DataFlow, times its accumulation factor: batches are
            stacked.
        ahead: the number of steps whose inputs are fetched before they are asked for; 0 fetches
            without a thread.

    What the source raises, the loop raises. Raises DataError for batches that are none.
    """

    def __init__(
        self,
        source: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        seed: int = 0,
        names: Sequence[str] = (),
        batches_per_step: int = 1,
        ahead: int = 2,
    ) -> None:
        for what, number, least in (
            ("batch_size", batch_size, 1),
            ("batches_per_step", batches_per_step, 1),
            ("ahead", ahead, 0),
            ("seed", seed, 0),
        ):
            if number is not None and number < least:
                raise DataError(f"Batches: {what} = {number}; it is {least} or more.")
        if isinstance(source, (str, os.PathLike)):
            source = read_arrays(source)
        self._ahead = ahead
        if isinstance(source, Mapping):
            self._source: _Arrays | _Iterable = _Arrays(
                source, names, batch_size, batches_per_step, shuffle, seed
            )
        else:
            for what, given in (("batch_size", batch_size), ("shuffle", shuffle), ("seed", seed)):
                if given:
                    raise DataError(
                        f"Batches: {what} = {given} is for files and arrays; "
                        f"{type(source).__name__} makes its batches itself."
                    )
            self._source = _Iterable(source, names, batches_per_step)
        self.epoch = 1
        """The number of the epoch that the next step is in."""
        self.step = 0
        """The steps of that epoch which were given."""
        self._prefetch: Prefetch | None = None
        self._iterator: Iterator[Inputs] | None = None

    @property
    def steps(self) -> int | None:
        """The number of steps in an epoch; None if the source does not say."""
        return self._source.steps

    def __iter__(self) -> Iterator[Inputs]:
        while True:
            try:
                inputs = self._next()
            except StopIteration:
                self.close()
                if not self.step:
                    raise DataError(
                        f"The data gave nothing in epoch {self.epoch}. What can be iterated once "
                        "only is given as a function of the epoch's number that makes it anew."
                    ) from None
                self.epoch, self.step = self.epoch + 1, 0
                return
            except BaseException:
                self.close()
                raise
            self.step += 1
            yield inputs

    def _next(self) -> Inputs:
        if self._prefetch is None and self._iterator is None:
            source, epoch, step = self._source, self.epoch, self.step
            if self._ahead:
                self._prefetch = Prefetch(lambda: source.epoch(epoch, step), self._ahead)
            else:
                self._iterator = source.epoch(epoch, step)
        if self._prefetch is not None:
            return self._prefetch.next()
        assert self._iterator is not None
        return next(self._iterator)

    def position(self) -> dict[str, Any]:
        """The place of the next step, for a checkpoint: epoch, step, and what the order depends
        on.
        """
        return {"epoch": self.epoch, "step": self.step, "of": self._source.order()}

    def seek(self, position: Any) -> None:
        """Goes to a place that `position` returned; the batches before it in its epoch are made and
        passed over, those of files and arrays are not.

        Raises CheckpointError if the order of the data is another one, and for what is no position.
        """
        try:
            epoch, step, order = (position[key] for key in ("epoch", "step", "of"))
            is_one = type(epoch) is int and type(step) is int and epoch >= 1 and step >= 0
        except (TypeError, KeyError, IndexError):
            is_one, order, epoch, step = False, None, 1, 0
        if not is_one:
            raise CheckpointError(f"Batches: {shown(position)} is no position in data.")
        mine = self._source.order()
        if order != mine:
            raise CheckpointError(
                f"Batches: the position is one in data with {_said(order)}; these have "
                f"{_said(mine)}. The batches would be others."
            )
        self.close()
        self.epoch, self.step = epoch, step

    def close(self) -> None:
        """Ends the thread. A later loop goes on at the same place."""
        if self._prefetch is not None:
            self._prefetch.close()
        self._prefetch = self._iterator = None

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _said(order: Any) -> str:
    if not isinstance(order, Mapping):
        return shown(order)
    return ", ".join(f"{key} {value}" for key, value in order.items())


class _Arrays:
    """Samples along the first dimension of arrays."""

    def __init__(
        self,
        arrays: Mapping[Any, Any],
        names: Sequence[str],
        batch_size: int | None,
        per_step: int,
        shuffle: bool,
        seed: int,
    ) -> None:
        if batch_size is None:
            raise DataError("Batches: files and arrays are cut into batches: give batch_size.")
        self._arrays = _picked({str(id): _array(a, str(id)) for id, a in arrays.items()}, names)
        counts = {id: len(a) if a.ndim else 0 for id, a in self._arrays.items()}
        if len(set(counts.values())) != 1:
            said = ", ".join(f"'{id}' {count}" for id, count in counts.items())
            raise DataError(f"Batches: the arrays differ in samples: {said or 'there are none'}.")
        self._samples = next(iter(counts.values()))
        self._batch_size, self._per_step = batch_size, batch_size * per_step
        self._seed = seed if shuffle else None
        self.steps = self._samples // self._per_step
        if not self.steps:
            raise DataError(
                f"Batches: there are {self._samples} samples; a step takes {self._per_step}."
            )

    def order(self) -> dict[str, Any]:
        """What the order of the samples depends on."""
        found: dict[str, Any] = {"samples": self._samples, "samples_per_step": self._per_step}
        return found if self._seed is None else {**found, "shuffled_by_seed": self._seed}

    def epoch(self, number: int, begin: int) -> Iterator[Inputs]:
        """The steps of an epoch, from that of the number `begin`."""
        rows = None
        if self._seed is not None:
            rows = np.random.default_rng([self._seed, number]).permutation(self._samples)
        for step in range(begin, self.steps):
            part = slice(step * self._per_step, (step + 1) * self._per_step)
            chosen = part if rows is None else rows[part]
            yield {id: array[chosen] for id, array in self._arrays.items()}


class _Iterable:
    """Batches that something else makes."""

    def __init__(self, source: Any, names: Sequence[str], per_step: int) -> None:
        if not isinstance(source, Iterable) and not callable(source):
            raise DataError(
                "Batches takes a file, a dict of arrays, an iterable of batches, or a function of "
                f"the epoch's number that returns one; given was {shown(source)}."
            )
        self._source: Any = source
        self._names = list(names)
        self._per_step = per_step

    @property
    def steps(self) -> int | None:
        try:
            return len(self._source) // self._per_step
        except TypeError:
            return None

    def order(self) -> dict[str, Any]:
        """What the order depends on and is known of it."""
        return {"batches_per_step": self._per_step}

    def epoch(self, number: int, begin: int) -> Iterator[Inputs]:
        """The steps of an epoch, from that of the number `begin`."""
        source = self._source
        items: Any = source if isinstance(source, Iterable) else source(number)
        batches: list[Inputs] = []
        shapes: dict[str, tuple[int, ...]] = {}
        for at, item in enumerate(items):
            if at < begin * self._per_step:
                continue
            batch = _inputs(item, self._names)
            found = {id: array.shape for id, array in batch.items()}
            shapes = shapes or found
            if found != shapes:
                raise DataError(
                    f"Batch {at + 1} of epoch {number} has the shapes {found}; those before have "
                    f"{shapes}. Leave out what does not fill a batch (DataLoader: drop_last=True)."
                )
            batches.append(batch)
            if len(batches) == self._per_step:
                yield _stacked(batches)
                batches = []


def _stacked(batches: list[Inputs]) -> Inputs:
    if len(batches) == 1:
        return batches[0]
    return {id: np.stack([batch[id] for batch in batches]) for id in batches[0]}


def _inputs(item: Any, names: Sequence[str]) -> Inputs:
    """The inputs in a batch of a source. Raises DataError for other things."""
    if isinstance(item, Mapping):
        return _picked({str(id): _array(value, str(id)) for id, value in item.items()}, names)
    values = list(item) if isinstance(item, (tuple, list)) else [item]
    if len(values) != len(names):
        raise DataError(
            f"A batch has {len(values)} arrays without names; Batches(names=...) has "
            f"{len(names)} ids of inputs for them."
        )
    return {id: _array(value, id) for id, value in zip(names, values, strict=True)}


def _picked(arrays: Inputs, names: Sequence[str]) -> Inputs:
    missing = [name for name in names if name not in arrays]
    if missing:
        raise DataError(
            f"The data have no '{missing[0]}'; they have {', '.join(arrays) or 'none'}."
        )
    return {name: arrays[name] for name in names} if names else arrays


def _array(value: Any, id: str) -> Array:
    """An array of numbers, C-contiguous, of an array, a tensor of PyTorch's, or numbers."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        tensor = value.detach().cpu()
        if str(tensor.dtype) == "torch.bfloat16":  # numpy has no such type of its own.
            import ml_dtypes

            return (
                tensor.contiguous()
                .view(sys.modules["torch"].int16)
                .numpy()
                .view(ml_dtypes.bfloat16)
            )
        value = tensor.numpy()
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise DataError(f"The data for '{id}' are no array: {error}.") from error
    if array.dtype.kind == "O":
        raise DataError(f"The data for '{id}' are no array of numbers, but {shown(value)}.")
    return np.require(array, requirements="C")
