"""BERT-Large beside what was published: `bench.whole_models`, which has ResNet-50, too."""

from __future__ import annotations

from bench import whole_models


def published(name: str) -> whole_models.Published:
    return next(row for row in whole_models.TABLE if row.name == name)


def test_bert_inference_is_within_20_percent_of_the_published_throughput() -> None:
    row = published("BERT-Large inference")
    one, two = (whole_models.bert(layers) for layers in (1, 2))
    cycles = one + 23 * (two - one)  # All further layers are like the second one.
    assert 0.8 < row.clock / cycles / row.per_second < 1.2


def test_bert_large_fits_an_ipu() -> None:
    """Graphcore's configuration for inference: a batch of 18, on one C600."""
    session = whole_models.bert_session(memory=0.12)
    session.prepareDevice(loadEngine=False)
    report = session.getReport()
    assert report.tilesOutOfMemory == 0
    row = published("BERT-Large inference")
    assert 0.8 < row.clock / (report.cycles / 18) / row.per_second < 1.2


def test_a_stage_of_berts_pipeline_is_within_20_percent_of_the_published_throughput() -> None:
    row = published("BERT-Large pre-training")
    assert 0.8 < row.clock / row.cycles() / row.per_second < 1.2


def test_resnet_fits_an_ipu_with_the_published_micro_batch() -> None:
    """Graphcore's configuration for inference: 90 images."""
    session = whole_models.resnet_session(90, memory=0.4)
    session.prepareDevice(loadEngine=False)
    report = session.getReport()
    assert report.tilesOutOfMemory == 0
    row = published("ResNet-50 inference")
    assert 0.8 < row.clock / (report.cycles / 90) / row.per_second < 1.2


def test_resnet_is_trained_on_an_ipu_with_the_published_configuration() -> None:
    """Graphcore's for PyTorch: 57 micro-batches of 18, what is recomputed, memory for plans."""
    session = whole_models.resnet_recomputed_session()
    session.prepareDevice(loadEngine=False)
    report = session.getReport()
    assert report.tilesOutOfMemory == 0
    row = published("ResNet-50 training, recomputed")
    assert 0.8 < row.clock / (report.cycles / (57 * 18)) / row.per_second < 1.2


def test_resnet_is_trained_on_an_ipu_by_stages_with_the_published_configuration() -> None:
    """Graphcore's for TensorFlow: 11 micro-batches of 20, stages on one IPU, memory for plans."""
    session = whole_models.resnet_staged_session()
    session.prepareDevice(loadEngine=False)
    report = session.getReport()
    assert report.tilesOutOfMemory == 0
    row = published("ResNet-50 training")
    assert 0.8 < row.clock / (report.cycles / (11 * 20)) / row.per_second < 1.2
