"""Keeps an imported model, so that it can be saved with changed weights."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from popir.errors import did_you_mean, popart_exception
from popir.ir import Graph
from popir.onnxio.exporter import save, with_weights
from popir.onnxio.external import location_of, points_to, remove_replaced, write_external
from popir.onnxio.limits import MAX_FILE
from popir.onnxio.load import Loaded, embed
from popir.onnxio.proto import ModelProto, TensorProto, tensor
from popir.onnxio.tensors import TensorReader
from popir.onnxio.training_info import Training, part
from popir.reserved import weight_of_state
from popir.types import DataType

Array = np.ndarray[Any, Any]


class Skeleton:
    """A model without the values of its weights."""

    def __init__(
        self,
        loaded: Loaded,
        weights: Mapping[str, Array],
        more: Iterable[str] = (),
        dropped: Container[str] = (),
        training: Training | None = None,
    ) -> None:
        """Makes the skeleton of a model; external data of tensors that are no weights are read into
        it.

        Args:
            loaded: the model.
            weights: the weights' arrays, by id; the model gets their types and shapes.
            more: ids of weights that become additional initializers.
            dropped: ids of initializers to leave out.
            training: if given, the loss goes to training_info; see `popir.onnxio.training_info`.
        """
        self.model = _without(loaded, weights, dropped)
        if loaded.folder is not None:  # Else there is no external data: import refuses it.
            embed(self.model, loaded.folder, weights)
        names = {each.name for each in self.model.graph.initializer}
        for id in more:
            if id not in names:
                self.model.graph.initializer.append(tensor(id, weights[id]))
        if training is not None:
            part(self.model, training)
        self._external = {
            each.name: location_of(each)
            for each in loaded.model.graph.initializer
            if each.data_location == TensorProto.EXTERNAL
        }
        """The initializers with external data in the original model, and the location of the
        file.
        """
        self._files: dict[str, str] = {}

    def redirect(self, fromLocation: str, toLocation: str) -> None:
        """Writes weights that the model has in the data file `fromLocation` to `toLocation`
        instead.

        Raises popart_exception if the model has none in that file.
        """
        known = set(self._external.values())
        if fromLocation not in known:
            raise popart_exception(
                f"The model has no tensors in the file '{fromLocation}'; it has some in: "
                f"{', '.join(sorted(known)) or '(none)'}.{did_you_mean(fromLocation, known)}"
            )
        self._files[fromLocation] = toLocation

    def require_same(self, graph: Graph) -> None:
        """Raises popart_exception for an initializer of integers of up to 32 bits, such as a
        quantized weight or a zero point, that has another value in the graph of another model: such
        numbers are compiled in. Those of 64 bits are shapes and indices, which belong to a model.
        """
        reader = TensorReader()
        for each in self.model.graph.initializer:
            other = graph.tensors.get(each.name)
            if other is None or other.data is None or other.is_variable():
                continue
            kind = DataType.of(other.data.dtype)
            if not kind.is_integer or kind.bits > 32:
                continue
            mine = reader.initializer(each)
            if mine.dtype != other.data.dtype or not np.array_equal(mine, other.data):
                raise popart_exception(
                    f"The initializer '{each.name}' of {kind.name} has another value: integers are "
                    "compiled in. Make a session of that model."
                )

    def save(self, values: Mapping[str, Array], path: str | os.PathLike[str]) -> None:
        """Writes the model with the values of its initializers from `values`.

        Weights that were external stay so, together with their optimizer state: in one data file
        beside the model, or in the file of `redirect`. Other weights are in the model file; if that
        would be too large, all weights are external.

        Data files with generated names are new files, and the model is written last. So at any
        moment the old or the new model is complete. Raises ModelError if a file cannot be written.
        """
        names = {each.name for each in self.model.graph.initializer}
        weights = {id: value for id, value in values.items() if id in names}
        outside = {id: self._files.get(location) for id, location in self._external.items()}
        outside |= {id: outside[of] for id in weights if (of := weight_of_state(id)) in outside}
        total = sum(value.nbytes for id, value in weights.items() if id not in outside)
        if total + self.model.ByteSize() > _MAX_INSIDE:
            outside = {**dict.fromkeys(weights), **outside}
        outside = {id: file for id, file in outside.items() if id in weights}
        inside = {id: value for id, value in weights.items() if id not in outside}
        model = with_weights(self.model, inside)
        initializers = {each.name: each for each in model.graph.initializer}
        target = Path(path)
        own = ""
        for file in dict.fromkeys(outside.values()):
            data = {id: weights[id] for id in outside if outside[id] == file}
            for id, place in write_external(data, target, file).items():
                points_to(initializers[id], place)
                own = own if file is not None else place.location
        save(model, target)
        remove_replaced(target, own)


def _without(loaded: Loaded, weights: Container[str], dropped: Container[str]) -> ModelProto:
    """A copy of the model: weights have type and shape only, and those in `dropped` are left
    out.
    """
    whole, model = loaded.model, ModelProto()
    for field, value in whole.ListFields():
        if field.name != "graph":
            _copy(model, field.name, value)
    model.graph.SetInParent()
    for field, value in whole.graph.ListFields():
        if field.name != "initializer":
            _copy(model.graph, field.name, value)
    for i in reversed(range(len(model.graph.input))):
        if model.graph.input[i].name in dropped:  # Before IR version 4, initializers are inputs.
            del model.graph.input[i]
    for old in whole.graph.initializer:
        if old.name in dropped:
            continue
        new = model.graph.initializer.add()
        if old.name in weights:
            new.name, new.data_type = old.name, old.data_type
            new.dims.extend(old.dims)
            new.doc_string = old.doc_string
            new.metadata_props.extend(old.metadata_props)
        else:
            new.CopyFrom(old)
            if old.name in loaded.values:
                new.raw_data = bytes(loaded.values[old.name])
    return model


def _copy(message: Any, field: str, value: Any) -> None:
    if isinstance(value, (int, str)):
        setattr(message, field, value)
    else:
        getattr(message, field).MergeFrom(value)


_MAX_INSIDE = MAX_FILE - (1 << 24)
"""The most bytes of weights and model in one file."""
