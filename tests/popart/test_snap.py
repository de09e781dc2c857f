"""Operators in the interface of SDK 2.3 to 3.1, whose lowerings derive from PopOpx."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import torch

import popir
import popir.session.prepared
from popir import VirtualGraphMode, poplar, registry
from popir._device.popart import Devicex
from popir.lowering.lowering import Lowering
from popir.opx import InputCreatorType
from popir.poplar import program
from tests.popart.conftest import Library
from tests.popart.graphs import add, graph, refusal
from tests.popart.libraries import isolated
from tests.popart.test_classes import floats, results


def check_against_torch(library: str) -> None:
    ctypes.CDLL(library)
    indices = np.array([[0, 2], [2, 3]], "int32")
    cases = {
        "Copied": ({"x": floats(5)}, "x", lambda x: x * 1),
        "Rows": ({"x": floats(4, 3), "i": indices}, "x", lambda x, i: x[i.long()]),
        "Soft": ({"x": floats(3, 4)}, "x", torch.nn.functional.softsign),
        "Mixed": ({"a": floats(3, 4), "b": floats(4)}, "", lambda a, b: a * b + a),
    }
    for name, (inputs, trained, function) in cases.items():
        y, gradients, weights = results(name, inputs, trained)
        tensors = {k: torch.tensor(x, requires_grad=k in trained) for k, x in inputs.items()}
        expected = function(*tensors.values())
        np.testing.assert_allclose(y, expected.detach().numpy(), rtol=1e-6, err_msg=name)
        assert gradients.keys() == set(trained)
        if trained:
            (expected * torch.tensor(weights)).sum().backward()
        for k, gradient in gradients.items():
            given = tensors[k].grad
            assert given is not None
            np.testing.assert_allclose(gradient, given.numpy(), rtol=1e-5, err_msg=name)


def test_they_compute_what_torch_does(library: Library, tmp_path: Path) -> None:
    isolated(check_against_torch, library("snap"), cwd=tmp_path)


TILES = 4


def check_places(library: str) -> None:
    """Copied, Rows and Soft in a row, each on an IPU of its own, trained."""
    ctypes.CDLL(library)
    lowerings: list[Lowering] = []

    class Kept(Lowering):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            lowerings.append(self)

    popir.session.prepared.Lowering = Kept  # in a process of its own
    data, x = floats(4, 3), np.array([2, 0, 2], "int32")
    found = {}
    for mode in (VirtualGraphMode.Off, VirtualGraphMode.Manual):
        builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
        w = builder.addInitializedInputTensor(data, "w")
        i = builder.addInputTensor(popir.TensorInfo("INT32", [3]), "i")
        (copied,) = builder.customOp("Copied", 1, "test", [w], {})
        (rows,) = builder.customOp("Rows", 1, "test", [copied, i], {})
        (soft,) = builder.customOp("Soft", 1, "test", [rows], {})
        loss = builder.aiOnnx.reducesum([soft], keepdims=0)
        places = {copied: 0, rows: 1, soft: 2, loss: 0}
        if mode is VirtualGraphMode.Manual:
            for id, ipu in places.items():
                builder.virtualGraph(id, ipu)
        machine = {"numIPUs": 3, "tilesPerIPU": TILES}
        made = popir.TrainingSession(
            builder.getModelProto(),
            popir.DataFlow(1, [soft, popir.reservedGradientPrefix() + w]),
            loss,
            popir.ConstSGD(0.5),
            popir.DeviceManager().createIpuModelDevice(machine),
            userOptions=popir.SessionOptions(virtualGraphMode=mode),
        )
        made.prepareDevice()
        if mode is VirtualGraphMode.Manual:
            lowering = lowerings[-1]
            for id, ipu in list(places.items())[:3]:
                mapping = lowering.graph.getTileMapping(lowering.tensor(id))
                assert {t // TILES for t, spans in enumerate(mapping) if spans} == {ipu}, id
        anchors = made.initAnchorArrays()
        for _ in range(2):
            made.run(popir.PyStepIO({i: x}, anchors))
        found[mode] = list(anchors.values())
    for on, off in zip(*found.values(), strict=True):
        np.testing.assert_array_equal(on, off)
    trained = torch.tensor(data, requires_grad=True)
    torch.nn.functional.softsign(trained[torch.tensor(x).long()]).sum().backward()
    assert trained.grad is not None
    stepped = torch.tensor(data) - 0.5 * trained.grad
    expected = torch.nn.functional.softsign(stepped[torch.tensor(x).long()])
    np.testing.assert_allclose(found[VirtualGraphMode.Off][0], expected.numpy(), 1e-5)


def test_they_lie_on_the_ipu_that_they_are_given(library: Library, tmp_path: Path) -> None:
    isolated(check_places, library("snap"), cwd=tmp_path)


def check_views(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(4, 6)
    cases = {
        "index": x[1],
        "slice": x[:, 1:3],
        "interval": x[1:3],
        "box": x[1:3, 2:6],
        "subSample": x[:, ::2],
        "reverse": x[:, ::-1],
        "flatten": x,
        "reshapePartial": x.reshape(4, 2, 3),
        "dimShuffle": x.T,
        "dimShufflePartial": x.T,
        "dimRoll": x.T,
        "transpose": x.T,
        "broadcast": np.tile(x, (2, 1)),
        "upsample": np.repeat(x, 2, 1),
        "squeeze": x,
        "concat": np.concatenate([x, x[::-1]], 1),
        "two": np.concatenate([x, x]),
        "clone": x,
        "repeat": x + x + x + x,
        "if": x[::-1],
        "facts": x,
    }
    for what, expected in cases.items():
        y, _, _ = results("View", {"x": x}, what=what, shape=list(expected.shape))
        np.testing.assert_array_equal(y, expected, err_msg=what)


def test_views_of_tensors_and_programs(library: Library, tmp_path: Path) -> None:
    isolated(check_views, library("snap"), cwd=tmp_path)


def check_layouts(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [8, 3]), i=("INT32", [2]))
    add(g, "Copied", ["x"], "z")
    op = add(g, "Rows", ["z", "i"])
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4}).device
    opx = registry.createOpx(op, Devicex(poplar.Graph(device)))
    assert opx.getInputCreatorType(0) is InputCreatorType.CanCreate
    assert opx.inputCreatorPriority == np.finfo(float).max
    assert opx.mustExistBeforeCreateDNF(0) == [["i"]]
    assert opx.mustExistBeforeCreateDNF(1) == [[]]
    assert not opx.canUnwind(0, 0)
    # x is asked for first, and lies where the index lies: that is made before it. The layout comes
    # through Copied.
    lowering = Lowering(g, device, ["y"])
    x = lowering.tensor("x")
    mapping = lowering.graph.getTileMapping
    (tile,) = [tile for tile, spans in enumerate(mapping(x)) if spans]
    assert mapping(lowering.tensor("i"))[tile]
    assert opx.createInputTensor(1, "i").elementType() == poplar.INT
    # Of two inputs, one is made as the other lies.
    g = graph(a=("FLOAT", [4]), b=("FLOAT", [4]))
    devicex = Devicex(poplar.Graph(device))
    mixed = registry.createOpx(add(g, "Mixed", ["a", "b"]), devicex)
    assert [mixed.mustExistBeforeCreate(i) for i in (0, 1)] == [["b"], ["a"]]
    b = devicex.graph().addVariable(poplar.FLOAT, [4])
    devicex.graph().setTileMapping(b, 2)
    devicex.insert("b", b)
    made = mixed.createInputTensor(0, "a")
    assert devicex.graph().getTileMapping(made) == devicex.graph().getTileMapping(b)


def check_longer(library: str) -> None:
    """The tensor of an input is a part of what its lowering makes."""
    ctypes.CDLL(library)
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4}).device
    g = graph(x=("FLOAT", [6]))
    add(g, "Longer", ["x"])
    lowering = Lowering(g, device, ["y"])
    x = lowering.tensor("x")
    assert list(x.shape()) == [6]
    mapping = lowering.graph.getTileMapping(x)
    assert [len(spans) for spans in mapping] == [0, 0, 0, 1]
    given = floats(6)
    y, _, _ = results("Longer", {"x": given})
    np.testing.assert_array_equal(y, given)


def test_an_input_is_a_view_of_what_is_created(library: Library, tmp_path: Path) -> None:
    isolated(check_longer, library("snap"), cwd=tmp_path)


def test_inputs_are_created(library: Library, tmp_path: Path) -> None:
    isolated(check_layouts, library("snap"), cwd=tmp_path)


def check_refusals(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [2]))
    devicex = Devicex(poplar.Graph(popir.DeviceManager().createCpuDevice().device))
    devicex.insert("x", devicex.graph().addVariable(poplar.FLOAT, [2]))
    bare = registry.createOpx(add(g, "Bare", ["x"]), devicex)
    assert bare.getInputCreatorType(0) is InputCreatorType.Deadend
    calls = {
        "the class of its Opx has no grow()": lambda: bare.grow(program.Sequence()),
        "its Opx cannot create input 0": lambda: bare.createInputTensor(0, "x"),
        "its Opx cannot unwind the layout of output 0 to input 0": lambda: bare.unwindTensorLayout(
            devicex.get("x"), 0, 0
        ),
    }
    for words, call in calls.items():
        said = refusal(popir.popart_exception, call)
        assert "test.Bare:1" in said and library in said
        assert words in said
    empty = registry.createOpx(add(g, "Empty", ["x"], "z", name="nothing"), devicex)
    said = refusal(popir.popart_exception, empty.grow, program.Sequence())
    assert "nothing: the class of its EwuComputex has no inplace()" in said
    assert library in said


def test_what_they_lack_is_named(library: Library, tmp_path: Path) -> None:
    isolated(check_refusals, library("snap"), cwd=tmp_path)
