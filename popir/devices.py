"""The machines that a session can run on: `DeviceManager`, `DeviceInfo`."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from popir import poplar
from popir.enums import DeviceConnectionType, DeviceType
from popir.errors import popart_exception, poplar_invalid_option
from popir.typed import typed


@typed
class DeviceInfo:
    """One device: its kind, its size, and the `poplar.Device` behind it."""

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
        """Takes the device; always succeeds."""
        self.isAttached = True
        return True

    def tryAttachUntilTimeout(self) -> bool:
        """Takes the device; always succeeds."""
        return self.attach()

    def detach(self) -> None:
        """Gives the device back."""
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
    """A number or a flag as Poplar writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@typed
class DeviceManager:
    """Makes devices."""

    def createCpuDevice(self) -> DeviceInfo:
        """The host as a device of one tile: the fastest way to a result."""
        return DeviceInfo(DeviceType.Cpu, poplar.Device.createCPUDevice(), "<unknown-ipu-version>")

    def createIpuModelDevice(
        self, options: Mapping[str, int | float | str | bool] | None = None
    ) -> DeviceInfo:
        """A simulated IPU: the same results, laid out on tiles and costed.

        Options, numbers or their text: "numIPUs" (1), "tilesPerIPU" (all that the version has),
        "ipuVersion" ("ipu2", "ipu21", or "ipu1"), any other figure of the machine, such as
        "memoryBytesPerTile" or "exchangeBytesPerCycle". `popir options` lists them, and those of
        Poplar's and PopART's that have no meaning here. Raises popart_exception for any other
        option or value.
        """
        figures = {name: _text(value) for name, value in (options or {}).items()}
        version = figures.pop("ipuVersion", "ipu2")
        try:
            model = poplar.IPUModel(version)
            return DeviceInfo(DeviceType.IpuModel, model.createDevice(figures), version)
        except poplar_invalid_option as error:
            raise popart_exception(f"createIpuModelDevice: {error}") from None
