"""Building operator libraries, and running checks in a process that may load them.

A library cannot be unloaded, and what it registers stays. So each check is a function that a new
Python calls.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.forked import forked
from tests.toolchain import CACHED_CXX, CXX, ROOT, environment, run

HERE = Path(__file__).parent
SOURCES = [HERE, ROOT / "models" / "leaky_relu"]


def build(name: str, folder: Path, config: Path, *options: str, text: str = "") -> Path:
    """Compiles `name`.cpp, of this folder or of the models, or `text`, into a library."""
    source = folder / f"{name}.cpp"
    found = [f / source.name for f in SOURCES if (f / source.name).exists()]
    source.write_text(text or found[0].read_text())
    flags = ["-std=c++14", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", *options]
    cflags, libs = (run(config, words, cwd=folder).split() for words in ("--cflags", "--libs"))
    # Relative names, so that a compiler cache recognises the file wherever it lies.
    env = {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    object_ = f"{name}.o"
    run(*CACHED_CXX, *flags, "-c", source.name, *cflags, "-o", object_, cwd=folder, env=env)
    library = folder / f"lib{name}.so"
    run(CXX, *options, "-shared", object_, *libs, "-o", library, cwd=folder)
    return library


def isolated(
    check: Callable[..., Any], *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> str:
    """Calls a function of a test module in a process of its own, a new Python if it needs one;
    returns what it printed.

    Fails with all output if the function raises, or if anything warns.
    """
    if env is None or not {"LD_PRELOAD", "PYTHONPATH"} & env.keys():
        function = f"{check.__module__}:{check.__name__}"
        done = forked(
            function, *arguments, cwd=cwd, env={**environment(env), "PYTHONPATH": str(ROOT)}
        )
        assert done.returncode == 0, f"{function}\n{done.stdout}{done.stderr}"
        return done.stdout
    code = (
        f"import importlib, sys; module = importlib.import_module({check.__module__!r}); "
        f"module.{check.__name__}(*sys.argv[1:])"
    )
    paths = [env.get("PYTHONPATH", ""), str(ROOT)]
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return run(*command, cwd=cwd, env={**env, "PYTHONPATH": ":".join(filter(None, paths))})
