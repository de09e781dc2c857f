"""The C++ compiler for operator libraries: which one, its options, and its error messages."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from popir import _library
from popir.errors import LibraryBuildError

_CANDIDATES = ("g++", "c++", "clang++")
_ENVIRONMENT = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH")
"""The environment variables that affect the result of a compiler."""


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C++."""

    words: tuple[str, ...]
    version: str
    """The path of the compiler and the output of `--version`."""

    @staticmethod
    def find() -> Compiler:
        """The compiler in $CXX, or else g++, c++ or clang++.

        Raises LibraryBuildError if there is none, or if it cannot be run.
        """
        given = os.environ.get("CXX", "")
        words = shlex.split(given) or next(([c] for c in _CANDIDATES if shutil.which(c)), [])
        if not words:
            raise LibraryBuildError(
                f"There is no C++ compiler: CXX is not set, and none of {', '.join(_CANDIDATES)} "
                "is on the PATH. Install g++ (Debian, Ubuntu: `apt install g++`), or set CXX to "
                "the compiler's command."
            )
        program = shutil.which(words[0])
        if program is None:
            raise LibraryBuildError(
                f"The C++ compiler '{words[0]}', which CXX={given!r} names, is not there. Set CXX "
                "to a compiler's command, or take it out of the environment."
            )
        done = subprocess.run([*words, "--version"], capture_output=True, text=True)
        if done.returncode != 0:
            raise LibraryBuildError(
                f"The C++ compiler does not run: `{shlex.join(words)} --version` exits with "
                f"{done.returncode}. Set CXX to a compiler's command, or mend this one"
                f"{', which says' if done.stderr.strip() else '.'}",
                done.stderr,
            )
        return Compiler(tuple(words), f"{os.path.realpath(program)}\n{done.stdout}")

    def key(self) -> list[str]:
        """What identifies this compiler and its environment in a cache key."""
        variables = [f"{name}={os.environ.get(name)}" for name in _ENVIRONMENT]
        return [*self.words, self.version, *variables]

    def run(self, who: str, arguments: Sequence[str], hide: str = "") -> str:
        """Runs the compiler and returns its output, which is warnings.

        `hide` is a path to remove from the output. Raises LibraryBuildError, with the output, if it
        fails.
        """
        return run(who, [*self.words, *arguments], hide)


def run(who: str, command: Sequence[str], hide: str = "") -> str:
    """Runs a command for building `who`; see `Compiler.run`."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    said = (done.stderr + done.stdout).replace(hide, "") if hide else done.stderr + done.stdout
    if done.returncode == 0:
        return said
    shown = shlex.join(command).replace(hide, "") if hide else shlex.join(command)
    end = f"was ended by signal {-done.returncode}" if done.returncode < 0 else "says"
    verb = "do" if who.startswith("The codelets") else "does"
    raise LibraryBuildError(f"{who} {verb} not compile.{_hint(said)} `{shown}` {end}", said)


def _hint(said: str) -> str:
    """Advice for a known compiler error; "" for others."""
    if found := re.search(r"fatal error: ((?:popart|poplar|pop\w+|popir)/\S+): No such file", said):
        return (
            f" popir has no header <{found[1]}>.{_near(found[1])} docs/cpp_operators.md says what "
            "is not there."
        )
    if found := re.search(r"cannot find -l(\S+?):?(\s|$)", said):
        return f" The linker finds no library '{found[1]}': give its folder by -L."
    return ""


def _near(header: str) -> str:
    """ " Did you mean <a>?" with a similar header in the folder of a missing one; "" if there is
    none.
    """
    folder, _, name = header.rpartition("/")
    beside = [file.name for file in (_library.ROOT / "include" / folder).glob("*.h*")]
    near = difflib.get_close_matches(name, beside, n=1, cutoff=0.85)
    return f" Did you mean <{folder}/{near[0]}>?" if near else ""


def sdk(option: str) -> list[str]:
    """The output of popir-config for an option such as "--cflags", as a list of arguments."""
    script = str(_library.ROOT / "bin" / "popir-config")
    done = subprocess.run([script, option], check=True, capture_output=True, text=True)
    return shlex.split(done.stdout)


def dependencies(file: Path) -> list[str]:
    """The prerequisites in the first rule of a make file written by a compiler."""
    text = file.read_text(errors="surrogateescape").replace("\\\n", " ")
    _, _, names = text.partition(": ")
    words = re.findall(r"(?:\\ |\\#|[^\s])+", names.partition("\n")[0])
    return [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words]
