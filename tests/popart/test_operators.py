"""The header of ONNX's operator identifiers."""

import importlib.util

from tests.toolchain import ROOT

SCRIPT = ROOT / "cpp" / "popart" / "gen_onnxoperators.py"


def test_the_generated_header_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("gen_onnxoperators", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.HEADER.read_text() == module.text(), f"run python {SCRIPT}"
