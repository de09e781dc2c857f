"""Models that PyTorch exported, as files, against onnxruntime and PyTorch itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.models import run
from tests.networks.exported import LENGTH, WORDS, Encoder, Recurrent, exported, made
from tests.networks.oracles import assert_close, assert_varies, onnxruntime_outputs

INPUTS = {
    Encoder: torch.randint(0, WORDS, (2, LENGTH), generator=torch.Generator().manual_seed(1)),
    Recurrent: torch.randn(3, 7, 16, generator=torch.Generator().manual_seed(1)),
}


@pytest.mark.parametrize("dynamo", [False, True], ids=["traced", "default"])
@pytest.mark.parametrize("kind", [Encoder, Recurrent])
def test_outputs(kind: type[torch.nn.Module], dynamo: bool, tmp_path: Path) -> None:
    module, given = made(kind), INPUTS[kind]
    model = exported(module, given, dynamo, tmp_path)
    inputs = {model.graph.input[0].name: given.numpy()}
    ids = [value.name for value in model.graph.output]
    found = run(tmp_path / "exported.onnx", inputs, ids)
    with torch.no_grad():
        results = module(given)
    results = results if isinstance(results, tuple) else (results,)
    for id, want, other in zip(ids, onnxruntime_outputs(model, inputs, ids), results, strict=True):
        assert_varies(found[id])
        assert_close(found[id], want)
        assert_close(found[id], np.asarray(other))
