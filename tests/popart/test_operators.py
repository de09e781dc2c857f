"""The header of ONNX's operator identifiers, and when they are made."""

import importlib.util
from pathlib import Path

from tests.toolchain import PACKAGE, ROOT, python

SCRIPT = ROOT / "cpp" / "popart" / "gen_onnxoperators.py"


def test_the_generated_header_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("gen_onnxoperators", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.HEADER.read_text() == module.text(), f"run python {SCRIPT}"


def test_identifiers_are_made_before_the_static_creators_that_name_them(tmp_path: Path) -> None:
    code = "from popir import _device; print(_device.popart.opxs())"
    library = str(PACKAGE / "lib" / "libpopir.so")
    names = ["Accumulate", "GetRandomSeed", "Histogram", "IdentityGrad", "LambSquare"]
    names += ["LossScaleUpdate", "ModifyRandomSeed", "Sync"]
    expected = [(("ai.graphcore", name, 1), library) for name in names]
    assert python(code, cwd=tmp_path) == f"{expected}\n"
