"""Includes go down only: which room of cpp/ may include which, read from the source text."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CPP = Path(__file__).parents[1] / "cpp"

LAYERS = [
    "support workload pvti",
    "kernels machine",
    "codelets",
    "poplar",
    "program",
    "costing",
    "engine",
    "executable pva",
    "poputil popsys",
    "popops",
    "poplin poprand gcl popfloat",
    "popnn popsparse",
    "snap onnx habana",
    "popart foreign",
    "bindings tools embed",
]
"""The folders of cpp/, lowest first. A public header belongs to the folder of its library."""

VALUES = {
    *("poplar/Type.hpp", "poplar/TypeTraits.hpp", "poplar/HalfFloat.hpp", "poplar/StringRef.hpp"),
    *(
        "poplar/TargetType.hpp",
        "poplar/OptionFlags.hpp",
        "poplar/Error.hpp",
        "poplar/exceptions.hpp",
    ),
    *("poplar/QuarterFloat.hpp", "poplar/IeeeHalf.hpp", "popir/Half.hpp"),
    *("poputil/exceptions.hpp", "popops/ExprOp.hpp", "popops/OperationDef.hpp"),
    *("popir/NllParams.hpp", "popir/version.hpp", "popir/sdk.hpp", "popir/sdk_symbol.hpp"),
    "gcl/CollectiveOperator.hpp",
}
"""Public headers that only name values: element types, operators, errors. Every room may include
them, and they include one another alone."""

POPIR = {
    "Abort.hpp": "program",
    "Codelet.hpp": "codelets",
    "codelets": "codelets",
    "CodeletGlue.hpp": "codelets",
    "HalfMath.hpp": "codelets",
    "ArgExtremum.hpp": "popnn",
    "DequantizeBits.hpp": "poplin",
    "IntegerProduct.hpp": "poplin",
    "Nll.hpp": "popnn",
    "Pooling.hpp": "popnn",
    "Roi.hpp": "popnn",
    "Scan.hpp": "popops",
    "ShortVectors.hpp": "codelets",
    "Softmax.hpp": "popnn",
    "TileBuiltins.hpp": "codelets",
    "TileInstructions.hpp": "codelets",
    "cuda": "foreign",
}
"""The room of each header of include/popir that is no value."""

TILE = {"StackSizeDefs.hpp", "TileConstants.hpp"}
"""Headers that stand in include/ itself: other names of the SDK for those in poplar/."""

LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms.split()}
FOR_CODELETS = {"poplar/Vertex.hpp"}
"""What codelets are written with; the compiler of codelets knows no graph."""

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


def sources() -> list[str]:
    """The C++ files in rooms, as paths from cpp/; `include/` is that of public headers."""
    found = [path.relative_to(CPP) for path in CPP.rglob("*.?pp")]
    found += [path.relative_to(CPP) for path in CPP.rglob("*.inc")]
    other = {"package", "cmake", "version.cpp"}
    return sorted(str(path) for path in found if path.parts[0] not in other)


def room_of(path: str) -> str:
    """The room that a file, or a public header's name, belongs to; "" for none of cpp/."""
    parts = path.removeprefix("include/").split("/")
    if len(parts) == 1:
        return "poplar" if parts[0] in TILE else ""
    return POPIR.get(parts[1], "") if parts[0] == "popir" else parts[0]


def fault(path: str, included: str) -> str | None:
    """Why the file may not include the header, None if it may."""
    name = path.removeprefix("include/")
    if included in VALUES:
        return None
    room, below = room_of(path), room_of(included)
    if below not in LEVEL:
        return None
    if name in VALUES:
        return "it only names values, and includes nothing else"
    if included in FOR_CODELETS and room == "codelets":
        return None
    if LEVEL[below] > LEVEL[room]:
        return (
            f"{room} is in layer {LEVEL[room]} ({LAYERS[LEVEL[room]]}), {below} in layer "
            f"{LEVEL[below]}; includes go down only"
        )
    if below != room and LEVEL[below] == LEVEL[room]:
        return f"{room} and {below} stand beside each other and do not know each other"
    return None


def includes(path: str) -> Iterator[tuple[int, str]]:
    """Line and name of all that a file includes."""
    text = (CPP / path).read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def test_every_folder_is_a_room() -> None:
    rooms = {room_of(path) for path in sources()} - {""}
    unknown = rooms - LEVEL.keys()
    assert not unknown, f"add them to LAYERS in {__file__}, each in its place: {sorted(unknown)}"
    headers = {path.name for path in (CPP / "include" / "popir").iterdir()}
    known = POPIR.keys() | {value.removeprefix("popir/") for value in VALUES}
    assert headers <= known, f"give each a room in POPIR in {__file__}: {sorted(headers - known)}"


def test_includes_go_down_only() -> None:
    faults = [
        f"cpp/{path}:{line} includes {included}: {reason}"
        for path in sources()
        for line, included in includes(path)
        if (reason := fault(path, included))
    ]
    assert not faults, "\n".join(faults)


def test_folders_form_no_circles() -> None:
    below: dict[str, set[str]] = {}
    for path in sources():
        if not path.startswith("include/"):
            folder = str(Path(path).parent)
            found = {str(Path(name).parent) for _, name in includes(path) if (CPP / name).exists()}
            below.setdefault(folder, set()).update(found - {folder})
    while free := {folder for folder, others in below.items() if not others & below.keys()}:
        below = {folder: others for folder, others in below.items() if folder not in free}
    assert not below, f"each of these folders includes, by way of others, itself: {sorted(below)}"


@pytest.mark.parametrize(
    ("path", "included", "reason"),
    [
        ("kernels/loss/class_loss.hpp", "popnn/Loss.hpp", "kernels is in layer 1"),
        ("kernels/loss/nll.hpp", "popir/Nll.hpp", "popnn in layer 11; includes go down only"),
        ("kernels/kernel.hpp", "machine/target_spec.hpp", "do not know each other"),
        ("costing/reading.cpp", "engine/engine.hpp", "engine in layer 6"),
        ("include/poplar/Type.hpp", "poplar/Graph.hpp", "it only names values"),
        ("include/poplar/Graph.hpp", "popops/Zero.hpp", "poplar is in layer 3"),
    ],
)
def test_what_breaks_the_rules(path: str, included: str, reason: str) -> None:
    found = fault(path, included)
    assert found is not None
    assert reason in found


@pytest.mark.parametrize(
    ("path", "included"),
    [
        ("kernels/kernel.hpp", "poplar/Type.hpp"),
        ("engine/compile.cpp", "costing/reading.hpp"),
        ("codelets/library.hpp", "popir/Codelet.hpp"),
        ("bindings/ext.cpp", "popir/Nll.hpp"),
        ("include/popops/Expr.hpp", "poplar/Type.hpp"),
        ("engine/run.cpp", "kernels/pool.hpp"),
    ],
)
def test_what_keeps_them(path: str, included: str) -> None:
    assert fault(path, included) is None
