"""A model that was imported, to be written again with weights that have changed."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from popir.errors import did_you_mean, popart_exception
from popir.onnxio.exporter import save, withWeights
from popir.onnxio.external import location_of, points_to, removeReplaced, writeExternal
from popir.onnxio.limits import MAX_FILE
from popir.onnxio.load import Loaded, embed
from popir.onnxio.proto import ModelProto, TensorProto, tensor
from popir.onnxio.training_info import Training, part
from popir.reserved import weightOfState

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
        """That of a model; external data that are no weights are taken in.

        The weights named in `more` become initializers of the model, those in `dropped` are none
        any more. Where `training` is given, what only the loss needs lies apart: see
        `popir.onnxio.training_info`.
        """
        self.model = embed(_without(loaded.model, weights, dropped), loaded.folder, weights)
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
        """The initializers whose data lay in a file beside the model, with that file's location."""
        self._files: dict[str, str] = {}

    def redirect(self, fromLocation: str, toLocation: str) -> None:
        """Names the file for the weights that the model has in the file `fromLocation`.

        Raises popart_exception if the model has none in that file.
        """
        known = set(self._external.values())
        if fromLocation not in known:
            raise popart_exception(
                f"The model has no tensors in the file '{fromLocation}'; it has some in: "
                f"{', '.join(sorted(known)) or '(none)'}.{did_you_mean(fromLocation, known)}"
            )
        self._files[fromLocation] = toLocation

    def save(self, values: Mapping[str, Array], path: str | os.PathLike[str]) -> None:
        """Writes the model; of `values`, those that are its initializers.

        Those that were external are again, with the optimizer's state of them, in one file beside
        the model, or in the file that `redirect` has named. The rest lies in the model, unless it
        would be too large for that: then all weights are external. The model is written last, and
        data whose file has no name of the caller's stand under a name of their own, so that at any
        moment the old model or the new one is there with its data.

        Raises ModelError if a file cannot be written.
        """
        names = {each.name for each in self.model.graph.initializer}
        weights = {id: value for id, value in values.items() if id in names}
        outside = {id: self._files.get(location) for id, location in self._external.items()}
        outside |= {id: outside[of] for id in weights if (of := weightOfState(id)) in outside}
        total = sum(value.nbytes for id, value in weights.items() if id not in outside)
        if total + self.model.ByteSize() > _MAX_INSIDE:
            outside = {**dict.fromkeys(weights), **outside}
        outside = {id: file for id, file in outside.items() if id in weights}
        inside = {id: value for id, value in weights.items() if id not in outside}
        model = withWeights(self.model, inside)
        initializers = {each.name: each for each in model.graph.initializer}
        target = Path(path)
        own = ""
        for file in dict.fromkeys(outside.values()):
            data = {id: weights[id] for id in outside if outside[id] == file}
            for id, place in writeExternal(data, target, file).items():
                points_to(initializers[id], place)
                own = own if file is not None else place.location
        save(model, target)
        removeReplaced(target, own)


def _without(whole: ModelProto, weights: Container[str], dropped: Container[str]) -> ModelProto:
    """The model, with weights that have type and shape alone, and without those dropped."""
    model = ModelProto()
    for field, value in whole.ListFields():
        if field.name != "graph":
            _copy(model, field.name, value)
    model.graph.SetInParent()
    for field, value in whole.graph.ListFields():
        if field.name != "initializer":
            _copy(model.graph, field.name, value)
    for i in reversed(range(len(model.graph.input))):
        if model.graph.input[i].name in dropped:  # Of an IR version that has initializers there.
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
    return model


def _copy(message: Any, field: str, value: Any) -> None:
    if isinstance(value, (int, str)):
        setattr(message, field, value)
    else:
        getattr(message, field).MergeFrom(value)


_MAX_INSIDE = MAX_FILE - (1 << 24)
"""Bytes of weights and model up to which they share a file."""
