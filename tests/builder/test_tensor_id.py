"""Ids of tensors know their Builder; everywhere else they are text."""

import copy
import gc
import pickle

import numpy as np
import pytest

import popir
from popir.builder import TensorId, builder_of


def made() -> tuple[popir.Builder, str]:
    builder = popir.Builder()
    return builder, builder.addInputTensor("FLOAT", [2])


def test_every_id_that_is_given_out_knows_its_builder():
    builder, x = made()
    w = builder.addInitializedInputTensor(np.zeros(2, np.float32))
    y = builder.aiOnnx.add([x, w])
    (z,) = builder.customOp("LeakyRelu", 6, "ai.onnx", [y])
    builder.addOutputTensor(z)
    given = [x, w, y, z, *builder.getInputTensorIds(), *builder.getOutputTensorIds()]
    given += [*builder.getValueTensorIds(), *builder.getTrainableTensorIds()]
    assert all(isinstance(id, TensorId) and id.builder is builder for id in given)
    again = popir.Builder(builder.getModelProto())
    assert builder_of("op", again.getInputTensorIds()) is again


def test_an_id_is_text():
    builder, x = made()
    assert x == "input" and {x: 1}["input"] == 1 and f"{x}" == "input"
    for copied in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), x + ""):
        assert type(copied) is str and copied == "input"
    assert builder.aiOnnx.relu([str(x)]) == "Relu:0"


def test_ids_do_not_keep_a_builder():
    builder, x = made()
    del builder
    gc.collect()
    assert isinstance(x, TensorId) and x.builder is None


def test_the_builder_of_an_operator():
    builder, x = made()
    other, y = made()
    assert builder_of("op", ["a", x]) is builder
    assert builder_of("op", [x, y], other) is other
    with pytest.raises(popir.popart_exception, match=r"op: its inputs are tensors of 2 Builders"):
        builder_of("op", [x, y])
    for inputs in ([], [str(x)]):
        with pytest.raises(popir.popart_exception, match=r"Give the argument `builder`"):
            builder_of("op", inputs)
