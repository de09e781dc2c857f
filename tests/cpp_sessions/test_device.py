"""The device of a session in C++, and what goes by streams."""

import popir
from tests.cpp_sessions.conftest import Program


def test_device(program: Program):
    lines = program("device").splitlines()
    assert "The session 'inference' is not prepared" in lines[0]
    assert lines[1].endswith("; 1 1 1 1")
    assert lines[2] == "11 22"
    assert lines[3] == "101 103"
    assert "no stream 'send'; the graph has: " in lines[4]
    assert (
        "connectStreamToCallback: index = 1: all replicas have the same stream; give 0" in lines[5]
    )
    assert lines[6] == "deserialized 011"
    assert lines[7] == "11 22", "the program from a stream"
    assert "loadExecutableFromStream: a stream was expected" in lines[8]
    assert "Devicex::run: prepare() must be called before" in lines[9]
    assert lines[10] == "6 8 4"
    assert "Devicex::prepare: this object belongs to the lowering of a graph" in lines[11]
    assert lines[12:14] == ["[1 0 1 1] []", "[1 0 1 0] [0]"]
    assert "has a step of 2; expected is 1 or -1, for pads around the slice" in lines[14]
    assert lines[15].startswith(
        "(OffChip, loadTileSet=Compute, storageTileSet=Compute, RTS=On, shardingDomain="
    )
    assert lines[16] == (
        "RecomputationType::None AutodiffStitchStrategy::AddFwdOutputs "
        "InputSettings[JustInTime, Compute] Mean"
    )
    assert lines[17:19] == ["0 1", "10"]
    assert lines[19] == f"{popir.versionString()}; {popir.packageHash()}; 11"
    assert lines[20] == "IpuModel"
    assert "There is no test device 'Ipu'; there are Cpu, IpuModel, Sim and Hw" in lines[21]
    assert "there is no device of the type Sim2; take Sim or IpuModel" in lines[22]
    assert lines[23] == "31 42", "the program from a stream behind a header"
    assert len(lines) == 24
