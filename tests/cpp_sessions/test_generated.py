"""The methods of a Builder in C++ are those that follow from the schemas."""

import importlib.util

from tests.toolchain import ROOT

SCRIPT = ROOT / "cpp" / "popart" / "host" / "gen_builder.py"


def test_the_generated_files_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("gen_builder", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (module.HEADER.read_text(), module.SOURCE.read_text()) == module.texts(), f"run {SCRIPT}"
