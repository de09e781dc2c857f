"""Files are replaced whole or not at all, whatever happens to the writer."""

import fcntl
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from popir import files
from tests.toolchain import started

SIZE = 300_000

WRITER = """
import importlib.util, sys

spec = importlib.util.spec_from_file_location("files", sys.argv[2])
files = importlib.util.module_from_spec(spec)
spec.loader.exec_module(files)
path, n = sys.argv[1], 0
while True:
    n += 1
    with files.atomic_write(path) as stream:
        for _ in range(10):
            stream.write(bytes([n % 256]) * 30_000)
            stream.flush()
    print(n, flush=True)
"""


def only_file(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_new_file_and_its_replacement(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    files.write(path, b"one")
    assert path.read_bytes() == b"one"
    files.write(path, "zwölf")
    assert path.read_text(encoding="utf-8") == "zwölf"
    assert only_file(tmp_path) == ["a.bin"]


def test_the_longest_name_that_a_file_can_have(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 127)
    files.write(path, b"one")
    assert path.read_bytes() == b"one"


def test_permissions_are_kept_and_new_files_obey_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    mask = os.umask(0o027)
    try:
        files.write(path, b"one")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        files.write(path, b"two")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    path, link = tmp_path / "sub" / "a.bin", tmp_path / "link"
    path.write_bytes(b"one")
    link.symlink_to(path)
    files.write(link, b"two")
    assert link.is_symlink()
    assert path.read_bytes() == b"two"


def test_an_exception_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), files.atomic_write(path) as stream:
        stream.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert only_file(tmp_path) == ["a.bin"]


def test_a_folder_that_does_not_exist_and_a_name_that_is_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.write(tmp_path / "none" / "a.bin", b"one")
    with pytest.raises(IsADirectoryError):
        files.write(tmp_path, b"one")


def test_an_error_names_the_file_and_not_its_passing_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught, files.atomic_write("/dev/full"):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == "/dev/full"
    with pytest.raises(FileNotFoundError) as missing:
        files.write(tmp_path / "none" / "a.bin", b"one")
    assert missing.value.filename == str(tmp_path / "none" / "a.bin")
    with pytest.raises(FileNotFoundError) as other, files.atomic_write(tmp_path / "a.bin"):
        (tmp_path.parent / "other" / "b.bin").read_bytes()
    assert other.value.filename == str(tmp_path.parent / "other" / "b.bin")


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        files.write(pipe, b"one")
        assert os.read(reader, 10) == b"one"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_leftovers_go_and_files_in_the_making_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    dead, alive = tmp_path / ".a.bin.0123abcd.tmp", tmp_path / ".a.bin.4567cdef.tmp"
    other = tmp_path / ".b.bin.0123abcd.tmp"
    for each in (dead, alive, other):
        each.touch()
    (tmp_path / ".a.bin.ffffffff.tmp").symlink_to(other)
    with alive.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        files.write(path, b"one")
    expected = [alive.name, ".a.bin.ffffffff.tmp", other.name, "a.bin"]
    assert only_file(tmp_path) == sorted(expected)


def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    rng = random.Random(1)
    old, leftovers = 0, 0
    for _ in range(12):
        command = [sys.executable, "-c", WRITER, str(path), files.__file__]
        with started(*command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline(), "the writer wrote nothing"
            time.sleep(rng.uniform(0, 0.03))
            writer.send_signal(signal.SIGKILL)
            told = [int(line) for line in writer.stdout.read().split()]
        data = path.read_bytes()
        assert len(data) == SIZE and data == data[:1] * SIZE
        last = max(told, default=1)
        assert data[0] in (last % 256, (last + 1) % 256), "what was said to be written is not there"
        old += data[0] == last % 256
        leftovers += len(only_file(tmp_path)) > 1
        assert len(only_file(tmp_path)) <= 2, "leftovers pile up"
    assert old and leftovers, "no kill hit a writer at work: the test shows nothing"
    files.write(path, b"end")
    assert only_file(tmp_path) == ["a.bin"]
