"""The second part of a session: the engine, and the weights that it exchanges with the host.

Long, because programs, variables and streams of an engine are made in one order and share state.
"""

from __future__ import annotations

import functools
import logging
import os
import zlib
from collections.abc import Callable, Collection, Container, Sequence
from typing import Any

import numpy as np

from popir import collector, memory, popdist, poplar
from popir._device import machine
from popir.dataflow import AnchorReturnTypeId
from popir.engine_cache import EngineCache, Kept, why_not
from popir.enums import (
    DeviceConnectionType,
    VirtualGraphMode,
)
from popir.errors import (
    OutOfMemoryException,
    PopirError,
    did_you_mean,
    popart_exception,
    popart_runtime_error,
    poplar_graph_memory_allocation_error,
)
from popir.exclusive import exclusive
from popir.executables import Stored
from popir.ir.hash import DigestError
from popir.lowering.lowering import Lowering
from popir.lowering.owners import Owners
from popir.lowering.undeclared_writes import Checks
from popir.ops.contraction.options import contraction_entries
from popir.options.contractions import LSTM, MATMUL
from popir.replicas import Shared
from popir.reserved import RANDOM_SEED
from popir.session.compiled import RETURNED, Compiled
from popir.session.spans import grown_on_fewest
from popir.session.synthetic import synthesize
from popir.step import Step, anchor_stream, build_step, input_stream
from popir.stepio import Port
from popir.typed import typed
from popir.types import as_bytes
from popir.virtual_graphs import Places, check_ipus
from popir.weights import Away, is_fixed

Array = np.ndarray[Any, Any]
_log = logging.getLogger("popir.session")


def _connects(engine: Any) -> Callable[[str, Array], None]:
    """The function that connects a stream of an engine to an array."""

    def connect(handle: str, array: Array) -> None:
        engine.connectStream(handle, as_bytes(array))

    return connect


@typed
class Prepared(Compiled):
    """A compiled model whose program an engine runs, after `prepareDevice`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        if self.replicationFactor > 1:
            share = len(os.sched_getaffinity(0)) // self.replicationFactor
            self._engine_options.setdefault("host.numThreads", str(max(share, 1)))
        if self._peers is None:  # replicas that share cores gain nothing by another thread
            self._engine_options.setdefault("host.overlapCollectives", "false")
        self._step: Step | None = None
        self._engines: list[Any] = []
        """The engine of each replica in this process."""
        self._engine: Any = None
        """That of the first one."""
        self._runner: Any = None
        """What runs a step: the engine, or those of all replicas together."""
        self.steps = 0
        """The steps that were run, and those before the checkpoint that was loaded."""
        self._lent: dict[str, Array] = {}
        """Of weights that no step changes, the host's arrays that engines read where they lie."""
        self._away: dict[str, Away] = {}
        """Of weights that the engine has packed, and that nothing else keeps, what reads them."""
        self._inputs: list[Port] = []
        self._outputs: list[Port] = []
        self._told: set[str] = set()
        """The inputs that no operator reads, and of whose arrays the log has told."""
        self._stored: Stored | None = None
        """The program that `loadExecutable` read."""
        self._is_deserialized = False
        """Whether the program was read from a file or from the cache, rather than compiled."""
        self._is_unmatched = False
        """Whether the next step compares the weights of the instances of the program."""
        self._sent_seed: Array | None = None
        """The random seed that it compares."""

    @exclusive(afresh=True)
    def prepareDevice(self, loadEngine: bool = True) -> None:
        """Lowers the graph, compiles the engine, and loads it with the host's weights.

        With `loadEngine=False`, `loadEngineAndConnectStreams` must be called before `run`. A second
        call makes a new engine. Raises OutOfMemoryException if the program does not fit the device
        or the host, MissingOpxError for an operator without a lowering, WorkLimitError if the model
        takes more work than its limit (see `popir.budget`).
        """
        with (
            memory.guarded(f"Preparing the session '{self.name}'"),
            self._budget.spending(),
            collector.run_seldom(self._nodes),
        ):
            self._lower()
        if loadEngine and self._engine is not None:
            self.loadEngineAndConnectStreams()

    def _lower(self) -> None:
        if self._peers is not None:
            popdist.require_alike(f"Session '{self.name}'", "models or options", self._identity())
        loops = self._loops()
        anchors = {id: RETURNED[self.dataFlow.art(id).id()] for id in self.dataFlow.anchors()}
        cache = self._engine_cache()
        kept = cache.load(self._engine_options) if cache is not None else None
        if self._stored is not None:
            executable = poplar.Executable.deserialize(self._stored.executable)
            again = functools.partial(poplar.Engine, executable, self._engine_options)
            kept = Kept(again(), self._stored.inputs, self._stored.variables, again)
        self._is_deserialized = kept is not None
        if kept is not None:
            step = self._step = Step(
                poplar.program.Sequence(),
                [input_stream(self.graph, id, loops) for id in kept.inputs],
                [anchor_stream(self.graph, id, how, loops) for id, how in anchors.items()],
                kept.variables,
            )
            self._owners = Owners()
            engines = [kept.engine, *(kept.again() for _ in range(1, self.replicationFactor))]
        else:
            lowering, step = self._lowered()
            self._step = step
            if not self.options.compileEngine:
                return
            engines = [
                self._plan(lowering.graph, step.program) for _ in range(self.replicationFactor)
            ]
            if cache is not None:
                made = poplar.compileGraph(lowering.graph, [step.program], self._engine_options)
                cache.save(made, [each.id for each in step.inputs], step.variables)
        self._settle(*self._away)
        self._engines, self._engine = engines, engines[0]
        self._lent.clear()
        is_replicated = self.graph.replicas > 1
        self._runner = poplar.Replicas(engines, self._peers) if is_replicated else engines[0]
        connects = [_connects(engine) for engine in engines]

        def to_all(handle: str, array: Array) -> None:
            for connect in connects:
                connect(handle, array)

        self._inputs = [
            Port(stream, [to_all] if stream.id in self.graph.broadcast else connects, is_input=True)
            for stream in step.inputs
        ]
        self._outputs = [
            Port(stream, connects, False, self._period(stream.id)) for stream in step.anchors
        ]
        for port in self._inputs:
            synthesize(port, self.options.syntheticDataMode)

    def _lowered(self) -> tuple[Lowering, Step]:
        """The program of a step, grown into a graph of its own."""
        ipus = self._device.numIpus
        if self._is_placed or ipus == 1:
            return self._grown(ipus, ipus)
        is_held = self._engine_options.get("debug.allowOutOfMemory") != "true"
        lowering, step = grown_on_fewest(self._grown, ipus, is_held)
        self._owners = lowering.owners
        return lowering, step

    def _grown(self, ipus: int, of: int) -> tuple[Lowering, Step]:
        """The program of a step on the first `ipus` IPUs of a target that has `of` of them."""
        anchors = {id: RETURNED[self.dataFlow.art(id).id()] for id in self.dataFlow.anchors()}
        checks = Checks(self.options.opxModifyChecking, self.options.opxAliasChecking)
        if self.options.virtualGraphMode is not VirtualGraphMode.Off:
            check_ipus(self.graph, self._device.numIpus)
        places = Places(self.graph) if self._is_placed else None
        io, whole = self.options.numIOTiles, self._device.device
        lowering = Lowering(
            self.graph,
            whole if of == self._device.numIpus else machine.withIPUs(whole.getTarget(), of),
            anchors,
            checks,
            places=places,
            io_tiles=io,
            ipus=ipus,
        )
        asked = contraction_entries(self.options)
        lowering.devicex.useOptions(asked[MATMUL], asked[LSTM])
        for file in self.options.customCodelets:
            lowering.graph.addCodelets(file, self.options.customCodeletCompileFlags)
        self._owners = lowering.owners
        rounds = self.options.enableStochasticRounding
        progress = self._progress.stage(0.4, 0.7)
        step = build_step(
            lowering,
            self._loops(),
            anchors,
            progress,
            rounds_stochastically=rounds,
            by_io=self._by_io(),
        )
        step.variables += sorted(self._compilation.off_chip)
        return lowering, step

    def _engine_cache(self) -> EngineCache | None:
        """The cache file of the program; None if caching is off or impossible."""
        asked = self.options
        if not asked.enableEngineCaching or not asked.compileEngine:
            return None
        if why := why_not(self.graph):
            _log.warning("The program of the session '%s' is not kept: %s", self.name, why)
            return None
        try:
            hash = self.getHash()
            return EngineCache(asked.cachePath, self.graph, hash, asked.customCodelets)
        except (OSError, DigestError) as error:
            _log.warning("The program of the session '%s' is not kept: %s", self.name, error)
            return None

    def _plan(self, graph: Any, program: Any) -> Any:
        try:
            return poplar.Engine(
                graph, [program], self._engine_options, self._progress.stage(0.7, 1)
            )
        except PopirError as error:
            raise self._memory_error(error, graph, program) from error

    def _memory_error(self, error: PopirError, graph: Any, program: Any) -> PopirError:
        """The error of a program that does not compile, as users see it."""
        if not isinstance(error, poplar_graph_memory_allocation_error):
            return self._owners.told(error)
        if not str(error).startswith("Out of memory on tile"):
            return error

        def summary() -> str:
            return machine.programReport(graph, program)["summary"]

        return OutOfMemoryException(error, summary)

    def _period(self, anchor: str) -> int:
        art = self.dataFlow.art(anchor)
        self.dataFlow.rows(anchor)
        return art.rp() if art.id() is AnchorReturnTypeId.EveryN else 1

    @exclusive(afresh=True)
    def loadEngineAndConnectStreams(self) -> None:
        """Loads the program on the device, and copies the host's weights and random seed to it.

        Raises popart_exception before `prepareDevice`, popart_runtime_error for an offline device.
        """
        self._prepared("loadEngineAndConnectStreams")
        if self.deviceInfo.connectionType is DeviceConnectionType.Never:
            raise popart_runtime_error(
                "Trying to load an engine on an offline device: a session compiles for it, by "
                "prepareDevice(loadEngine=False) or compileAndExport(), and runs on another."
            )
        self._settle(*self._away)
        for engine in self._engines:
            engine.load(self._device.device)
        self._send_all()

    def _prepared(self, who: str) -> Any:
        if self._engine is None and self._step is not None:
            raise popart_exception(
                f"The session '{self.name}' has no engine for {who}(): "
                "SessionOptions.compileEngine is False."
            )
        if self._engine is None:
            raise popart_exception(
                f"The session '{self.name}' is not prepared: prepareDevice() must be called before "
                f"{who}()."
            )
        return self._engine

    @exclusive()
    def weightsFromHost(self) -> None:
        """Copies the host's weights and states to the device, without the optimizer's states if
        they stay there (`disableOptimizerStateTensorStreams`). Raises popart_exception before
        `prepareDevice`.
        """
        self._prepared("weightsFromHost")
        self._send(self._left_states())

    @exclusive()
    def buffersFromHost(self) -> None:
        """Copies the host's values of the variables that `updatableNamedBuffers` names to the
        device, and of no others. Raises popart_exception before `prepareDevice`, for a name that
        is no variable, and if there are no names.
        """
        self._prepared("buffersFromHost")
        names = self.options.updatableNamedBuffers
        if not names:
            raise popart_exception(
                "buffersFromHost: SessionOptions.updatableNamedBuffers names no variables. Name "
                "those to copy, or call weightsFromHost(), which copies all."
            )
        for id in names:
            if id not in self._variables():
                raise popart_exception(
                    f"buffersFromHost: SessionOptions.updatableNamedBuffers names '{id}', which is "
                    f"no variable on the device.{did_you_mean(id, self._variables())}"
                )
        for id in names:
            self._write(id)

    def _send(self, left: Container[str] = ()) -> None:
        """Copies variables to the device, but for those `left`."""
        for id in self._variables():
            if id not in left:
                self._write(id)

    def _write(self, id: str) -> None:
        """Gives the device the host's values of a variable: a copy, or the array to read."""
        if self._host.is_left(id):
            return  # it is the engine's own value
        self._settle(id)
        self._lent.pop(id, None)
        sharding = self.graph.sharded.get(id)
        for replica, engine in self._by_replica():
            own = self._host.of_replica(id, replica)
            if sharding is not None:
                own = sharding.shard(own, replica)
            if id in self._compilation.off_chip:
                engine.copyToRemoteBuffer(as_bytes(own), id)
            elif is_fixed(own):
                released = functools.partial(self._leave, id) if self._is_one(id) else None
                if engine.lendTensor(id, as_bytes(own), released):
                    self._lent[id] = own
            else:
                engine.writeTensor(id, as_bytes(own))

    def _is_one(self, id: str) -> bool:
        """Whether one engine has all that the host has of a variable."""
        is_shared = id in self.graph.shared or id in self.graph.sharded
        return len(self._engines) == 1 and not is_shared

    def _leave(self, id: str) -> None:
        """Lets go of what was lent: the engine has packed it, and reads it no more."""
        own = self._lent.pop(id)
        engine = self._engine
        away = self._away[id] = Away(own, lambda into: engine.readTensor(id, as_bytes(into)))
        self._host.exchange(id, own, away)
        tensor = self.graph.tensors[id]
        if isinstance(tensor.held, np.ndarray) and np.may_share_memory(tensor.held, own):
            tensor.held = away

    def _settle(self, *ids: str) -> None:
        """Keeps on the host what the engine alone has of variables, before it gets others."""
        for id in ids:
            if (away := self._away.pop(id, None)) is None:
                continue
            values = away.settle()
            self._host.exchange(id, away, values)
            tensor = self.graph.tensors[id]
            if tensor.held is away:
                tensor.held = values

    @exclusive()
    def weightsToHost(self) -> None:
        """Copies the device's weights and states to the host, where `readWeights` finds them. Of
        what each replica changes by itself these are those of the first one; `weightsFromHost`
        gives each replica its own again, unless the host's have been written to. The optimizer's
        states stay on the device with the option `disableOptimizerStateTensorStreams`.

        With several instances of which each has shards of a tensor, or groups of replicas with
        values of their own (`VariableSettings`), all call it. Raises popart_exception before
        `prepareDevice`.
        """
        self._prepared("weightsToHost")
        left = self._left_states()
        self._fetch([id for id in self._variables() if id not in left])

    def _fetch(self, ids: Sequence[str]) -> None:
        """Copies variables of the device to the host."""
        exchanged = [id for id in ids if id in self.graph.sharded or id in self.graph.shared]
        if self._peers is not None and exchanged:
            popdist.require_equal("weightsToHost()", "weights to read", exchanged)
        apart = self._apart()
        for id in ids:
            is_one = id not in apart and id not in exchanged
            if is_one and (self._host.is_left(id) or self._lent.get(id) is self._host[id]):
                continue
            shared, read = self.graph.shared.get(id), self._reader(id)
            if shared is None:
                read(self.options.globalReplicaOffset, self._host.writeable(id))
            else:
                self._gather(id, shared, read)
            for replica, engine in self._by_replica() if id in apart else ():
                own = np.empty_like(self._host.of_replica(id, replica))
                self._read(engine, id, own)
                self._host.keep(id, replica, own)

    def _apart(self) -> set[str]:
        """The ids of the variables of which replicas that share a value may have others."""
        return self._compilation.apart | self._host.own.keys()

    def _exchange(self, who: str, rows: Array) -> None:
        """Fills in the rows that are those of the replicas of other instances."""
        if self._peers is not None:
            local = self.replicationFactor
            for rank in range(self._peers.ranks()):
                popdist.broadcast(who, rows[rank * local : (rank + 1) * local], rank)

    def _reader(self, id: str) -> Callable[[int, Array], None]:
        """The function that copies the values that a replica has of a variable to an array. It is
        one of this process; where replicas have shards, of which this gives the whole, or groups
        have values of their own, it may be one of any instance, and all call it.
        """
        engines = dict(self._by_replica())
        sharding = self.graph.sharded.get(id)
        if sharding is None:
            is_exchanged = self._peers is not None and id in self.graph.shared

            def read(replica: int, into: Array) -> None:
                if replica in engines:
                    self._read(engines[replica], id, into)
                if is_exchanged:
                    popdist.broadcast("weightsToHost()", into, replica // len(engines))

            return read
        size = sharding.grouping.replicas, sharding.elements
        shards = np.empty(size, sharding.values.dtype)
        for replica, engine in engines.items():
            self._read(engine, id, shards[replica])
        self._exchange("weightsToHost()", shards)

        def whole(replica: int, into: Array) -> None:
            into[...] = sharding.joined(shards, replica).reshape(into.shape)

        return whole

    def _read(self, engine: Any, id: str, into: Array) -> None:
        """Copies what an engine has of a variable to an array."""
        if id in self._compilation.off_chip:
            engine.copyFromRemoteBuffer(id, as_bytes(into))
        else:
            engine.readTensor(id, as_bytes(into))

    def _by_replica(self) -> enumerate[Any]:
        """The engines of this process, each after the number of its replica."""
        return enumerate(self._engines, self.options.globalReplicaOffset)

    def _gather(self, id: str, shared: Shared, read: Callable[[int, Array], None]) -> None:
        """Copies the values that the replicas of all instances have of a variable to the host."""
        values = self._host.writeable(id)
        sums = self._host.sum(id) if shared.is_added else None
        for replica in range(shared.grouping.replicas):
            row = shared.row(replica)
            own = values[row]
            if not shared.returns(replica):
                if sums is None:
                    continue
                own = np.empty_like(own)
            read(replica, own)
            if sums is not None:
                sums[row] += own

    def _send_all(self, left: Container[str] = ()) -> None:
        """Copies the host's weights, states and random seed to the device, but for the variables
        `left`.
        """
        self._send(left)
        if self._draws_random_numbers():
            self._send_seed(self._host[RANDOM_SEED])
        self._is_unmatched = self._peers is not None and self._optimizer is not None

    def _match(self) -> None:
        """Raises popart_runtime_error, in all instances of the program, if they train from
        different weights, with different random seeds, or from different steps on.
        """
        who, seed = f"Session '{self.name}'", self._sent_seed
        self._sent_seed = None
        if seed is not None:
            own = {"the random seed": str(int(seed[1]) << 32 | int(seed[0]))}
            hint = "Give all the same: each replica draws numbers of its own with it."
            popdist.require_alike(who, "random numbers", own, hint)
        if not self._is_unmatched:
            return
        self._is_unmatched = False
        own = {"the number of steps": str(self.steps)} | {
            f"the checksum of '{id}'": f"{zlib.crc32(as_bytes(self._host[id]).data):08x}"
            for id in self._compilation.weights
        }
        hint = "broadcastWeights() gives all those of one instance."
        popdist.require_alike(who, "weights to begin with", own, hint)

    def _send_seed(self, words: Array) -> None:
        """Sets the random seed of each replica: the upper word is that of the first one plus the
        replica's number, so that no two of them draw the same numbers.
        """
        for replica, engine in self._by_replica():
            own = words + np.array([0, replica], np.uint32)
            engine.writeTensor(RANDOM_SEED, own)
        if self._peers is not None and self._optimizer is not None:
            self._sent_seed = words.copy()

    def _fetch_all(self, left: Container[str] = ()) -> None:
        """Copies the device's weights, states and random seed to the host, if there is a device,
        but for the variables `left`.
        """
        if self._engine is None:
            return
        self._fetch([id for id in self._variables() if id not in left])
        if self._draws_random_numbers():
            self._engine.readTensor(RANDOM_SEED, self._host.writeable(RANDOM_SEED))

    def _variables(self) -> list[str]:
        """The ids of the weights and states on the device, without the random seed."""
        assert self._step is not None
        return [id for id in self._step.variables if id != RANDOM_SEED]

    def _draws_random_numbers(self) -> bool:
        return self._step is not None and RANDOM_SEED in self._step.variables

    def hostBytes(self) -> int:
        """The bytes of host memory of the session: constants, weights, the arrays of one step and,
        after `prepareDevice`, the engine's memory.
        """
        values = (t.held for t in self.graph.tensors.values())
        held = (each.nbytes for each in values if isinstance(each, np.ndarray))
        arrays = [*self.graph.inputs, *self.dataFlow.anchors()]
        runs = self.dataFlow.batchesPerStep() * self.options.accumulationFactor
        steps = runs * sum(self.getInfo(id).nbytes() for id in arrays)
        steps *= self.replicationFactor
        return sum(held) + steps + sum(engine.arenaBytes() for engine in self._engines)

    def waiting_threads(self) -> Collection[int]:
        """Calls with a time limit are made in threads of their own."""
        return poplar.waitingThreads()
