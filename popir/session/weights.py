"""The weights on the host, in models and in checkpoints."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from typing import Any

import numpy as np

from popir import memory, popdist
from popir.checkpoint import folder as checkpoints
from popir.checkpoint import saving
from popir.errors import (
    CheckpointError,
    popart_exception,
    require_path,
)
from popir.exclusive import exclusive
from popir.onnxio.importer import import_model
from popir.onnxio.skeleton import Skeleton
from popir.reserved import RANDOM_SEED
from popir.session.prepared import Prepared
from popir.session.random_numbers import seed_of, words_of
from popir.stepio import PyWeightsIO
from popir.typed import typed
from popir.weights import same_bits

Array = np.ndarray[Any, Any]


@typed
class Weights(Prepared):
    """The methods that read, set, save and load weights."""

    @exclusive()
    def readWeights(self, weights: PyWeightsIO) -> None:
        """Copies the host's weights into the given arrays. `weightsToHost` fetches those of the
        device first.

        The ids are those of weights and of states, such as `Accl___w` of the optimizer. Raises
        popart_exception for an unknown id, an array of another type or shape, or a state of the
        optimizer that stays on the device (`disableOptimizerStateTensorStreams`).
        """
        self._require_streamed("readWeights", weights)
        for id, array in weights.weights.items():
            np.copyto(array, self._host.like(id, array))

    def held_weights(self) -> dict[str, Array]:
        """The host's weights and states, by id and not copied, as `writeWeights` takes them: of
        some, `readWeights` gives sums over replicas.
        """
        return dict(self._host)

    @exclusive()
    def writeWeights(self, weights: PyWeightsIO) -> None:
        """Copies the given arrays to the host's weights. `weightsFromHost` copies these to the
        device.

        Raises popart_exception for an unknown id, or an array of another type or shape; after
        `prepareDevice` also for a state of the optimizer that stays on the device
        (`disableOptimizerStateTensorStreams`).
        """
        if self._engine is not None:
            self._require_streamed("writeWeights, after prepareDevice", weights)
        for id, array in weights.weights.items():
            self._host.put(id, array)

    def _require_streamed(self, who: str, weights: PyWeightsIO) -> None:
        """Raises popart_exception for a state of the optimizer that stays on the device."""
        left = self._left_states()
        id = next((id for id in weights.weights if id in left), None)
        if id is not None:
            raise popart_exception(
                f"{who}: '{id}' is a state of the optimizer, which stays on the device: "
                "SessionOptions.disableOptimizerStateTensorStreams is True. Session.save and load "
                "take it along."
            )

    @exclusive()
    def resetHostWeights(
        self, model: Any, ignoreWeightsInModelWithoutCorrespondingHostWeight: bool = False
    ) -> None:
        """Sets the host's weights to the initializers of another model. `weightsFromHost` copies
        them to the device.

        `model` is the path of a file, its bytes, or a ModelProto. Raises ModelError if it cannot be
        read; popart_exception for an initializer that is not a weight of this session, unless
        `ignoreWeightsInModelWithoutCorrespondingHostWeight` is True, for one of another type or
        shape, and for one of integers of up to 32 bits, which are compiled in, that is another one
        than in the session's model.
        """
        graph = import_model(model, options=self.options)
        if self._skeleton is not None:
            self._skeleton.require_same(graph)
        self._host.take(graph, ignoreWeightsInModelWithoutCorrespondingHostWeight)

    @exclusive()
    def broadcastWeights(self, rootRank: int = 0) -> None:
        """Copies the host's weights and states of the instance `rootRank` of the program to all
        others, and to their devices if they are prepared, as `weightsFromHost` does. All instances
        call it, also where the session's replicas are not spread over them. Of what each replica
        changes by itself, all get that of the first one of `rootRank`.

        Raises popart_exception for a rank that there is not.
        """
        ranks = popdist.getNumInstances() if popdist.in_job() else 1
        if not 0 <= rootRank < ranks:
            raise popart_exception(
                f"broadcastWeights(rootRank={rootRank}): the instances of the program are those of "
                f"the ranks 0 to {ranks - 1}."
            )
        if ranks == 1:
            return
        arrays = {f"'{id}'": f"{array.dtype}{[*array.shape]}" for id, array in self._host.items()}
        own = {"rootRank": str(rootRank), **arrays}
        popdist.require_alike("broadcastWeights()", "ranks to send or weights", own)
        for id in self._host:
            popdist.broadcast("broadcastWeights()", self._host.writeable(id), rootRank)
        if self._engine is not None:
            self._send_all(self._left_states())

    @exclusive()
    def modelToHost(self, filename: str | os.PathLike[str]) -> None:
        """Saves the model with the present weights of the device. The file is replaced atomically.

        A TrainingSession also saves the optimizer's state and the random seed as initializers
        (`Accl___w`, `randomSeed___fromHost`). A session made from the file continues bit for bit
        where this one stopped, but that all replicas begin with what the first one has changed by
        itself, such as running means; `save` keeps those of all. With the option
        `disableOptimizerStateTensorStreams` the file is without the optimizer's state, which then
        begins anew. A loss of the domain ai.graphcore goes with its inputs to the model's
        `training_info`, so that tools that do not know the domain can run the rest.

        Weights that came from an external data file go to `FILENAME.DIGEST.data` beside the new
        model; so do all weights if they are too large for the model file. Raises ModelError if a
        file cannot be written.
        """
        path = require_path("modelToHost", filename)
        self._fetch_all(self._left_states())
        self._of_model("modelToHost").save(self._host.of_groups(), path)

    def _of_model(self, method: str) -> Skeleton:
        """The model of the session. Raises popart_exception if a program has made its graph."""
        if self._skeleton is None:
            raise popart_exception(
                f"{method}: the session '{self.name}' has no model: a program has made its graph. "
                "readWeights gives the weights, and saveVariables writes them to a file."
            )
        return self._skeleton

    @exclusive()
    def updateExternallySavedTensorLocations(self, fromLocation: str, toLocation: str) -> None:
        """Changes the external data file that `modelToHost` writes: weights that the model has in
        `fromLocation` go to `toLocation`, a path in or below the folder of the new model.

        Raises popart_exception if the model has no weights in `fromLocation`.
        """
        self._of_model("updateExternallySavedTensorLocations").redirect(fromLocation, toLocation)

    @exclusive()
    def save(
        self,
        folder: str | os.PathLike[str],
        data: Any = None,
        shards: int = 1,
    ) -> None:
        """Saves a checkpoint in a folder: weights and states of the device, the optimizer's
        changeable numbers, the random seed, and the steps that were run. `load` reads it; training
        then goes on bit for bit, in a session of as many replicas. It takes the place of the
        checkpoint that is there, whenever the process is killed: as a whole or not at all.

        Args:
            folder: the folder, which is made.
            data: the data that the session is trained on, whose position is saved: it has the
                methods `position` and `seek`, as `popir.data.Batches` has.
            shards: the number of files with tensors, in the safetensors format.

        Several instances of a program save together: the first one writes the file. Raises
        CheckpointError if it cannot be written; popart_runtime_error if the instances have other
        arguments, or data at other positions.
        """
        path = require_path("Session.save", folder)
        position = saving.position_of("Session.save", data)
        if self._peers is not None:
            own = {
                "the folder": str(path),
                "the number of shards": str(shards),
                "the position in the data": json.dumps(position, sort_keys=True, default=str),
            }
            hint = "They save one checkpoint: data of one length, shuffled with one seed."
            popdist.require_alike("Session.save", "arguments", own, hint)
        self._fetch_all()
        kept = self._kept()
        seed = self._host.get(RANDOM_SEED)
        number = None if seed is None else seed_of(seed)
        arrays = kept.arrays(self._of_replicas(kept.ids))
        manifest = kept.manifest(arrays, self._compiled_in(), self.steps, number, position)
        if self._peers is None:
            saving.write(path, arrays, manifest, shards)
            return
        why = ""
        if self._peers.rank() == 0:
            try:
                saving.write(path, arrays, manifest, shards)
            except CheckpointError as error:
                why = str(error)
        if why := popdist.gather("Session.save", why)[0]:
            raise CheckpointError(why)

    @exclusive()
    def load(self, folder: str | os.PathLike[str], data: Any = None) -> checkpoints.Checkpoint:
        """Loads a checkpoint that `save` wrote, of any number of shards, and returns what it says
        of itself. Also the device has it, if it is prepared. An InferenceSession takes the weights
        of a TrainingSession's. If it was saved with another number of replicas, all begin with what
        the first one had changed by itself.

        `data` goes to the position that was saved. Raises CheckpointError, and has changed nothing,
        for a checkpoint that cannot be read, is damaged, or is that of another model or optimizer.
        """
        path = require_path("Session.load", folder)
        saving.position_of("Session.load", data)
        found, tensors = checkpoints.tensors(path)
        if data is not None and found.data is None:
            raise CheckpointError(f"{path}: no position in the data was saved.")
        kept = self._kept()
        kept.check(path, found, self._compiled_in())
        if data is not None:
            data.seek(found.data)
        kept.take(found, tensors)
        self.steps = found.step
        if found.seed is not None and RANDOM_SEED in self._host:
            self._host.writeable(RANDOM_SEED)[...] = words_of(found.seed)
        if self._engine is not None:
            self._send_all()
        return checkpoints.Checkpoint(path, found)

    def _kept(self) -> saving.Contents:
        """What of the session's tensors is in a checkpoint."""
        c = self._compilation
        initializers = None if self._optimizer is None else c.choices
        return saving.Contents(
            *(self._host, self.graph.saved, initializers, c.scalars),
            *(self.graph.replicas, self._local()),
        )

    def _local(self) -> range:
        """The numbers of the replicas of this process."""
        first = self.options.globalReplicaOffset
        return range(first, first + self.replicationFactor)

    def _of_replicas(self, ids: Collection[str]) -> dict[str, Array]:
        """What the replicas of all instances have, [replicas, shape], of those of the variables of
        which replicas that share a value have others.
        """
        asked = sorted(self._apart().intersection(ids))
        if self._peers is not None:
            asked = sorted({id for each in popdist.gather("Session.save", asked) for id in each})
        found: dict[str, Array] = {}
        for id in asked:
            values = [self._host.of_replica(id, replica) for replica in self._local()]
            size = self.graph.replicas * values[0].nbytes
            memory.require(f"What replicas have of '{id}'", size)
            rows = np.empty([self.graph.replicas, *values[0].shape], values[0].dtype)
            rows[self._local()] = values
            self._exchange("Session.save", rows)
            in_groups = id in self.graph.shared
            said = (self._host.of_group(id, r) if in_groups else rows[0] for r in range(len(rows)))
            if not all(map(same_bits, rows, said)):
                found[id] = rows
        return found

    def _compiled_in(self) -> dict[str, Any]:
        return {} if self._optimizer is None else self._optimizer.description()
