"""Pipelines, shards, streaming memory and debug information, as programs in C++ ask for them."""

import json

from tests.cpp_sessions.conftest import Program


def test_the_cycles_of_a_pipeline(program: Program) -> None:
    """Three stages of which two run as one, and five micro-batches: one cycle to fill."""
    lines = program("stages", "cycles").splitlines()
    assert lines[0] == "00 14 55 421"
    first, second = "1111100", "0111110"
    assert lines[1] == f"{first} {second} {second} 0000000 "
    assert lines[2] == (
        "error: A pipeline of 3 stages that run one after another needs as many micro-batches at "
        "least; there are 2"
    )
    # Stages 1 and 2 are both on IPU 1, so they run as one; the fourth is the third in turn.
    assert lines[3] == "00 11 21 32 0 4231"
    for line, function in zip(
        lines[4:], ("apply", "addDynamicStashAndRestoreOps", "contiguateIpuCopies"), strict=True
    ):
        assert line.startswith(
            f"error: Pipeline::{function}: popir makes no pipeline of a graph that a program has "
            "made. Give a session the model with SessionOptions::enablePipelining"
        )


def test_what_the_last_stage_does_not_compute_again(program: Program) -> None:
    kept, none, both, below = program("stages", "recomputed").splitlines()
    assert kept == "10110"
    assert none.endswith("the stage 0 of the loss has no checkpoint")
    assert "the stages 0 and 1 have operators before the loss and behind it" in both
    assert below.endswith("is in stage -2 of the pipeline; the first stage is 0")


def test_stages_by_ipus(program: Program) -> None:
    stages, questions, taken, conflict = program("stages", "staged").splitlines()
    assert stages == "00110"
    assert questions == "0001"
    assert taken == "00"
    # A conflict once the first operator is computed again; the samples are along dimension 0.
    assert conflict == "011000"


def test_shards_that_one_buffer_joins(program: Program) -> None:
    lines = program("stages", "shards").splitlines()
    # v is in the group of w, because both lie in buffer 3; the gathered tensor is no shard.
    assert lines[0] == "0 0 1 0 0 -1 "
    assert lines[1] == "v vInit w w2 wInit 111"
    assert lines[2] == "02 01 110"
    assert lines[3] == "error: ReplicatedTensorShardingTracer: no group has the tensor 'whole'"
    assert "no group has this: operator" in lines[4] and "inputs [0 4] outputs []" in lines[4]
    assert "of 2 tensors 2 have a group, and they have 2; trace tensors of one group" in lines[5]
    assert lines[6] == "00"
    assert lines[7] == "error: ExchangeBundle: no operator exchanges rows of RB_1"


def test_rows_of_remote_buffers(program: Program) -> None:
    lines = program("stages", "buffers").splitlines()
    assert lines[0] == "10"
    assert lines[1] == "error: ExchangeBundle::getRemoteBuffer: RB_5 was not created"
    assert lines[2].endswith("how many rows RB_6 has; call Ir::setRemoteBufferInfo")
    assert lines[3].endswith("RB_5 needs a tensor that its rows are like")
    assert lines[4].endswith("there is a RB_5 already")
    assert lines[5].endswith("no tensor was set for 'x'")
    assert lines[6] == "14RB_5"
    assert lines[7] == "1 2 3 4 "
    assert lines[8] == "error: This IrLowering was made of a Poplar graph, so it has no Ir"


def test_transforms_that_the_compiler_does_without(program: Program) -> None:
    lines = program("stages", "transforms").splitlines()
    assert lines[0] == "OverlapInnerLoop 12"
    assert lines[1] == "00"
    assert lines[2] == "OverlapIO StreamingMemory 2 1"
    assert lines[3].startswith("error: StreamingMemory 1: the options ask for 2 execution phases")
    assert lines[4].startswith(
        "error: StreamingMemory 2: the option weightTensorLocationSettings places tensors"
    )
    assert "tensorLocationSettingsOverride places 'x'" in lines[5]
    assert lines[6].startswith(
        "error: OverlapIO::apply: a copy has the exchange strategy OverlapInnerLoop; popir takes "
        "no iterations out of loops"
    )


def test_tensors_that_the_loss_scaling_tracks(program: Program) -> None:
    none, missing, counts, *readers = program("stages", "tracked").splitlines()
    assert none.startswith("0error: PreAutomaticLossScale: automaticLossScalingSettings.to")
    assert missing.endswith("names tensors that are not in the graph: 'c', 'd'")
    mark = "AutomaticLossScaleProxy___"
    assert counts == f"24 {mark}sum {mark}a"
    assert readers == ["a AutoLossScaleProxy", "sum AutoLossScaleProxy"]


def test_debug_information_of_a_model(program: Program) -> None:
    written = json.loads(program("stages", "debug"))
    contexts = written["contexts"]
    found = [each for each in contexts if each.get("layer") == "onnx"]
    op, weight, given, shaped = sorted(found, key=lambda each: each["id"])
    assert op["category"] == "op" and op["opType"] == "Add" and op["opName"] == "sum"
    assert op["input"] == ["a", "b"] and op["output"] == ["c"]
    assert op["attribute"] == {"axes": "[1 -2]", "words": "[x y]"}
    assert weight["category"] == "variable"
    assert weight["tensorProto"] == {"name": "w", "dims": "[2 3]", "dataType": "FLOAT16"}
    assert given["valueInfoProto"] == {"name": "a", "type": {"shape": "[4]"}}
    assert shaped["valueInfoProto"] == {"name": "a", "shape_from_input": "[5]"}


def test_sums_overwrite_products_first(program: Program) -> None:
    *words, name = program("stages", "priorities").split()
    plain, bumped = ["10", "10"], ["10", "20"]
    assert words == [*plain, *bumped, *plain, *bumped, *plain, *plain]
    assert name == "UpdateInplacePrioritiesForIpu"
