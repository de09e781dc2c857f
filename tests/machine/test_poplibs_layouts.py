"""Layouts of tensors that are made for slices and of biases, against PopLibs' own functions.

poplibs_layouts.csv was made by compiling these functions of PopLibs (graphcore/poplibs, 7eac0f26:
popops/DynamicSlice.cpp without a plan, popops/Gather.cpp, mapBiases of poplin/Convolution.cpp,
poputil/TensorUseTracker.cpp) apart from this project, on its Graph, with Boost 1.74 for the hash
that chooses the first tile. `used` tiles have elements, the fullest `most` of them, and `crc` is
that of the tile of each element in order, as 16-bit numbers.

Of `sliceable`, `slices`, `gather` and `axis` `dims` and `sizes` are those of the slices. Of
`biases` `dims` are the parts into which each dimension of the activations is cut, a box to a tile,
from tile `grain` on.
`python -m tests.machine layouts` prints the comparison.
"""

import array
import csv
import tempfile
import zlib
from collections import Counter, defaultdict
from pathlib import Path

from tests.toolchain import CACHED_CXX, attempt, popir_config, run

FIELDS = "kind", "type", "shape", "dims", "sizes", "grain", "count", "tiles"
FIGURES = "used", "most", "crc"


def published() -> list[dict[str, str]]:
    with Path(__file__).with_name("poplibs_layouts.csv").open() as file:
        return list(csv.DictReader(file))


def figures(line: str) -> tuple[int, int, int]:
    """What the file says of a mapping, given as the program prints it."""
    numbers = [int(word) for word in line.split()]
    tile = array.array("H", [0xFFFF]) * max(numbers[2::3])
    for at, begin, end in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        tile[begin:end] = array.array("H", [at]) * (end - begin)
    held = Counter(tile)
    return len(held), max(held.values()), zlib.crc32(tile.tobytes())


def ours(rows: list[dict[str, str]], folder: Path) -> list[tuple[int, int, int]]:
    """The figures of the layouts that are made here."""
    source, binary = Path(__file__).with_name("layouts.cpp"), folder / "layouts"
    compiler, linker = popir_config("--cflags"), popir_config("--libs")
    run(*CACHED_CXX, "-std=c++17", *compiler, source, *linker, "-o", binary, cwd=folder)
    cases = folder / "cases"
    cases.write_text("".join(" ".join(row[name] for name in FIELDS) + "\n" for row in rows))
    result = attempt("sh", "-c", f"'{binary}' < '{cases}'", cwd=folder)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == len(rows)
    return [figures(line) for line in lines]


def test_layouts_are_those_of_poplibs(tmp_path: Path) -> None:
    """Each element is on the tile on which PopLibs has it."""
    rows = published()
    kinds = Counter(row["kind"] for row in rows)
    assert kinds == {"sliceable": 21, "slices": 21, "gather": 20, "axis": 12, "biases": 28}
    for row, found in zip(rows, ours(rows, tmp_path), strict=True):
        assert found == tuple(int(row[name]) for name in FIGURES), row


def show() -> None:
    """Prints how many layouts are PopLibs', of each kind."""
    rows, alike = published(), defaultdict[str, list[bool]](list)
    with tempfile.TemporaryDirectory() as folder:
        for row, found in zip(rows, ours(rows, Path(folder)), strict=True):
            alike[row["kind"]].append(found == tuple(int(row[name]) for name in FIGURES))
    print(f"{'made for':<10} {'layouts':>7} {'PopLibs':>7}")
    for kind, found in alike.items():
        print(f"{kind:<10} {len(found):>7} {sum(found):>7}")


if __name__ == "__main__":
    show()
