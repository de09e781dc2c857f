"""Several instances of a program that share the replicas of its models, as Graphcore's popdist has
them: `popir run-distributed` starts them.

    popdist.init()
    options = popir.SessionOptions()
    popdist.configureSessionOptions(options)

Instances are the ranks of an MPI job. `popir[distributed]` installs MPICH; POPIR_MPI names another
library of the standard ABI of MPI 5.0.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import mmap
import os
import re
import sys
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from popir import _library, poplar
from popir.devices import DeviceInfo, DeviceManager, available_id
from popir.errors import (
    MissingPackageError,
    popart_exception,
    popart_runtime_error,
    poplar_runtime_error,
)
from popir.options import SessionOptions
from popir.typed import typed

LIBRARY, REPLICAS, LIMIT = "POPIR_MPI", "POPIR_REPLICAS_PER_RANK", "POPIR_MPI_TIMEOUT"
"""Environment variables: MPI's library, the replicas of each instance, and after how many seconds
it is an error to wait for another instance."""
LONGEST_WAIT = 600.0
"""The seconds that an instance waits, if nobody says another number."""
IPUS = "POPIR_IPUS_PER_REPLICA"
"""Environment variable: the IPUs of each replica."""
OUTPUT = "POPIR_OUTPUT_FROM"
"""Environment variable: the rank whose output is shown; that of all, if it is not there."""
ENDED = "POPIR_RANK_ENDED"
"""Environment variable: the file for the exit code of the rank that fails first."""
_SLURM_RANK, _SLURM_RANKS = "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"
RANKS = (
    *("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID"),
    *("FLUX_TASK_RANK", _SLURM_RANK),
)
"""Environment variables in which launchers say which rank a process is."""
_SONAME = "libmpi_abi.so.1"
_peers: poplar.MpiPeers | None = None
is_talking: mmap.mmap | None = None
"""A byte that is 1 from `init` to `end`, where another process watches this one."""


def library() -> str:
    """The path of MPI's library: POPIR_MPI, that of the package mpich, or the name that the loader
    looks for.
    """
    installed = os.path.join(sys.prefix, "lib", _SONAME)
    return os.environ.get(LIBRARY) or (installed if os.path.isfile(installed) else _SONAME)


def init() -> None:
    """Starts MPI. A second call does nothing.

    Raises MissingPackageError if there is no library, popart_runtime_error if the instances are of
    different versions of popir, or if the process has started another library of MPI. Ends the
    process, with an error, if another one never calls it: MPI lets nothing end this wait.
    """
    global _peers
    if _peers is not None:
        return
    limit = float(os.environ.get(LIMIT, LONGEST_WAIT))
    other = _other_mpi(library())
    if other is not None:
        raise popart_runtime_error(
            f"popdist.init(): this process has started another library of MPI already, {other}, as "
            f"mpi4py does, and popir would start {library()}; MPICH's processes cannot use two. "
            "Leave mpi4py out, or use it in a process of its own."
        )
    alarm = threading.Timer(limit, _never_came, (limit,))
    alarm.daemon = True
    alarm.start()
    try:
        found = poplar.MpiPeers(library(), limit)
    except poplar_runtime_error as error:
        raise MissingPackageError(
            f"popdist.init(): instances talk by MPI, of which no library can be used: pip install "
            f"'popir[distributed]', or name one in the environment variable {LIBRARY}. {error}"
        ) from error
    finally:
        alarm.cancel()
    _peers = found
    _talk(True)
    atexit.register(end)
    require_equal("popdist.init()", "versions of popir", _library.version())


def _talk(whether: bool) -> None:
    if is_talking is not None:
        is_talking[0] = int(whether)


def _other_mpi(path: str) -> str | None:
    """A library of MPI other than that at `path` that this process has started, if there is one."""
    with open("/proc/self/maps") as maps:
        files = {line.split(maxsplit=5)[5].rstrip() for line in maps if "/libmpi" in line}
    for file in sorted(files):
        try:
            own = ctypes.CDLL(path)
            known = ctypes.CDLL(file, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
            is_started = ctypes.c_int()
            known.MPI_Initialized(ctypes.byref(is_started))
        except (OSError, AttributeError):
            continue
        if known._handle != own._handle and is_started.value:
            return file
    return None


def _never_came(limit: float) -> None:
    print(
        f"popir: error: popdist.init(): this process has waited {limit:g} s for the others of its "
        "job. All have to call it.",
        file=sys.stderr,
        flush=True,
    )
    os._exit(1)


def end() -> None:
    """Waits until all instances end, and ends MPI. A program's end calls it."""
    global _peers
    if _peers is not None:
        ending, _peers = _peers, None
        ending.end()
        _talk(False)


def fail(why: str) -> None:
    """Tells the other instances that this one has failed: what waits for it raises."""
    global _peers
    if _peers is not None:
        failing, _peers = _peers, None
        failing.fail(why)


def peers(who: str) -> poplar.MpiPeers:
    """The other instances. Raises popart_exception before `init`, in a process that nothing of
    popir's has started.
    """
    if _peers is None and isPopdistEnvSet():
        init()
    if _peers is None:
        raise popart_exception(
            f"{who}: instances do not know of one another before popdist.init(). Call it first, "
            "in a program that 'popir run-distributed' starts."
        )
    return _peers


def in_job() -> bool:
    """Whether this process is one of several that know of one another."""
    return _peers is not None or isPopdistEnvSet()


def gather(who: str, own: Any) -> list[Any]:
    """What each instance gives, of numbers, texts, lists and dicts, in their order.

    Raises popart_runtime_error, in all instances, unless `who` is the same in all: one that has
    left a loop earlier, say, is in another call.
    """
    call = re.sub(r"^Session '.*?'", "Session", who)  # Instances may name their sessions.
    sent = json.dumps([call, own]).encode()
    given = [json.loads(each) for each in peers(who).gather(sent)]
    first = given[0][0]
    for rank, (other, _) in enumerate(given):
        if other != first:
            raise popart_runtime_error(
                f"{who}: the instances are in different calls: rank 0 in {first}, rank {rank} in "
                f"{other}. {_SAME}"
            )
    return [each for _, each in given]


def require_equal(who: str, what: str, own: Any) -> None:
    """Raises popart_runtime_error, in all instances, unless they all give the same value."""
    given = gather(who, own)
    other = next((rank for rank, each in enumerate(given) if each != given[0]), None)
    if other is not None:
        raise popart_runtime_error(
            f"{who}: the instances have different {what}: that of rank 0 is {given[0]}, that of "
            f"rank {other} {given[other]}. {_SAME}"
        )


_SAME = "They have to run the same program on the same model."


def require_alike(who: str, what: str, own: Mapping[str, str], hint: str = _SAME) -> None:
    """Raises popart_runtime_error, in all instances, unless they all give the same texts by name.
    `what` is a word for all of them, and `hint` says what to do. The error has the first one that
    differs.
    """
    given = gather(who, own)
    for rank, each in enumerate(given):
        for name in {**given[0], **each}:
            first, other = (values.get(name, "not there") for values in (given[0], each))
            if first != other:
                raise popart_runtime_error(
                    f"{who}: the instances have different {what}: {name} is {first} in rank 0, and "
                    f"{other} in rank {rank}. {hint}"
                )


def isPopdistEnvSet() -> bool:
    """Whether `popir run-distributed` has started this process."""
    return REPLICAS in os.environ


def _is_alone() -> bool:
    """Whether nothing has started this process as one of several."""
    said = {name: os.environ[name] for name in RANKS if name in os.environ}
    # The one process of a batch script of Slurm's has its variable too; that of srun counts.
    if said.get(_SLURM_RANK) == "0" and os.environ.get(_SLURM_RANKS, "1") == "1":
        del said[_SLURM_RANK]
    return not in_job() and not said


def getInstanceIndex() -> int:
    """The number of this instance: its rank; 0 in a process that is alone."""
    return 0 if _is_alone() else peers("popdist.getInstanceIndex()").rank()


def getNumInstances() -> int:
    """The number of instances; 1 in a process that is alone."""
    return 1 if _is_alone() else peers("popdist.getNumInstances()").ranks()


def getNumLocalReplicas() -> int:
    """The replicas of each instance."""
    return int(os.environ.get(REPLICAS, "1"))


def getNumTotalReplicas() -> int:
    """The replicas of all instances."""
    return getNumInstances() * getNumLocalReplicas()


def getNumIpusPerReplica() -> int:
    """The IPUs of each replica: `poprun --ipus-per-replica`."""
    return int(os.environ.get(IPUS, "1"))


@typed
def checkNumIpusPerReplica(ipus_per_replica: int) -> bool:
    """Whether each replica has this number of IPUs."""
    return ipus_per_replica == getNumIpusPerReplica()


@typed
def getDeviceId(ipus_per_replica: int | None = None) -> int:
    """The id, for `DeviceManager.acquireDeviceById`, of the device that `getDevice` acquires.

    Raises popart_exception if no system has so many IPUs.
    """
    return available_id(_local_ipus(ipus_per_replica))


def getReplicaIndexOffset() -> int:
    """The number of the first replica of this instance."""
    return getInstanceIndex() * getNumLocalReplicas()


@typed
def getDevice(ipus_per_replica: int | None = None) -> DeviceInfo:
    """A simulated device with the IPUs of this instance's replicas: `ipus_per_replica` for each, by
    default those of `getNumIpusPerReplica`. popdist's function of this name, in `popdist.popart`.

    Raises popart_exception if no system has so many.
    """
    return DeviceManager().acquireAvailableDevice(_local_ipus(ipus_per_replica))


def _local_ipus(ipus_per_replica: int | None) -> int:
    """The IPUs of this instance's replicas."""
    each = getNumIpusPerReplica() if ipus_per_replica is None else ipus_per_replica
    return each * getNumLocalReplicas()


@typed
def configureSessionOptions(options: SessionOptions) -> None:
    """Sets the options of replicas to those of this instance. popdist's function of this name, in
    `popdist.popart`.
    """
    local = getNumLocalReplicas()
    options.enableReplicatedGraphs = local > 1
    options.replicatedGraphCount = local
    options.enableDistributedReplicatedGraphs = True
    options.globalReplicationFactor = getNumTotalReplicas()
    options.globalReplicaOffset = getReplicaIndexOffset()


def broadcast(who: str, array: np.ndarray[Any, Any], root: int) -> None:
    """Copies the C-contiguous array of the instance `root` to those of all."""
    peers(who).broadcast(array.reshape(-1).view(np.uint8), root)
