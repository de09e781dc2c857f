"""What `poprun` makes of its options. A job that it starts is in tests/replicas/test_ranks.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from popir.cli import poprun

TRAIN = ("python3", "train.py", "--lr", "0.1")


@pytest.fixture(autouse=True)
def job(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What would be started."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(poprun, "run", lambda words, **more: found.update(more, words=words))
    monkeypatch.setattr(poprun, "mpiexec", lambda: "mpiexec")
    return found


def called(*words: str | Path) -> int:
    """The exit code of `poprun WORDS`."""
    with pytest.raises(SystemExit) as end:
        poprun.command.main([str(word) for word in words])
    return int(str(end.value.code))


def test_a_program_runs_with_popir_in_the_place_of_popart(job: dict[str, Any]) -> None:
    assert called(*TRAIN) == 0
    assert job["words"] == ["-m", "popir.as_popart", "train.py", "--lr", "0.1"]
    assert (job["ranks"], job["replicas"], job["launcher"]) == (1, 1, ["mpiexec"])
    assert called("/usr/bin/python3.11", "-u", "-m", "examples.train") == 0
    assert job["words"] == ["-m", "popir.as_popart", "-m", "examples.train"]


def test_replicas_are_divided_among_instances(job: dict[str, Any]) -> None:
    words = ("--num-instances", "2", "--num-replicas=6", "--ipus-per-replica", "4")
    assert called(*words, "--only-output-from-instance", "1", *TRAIN) == 0
    assert (job["ranks"], job["replicas"]) == (2, 3)
    assert job["environment"] == {"POPIR_IPUS_PER_REPLICA": "4", "POPIR_OUTPUT_FROM": "1"}
    assert not job["is_shown"]
    assert called("-vv", *TRAIN) == 0
    assert job["is_shown"]


def test_places(job: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert called("-H", "a,b[0-2,7]", "--numa-aware", "yes", *TRAIN) == 0
    assert job["launcher"] == ["mpiexec", "-hosts", "a,b0,b1,b2,b7", "-bind-to", "numa"]
    (tmp_path / "hosts").write_text("a\nb\n")
    assert called("--hostfile", tmp_path / "hosts", *TRAIN) == 0
    assert job["launcher"] == ["mpiexec", "-f", str(tmp_path / "hosts")]
    words = ("--print-topology", "on", "--num-instances", "2", "--num-replicas", "4")
    assert called(*words, *TRAIN) == 0
    assert capfd.readouterr().err == "instance 0: replicas 0, 1\ninstance 1: replicas 2, 3\n"


def test_options_of_open_mpi(job: dict[str, Any]) -> None:
    globally = "--mpi-global-args=--allow-run-as-root --tag-output"
    locally = "--mpi-local-args=-x PATH -x SEED=3 --bind-to core"
    assert called(globally, locally, *TRAIN) == 0
    assert job["launcher"] == ["mpiexec", "-prepend-rank", "-bind-to", "core"]
    assert job["environment"]["SEED"] == "3"
    assert "PATH" not in job["environment"]


def test_there_is_no_server_of_ipus(job: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    for name in poprun.NO_SERVER:
        assert called(name, "yes", *TRAIN) == 0
        said = "popir: warning: options of a V-IPU server have no meaning here: IPUs are simulated."
        assert capfd.readouterr().err == f"{said}\n"
        assert job["launcher"] == ["mpiexec"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--num-instances", "2", "--num-replicas", "3", *TRAIN], "evenly among the instances"),
        (["--num-instances", "0", *TRAIN], "0 is not in the range x>=1"),
        (["--only-output-from-instance", "1", *TRAIN], "the last of 1 instances is 0"),
        (["--host", "a[x]", *TRAIN], "--host a[x]: 'x' is no number, and no range like 0-3"),
        (["--host", "a]", *TRAIN], "expected are names, as in a,b or a[0-2,4]"),
        (["--host", "a", "--hostfile", __file__, *TRAIN], "--host and --hostfile say the same"),
        (["--mpi-local-args=-x", *TRAIN], "--mpi-local-args: -x takes a value"),
        (["--mpi-local-args='", *TRAIN], "--mpi-local-args ''': No closing quotation"),
        (["--mpi-global-args=--map-by core", *TRAIN], "'--map-by' has no counterpart here"),
        (["--mpi-global-args=--bind-to disk", *TRAIN], "--bind-to is none, core, socket, numa"),
        (["--numa", "yes", *TRAIN], "No such option '--numa'"),
        (["./train"], "PROGRAM is './train': popir takes popart's place in Python"),
        (["python3"], "PROGRAM has no script: give a script, -m MODULE or -c CODE after python3"),
        (["python3", "-O", "a.py"], "PROGRAM has the option -O"),
        ([], "Missing argument 'PROGRAM...'. See: poprun --help"),
    ],
)
def test_wrong_words(
    words: list[str], said: str, job: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    assert called(*words) == 2
    assert not job
    error = capfd.readouterr().err
    assert error.startswith("popir: error: ") and said in error
    assert error.count("\n") == 1
