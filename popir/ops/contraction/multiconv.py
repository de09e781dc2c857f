"""MultiConv: several convolutions in one operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.options.annotations import AVAILABLE_MEMORY, CONV_DITHERING, PARTIALS_TYPE
from popir.registry import OpCreator

_PLANNED = "each convolution is planned for itself."
_EACH = (AVAILABLE_MEMORY, PARTIALS_TYPE, CONV_DITHERING)


class MultiConv(Decomposition):
    """PopART's MultiConv: convolutions of one to three spatial dimensions that do not depend on
    each other. The inputs are data, weights and bias of each.

    The data may be spread, with zeros between its elements (`inDilations`), and zeros put around
    the output (`outPads`). Annotations for convolutions are lists here, with one for each.
    """

    withoutMeaning = dict.fromkeys(("planType", "perConvReservedTiles", "cycleBackOff"), _PLANNED)
    dilations: list[int] | None
    inDilations: list[int] | None
    pads: list[int] | None
    outPads: list[int] | None
    strides: list[int] | None
    planType: str | None
    perConvReservedTiles: int | None
    cycleBackOff: float | None
    numConvs: int | None

    def decompose(self, on: Decomposer, *inputs: Tensor | None) -> Sequence[Tensor]:
        """One Conv for each convolution."""
        count = len(inputs) // 3
        if len(inputs) % 3 or self.numConvs not in (None, count):
            raise self.wrong(
                f"it has {len(inputs)} inputs and numConvs = {self.numConvs}; there are three, "
                "data, weights and bias, of each convolution."
            )
        if self.planType not in (None, "parallel", "serial"):
            raise OperatorAttributeError(
                f"{self._who()}: planType is '{self.planType}'; expected is parallel or serial."
            )
        notes = self._notes(count)
        ranks: list[int] = []
        for i in range(count):
            data, weights, _ = inputs[3 * i : 3 * i + 3]
            if data is None or weights is None or len(on.shape(data)) < 3:
                raise self.wrong(f"the convolution {i} lacks data [batch, channels, ...].")
            if len(on.shape(weights)) != len(on.shape(data)):
                raise self.wrong(
                    f"the convolution {i} has data {on.shape(data)} and weights "
                    f"{on.shape(weights)}; both have the same number of dimensions."
                )
            ranks.append(len(on.shape(data)) - 2)
        names = {"dilations": 1, "inDilations": 1, "pads": 2, "outPads": 2, "strides": 1}
        parts = {name: self._parts(name, ranks, each) for name, each in names.items()}
        found: list[Tensor] = []
        for i, own in enumerate(notes):
            data, weights, bias = inputs[3 * i : 3 * i + 3]
            assert data is not None and weights is not None
            self.settings.nodeAttributes = own
            given = {name: next(part) for name, part in parts.items()}
            data = _spread(on, data, given["inDilations"])
            rest = {name: given[name] for name in ("dilations", "pads", "strides")}
            group = on.shape(data)[1] // max(on.shape(weights)[1], 1)
            out = on.Conv(data, weights, bias, group=max(group, 1), **rest)
            around = given["outPads"]
            if around and any(around):
                half = len(around) // 2
                out = on.Pad(out, on.ints(0, 0, *around[:half], 0, 0, *around[half:]))
            found.append(out)
        return found

    def _parts(self, name: str, ranks: list[int], each: int) -> Iterator[list[int] | None]:
        """The numbers of each convolution, `each` for a spatial dimension."""
        flat: list[int] | None = getattr(self, name)
        if not flat:
            yield from [None] * len(ranks)
            return
        if len(flat) != each * sum(ranks):
            raise OperatorAttributeError(
                f"{self._who()}: {name} has {len(flat)} numbers; the convolutions, of {ranks} "
                f"spatial dimensions, take {each * sum(ranks)}."
            )
        start = 0
        for rank in ranks:
            yield flat[start : start + each * rank]
            start += each * rank

    def _notes(self, count: int) -> list[dict[str, Any]]:
        """The annotations of each convolution."""
        given = dict(self.settings.nodeAttributes)
        found = [dict(given) for _ in range(count)]
        for name in _EACH:
            values = given.get(name)
            if not isinstance(values, (list, tuple)):
                continue
            if len(values) != count:
                raise OperatorAttributeError(
                    f"{self._who()}: {name} is {values}; there must be one for each of the "
                    f"{count} convolutions."
                )
            for own, value in zip(found, values, strict=True):
                own[name] = value.upper() if isinstance(value, str) else value
        return found


def _spread(on: Decomposer, x: Tensor, dilations: list[int] | None) -> Tensor:
    """The data with zeros between its elements."""
    for i, d in enumerate(dilations or []):
        if d == 1:
            continue
        axis, shape = i + 2, on.shape(x)
        apart = on.reshape(x, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
        ends = [0] * len(shape) + [0]
        ends[axis + 1] = d - 1
        apart = on.Pad(apart, on.ints(*[0] * (len(shape) + 1), *ends))
        shape[axis] *= d
        x = on.reshape(apart, shape)
        x = on.Slice(x, on.ints(0), on.ints(shape[axis] - d + 1), on.ints(axis))
    return x


OpCreator(MultiConv, graphcore_id("MultiConv"))
