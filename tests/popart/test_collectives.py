"""PopART's collective operators as classes of C++, and groups of replicas."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated


def check_groups(library: str) -> None:
    said = ctypes.CDLL(library).grouping
    said.restype = ctypes.c_char_p

    def lines(replicas: int, stride: int, size: int) -> list[str]:
        return said(replicas, stride, size).decode().splitlines()

    def divided(replicas: int, stride: int, size: int) -> str:
        table = np.arange(replicas).reshape(-1, size, stride).transpose(0, 2, 1).reshape(-1, size)
        return "".join(f"{g}:{r} " for g, row in enumerate(table) for r in row)

    for replicas, stride, size in [(1, 1, 1), (8, 1, 4), (8, 2, 4), (8, 4, 2), (12, 3, 2)]:
        assert lines(replicas, stride, size)[0] == divided(replicas, stride, size)
    said_of = "ReplicaGrouping(numReplicas=8, stride={}, groupSize={})".format
    assert lines(8, 2, 4)[1:] == [
        said_of(1, 2),
        "CommGroup(type=Orthogonal, replicaGroupSize=4)1 2 4 0 1",
    ]
    assert lines(8, 1, 2)[1:] == [
        said_of(2, 4),
        "CommGroup(type=Consecutive, replicaGroupSize=2)1 1 2 0 1",
    ]
    assert "has no transpose with a single stride" in lines(12, 3, 2)[1]
    assert "neither consecutive nor orthogonal" in lines(12, 3, 2)[2]
    assert "do not divide 8 replicas" in lines(8, 3, 2)[0]
    assert "each must be at least 1" in lines(8, 0, 2)[0]


def test_groups_of_replicas(library: Library, tmp_path: Path) -> None:
    isolated(check_groups, library("collectives"), cwd=tmp_path)


def check_operators(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(3, 5)
    for number in range(9):
        y, _, _ = results("Reduce", {"x": x}, collectiveOp=number)
        np.testing.assert_array_equal(y, x * x if number == 7 else x, err_msg=str(number))
    for name in ("Gather", "Scatter"):
        y, _, _ = results(name, {"x": x})
        np.testing.assert_array_equal(y, x.reshape(-1), err_msg=name)
    for name in ("Reduce", "Gather", "Scatter"):
        # As in PopART, the gradient of Gather has one dimension.
        given = x.reshape(-1) if name == "Gather" else x
        _, gradients, weights = results(name, {"x": given}, trained="x")
        np.testing.assert_array_equal(gradients["x"], weights.reshape(given.shape), err_msg=name)
    with pytest.raises(
        popir.popart_exception, match="has groups of 4 replicas, but the session has 1"
    ):
        results("Reduce", {"x": x}, collectiveReplicaGrouping=[4, 1, 4])
    with pytest.raises(popir.popart_exception, match="made from 3 numbers"):
        results("Reduce", {"x": x}, collectiveReplicaGrouping=[4, 1])
    with pytest.raises(popir.popart_exception, match="a type from 0 to 3"):
        results("Reduce", {"x": x}, collectiveCommGroup=[7, 1])


def test_operators(library: Library, tmp_path: Path) -> None:
    isolated(check_operators, library("collectives"), cwd=tmp_path)


def check_former(library: str) -> None:
    ctypes.CDLL(library)
    x = np.abs(floats(3, 5)) + 0.5
    np.testing.assert_array_equal(results("Doubled", {"x": x})[0], 2 * x)
    np.testing.assert_array_equal(results("Flipped", {"x": x})[0], 2 * x[::-1])
    np.testing.assert_array_equal(results("Negated", {"x": x})[0], -x)
    np.testing.assert_allclose(results("Normed", {"x": x})[0], x + 0.25, rtol=1e-5)


def test_lowerings_for_tensors_of_snap(library: Library, tmp_path: Path) -> None:
    isolated(check_former, library("collectives"), cwd=tmp_path)


def check_replicas(library: str) -> None:
    """The operators of a session of four replicas, in groups of two."""
    ctypes.CDLL(library)
    x = floats(4, 2, 3)
    groups = [0, 1, 0, 1]  # every second replica
    builder = popir.Builder(opsets={"ai.onnx": 11, "test": 1})
    t = builder.addInputTensor("FLOAT", [2, 3], "x")
    given = {"collectiveReplicaGrouping": [4, 2, 2]}
    kinds = ("Reduce", "Scatter", "Gather")
    ids = [builder.customOp(kind, 1, "test", [t], given)[0] for kind in kinds]
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, ids),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(enableReplicatedGraphs=True, replicatedGraphCount=4),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    reduced, scattered, gathered = (anchors[id] for id in ids)
    for replica, group in enumerate(groups):
        members = x[[r for r in range(4) if groups[r] == group]]
        total = members.sum(0)
        np.testing.assert_array_equal(reduced[replica], total)
        half = total.reshape(-1)[3 * (replica // 2) :][:3]
        np.testing.assert_array_equal(scattered[replica], half)
        np.testing.assert_array_equal(gathered[replica], members.reshape(-1))


def test_operators_of_several_replicas(library: Library, tmp_path: Path) -> None:
    isolated(check_replicas, library("collectives"), cwd=tmp_path)
