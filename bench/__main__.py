"""Runs the measurements named on the command line, or all; each module of this folder is one."""

import importlib
import pkgutil
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    """Run measurements by name; return an exit code."""
    folder = str(Path(__file__).parent)
    known = [m.name for m in pkgutil.iter_modules([folder]) if not m.name.startswith("_")]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(
            f"no measurement {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr
        )
        return 2
    for name in names or known:
        module = importlib.import_module(f"bench.{name}")
        print(f"== {name}: {(module.__doc__ or '').splitlines()[0]}")
        module.main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
