"""Devices: their sizes, and what is refused."""

import pytest

from popir import DeviceManager, DeviceType
from popir.errors import popart_exception


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
