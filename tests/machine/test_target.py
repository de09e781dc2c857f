"""Targets: the presets, changes to any figure, and figures that make no machine."""

import math
from pathlib import Path

import numpy as np
import pytest

from popir import DeviceManager, errors, poplar
from popir._device import machine
from tests.toolchain import CACHED_CXX, popir_config, run

PRESETS = {
    "ipu1": {"tilesPerIPU": 1216, "memoryBytesPerTile": 262144, "tileClockFrequency": 1.6e9},
    "ipu2": {"tilesPerIPU": 1472, "memoryBytesPerTile": 638976, "tileClockFrequency": 1.33e9},
    "ipu21": {"tilesPerIPU": 1472, "memoryBytesPerTile": 638976, "tileClockFrequency": 1.85e9},
}


@pytest.mark.parametrize("version", PRESETS)
def test_presets(version):
    target = poplar.Target.createIPUTarget(2, version)
    assert target.getTargetArchString() == version
    assert {name: machine.figure(target, name) for name in PRESETS[version]} == PRESETS[version]
    assert target.getNumTiles() == 2 * PRESETS[version]["tilesPerIPU"]


@pytest.mark.parametrize(
    ("version", "half", "single"), [("ipu1", 124.5e12, 31.1e12), ("ipu2", 250e12, 62.5e12)]
)
def test_the_presets_have_the_published_peaks(version, half, single):
    """Products and additions of all units of all tiles, each a row of weights long; of halves, with
    sums of half."""
    target = poplar.Target.createIPUTarget(1, version)
    figure = lambda name: machine.figure(target, name)  # noqa: E731
    macs = figure("tilesPerIPU") * figure("tileClockFrequency") * 2
    halves = figure("fp16InFp16OutConvUnitsPerTile") * figure("fp16ConvUnitInputLoadElemsPerCycle")
    # A float takes the units two passes.
    floats = figure("fp32InFp32OutConvUnitsPerTile") * figure("fp32ConvUnitInputLoadElemsPerCycle")
    assert macs * halves == pytest.approx(half, rel=0.01)
    assert macs * floats / 2 == pytest.approx(single, rel=0.01)


@pytest.mark.parametrize("name", machine.figures())
def test_every_figure_is_open_to_change(name):
    ipu2 = poplar.Target.createIPUTarget(1, "ipu2")
    value = (0.5 if name == "linkEfficiency" else 2) * machine.figure(ipu2, name)
    changed = [
        poplar.IPUModel().createDevice({name: str(value)}).getTarget(),
        DeviceManager().createIpuModelDevice({name: value}).device.getTarget(),
    ]
    if name not in ("numIPUs", "tilesPerIPU"):  # which are arguments
        changed.append(poplar.Target.createIPUTarget(1, "ipu2", {name: str(value)}))
    for target in changed:
        assert machine.figure(target, name) == value
        others = set(machine.figures()) - {name}
        assert all(machine.figure(target, o) == machine.figure(ipu2, o) for o in others)


@pytest.mark.parametrize("name", machine.figures())
@pytest.mark.parametrize("value", ["-1", "1e30", "inf", "nan", "", "7x", "0x"])
def test_values_that_make_no_machine_are_refused(name, value):
    with pytest.raises(errors.poplar_invalid_option, match=f"{name} = .*expected"):
        poplar.IPUModel().createDevice({name: value})


def test_fields_of_the_model_are_checked():
    model = poplar.IPUModel("ipu21")
    model.fp16InFp32OutConvUnitsPerTile = 8
    assert machine.figure(model.createDevice().getTarget(), "fp16InFp32OutConvUnitsPerTile") == 8
    with pytest.raises(errors.poplar_invalid_option, match="tilesPerIPU = -3 given"):
        model.tilesPerIPU = -3
    model.tileClockFrequency = -1e9
    with pytest.raises(errors.poplar_invalid_option, match="tileClockFrequency = -1000000000"):
        model.createDevice()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: t.createIPUTarget(-1, "ipu2"), "numIPUs = -1 given"),
        (lambda t: t.createIPUTarget(0, "ipu2"), "numIPUs = 0 given, expected a whole number"),
        (lambda t: t.createIPUTarget(1, 0, "ipu2"), "tilesPerIPU = 0 given"),
        (lambda t: t.createIPUTarget(1, "ipu3"), "'ipu3' given, expected one of ipu1"),
        (lambda t: t.createIPUTarget(1, "ipu2", {"tiles": "4"}), "no figure 'tiles'; it has num"),
        (lambda t: machine.figure(t.createIPUTarget(1, "ipu2"), "tiles"), "no figure 'tiles'"),
    ],
)
def test_targets_that_do_not_exist(make, words):
    with pytest.raises(errors.poplar_invalid_option, match=words):
        make(poplar.Target)


def test_the_memory_of_a_cpu_is_a_number_for_programs():
    """Sources take it as an int and multiply it by floats, where all ones would be -1."""
    target = poplar.Target.createCPUTarget()
    assert target.getBytesPerTile() == 2**30
    assert target.getMemoryBytes() == 2**30 * target.getNumTiles()
    assert int(np.float32(target.getBytesPerTile())) < 2**31


def test_a_cpp_program_changes_figures(tmp_path: Path):
    source, binary = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(
        """
#include <iostream>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>
int main() {
  poplar::IPUModel model("ipu1");
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  const auto target = model.createDevice({{"memcpyBytesPerCycle", "16"}}).getTarget();
  std::cout << target.getNumTiles() << " " << target.getMemcpyBytesPerCycle() << " "
            << target.getBytesPerTile() << "\\n";
  model.tilesPerIPU = -1;
  try {
    model.createDevice();
  } catch (const poplar::invalid_option& error) {
    std::cout << error.what();
  }
}
"""
    )
    flags = popir_config("--cflags"), popir_config("--libs")
    run(*CACHED_CXX, "-std=c++11", *flags[0], source, *flags[1], "-o", binary, cwd=tmp_path)
    first, second = run(binary, cwd=tmp_path).splitlines()
    assert first == "8 16 262144"
    assert "tilesPerIPU = 4294967295 given, expected a whole number from 1 to 16384" in second


def test_getters_that_libraries_ask():
    target = poplar.Target.createIPUTarget(1, "ipu2")
    half, single = poplar.HALF, poplar.FLOAT
    assert target.getNumConvUnits(half, half) == target.getNumConvUnits(single, single) == 16
    assert target.getNumConvUnits(half, single) == 8
    assert (target.getWeightsPerConvUnit(half), target.getWeightsPerConvUnit(single)) == (16, 8)
    assert target.getConvUnitInputLoadElemsPerCycle(half) == 4
    assert target.getConvUnitMaxPipelineDepth(single) == 4
    assert target.getConvUnitCoeffLoadBytesPerCycle() == 16
    assert target.getMemcpyBytesPerCycle() == 8
    assert (target.getDataPathWidth(), target.getRptCountMax()) == (64, 4095)
    assert (target.getTilesPerSharedExchangeBus(), target.supportsExchangeBusSharing()) == (2, True)
    offsets = target.getMemoryElementOffsets()
    assert (offsets[:2], len(offsets)) == ([0, 16384], 39)
    assert offsets[target.getInterleavedMemoryElementIndex()] == 208 * 1024
    assert (target.getMinIPUSyncDelay(), target.getMaxIPUSyncDelay()) == (0, 126)


@pytest.mark.parametrize(
    ("ipus", "hops"), [(1, 1), (2, 1), (4, 2), (16, 5), (64, 17)], ids=lambda n: str(n)
)
def test_a_global_sync_takes_the_way_to_the_farthest_ipu(ipus, hops):
    """15 ns a hop, there and back, in cycles of 1.33 GHz; or as told."""
    target = poplar.Target.createIPUTarget(ipus, "ipu2")
    assert target.getGlobalSyncCycles() == math.ceil(2 * hops * 15e-9 * 1.33e9)
    told = poplar.Target.createIPUTarget(ipus, "ipu2", {"globalSyncCycles": "600"})
    assert told.getGlobalSyncCycles() == 600


def test_a_c600_multiplies_8_bit_floats_twice_as_fast_as_halves() -> None:
    """Graphcore's 280 TFLOPS of halves are those of its clock."""
    card = poplar.Target.createIPUTarget(1, "C600")
    assert (card.getTargetArchString(), card.getNumTiles()) == ("ipu21", 1472)
    rates = {}
    for kind in (poplar.HALF, poplar.QUARTER):
        units = card.getNumConvUnits(kind, poplar.HALF)
        products = units * card.getConvUnitInputLoadElemsPerCycle(kind)
        rates[kind] = 2 * products * card.getNumTiles() * card.getTileClockFrequency()
    assert rates[poplar.HALF] == pytest.approx(280e12)
    assert rates[poplar.QUARTER] == pytest.approx(560e12)
    assert card.getNumConvUnits(poplar.QUARTER, poplar.FLOAT) == 0
    assert (
        poplar.Target.createIPUTarget(1, "ipu2").getNumConvUnits(poplar.QUARTER, poplar.HALF) == 0
    )
    with pytest.raises(errors.poplar_invalid_option, match="2 IPUs in 'C600', which has 1"):
        poplar.Target.createIPUTarget(2, "C600")


def test_a_c600_gets_its_data_on_a_pcie_link() -> None:
    """PopRT's WideDeep: 51,200 samples of 26 pairs of integers and 13 halves in 1.440 ms, beside
    compute. A link of eight lanes has 16 GT/s each, of which 128 of 130 bits are data (gc-info of a
    C600). It has no memory but the IPU's, so streaming memory is the host's.
    """
    card = poplar.Target.createIPUTarget(1, "C600")
    rate = machine.figure(card, "hostBytesPerSecond")
    samples = 51200 * (26 * 2 * 4 + 13 * 2)
    assert rate == pytest.approx(samples / 1.440e-3, rel=0.01)
    assert rate < 8 * 16e9 * 128 / 130 / 8
    assert machine.figure(card, "streamingBytesPerSecond") == rate
    told = poplar.Target.createIPUTarget(1, "C600", {"hostBytesPerSecond": "1e9"})
    assert machine.figure(told, "hostBytesPerSecond") == 1e9
