"""Of the thirty modules some that have what no other test has: branches of PyTorch's own, Fourier
transforms, inverse poolings, attention with options.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.networks.modules import MODULES
from tests.networks.test_modules import compare_results, compare_step, exported
from tests.networks.thirty import THIRTY

CASES = [
    *(("traced", 20, name) for name in ("sampled_volume", "attention_options")),
    *(("default", 20, name) for name in ("conditional", "folded", "fourier_mixer")),
    ("default", 23, "grouped_query"),
]


@pytest.mark.parametrize(("way", "opset", "name"), CASES)
def test_results_and_a_step(
    way: str, opset: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODULES, name, THIRTY[name])
    compare_results(name, exported(name, way, opset, tmp_path))
    kept = "kept" if way == "traced" else way
    compare_step(name, exported(name, kept, opset, tmp_path))
