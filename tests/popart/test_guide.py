"""The guide's own fragments, compiled by the guide's own command, are the operator we have too."""

from pathlib import Path

import pytest

from tests.popart import guide
from tests.popart.libraries import isolated
from tests.popart.test_three_ways import check_training
from tests.toolchain import PACKAGE, run


@pytest.mark.skipif(guide.document() is None, reason=f"{guide.SEEDS} is not there")
def test_the_guides_fragments(tmp_path: Path) -> None:
    document = guide.document()
    assert document is not None
    text = document.read_text(encoding="utf-8")
    (tmp_path / "leaky_relu_custom_op.cpp").write_text(guide.source(text))
    run("bash", "-euc", f"source {PACKAGE}/enable.sh\n{guide.command(text)}", cwd=tmp_path)
    library = str(tmp_path / "libleaky_relu_custom_op.so")
    used, _, digest = isolated(check_training, library, cwd=tmp_path).strip().rpartition(" ")
    assert used == library
    assert digest == isolated(check_training, "", cwd=tmp_path).split()[-1]
