"""Print the path of a file of an installed Python package: wheel_file.py DISTRIBUTION SUFFIX.

`SUFFIX` is the end of the path as the package's record has it, from a folder's start on. Looks the
file up in the metadata, since in an isolated build it lies neither under `sys.prefix` nor beside a
module.
"""

import importlib.metadata
import sys


def find(distribution: str, suffix: str) -> str:
    """Absolute path of the file; SystemExit with the reason if there is none."""
    wanted = tuple(suffix.split("/"))
    try:
        files = importlib.metadata.distribution(distribution).files or []
    except importlib.metadata.PackageNotFoundError:
        raise SystemExit(
            f"The Python package {distribution} is needed to build and {sys.executable} has none. "
            f"Install the build requirements that pyproject.toml lists under [build-system], "
            f"or configure with -DPython_EXECUTABLE=<a Python that has them>."
        ) from None
    for file in files:
        if file.parts[-len(wanted) :] == wanted:
            return str(file.locate().resolve())
    raise SystemExit(f"The Python package {distribution} has no file {suffix}.")


if __name__ == "__main__":
    print(find(sys.argv[1], sys.argv[2]))
