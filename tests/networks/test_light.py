"""The nine architectures of the onnx package, as files and with weights that vary."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from models import light
from tests.models import run
from tests.networks.oracles import assert_close, assert_varies, onnxruntime_outputs

LARGE = {"vgg19"}
"""144 million weights to draw; others have all its operators and windows."""


@pytest.mark.parametrize("name", [name for name in light.NAMES if name not in LARGE])
def test_logits_with_random_weights(name: str) -> None:
    model = light.randomized(light.path(name))
    id, (image, shape) = light.logits(model), light.image_input(model)
    inputs = {image: np.random.default_rng(1).standard_normal(shape).astype(np.float32)}
    found = run(model, inputs, [id])[id]
    assert_close(found, *onnxruntime_outputs(model, inputs, [id]))
    assert_varies(found)


@pytest.mark.parametrize("name", light.NAMES)
def test_stored_outputs_of_the_files_as_they_are(name: str) -> None:
    model = onnx.load(light.path(name))
    image, shape = light.image_input(model)
    (output,) = (value.name for value in model.graph.output)
    found = run(str(light.path(name)), {image: np.ones(shape, np.float32)}, [output])[output]
    np.testing.assert_allclose(found, light.stored_output(name), 1e-3, 1e-7)


def test_the_same_seed_gives_the_same_weights() -> None:
    path = light.path("squeezenet")
    one = light.randomized(path, 7).SerializeToString()
    assert one == light.randomized(path, 7).SerializeToString()
    assert one != light.randomized(path, 8).SerializeToString()
