"""Devices: their sizes, and what is refused."""

from typing import Any

import pytest

from popir import (
    DeviceConnectionType,
    DeviceManager,
    DeviceSelectionCriterion,
    DeviceType,
    SyncPattern,
    poplar,
    syncPatternFromString,
    syncPatternToString,
)
from popir.errors import popart_exception, poplar_exception
from popir.options import OptionWarning


def test_the_cpu_has_one_tile() -> None:
    device = DeviceManager().createCpuDevice()
    assert device.type is DeviceType.Cpu
    assert (device.numIpus, device.tilesPerIPU) == (1, 1)


@pytest.mark.parametrize(
    ("options", "ipus", "tiles"),
    [
        ({}, 1, 1472),
        ({"numIPUs": 2, "tilesPerIPU": 4}, 2, 4),
        ({"numIPUs": "2", "tilesPerIPU": "4", "ipuVersion": "ipu21"}, 2, 4),
        ({"compileIPUCode": True}, 1, 1472),
    ],
)
def test_a_model_has_the_size_asked_for(options: dict[str, object], ipus: int, tiles: int) -> None:
    device = DeviceManager().createIpuModelDevice(options)
    assert device.type is DeviceType.IpuModel
    assert (device.numIpus, device.tilesPerIPU) == (ipus, tiles)
    assert device.version == options.get("ipuVersion", "ipu2")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tilesPerIpu": 4}, r"no figure 'tilesPerIpu'; it has numIPUs, tilesPerIPU"),
        ({"numIPUs": 0}, r"numIPUs = 0 given, expected a whole number from 1 to 64"),
        ({"numIPUs": 65}, r"numIPUs = 65 given, expected a whole number from 1 to 64"),
        ({"tilesPerIPU": "many"}, r"tilesPerIPU = 'many' given, expected a whole number from 1"),
        ({"tilesPerIPU": 2.5}, r"tilesPerIPU = 2.5 given, expected a whole number"),
        ({"memoryBytesPerTile": -1}, r"memoryBytesPerTile = -1 given, .*\(bytes\)"),
        ({"dataPathWidth": 65}, r"dataPathWidth = 65 given, expected a multiple of 32 from 32"),
        ({"tileClockFrequency": "nan"}, r"tileClockFrequency = nan given, expected a number from"),
    ],
)
def test_options_that_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        DeviceManager().createIpuModelDevice(options)


def test_an_ipu_version_that_does_not_exist() -> None:
    with pytest.raises(Exception, match=r"ipu99"):
        DeviceManager().createIpuModelDevice({"ipuVersion": "ipu99"})


def test_attaching() -> None:
    with DeviceManager().createCpuDevice() as device:
        assert not device.isAttached
        assert device.attach()
        assert device.isAttached
    assert not device.isAttached


def test_an_acquired_device_is_a_simulated_ipu() -> None:
    manager = DeviceManager()
    device = manager.acquireAvailableDevice(2, tilesPerIpu=4)
    assert device.type is DeviceType.IpuModel
    assert (device.numIpus, device.tilesPerIPU, device.id) == (2, 4, 64)
    assert device.isAttached
    lazy = manager.acquireAvailableDevice(connectionType=DeviceConnectionType.OnDemand)
    assert not lazy.isAttached
    assert lazy.connectionType is DeviceConnectionType.OnDemand
    assert lazy.tryAttachUntilTimeout() and lazy.isAttached


def test_ids_number_the_devices_of_the_simulated_system() -> None:
    manager = DeviceManager()
    sizes = {n: [d.id for d in manager.enumerateDevices(numIpus=n)] for n in (1, 2, 4, 64, 128)}
    assert sizes[1] == list(range(64))
    assert sizes[2] == list(range(64, 96))
    assert sizes[4][0] == 96
    assert (sizes[64], sizes[128]) == ([126], [])
    for id, ipus in ((0, 1), (63, 1), (64, 2), (126, 64)):
        device = manager.acquireDeviceById(id)
        assert (device.id, device.numIpus) == (id, ipus)
    assert manager.tryAcquireDeviceById(3).isAttached
    assert not any(d.isAttached for d in manager.enumerateDevices(tilesPerIPU=4))


def test_devices_of_each_type_are_listed() -> None:
    def sizes(type: DeviceType, ipus: int) -> list[int]:
        return [d.numIpus for d in DeviceManager().enumerateDevices(numIpus=ipus, deviceType=type)]

    assert sizes(DeviceType.Cpu, 1) == [1]
    assert sizes(DeviceType.Cpu, 2) == []
    assert sizes(DeviceType.IpuModel, 2) == sizes(DeviceType.Sim, 2) == [2]
    assert sizes(DeviceType.OfflineIpu, 1) == []


@pytest.mark.parametrize(
    ("system", "version"),
    [
        ("IPU-M2000", "ipu2"),
        ("IPU-POD16", "ipu2"),
        ("IPU-POD64_DA", "ipu2"),
        ("Bow-2000", "ipu21"),
        ("BOW-POD16", "ipu21"),
        ("ipu1", "ipu1"),
    ],
)
def test_the_systems_that_graphcore_has_names_for(system: str, version: str) -> None:
    device = DeviceManager().createOfflineIpuFromSystemString(system, 4)
    assert (device.version, device.numIpus) == (version, 4)


def test_a_system_has_its_clock() -> None:
    device = DeviceManager().createOfflineIpuFromSystemString("C600", 1)
    clock = poplar.Target.createIPUTarget(1, "C600").getTileClockFrequency()
    assert device.device.getTarget().getTileClockFrequency() == clock < 1.5e9


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda m: m.acquireAvailableDevice(3), "must be a power of two"),
        (lambda m: m.acquireAvailableDevice(256), "Failed to acquire device with 256 IPUs. Ensure"),
        (
            lambda m: m.acquireAvailableDevice(connectionType=DeviceConnectionType.Never),
            "For offline compilation, use createOfflineIPUDevice",
        ),
        (lambda m: m.createOfflineIpuFromSystemString("IPU-POD5", 4), "'IPU-POD5' is not known"),
        (lambda m: m.createOfflineIpuFromSystemString("pod16", 4), "expected one of ipu1, ipu2"),
        (lambda m: m.createOfflineIpuFromSystemString("IPU-POD16", 32), "which has 16"),
        (lambda m: m.setOnDemandAttachTimeout(-1), "takes 0 or more seconds"),
        (lambda m: m.createOfflineIPUDevice({}).attach(), "Cannot attach to offline device"),
        (lambda m: m.createOfflineIPUDevice({"syncPattern": "none"}), "Unknown syncPattern"),
    ],
)
def test_what_a_manager_refuses(use: Any, words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        use(DeviceManager())


def test_an_id_that_the_system_does_not_have() -> None:
    with pytest.raises(poplar_exception, match=r"No such device set id: '999'.* ids 0 to 126"):
        DeviceManager().acquireDeviceById(999)
    assert DeviceManager().tryAcquireAvailableDevice(128) is None


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m.acquireAvailableDevice(pattern=SyncPattern.ReplicaAndLadder),
        lambda m: m.acquireDeviceById(0, SyncPattern.SinglePipeline),
        lambda m: m.acquireAvailableDevice(selectionCriterion=DeviceSelectionCriterion.Random),
        lambda m: m.createOfflineIPUDevice({"syncPattern": "singlePipeline"}),
    ],
)
def test_what_has_no_effect_says_so(use: Any) -> None:
    with pytest.warns(OptionWarning, match="has no effect: simulated IPUs"):
        use(DeviceManager())


def test_offline_and_sim_devices_have_the_size_asked_for() -> None:
    manager = DeviceManager()
    assert manager.createSimDevice({}).tilesPerIPU == 4
    sim = manager.createSimDevice({"numIPUs": 2, "tilesPerIPU": 8})
    assert (sim.type, sim.numIpus, sim.tilesPerIPU) == (DeviceType.Sim, 2, 8)
    offline = manager.createOfflineIpuFromDeviceInfo(sim)
    assert (offline.type, offline.numIpus, offline.tilesPerIPU) == (DeviceType.OfflineIpu, 2, 8)
    assert offline.connectionType is DeviceConnectionType.Never
    assert manager.createOfflineIpuFromDeviceInfo(manager.createCpuDevice()).tilesPerIPU == 1
    all_tiles = manager.createOfflineIPUDevice({"numIPUs": "1", "tilesPerIPU": "0"})
    assert all_tiles.tilesPerIPU == 1472


def test_names_of_sync_patterns() -> None:
    assert [syncPatternToString(syncPatternFromString(text)) for text in ("full", "singlePipeline")]
    assert syncPatternFromString("replicaAndLadder") is SyncPattern.ReplicaAndLadder
