"""The command as a process: terminals, pipes, signals, encodings, libraries that print."""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tests.cli.commands import WEIGHT, classifier, dense, logarithm, samples, save
from tests.cli.parameters import COMMANDS
from tests.toolchain import CACHED_CXX, ROOT, UNHANDLED, popir_config, run, started

pytestmark = pytest.mark.timeout(180)

POPIR = [sys.executable, "-m", "popir"]
ENV = {
    **{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")},
    "PYTHONPATH": str(ROOT),
    "TERM": "xterm-256color",
}


def popir(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*POPIR, *map(str, words)], env={**ENV, **env}, capture_output=True, text=True, timeout=60
    )


def on_terminal(*words: object, **env: str) -> tuple[int, str]:
    """Exit code and what a terminal of 60 columns gets of stdout and stderr."""
    master, slave = pty.openpty()
    environment = {**ENV, "COLUMNS": "60", **env}
    with started(*POPIR, *words, env=environment, stdout=slave, stderr=slave) as process:
        os.close(slave)
        received = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # What a terminal without a writer gives.
                break
            if not part:
                break
            received += part
        os.close(master)
        return process.wait(60), received.decode()


def test_plain_text_where_nobody_looks(tmp_path: Path) -> None:
    result = popir("run", dense(tmp_path / "m.onnx"), "--dim", "batch=2", FORCE_COLOR="1")
    assert result.returncode == 0
    assert "\x1b" not in result.stdout + result.stderr
    assert result.stdout.startswith("outputs:\n")


def test_tables_on_a_terminal(tmp_path: Path) -> None:
    nodes = [helper.make_node("Log", ["x"], ["a_name_that_is_longer_than_the_line_" * 3])]
    model = save(tmp_path / "m.onnx", nodes, {"x": [3]}, [nodes[0].output[0]])
    code, text = on_terminal("run", model)
    assert code == 1
    assert "━" in text and "\x1b[1;31m" in text
    letters = re.sub(r"\x1b\[[\d;]*m|[^\w]", "", text)
    assert "_name_" in letters and "…" not in text
    _, text = on_terminal("run", model, NO_COLOR="1")
    assert not re.search(r"\x1b\[[\d;]*3[0-9]", text)
    _, text = on_terminal("run", model, TERM="dumb")
    assert "\x1b" not in text and text.startswith("outputs:\r\n")


def test_a_progress_bar_on_a_terminal(tmp_path: Path) -> None:
    loss = classifier(tmp_path / "m.onnx")
    data = samples(tmp_path / "d.npz")
    target = tmp_path / "out.onnx"
    code, text = on_terminal(
        "train", tmp_path / "m.onnx", "--data", data, "--loss", loss, "--output", target
    )
    assert code == 0
    assert "/12" in text and "loss " in text and "\x1b" in text
    assert target.exists()


def test_a_bar_while_a_model_is_compiled_and_costed(tmp_path: Path) -> None:
    words = ["profile", dense(tmp_path / "m.onnx"), "--dim", "batch=2", "--tiles", "8"]
    code, text = on_terminal(*words)
    assert code == 0
    assert all(part in text for part in ("compiling", "costing", "100%"))
    assert on_terminal(*words, TERM="dumb")[1].count("compiling") == 0
    result = popir(*words)
    assert (result.returncode, result.stderr) == (0, "")
    assert "compiling" not in result.stdout
    assert "compiling" in on_terminal("run", *words[1:4])[1]


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    names = [f"{i:0500}" for i in range(200)]  # More than a pipe holds.
    nodes = [helper.make_node("Relu", ["x"], [name]) for name in names]
    model = save(tmp_path / "m.onnx", nodes, {"x": [1]}, names)
    command = f"{sys.executable} -m popir info {model} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], env=ENV, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["IR version: 9", "141"]
    assert done.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        "profile {}/m.onnx --dim batch=1 -o {}/y.html --trace {}/y.json",
        "run {}/m.onnx --dim batch=1 --output {}/y.npz",
    ],
)
def test_files_are_written_before_a_pipe_is_closed(words: str, tmp_path: Path) -> None:
    dense(tmp_path / "m.onnx")
    command = f"{sys.executable} -m popir {words.replace('{}', str(tmp_path))} | true"
    subprocess.run(["bash", "-c", command], env=ENV, check=True)
    written = [each for each in tmp_path.iterdir() if each.stem == "y" and each.stat().st_size > 0]
    assert len(written) == words.count("{}/y")


def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*POPIR, "info", dense(tmp_path / "m.onnx")],
            env=ENV,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 4
    assert done.stderr == "popir: error: No space left on device.\n"


def command_line(name: str, folder: Path, sources: Path) -> list[object]:
    """One that prints, for each command."""
    if name == "build-op":
        (sources / "a.cpp").write_text(
            "#include <popart/shapeinference.hpp>\n"
            'popart::RegisterShapeInferenceFunction a({"acme.streams", "A", 1}, [](auto&) {});\n'
        )
        return [name, sources / "a.cpp", "-o", folder / "liba.so"]
    if name == "tpcc":
        (sources / "nothing.c").write_text("void main(tensor in, tensor out) {}\n")
        return [name, sources / "nothing.c", "-o", folder / "nothing.o"]
    if name == "train":
        loss = classifier(folder / "m.onnx")
        data = samples(folder / "d.npz")
        words = ["--data", data, "--loss", loss, "--output", folder / "o.onnx"]
        return [name, folder / "m.onnx", *words]
    if name in ("info", "plan", "profile", "run"):
        more = ["--tiles", 4] if name == "profile" else []
        return [name, dense(folder / "m.onnx"), "--dim", "batch=2", *more]
    if name == "new-op":
        return [name, "Cubic", "--folder", folder / "new"]
    return [name, *{"completion": ["bash"], "gradcheck": ["Relu"]}.get(name, [])]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what is compiled, for all tests of this file."""
    return tmp_path_factory.mktemp("cache")


STREAMS = {
    "stdout closed": (">&-", 4, "popir: error: stdout is closed, where the results go. Give it a"),
    "stdout full": (">/dev/full", 4, "popir: error: No space left on device.\n"),
    "nobody reads": ("", 141, ""),
    "all closed": (">&- 2>&- <&-", 4, ""),
    "stderr closed": ("2>&-", 0, ""),
    "stderr full": ("2>/dev/full", 0, ""),
}


def states() -> Iterator[tuple[str, str]]:
    """Every command with a full stdout and one of the other states, which take turns."""
    others = itertools.cycle([stream for stream in STREAMS if stream != "stdout full"])
    for name in COMMANDS:
        if name != "run-distributed":  # It writes nothing: its processes have its streams.
            yield name, "stdout full"
            yield name, next(others)


@pytest.mark.parametrize(("name", "stream"), list(states()))
def test_streams_that_take_nothing(name: str, stream: str, tmp_path: Path, cache: Path) -> None:
    """Commands, in turn with and without --json."""
    where, code, said = STREAMS[stream]
    turn = list(COMMANDS).index(name) + list(STREAMS).index(stream)
    as_json = turn % 2 == 1 and name != "completion"
    words = [*POPIR, *command_line(name, tmp_path, cache), *(["--json"] if as_json else [])]
    env = {**ENV, "CXX": " ".join(CACHED_CXX), "POPIR_CACHE": str(cache)}
    if code == 141:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            list(map(str, words)), env=env, stdout=writer, stderr=subprocess.PIPE, text=True
        )
        os.close(writer)
    else:
        line = f"{shlex.join(map(str, words))} {where}"
        done = subprocess.run(["bash", "-c", line], env=env, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(said) and done.stderr.count("\n") == bool(said)
    if code == 0:
        assert json.loads(done.stdout) if as_json else done.stdout


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full", ">&- 2>&-"])
def test_an_error_that_nobody_can_be_told_has_its_code(where: str, tmp_path: Path) -> None:
    code = 4 if ">&- " in where else 3
    (tmp_path / "m.onnx").write_text("no model")
    for more in ("", "--debug", "--json"):
        line = f"{shlex.join(POPIR)} info {tmp_path / 'm.onnx'} {more} {where}"
        done = subprocess.run(["bash", "-c", line], env=ENV, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_what_is_written_is_no_closed_streams(tmp_path: Path) -> None:
    """The number of a closed stream is not given to a file that is opened later."""
    model = logarithm(tmp_path / "m.onnx")
    words = [*POPIR, "run", model, "--output", tmp_path / "o.npz"]
    line = f"{shlex.join(map(str, words))} 2>&- <&-"
    done = subprocess.run(["bash", "-c", line], env=ENV, capture_output=True, text=True)
    assert done.returncode == 1 and "wrote" in done.stdout
    with np.load(tmp_path / "o.npz") as found:
        assert found["y"].shape == (3,)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_names_that_a_terminal_cannot_show(tmp_path: Path, encoding: str) -> None:
    name = "λ é"
    nodes = [helper.make_node("Relu", ["x"], [name])]
    model = save(tmp_path / "m.onnx", nodes, {"x": [3]}, [name])

    def said(*words: object) -> tuple[int, str, str]:
        done = subprocess.run(
            [*POPIR, *map(str, words)],
            env={**ENV, "PYTHONIOENCODING": encoding},
            capture_output=True,
        )
        return done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)

    code, out, _ = said("run", model)
    assert code == 0
    assert name.encode(encoding, "backslashreplace").decode(encoding) in out
    assert json.loads(said("run", model, "--json")[1])["outputs"][0]["name"] == name
    code, out, error = said("run", tmp_path / "ł\udcff.onnx")
    assert (code, out) == (2, "")
    assert error.startswith("popir: error: ") and error.count("\n") == 1


def deaf() -> None:
    """In a new process: as those are that `nohup` and shells without job control put behind."""
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [number])


@pytest.mark.parametrize("before", [None, deaf], ids=["", "started deaf"])
def test_an_interrupt_keeps_what_was_trained(tmp_path: Path, before: Any) -> None:
    loss = classifier(tmp_path / "m.onnx")
    words = ["train", "m.onnx", "--data", samples(tmp_path / "d.npz", 5000), "--loss", loss]
    with started(
        *[*POPIR, *words, "--epochs", "100000000"],
        env=ENV,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "trained: 32 elements in 1 tensor: w\n"
        assert process.stdout.readline().startswith("epoch 1/100000000: loss ")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.splitlines()[-1] == "wrote m.trained.onnx"
    assert err == "popir: interrupted; m.trained.onnx holds what was trained\n"
    (trained,) = onnx.load(tmp_path / "m.trained.onnx").graph.initializer
    assert np.abs(numpy_helper.to_array(trained) - WEIGHT * 0.1).max() > 1e-3


def test_json_stands_alone_although_a_library_prints(tmp_path: Path) -> None:
    (tmp_path / "loud.cpp").write_text(
        "#include <cstdio>\n#include <popart/shapeinference.hpp>\n"
        '__attribute__((constructor)) void hello() { std::puts("loaded"); }\n'
        'popart::RegisterShapeInferenceFunction loud({"loud", "Loud", 1}, [](auto &) {});\n'
    )
    library = tmp_path / "libloud.so"
    flags = popir_config("--cflags", "--libs")
    run(
        *CACHED_CXX,
        "-std=c++17",
        "-shared",
        "-fPIC",
        "loud.cpp",
        "-o",
        library,
        *flags,
        cwd=tmp_path,
    )
    words = ["run", logarithm(tmp_path / "m.onnx"), "--op-library", library, "--json"]
    result = popir(*words)
    assert result.returncode == 1
    assert json.loads(result.stdout)["outputs"][0]["nan"] >= 1
    assert "loaded" in result.stderr
    assert "WARNING" in result.stderr


def test_a_library_that_crashes_is_named(tmp_path: Path) -> None:
    env = {"POPIR_CACHE": str(tmp_path / "cache"), "CXX": " ".join(CACHED_CXX), **UNHANDLED}
    made = popir("new-op", "Crash", "--cpp", "--codelet", "--folder", tmp_path)
    assert made.returncode == 0, made.stderr
    words = ["gradcheck", "Crash", "--op-library", tmp_path / "crash.cpp"]
    fine = popir(*words, **env)
    assert fine.returncode == 0, fine.stderr
    for name, line, library in (
        ("crash_codelets.cpp", "bool compute() {", "/codelets.so"),
        ("crash.cpp", "void grow(poplar::program::Sequence& prog) const final {", "/libcrash.so"),
    ):
        text = (tmp_path / name).read_text()
        crash = "*reinterpret_cast<volatile int*>(8) = 1;"
        (tmp_path / name).write_text(text.replace(line, line + crash, 1))
        done = popir(*words, **env)
        assert done.returncode == -signal.SIGSEGV
        (said,) = (each for each in done.stderr.splitlines() if "ended by" in each)
        assert said.startswith("popir: error: ended by SIGSEGV, a read or write of memory that is")
        assert f"{library}'. A debugger, or -g -fsanitize=address, shows the place." in said


def test_the_second_interrupt_ends_what_python_does_not_hear_of(tmp_path: Path) -> None:
    made = popir("new-op", "Sleep", "--codelet", "--folder", tmp_path)
    assert made.returncode == 0, made.stderr
    file = tmp_path / "sleep_codelets.cpp"
    text = file.read_text().replace(
        "bool compute() {", 'bool compute() { puts("runs"), fflush(stdout), sleep(600);'
    )
    file.write_text(f"#include <cstdio>\n#include <unistd.h>\n{text}")
    words = [*POPIR, "gradcheck", "Sleep", "--op-library", tmp_path / "sleep.py", "--seed", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(*words, env=ENV, preexec_fn=deaf, **pipes) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "runs\n"
        process.send_signal(signal.SIGINT)
        said = process.stderr.readline()
        assert said.startswith("popir: interrupted: ends when what runs now is")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert process.stderr.read() == "popir: interrupted\n"
