"""Calls functions in processes of their own, without starting Python: `forked`.

A Python that imports what tests import needs three seconds of processor time to start. So one
process, the server, imports it once and calls nothing; each call happens in a fork of it, which
ends as any Python does. The server is started at the first call, with `-W error`, and ends when
this process does.
"""

from __future__ import annotations

import array
import atexit
import functools
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.toolchain import ROOT, environment

IMPORTED = ["numpy", "onnx", "popir", "pytest", "torch", "tests.models"]
"""What the server imports. Nothing here starts threads, which a fork would not have."""


def forked(
    function: str, *arguments: str, cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Calls `module:function` in a process of its own that has popir, in a folder and with all of
    an environment, and gives what it printed. What is imported already does not hear of variables
    for Python itself or for the loader of libraries; those want a new Python.
    """
    if _server.cache_info().currsize and _server().process.poll() is not None:
        _server.cache_clear()
    return _server().call(function, arguments, cwd, env)


class _Server:
    def __init__(self) -> None:
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-W", "error", "-m", __name__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
                env={**environment(), "PYTHONPATH": str(ROOT)},
                start_new_session=True,
            )
        atexit.register(self.end)

    def end(self) -> None:
        """Ends the server, and what runs in a fork of it."""
        atexit.unregister(self.end)
        self.channel.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def call(
        self, function: str, arguments: tuple[str, ...], cwd: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            words = json.dumps([function, arguments, str(cwd), dict(env)]).encode()
            files = array.array("i", [out.fileno(), err.fileno()])
            length = len(words).to_bytes(8, "little")
            try:
                self.channel.sendmsg(
                    [length], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files.tobytes())]
                )
                self.channel.sendall(words)
                said = self.channel.recv(8)
            except BaseException:  # A test that takes too long, say.
                self.end()
                raise
            assert len(said) == 8, "the server of tests/forked.py has ended"
            texts: list[str] = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
        code = int.from_bytes(said, "little", signed=True)
        return subprocess.CompletedProcess([function, *arguments], code, *texts)


@functools.cache
def _server() -> _Server:
    return _Server()


def _serve(channel: socket.socket) -> tuple[str, list[str]]:
    """Forks for each call that comes; returns, in the fork, what to call."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    while True:
        size = array.array("i", [0]).itemsize
        length, ancillary, *_ = channel.recvmsg(8, socket.CMSG_SPACE(2 * size))
        if not length:
            os._exit(0)
        files = array.array("i")
        files.frombytes(ancillary[0][2])
        words = b""
        while len(words) < int.from_bytes(length, "little"):
            if not (more := channel.recv(1 << 20)):  # Who asks has ended.
                os._exit(1)
            words += more
        pid = os.fork()
        if pid == 0:
            channel.close()
            for number, file in enumerate(files, 1):
                os.dup2(file, number)
        for file in files:
            os.close(file)
        if pid == 0:
            function, arguments, cwd, env = json.loads(words)
            os.environ.clear()
            os.environ.update(env)
            os.chdir(cwd)
            return function, arguments
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        channel.sendall(code.to_bytes(8, "little", signed=True))


def _main() -> None:
    function, arguments = _serve(socket.socket(fileno=int(sys.argv[1])))
    sys.argv[:] = ["-c", *arguments]
    sys.path[0] = ""
    module, _, name = function.partition(":")
    call: Any = getattr(importlib.import_module(module), name)
    sys.exit(call(*arguments))


if __name__ == "__main__":
    _main()
