"""Imports go down only: which module may import which, read from the source text."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "popir"

LAYERS = [
    "errors typed types enums options files naming progress reserved exclusive _library "
    "cached debug_context logs version collector extras replicas dataflow",
    "ir _device poplar popops poplin popnn poprand poputil gcl ext devices memory budget",
    "registry definitions host adding opx calling remote pattern builder onnxio popdist",
    "ops foreign",
    "autodiff patterns supported trainable transforms lowering virtual_graphs dot",
    "compiler profile step engine_cache executables",
    "session stepio optimizers weights checkpoint data segments custom_ops training",
    "testing",
    "cli __main__ backend as_popart rank",
]
"""The modules and folders of popir, lowest first. A new one is added here, in its place."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names.split()}

DEVICE = {"_device", "poplar", "popops", "poplin", "popnn", "poprand", "poputil", "gcl", "ext"}
DEVICE |= {"devices", "memory", "budget"}
NAMES_ONNX = {"onnxio", "backend"}
OWNERS = {"click": "cli", "rich": "cli", "safetensors": "checkpoint"}
"""Packages that a part of popir has for itself, so that importing popir does not import them."""


def sources() -> list[Path]:
    """The Python files of the package, except the one that lists the public names."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def own_name(path: Path) -> str:
    """The module or folder right below popir that a file is, or is in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(text: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that the source imports, at its top or inside functions."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def fault(name: str, imported: str) -> str | None:
    """Why the module or folder `name` must not import `imported`, None if it may."""
    root, _, rest = imported.partition(".")
    if not root:
        return "modules are imported by their full names"
    if root == "onnx":
        if name in NAMES_ONNX:
            return None
        return "only popir.onnxio and popir.backend import onnx; take what you need from onnxio"
    if OWNERS.get(root, name) != name:
        return f"only popir.{OWNERS[root]} imports {root}"
    if root != "popir":
        return None
    target = rest.partition(".")[0]
    if target not in LEVEL:
        return "import the module that defines the name, not the package, which imports them all"
    if LEVEL[target] > LEVEL[name]:
        return (
            f"popir.{name} is in layer {LEVEL[name]} ({LAYERS[LEVEL[name]]}), popir.{target} in "
            f"layer {LEVEL[target]}; imports go down only"
        )
    if (name == "ir" and target in DEVICE) or (name in DEVICE and target == "ir"):
        return "the IR and the device do not know each other; lowering joins them"
    return None


def test_every_module_is_in_a_layer() -> None:
    unknown = {own_name(path) for path in sources()} - LEVEL.keys()
    assert not unknown, f"add them to LAYERS in {__file__}, each in its place: {sorted(unknown)}"


def test_imports_go_down_only() -> None:
    faults = [
        f"popir/{path.relative_to(PACKAGE)}:{line} imports {imported}: {reason}"
        for path in sources()
        for line, imported in imports(path.read_text(encoding="utf-8"))
        if own_name(path) in LEVEL and (reason := fault(own_name(path), imported))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("ir", "from popir.registry import find", "popir.ir is in layer 1"),
        ("ir", "def f():\n    import popir.session", "popir.session in layer 6; imports go down"),
        ("ir", "from popir import poplar", "the IR and the device do not know each other"),
        ("popops", "import popir.ir.graph", "the IR and the device do not know each other"),
        ("ops", "from onnx import helper", "only popir.onnxio and popir.backend import onnx"),
        ("session", "from popir import Builder", "import the module that defines the name"),
        ("session", "import rich.table", "only popir.cli imports rich"),
        ("__main__", "import click", "only popir.cli imports click"),
        ("session", "from .ir import Graph", "modules are imported by their full names"),
    ],
)
def test_what_breaks_the_rules(name: str, text: str, reason: str) -> None:
    ((_, imported),) = imports(text)
    found = fault(name, imported)
    assert found is not None
    assert reason in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("session", "from popir.ir import Graph"),
        ("registry", "from popir.onnxio import schemas"),
        ("onnxio", "import onnx.defs"),
        ("backend", "import onnx"),
        ("ops", "import numpy as np"),
        ("cli", "import click"),
        ("lowering", "from popir import poplar"),
    ],
)
def test_what_keeps_them(name: str, text: str) -> None:
    assert [fault(name, imported) for _, imported in imports(text)] == [None]
