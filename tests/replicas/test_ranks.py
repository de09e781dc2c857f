"""Instances of a program that share replicas, by MPI on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from popir import popdist
from popir.errors import popart_exception
from tests.forked import forked
from tests.replicas.networks import Network, mlp, transformer
from tests.replicas.training import ROWS, options, train
from tests.toolchain import CXX, run, started

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests/replicas"
IS_INSTALLED = os.path.isfile(os.path.join(sys.prefix, "lib/libmpi_abi.so.1"))
needs_mpi = pytest.mark.skipif(
    not IS_INSTALLED, reason="MPI is not installed: pip install 'popir[distributed]'"
)
LIMIT = 60


def launched(
    ranks: int, script: str, *words: str, more: tuple[str, ...] = (), **environment: str
) -> tuple[int, str]:
    """The exit code of `popir run-distributed`, and what it wrote."""
    made = ["run-distributed", "-n", str(ranks), *more, str(HERE / script), *words]
    env = os.environ | environment
    found = forked("tests.replicas.launcher:main", *made, cwd=ROOT, env=env)
    return found.returncode, found.stdout + found.stderr


@pytest.fixture(scope="module", params=["mlp", "transformer"])
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Network:
    return mlp() if request.param == "mlp" else transformer(tmp_path_factory.mktemp("model"))


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_train_as_replicas_in_one_process(
    network: Network, ranks: int, tmp_path: Path
) -> None:
    (tmp_path / "model.onnx").write_bytes(network.models[ROWS // ranks])
    np.savez(tmp_path / "data.npz", **network.data)
    code, said = launched(ranks, "training.py", str(tmp_path))
    assert code == 0, said
    want = train(network.models[ROWS // ranks], network.data, options(ranks))
    with np.load(tmp_path / "found.npz") as found:
        np.testing.assert_array_equal(found["losses"], want.losses)
        for id, weight in want.weights.items():
            np.testing.assert_array_equal(found[id], weight, err_msg=id)
    np.testing.assert_allclose(want.losses.mean(1), network.losses(), rtol=0, atol=1e-4)


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(("ranks", "replicas"), [(2, 2), (4, 1)])
def test_collectives_over_processes(ranks: int, replicas: int) -> None:
    code, said = launched(ranks, "instances.py", "collectives", more=("--replicas", str(replicas)))
    assert code == 0, said
    assert said.count("collectives agree") == ranks


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(("ranks", "replicas"), [(2, 1), (4, 1), (2, 2)])
def test_gradients_that_travel_in_the_backward_pass_change_no_bit(
    ranks: int, replicas: int
) -> None:
    code, said = launched(ranks, "instances.py", "overlap", more=("--replicas", str(replicas)))
    assert code == 0, said
    assert said.count("overlap agrees") == ranks


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
def test_weights_and_checkpoints_of_all_instances(tmp_path: Path) -> None:
    code, said = launched(2, "instances.py", "weights", str(tmp_path / "checkpoint"))
    assert code == 0, said
    assert said.count("weights agree") == 2


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(("ranks", "replicas"), [(2, 2), (4, 1)])
def test_all_instances_have_the_weights_of_all_groups(
    ranks: int, replicas: int, tmp_path: Path
) -> None:
    words = "groups", str(tmp_path / "checkpoint")
    code, said = launched(ranks, "instances.py", *words, more=("--replicas", str(replicas)))
    assert code == 0, said
    assert said.count("groups agree") == ranks


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(("ranks", "replicas"), [(2, 2), (4, 1)])
def test_each_replica_of_all_instances_goes_on_with_its_own(
    ranks: int, replicas: int, tmp_path: Path
) -> None:
    words = "own", str(tmp_path / "checkpoint")
    code, said = launched(ranks, "instances.py", *words, more=("--replicas", str(replicas)))
    assert code == 0, said
    assert said.count("what replicas have of their own agrees") == ranks


LATE = r"""
#include <dlfcn.h>
#include <unistd.h>
#include <cstdint>
#include <cstdlib>

// MPI whose fourth message of rank 1 to rank 2 leaves late: that is the last of two gathers.
extern "C" int MPI_Isend_c(const void* data, std::int64_t count, void* type, int to, int tag,
                           void* comm, void** request) {
  static void* const found = dlsym(RTLD_NEXT, "MPI_Isend_c");
  static int messages = 0;
  if (std::getenv("PMI_RANK")[0] == '1' && to == 2 && ++messages == 4) sleep(2);
  return reinterpret_cast<decltype(&MPI_Isend_c)>(found)(data, count, type, to, tag, comm, request);
}
"""


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
def test_a_rank_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    """Rank 0 has ended, with all sent, while the message that rank 2 waits for is rank 1's."""
    (tmp_path / "late.cpp").write_text(LATE)
    folder = os.path.join(sys.prefix, "lib")
    library = tmp_path / "liblate.so"
    flags = ["-shared", "-fPIC", "-D_GNU_SOURCE", f"-L{folder}", f"-Wl,-rpath,{folder}"]
    files = ["-o", library, tmp_path / "late.cpp", "-Wl,--no-as-needed", "-l:libmpi_abi.so.1"]
    run(CXX, *flags, *files, cwd=tmp_path)
    code, said = launched(3, "instances.py", "gathers", POPIR_MPI=str(library))
    assert code == 0, said
    assert said.count("gathered") == 3


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("killed", 137, ["has ended with signal 9 (SIGKILL)"]),
        ("in a step", 137, ["has ended with signal 9 (SIGKILL)"]),
        ("exits", 7, ["has ended with exit code 7"]),
        ("raises", 1, ["RuntimeError: the data are gone", "has ended with exit code 1"]),
        ("returns", 1, ["rank 1 has ended its program"]),
        ("leaves", 1, ["has ended with exit code 0, and without Python's end"]),
    ],
)
def test_a_rank_that_dies_ends_the_job_and_is_named(
    how: str, code: int, words: list[str], tmp_path: Path
) -> None:
    died = tmp_path / "died"
    found, said = launched(2, "instances.py", f"dies:{how}", str(died))
    assert time.time() - float(died.read_text()) < 5
    assert found == code, said
    assert all(word in said for word in words), said
    if how != "returns":
        assert "popir: rank 1 (process" in said


PROGRAM = """
import sys

import numpy as np
import popart
import popdist.popart

rank = popdist.getInstanceIndex()
builder = popart.Builder()
w = builder.addInitializedInputTensor(np.float32([rank]), "w")
y = builder.aiOnnx.add([w, w])
device = popdist.popart.getDevice(2)
session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device)
session.broadcastWeights(1)
found = {"w": np.zeros(1, np.float32)}
session.readWeights(popart.PyWeightsIO(found))
print(sys.argv[1:], rank, popdist.getNumTotalReplicas(), device.numIpus, found["w"])
"""


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
def test_poprun_starts_a_program_of_popart(tmp_path: Path) -> None:
    """Its instances know of one another without popdist.init(), and share weights of sessions of
    their own.
    """
    (tmp_path / "program.py").write_text(PROGRAM)
    options = ["--num-instances", "2", "--num-replicas", "4", "--only-output-from-instance", "0"]
    made = subprocess.run(
        [sys.executable, "-m", "popir.cli.poprun", *options, "python3", "program.py", "--a"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout == "['--a'] 0 4 4 [1.]\n"


@pytest.mark.parametrize(
    "said",
    [
        *({name: "0"} for name in popdist.RANKS if name != "SLURM_PROCID"),
        {"SLURM_PROCID": "1"},
        {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"},
    ],
    ids=str,
)
def test_a_process_of_a_launcher_is_not_alone(
    said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All would be rank 0, and write its files."""
    assert {"SLURM_PROCID", "MV2_COMM_WORLD_RANK", "PALS_RANKID", "FLUX_TASK_RANK"} <= {
        *popdist.RANKS
    }
    for name in popdist.RANKS:
        monkeypatch.delenv(name, raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    for asked in (popdist.getInstanceIndex, popdist.getNumInstances):
        with pytest.raises(popart_exception, match=r"before popdist\.init\(\)"):
            asked()


def test_a_batch_script_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*popdist.RANKS, "SLURM_STEP_NUM_TASKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLURM_PROCID", "0")
    assert (popdist.getInstanceIndex(), popdist.getNumInstances()) == (0, 1)


def test_the_id_of_a_device_is_known_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {ipus: popdist.getDevice(ipus).id for ipus in (1, 2, 64)}

    def refuse(*_: object) -> None:
        raise AssertionError("A device is made.")

    monkeypatch.setattr("popir.devices.DeviceInfo.__init__", refuse)
    assert {ipus: popdist.getDeviceId(ipus) for ipus in ids} == ids
    with pytest.raises(popart_exception, match="Failed to acquire device with 128 IPUs"):
        popdist.getDeviceId(128)
    with pytest.raises(popart_exception, match=r"3 IPUs\..* must be a power of two"):
        popdist.getDeviceId(3)


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
def test_a_job_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    code, said = launched(
        2, "instances.py", "resumes", str(tmp_path / "checkpoint"), more=("--restarts", "1")
    )
    assert code == 0, said
    assert "popir: restart 1 of 1" in said
    assert said.count("went on from step 3") == 2


@needs_mpi
@pytest.mark.timeout(3 * LIMIT)
def test_other_numbers_of_ranks_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    """Whose weights are shards, one for each rank."""
    folder = str(tmp_path / "checkpoint")
    for begin, (ranks, until) in zip([0, 2, 4], [(2, 2), (3, 4), (4, 6)], strict=True):
        code, said = launched(ranks, "instances.py", f"continues:{until}", folder)
        assert code == 0, said
        assert said.count(f"went on from step {begin}") == ranks


DIFFERENT = {
    "models": "different models or options: the compiled graph (by hash) is ",
    "sizes": "different models or options: 'x' is FLOAT[3] in rank 0, and FLOAT[4] in rank 1",
    "options": "options: SessionOptions.accumulationFactor is 2 in rank 0, and 3 in rank 1",
    "optimizers": "the kind of the optimizer is SGD in rank 0, and Adam in rank 1",
    "constants": "the optimizer's defaultLearningRate is 0.5 in rank 0, and 1.5 in rank 1",
    "rates": "'scaledLearningRate0___default___FLOAT' is 0.5 in rank 0, and 1.5 in rank 1",
    "weights": "weights to begin with: the checksum of 'w' is ",
    "checkpoints": "to begin with: the number of steps is 1 in rank 0, and 2 in rank 1",
    "seeds": "different random numbers: the random seed is 8 in rank 0, and 9 in rank 1",
    "positions": "Session.save: the instances have different arguments: the position in the data",
    "folders": "Session.save: the instances have different arguments: the folder is ",
    "changed rates": "updateOptimizerFromHost(): the instances have different numbers: ",
}


@pytest.fixture(scope="module")
def differing(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What two instances say of each other, that differ in one thing after another."""
    names = ",".join(DIFFERENT)
    folder = tmp_path_factory.mktemp("differing")
    code, said = launched(2, "instances.py", f"differ:{names}", str(folder))
    assert code == 3, said
    return said


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("how", DIFFERENT)
def test_instances_that_differ_are_told_so(how: str, differing: str) -> None:
    for rank in (0, 1):
        assert f"rank {rank}: {how}: " in differing, differing
    assert differing.count(DIFFERENT[how]) >= 2, differing


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("calls", "are in different calls: rank 0 in Session.save, rank 1 in Session, updateOpt"),
        ("orders", "all have to run the same steps in the same order"),
    ],
)
def test_instances_that_are_at_different_steps_are_told_so(
    how: str, words: str, tmp_path: Path
) -> None:
    code, said = launched(2, "instances.py", f"differ:{how}", str(tmp_path))
    assert code == 3, said
    assert said.count(words) >= 2, said
    assert all(f"rank {rank}: " in said for rank in (0, 1)), said


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("how", ["a save", "a broadcast"])
def test_a_step_does_not_wait_for_a_rank_in_another_call(how: str, tmp_path: Path) -> None:
    begin = time.monotonic()
    code, said = launched(2, "instances.py", f"differ:{how}", str(tmp_path / "checkpoint"))
    assert code == 3, said
    assert "rank 0 is in a call of its session, and in its step rank 1 waits for it" in said
    assert time.monotonic() - begin < 60


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("how", ["steps", "deep steps"])
def test_a_rank_that_never_comes_is_named(how: str) -> None:
    """Also where a thread waits for it while the step goes on."""
    code, said = launched(2, "instances.py", f"differ:{how}", more=("--timeout", "2"))
    assert code == 3, said
    assert "rank 0 has waited 2 s for rank 1" in said


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
def test_a_rank_that_does_not_start_mpi_is_waited_for_no_longer_than_allowed() -> None:
    begin = time.monotonic()
    code, said = launched(2, "instances.py", "absent", more=("--timeout", "2"))
    assert code == 1, said
    assert "popdist.init(): this process has waited 2 s for the others of its job" in said
    assert time.monotonic() - begin < 25


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_rank_outlives_the_command(number: signal.Signals) -> None:
    words = [sys.executable, "-m", "popir", "run-distributed", "-n", "2"]
    with started(
        *[*words, str(HERE / "instances.py"), "endless"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        ranks = [int(process.stdout.readline()) for _ in range(2)]
        if number is signal.SIGINT:  # As a terminal sends it.
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == (-number if number is signal.SIGKILL else 128 + number), said
    assert said.count("\nKeyboardInterrupt") <= len(ranks), "one is interrupted twice"
    for _ in range(100):
        if not any(Path(f"/proc/{rank}").exists() for rank in ranks):
            break
        time.sleep(0.1)
    else:
        pytest.fail(f"a rank is still there: {ranks}")


@needs_mpi
@pytest.mark.timeout(2 * LIMIT)
def test_another_mpi_in_the_process_is_named(tmp_path: Path) -> None:
    """As mpi4py starts it, whose wheels know MPICH's own interface alone."""
    script = tmp_path / "script.py"
    script.write_text(
        "import ctypes, os, sys\n"
        "from popir import popdist\n"
        "mpi = ctypes.CDLL(os.path.join(sys.prefix, 'lib/libmpi.so.12'))\n"
        "mpi.MPI_Init(None, None)\n"
        "try:\n    popdist.init()\nfinally:\n    mpi.MPI_Finalize()\n"
    )
    code, said = launched(2, str(script))
    assert code == 1, said
    assert said.count("started another library of MPI already, ") == 2, said
    assert "libmpi.so.12" in said
    assert "libmpi_abi.so.1" in said


def test_without_mpi_the_extra_is_named(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from popir import popdist\npopdist.init()\n")
    environment = os.environ | {"POPIR_MPI": str(tmp_path / "libmpi_abi.so.1")}
    found = subprocess.run(
        [sys.executable, str(script)],
        cwd=ROOT,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert found.returncode == 1
    assert "MissingPackageError" in found.stderr
    assert "pip install 'popir[distributed]'" in found.stderr
