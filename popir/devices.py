"""The devices that a session can run on: `DeviceManager`, `DeviceInfo`."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from popir import poplar
from popir.enums import DeviceConnectionType, DeviceType
from popir.errors import popart_exception, poplar_invalid_option
from popir.typed import typed


@typed
class DeviceInfo:
    """One device: its kind, its size, and its `poplar.Device`. PopART's `DeviceInfo`.

    A `DeviceManager` makes it. As a context manager, it detaches at the end of the block. Members:
    `type`, a DeviceType; `version`, such as "ipu2"; `numIpus`; `tilesPerIPU`; `numWorkerContexts`,
    the worker threads of a tile; `device`, the `poplar.Device`. `driverIds` is empty, `id` 0.
    """

    def __init__(self, type: DeviceType, device: poplar.Device, version: str, id: int = 0) -> None:
        target = device.getTarget()
        self.type = type
        self.version = self.ipuVersion = version
        self.id = id
        self.connectionType = DeviceConnectionType.Always
        self.numIpus: int = target.getNumIPUs()
        self.tilesPerIPU: int = target.getTilesPerIPU()
        self.tilesPerIpu = self.tilesPerIPU
        self.numWorkerContexts: int = target.getNumWorkerContexts()
        self.driverIds: list[int] = []
        self.isAttached = False
        self.device = device

    def attach(self) -> bool:
        """Sets `isAttached`. Returns True: a simulated device is always free."""
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
    """Makes the devices that sessions run on. PopART's `DeviceManager`."""

    def createCpuDevice(self) -> DeviceInfo:
        """A device of one tile that is the host itself: the fastest way to a result."""
        return DeviceInfo(DeviceType.Cpu, poplar.Device.createCPUDevice(), "<unknown-ipu-version>")

    def createIpuModelDevice(
        self, options: Mapping[str, int | float | str | bool] | None = None
    ) -> DeviceInfo:
        """A simulated IPU: tensors are laid out on tiles, and reports estimate cycles and memory.

        Options, as numbers or text: "ipuVersion" ("ipu2" by default, "ipu21" or "ipu1"), "numIPUs"
        (1), "tilesPerIPU" (all of the version), and other figures of the machine, such as
        "memoryBytesPerTile" or "exchangeBytesPerCycle". `popir options` lists them all. Raises
        popart_exception for another option or value.
        """
        figures = {name: _text(value) for name, value in (options or {}).items()}
        version = figures.pop("ipuVersion", "ipu2")
        try:
            model = poplar.IPUModel(version)
            return DeviceInfo(DeviceType.IpuModel, model.createDevice(figures), version)
        except poplar_invalid_option as error:
            raise popart_exception(f"createIpuModelDevice: {error}") from None
