"""BERT-Large beside what was published: `bench.whole_models`, which has ResNet-50, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bench import whole_models


def published(name: str) -> whole_models.Published:
    return next(row for row in whole_models.TABLE if row.name == name)


def test_bert_inference_is_within_20_percent_of_the_published_throughput() -> None:
    row = published("BERT-Large inference")
    one, two = (whole_models.bert(layers) for layers in (1, 2))
    cycles = one + 23 * (two - one)  # All further layers are like the second one.
    assert 0.8 < row.clock / cycles / row.per_second < 1.2


def test_a_stage_of_berts_pipeline_is_within_20_percent_of_the_published_throughput() -> None:
    row = published("BERT-Large pre-training")
    assert 0.8 < row.clock / row.cycles() / row.per_second < 1.2


@pytest.mark.parametrize(
    ("name", "session", "samples"),
    [
        ("BERT-Large inference", lambda: whole_models.bert_session(memory=0.12), 18),
        ("ResNet-50 inference", lambda: whole_models.resnet_session(90, memory=0.4), 90),
        # For PyTorch: 57 micro-batches of 18, what is recomputed, memory for plans.
        ("ResNet-50 training, recomputed", whole_models.resnet_recomputed_session, 57 * 18),
        # For TensorFlow: 11 micro-batches of 20, stages on one IPU, memory for plans.
        ("ResNet-50 training", whole_models.resnet_staged_session, 11 * 20),
    ],
)
def test_graphcores_configuration_fits_an_ipu(
    name: str, session: Callable[[], Any], samples: int
) -> None:
    """And is within 20 percent of its published throughput."""
    made = session()
    made.prepareDevice(loadEngine=False)
    report = made.getReport()
    assert report.tilesOutOfMemory == 0
    row = published(name)
    assert 0.8 < row.clock / (report.cycles / samples) / row.per_second < 1.2
