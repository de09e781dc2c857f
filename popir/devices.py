"""The devices that a session can run on: `DeviceManager`, `DeviceInfo`."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from popir import poplar
from popir.enums import (
    DeviceConnectionType,
    DeviceSelectionCriterion,
    DeviceType,
    SyncPattern,
)
from popir.errors import popart_exception, poplar_exception, poplar_invalid_option
from popir.options.table import OptionWarning, warn
from popir.typed import shown, typed

_SYSTEM = 64
"""The IPUs of the simulated system that devices are acquired from."""
_MOST_IPUS = 1 << 20
"""More IPUs than any system has."""
Figures = Mapping[str, int | float | str | bool]


@typed
class DeviceInfo:
    """One device: its kind, its size, and its `poplar.Device`. PopART's `DeviceInfo`.

    A `DeviceManager` makes it. As a context manager, it detaches at the end of the block. Members:
    `type`, a DeviceType; `version`, such as "ipu2"; `numIpus`; `tilesPerIPU`; `numWorkerContexts`,
    the worker threads of a tile; `device`, the `poplar.Device`; `connectionType`, a
    DeviceConnectionType: sessions only compile for a device of the type Never. `id` is 0 unless the
    device was acquired; `driverIds` is empty; `figures` are those that it was made with.
    """

    def __init__(
        self,
        type: DeviceType,
        device: poplar.Device,
        version: str,
        id: int = 0,
        connectionType: DeviceConnectionType = DeviceConnectionType.Always,
    ) -> None:
        target = device.getTarget()
        self.type = type
        self.version = self.ipuVersion = version
        self.id = id
        self.connectionType = connectionType
        self.numIpus: int = target.getNumIPUs()
        self.tilesPerIPU: int = target.getTilesPerIPU()
        self.tilesPerIpu = self.tilesPerIPU
        self.numWorkerContexts: int = target.getNumWorkerContexts()
        self.driverIds: list[int] = []
        self.isAttached = False
        self.device = device
        self.figures: Figures = {}

    def ofReplica(self, replicas: int) -> DeviceInfo:
        """The device of one of several replicas: its share of the IPUs, or the host itself.

        Raises popart_exception if the IPUs cannot be shared evenly.
        """
        if replicas == 1 or self.type is DeviceType.Cpu:
            return self
        if self.numIpus % replicas:
            raise popart_exception(
                f"SessionOptions.replicatedGraphCount = {replicas}: the device has "
                f"{self.numIpus} IPUs; expected is a multiple of the replicas.",
                popart="If virtual graphs are disabled, the replicated graph count "
                f"({replicas}) needs to be equal to the number of IPUs ({self.numIpus}).",
            )
        figures = {**self.figures, "numIPUs": self.numIpus // replicas}
        return _simulated("ofReplica", self.type, figures, self.id, self.connectionType)

    def attach(self) -> bool:
        """Sets `isAttached`. Returns True: a simulated device is always free.

        Raises popart_exception for a device of the connection type Never.
        """
        if self.connectionType is DeviceConnectionType.Never:
            raise popart_exception(
                "Cannot attach to offline device: sessions compile for it, and run on another. "
                "createIpuModelDevice() makes one that runs."
            )
        self.isAttached = True
        return True

    def tryAttachUntilTimeout(self) -> bool:
        """The same as `attach`: there is nothing to wait for."""
        return self.attach()

    def detach(self) -> None:
        """Clears `isAttached`. A session may still run on the device."""
        self.isAttached = False

    def __enter__(self) -> DeviceInfo:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.detach()

    def __repr__(self) -> str:
        return (
            f"DeviceInfo({self.type.name}, numIpus={self.numIpus}, tilesPerIPU={self.tilesPerIPU}, "
            f"version='{self.version}')"
        )


def _text(value: object) -> str:
    """An option value as Poplar's text: True is "true"."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@typed
class DeviceManager:
    """Makes the devices that sessions run on. PopART's `DeviceManager`.

    There is no hardware. What is acquired is a simulated IPU, as `createIpuModelDevice` makes one,
    out of a system of 64 IPUs that are always free. As in a pod, ids number the devices of one IPU
    first (0 to 63), then those of two (64 to 95), of four, and so on; 126 is the whole system.
    """

    def createCpuDevice(self) -> DeviceInfo:
        """A device of one tile that is the host itself: the fastest way to a result."""
        return DeviceInfo(DeviceType.Cpu, poplar.Device.createCPUDevice(), "<unknown-ipu-version>")

    def createIpuModelDevice(self, options: Figures | None = None) -> DeviceInfo:
        """A simulated IPU: tensors are laid out on tiles, and reports estimate cycles and memory.

        Options, as numbers or text: "ipuVersion" ("ipu2" by default, "ipu21" or "ipu1"), "numIPUs"
        (1), "tilesPerIPU" (by default, and for 0, all of the version), and other figures of the
        machine, such as "memoryBytesPerTile" or "exchangeBytesPerCycle". `popir options` lists them
        all. Raises popart_exception for another option or value.
        """
        return _simulated("createIpuModelDevice", DeviceType.IpuModel, options or {})

    def createSimDevice(self, options: Figures | None = None) -> DeviceInfo:
        """A simulated IPU, as `createIpuModelDevice` makes it, of the type Sim; as in PopART, of 4
        tiles unless the options say another number.
        """
        figures = {"tilesPerIPU": 4, **(options or {})}
        return _simulated("createSimDevice", DeviceType.Sim, figures)

    def createOfflineIPUDevice(self, opts: Figures | None = None) -> DeviceInfo:
        """An IPU that sessions compile for and do not run on, with the options of
        `createIpuModelDevice` and "syncPattern", which has no effect (OptionWarning).
        """
        figures = dict(opts or {})
        pattern = figures.pop("syncPattern", "full")
        if pattern != "full":
            _check_pattern("createOfflineIPUDevice", syncPatternFromString(_text(pattern)))
        never = DeviceConnectionType.Never
        return _simulated("createOfflineIPUDevice", DeviceType.OfflineIpu, figures, 0, never)

    def createOfflineIpuFromDeviceInfo(self, deviceInfo: DeviceInfo) -> DeviceInfo:
        """An IPU of the size of another device, that sessions compile for and do not run on."""
        version = deviceInfo.version if deviceInfo.type is not DeviceType.Cpu else "ipu2"
        return self.createOfflineIPUDevice(
            {
                "ipuVersion": version,
                "numIPUs": deviceInfo.numIpus,
                "tilesPerIPU": deviceInfo.tilesPerIPU,
            }
        )

    def createOfflineIpuFromSystemString(self, system: str, numIpus: int) -> DeviceInfo:
        """`numIpus` IPUs of one of Graphcore's systems, such as "IPU-POD16" or "Bow-POD64", that
        sessions compile for and do not run on.

        Raises popart_exception for a system that is not known, and for more IPUs than it has.
        """
        try:
            target = poplar.Target.createIPUTarget(min(max(numIpus, 0), _MOST_IPUS), system)
        except poplar_invalid_option as error:
            raise popart_exception(
                f"createOfflineIpuFromSystemString('{system}', {numIpus}): {error}"
            ) from error
        return self.createOfflineIPUDevice(
            {
                "ipuVersion": target.getTargetArchString(),
                "numIPUs": numIpus,
                "tileClockFrequency": target.getTileClockFrequency(),
            }
        )

    def tryAcquireAvailableDevice(
        self,
        numIpus: int = 1,
        tilesPerIpu: int = 0,
        pattern: SyncPattern = SyncPattern.Full,
        connectionType: DeviceConnectionType = DeviceConnectionType.Always,
        selectionCriterion: DeviceSelectionCriterion = DeviceSelectionCriterion.First,
    ) -> DeviceInfo | None:
        """A simulated device of `numIpus` IPUs with `tilesPerIpu` tiles each, 0 for all; None if
        the system has not so many. Attached, if the connection type is Always.

        `pattern` and `selectionCriterion` have no effect (OptionWarning): IPUs run in step, and are
        all alike and free. Raises popart_exception for a number of IPUs that is no power of two,
        and for the connection type Never.
        """
        who = "acquireAvailableDevice"
        id = _available(numIpus)
        if selectionCriterion is not DeviceSelectionCriterion.First:
            warn(
                f"{who}: selectionCriterion = {shown(selectionCriterion)} has no effect: simulated "
                "IPUs are all alike, and free.",
                OptionWarning,
            )
        _check_connection(connectionType)
        if id is None:
            return None
        return _acquired(who, id, tilesPerIpu, pattern, connectionType)

    def acquireAvailableDevice(
        self,
        numIpus: int = 1,
        tilesPerIpu: int = 0,
        pattern: SyncPattern = SyncPattern.Full,
        connectionType: DeviceConnectionType = DeviceConnectionType.Always,
        selectionCriterion: DeviceSelectionCriterion = DeviceSelectionCriterion.First,
    ) -> DeviceInfo:
        """The same as `tryAcquireAvailableDevice`, but raises popart_exception if the system has
        not so many IPUs.
        """
        found = self.tryAcquireAvailableDevice(
            numIpus, tilesPerIpu, pattern, connectionType, selectionCriterion
        )
        if found is None:
            raise _too_many(numIpus)
        return found

    def tryAcquireDeviceById(
        self,
        id: int,
        pattern: SyncPattern = SyncPattern.Full,
        connectionType: DeviceConnectionType = DeviceConnectionType.Always,
    ) -> DeviceInfo:
        """The simulated device of this id. The same as `acquireDeviceById`: it is never in use."""
        return self.acquireDeviceById(id, pattern, connectionType)

    def acquireDeviceById(
        self,
        id: int,
        pattern: SyncPattern = SyncPattern.Full,
        connectionType: DeviceConnectionType = DeviceConnectionType.Always,
    ) -> DeviceInfo:
        """The simulated device of this id. Attached, if the connection type is Always.

        `pattern` has no effect (OptionWarning). Raises poplar_exception for an id that the system
        does not have, popart_exception for the connection type Never.
        """
        _check_connection(connectionType)
        return _acquired("acquireDeviceById", id, 0, pattern, connectionType)

    def enumerateDevices(
        self,
        pattern: SyncPattern = SyncPattern.Full,
        numIpus: int = 1,
        deviceType: DeviceType = DeviceType.Ipu,
        connectionType: DeviceConnectionType = DeviceConnectionType.Always,
        tilesPerIPU: int = 0,
    ) -> list[DeviceInfo]:
        """The devices of a type and size, none of them attached: of the type Ipu, the simulated
        ones that can be acquired; of the types IpuModel and Sim, one; of the type Cpu, the host.

        `tilesPerIPU` 0 means all tiles. `pattern` has no effect (OptionWarning).
        """
        who = "enumerateDevices"
        _check_pattern(who, pattern)
        _check_connection(connectionType)
        if deviceType is DeviceType.Cpu:
            return [self.createCpuDevice()] if numIpus == 1 else []
        if deviceType is DeviceType.OfflineIpu:
            return []
        ids = _ids(numIpus)
        ids = ids if deviceType is DeviceType.Ipu else ids[:1]
        kind = DeviceType.IpuModel if deviceType is DeviceType.Ipu else deviceType
        figures = _figures(numIpus, tilesPerIPU)
        return [_simulated(who, kind, figures, id, connectionType) for id in ids]

    def setOnDemandAttachTimeout(self, attachTimeout: int) -> None:
        """Sets the seconds to wait for a device; 0 or more. There is nothing to wait for here:
        simulated devices are always free.
        """
        if attachTimeout < 0:
            raise popart_exception(
                f"setOnDemandAttachTimeout takes 0 or more seconds; given was {attachTimeout}."
            )


@typed
def syncPatternFromString(pattern: str) -> SyncPattern:
    """The SyncPattern that Poplar calls "full", "singlePipeline" or "replicaAndLadder".

    Raises popart_exception for another text.
    """
    if pattern not in _PATTERNS:
        raise popart_exception(
            f"Unknown syncPattern setting: {pattern}; there are {', '.join(_PATTERNS)}."
        )
    return _PATTERNS[pattern]


@typed
def syncPatternToString(pattern: SyncPattern) -> str:
    """Poplar's text for a SyncPattern, such as "full"."""
    return next(text for text, member in _PATTERNS.items() if member is pattern)


_PATTERNS = {
    "full": SyncPattern.Full,
    "singlePipeline": SyncPattern.SinglePipeline,
    "replicaAndLadder": SyncPattern.ReplicaAndLadder,
}


def _ids(ipus: int) -> range:
    """The ids of the devices of that many IPUs in the simulated system; empty if it has none."""
    size, first = 1, 0
    while size <= _SYSTEM:
        if size == ipus:
            return range(first, first + _SYSTEM // size)
        first += _SYSTEM // size
        size *= 2
    return range(0)


def available_id(ipus: int) -> int:
    """The id of the device of that many IPUs that `DeviceManager.acquireAvailableDevice` acquires.

    Raises popart_exception as that does.
    """
    id = _available(ipus)
    if id is None:
        raise _too_many(ipus)
    return id


def _available(ipus: int) -> int | None:
    """The id of the first device of that many IPUs; None if the system has not so many. Raises
    popart_exception for a number that is no power of two.
    """
    if ipus > 0 and ipus & (ipus - 1):
        raise popart_exception(
            f"You have attempted to acquire {ipus} IPUs. The number of IPUs requested must be a "
            "power of two."
        )
    return next(iter(_ids(ipus)), None)


def _too_many(ipus: int) -> popart_exception:
    return popart_exception(
        f"Failed to acquire device with {ipus} IPUs. Ensure that there are sufficient IPUs "
        f"available. The simulated system has {_SYSTEM}."
    )


def _figures(ipus: int, tiles: int) -> Figures:
    return {"numIPUs": ipus, **({"tilesPerIPU": tiles} if tiles else {})}


def _acquired(
    who: str, id: int, tiles: int, pattern: SyncPattern, connection: DeviceConnectionType
) -> DeviceInfo:
    _check_pattern(who, pattern)
    ipus = next((n for n in (1, 2, 4, 8, 16, 32, _SYSTEM) if id in _ids(n)), None)
    if ipus is None:
        raise poplar_exception(
            f"No such device set id: '{id}'. The simulated system has {_SYSTEM} IPUs, with the ids "
            f"0 to {_ids(_SYSTEM)[0]}."
        )
    found = _simulated(who, DeviceType.IpuModel, _figures(ipus, tiles), id, connection)
    if connection is DeviceConnectionType.Always:
        found.attach()
    return found


def _check_pattern(who: str, pattern: SyncPattern) -> None:
    if pattern is not SyncPattern.Full:
        warn(
            f"{who}: pattern = {shown(pattern)} has no effect: simulated IPUs run in step.",
            OptionWarning,
        )


def _check_connection(connection: DeviceConnectionType) -> None:
    if connection is DeviceConnectionType.Never:
        raise popart_exception(
            "Trying to acquire a hardware device when connectionType is "
            "DeviceConnectionType::Never. For offline compilation, use createOfflineIPUDevice."
        )


def _simulated(
    who: str,
    type: DeviceType,
    options: Figures,
    id: int = 0,
    connection: DeviceConnectionType = DeviceConnectionType.Always,
) -> DeviceInfo:
    figures = {name: _text(value) for name, value in options.items()}
    version = figures.pop("ipuVersion", "ipu2")
    if figures.get("tilesPerIPU") == "0":  # All, as poplar::IPUModel has it.
        del figures["tilesPerIPU"]
    try:
        device = poplar.IPUModel(version).createDevice(figures)
        made = DeviceInfo(type, device, version, id, connection)
        made.figures = options
        return made
    except poplar_invalid_option as error:
        raise popart_exception(f"{who}: {error}") from None
