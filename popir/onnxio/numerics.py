"""`NumericsReport`: how alike two models were trained."""

from __future__ import annotations

import numpy as np

from popir.errors import did_you_mean, popart_exception
from popir.onnxio.load import Source, load
from popir.onnxio.tensors import Array, TensorReader
from popir.typed import typed


@typed
class NumericsReport:
    """Compares what two trainings did to their weights: A, from the model A0 to A1, and B, from B0
    to B1. PopART's `NumericsReport`.

    With the changes dA and dB of a weight, its relative error is |dA - dB|^2 / (|dA| |dB| + 1e-8).
    Initializers that are no floats are left out. Raises ModelError for a model that cannot be read,
    popart_exception if the initializers differ in number, names, types or shapes.
    """

    def __init__(self, A0: Source, A1: Source, B0: Source, B1: Source) -> None:
        first, *others = (_initializers(source) for source in (A0, A1, B0, B1))
        self._errors: dict[str, float] = {}
        self._reports: dict[str, str] = {}
        for other in others:
            if len(other) != len(first):
                raise popart_exception("GraphProtos have different number of initializers.")
            if other.keys() != first.keys():
                only = sorted(other.keys() ^ first.keys())
                raise popart_exception(
                    "Tensor names do not correspond between TensorProtos: some models have no "
                    f"{only[0]!r}."
                )
        for id in first:
            weights = [first[id], *(other[id] for other in others)]
            if len({(each.shape, each.dtype) for each in weights}) > 1:
                raise popart_exception(f"TensorProto infos differ: those of '{id}'.")
            if weights[0].dtype.kind not in "iub":
                self._compare(id, *(each.astype(np.float64) for each in weights))

    def _compare(self, id: str, a0: Array, a1: Array, b0: Array, b1: Array) -> None:
        da, db = a1 - a0, b1 - b0
        size_a, size_b = float(np.linalg.norm(da)), float(np.linalg.norm(db))
        product = size_a * size_b
        error = self._errors[id] = float(np.sum((da - db) ** 2)) / (product + 1e-8)
        self._reports[id] = (
            f"|dA - dB|^2 / (|dA||dB| + 1e-8)  = {error:.16g}  and  |dA||dB| = {product:.16g}"
            f"  and  |dA| = {size_a:.16g}  and  |dB| = {size_b:.16g}"
        )

    def report(self, id: str) -> str:
        """The figures of one weight as text. Raises popart_exception if there are none."""
        if id not in self._reports:
            near = did_you_mean(id, self._reports)
            raise popart_exception(f"No report available for {id}.{near}")
        return self._reports[id]

    def fullReport(self) -> str:
        """The figures of all weights as text."""
        return "".join(f"\n{id} : \n{text}" for id, text in sorted(self._reports.items()))

    def getRelativeErrors(self) -> dict[str, float]:
        """The relative error of each weight, by its id."""
        return dict(self._errors)


def _initializers(source: Source) -> dict[str, Array]:
    loaded = load(source)
    reader = TensorReader(loaded.folder)
    return {each.name: reader.array(each) for each in loaded.model.graph.initializer}
