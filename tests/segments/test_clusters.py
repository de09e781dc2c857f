"""Clusters: what is joined, what keeps them apart, and how often they are compiled."""

from typing import Any, ClassVar

import numpy as np
import onnx
import pytest

import popir
from popir import registry
from popir.errors import LeavesDeviceError, ModelError, OperatorInputError
from popir.segments import ClusteredModel
from popir.segments.partition import Partition

Array = np.ndarray[Any, Any]
HEAD = '<ir_version: 10, opset_import: ["": 21]>\n'
X = np.array([0.5, -1, 0, 2], np.float32)


def clustered(text: str, **options: Any) -> ClusteredModel:
    return ClusteredModel(onnx.parser.parse_model(HEAD + text), **options)


def types(model: ClusteredModel) -> list[list[str]]:
    """The operators of each cluster; those on the host have a star."""
    return [
        [node[node.index("(") + 9 : -1] + ("*" if each.onHost else "") for node in each.nodes]
        for each in model.clusters
    ]


CHAIN = "g (float[N] x) => (float[N] y) { a = Exp(x) b = Neg(a) c = Abs(b) y = Sqrt(c) }"


def test_a_chain_is_one_cluster() -> None:
    model = clustered(CHAIN)
    assert types(model) == [["Exp", "Neg", "Abs", "Sqrt"]]
    assert model.breaks == {}
    np.testing.assert_allclose(model.run({"x": X})["y"], np.sqrt(np.exp(X)), rtol=1e-6)
    assert model.compiled == 1


def test_what_the_accelerator_does_not_take_cuts() -> None:
    model = clustered(CHAIN, host=["Abs"])
    assert types(model) == [["Exp", "Neg"], ["Abs*"], ["Sqrt"]]
    assert model.breaks == {"Node '' (ai.onnx.Abs)": "it was asked for"}
    np.testing.assert_allclose(model.run({"x": X})["y"], np.sqrt(np.exp(X)), rtol=1e-6)


def test_an_operator_of_the_host_cuts() -> None:
    model = clustered(
        "g (float[N] x) => (float[M] y) "
        "{ e = Exp(x) w = NonZero(x) n = Transpose(w) y = GatherND(e, n) }"
    )
    assert types(model) == [["NonZero*"], ["Exp", "Transpose", "GatherND"]]
    (why,) = model.breaks.values()
    assert why == "the shape of its result is the number of elements found"
    np.testing.assert_allclose(model.run({"x": X})["y"], np.exp(X[X != 0]), rtol=1e-6)


def test_groups_that_are_not_connected_are_apart() -> None:
    model = clustered(
        "g (float[N] x, float[N] z) => (float[N] y, float[N] w) "
        "{ a = Exp(x) b = Neg(z) y = Abs(a) w = Sqrt(b) }"
    )
    assert types(model) == [["Exp", "Abs"], ["Neg", "Sqrt"]]


def test_clusters_that_would_wait_for_each_other_stay_apart() -> None:
    """Exp feeds Add directly, and by way of the host."""
    model = clustered(
        "g (float[N] x) => (float[N] y) { a = Exp(x) h = Abs(a) b = Neg(h) y = Add(a, b) }",
        host=["Abs"],
    )
    assert types(model) == [["Exp"], ["Abs*"], ["Neg", "Add"]]
    assert "a path between them leads through 1" in model.breaks["clusters 0 and 2"]
    np.testing.assert_array_equal(model.run({"x": X})["y"], np.zeros(4, np.float32))
    assert "clusters 0 and 2: Node '' (ai.onnx.Add) reads Node '' (ai.onnx.Exp)" in model.report()


def test_eager_clusters_nothing() -> None:
    model = clustered(CHAIN, eager=True)
    assert types(model) == [["Exp*"], ["Neg*"], ["Abs*"], ["Sqrt*"]]
    np.testing.assert_allclose(model.run({"x": X})["y"], np.sqrt(np.exp(X)), rtol=1e-6)
    assert model.compiled == 4
    assert model.breaks == {}
    assert model.report().startswith("4 nodes: no cluster, all on the host\n")


def test_compiled_clusters_are_kept_by_shape() -> None:
    model = clustered(CHAIN, host=["Abs"])
    for x in (X, X, X[:2], X, X[:2]):
        np.testing.assert_allclose(model.run({"x": x})["y"], np.sqrt(np.exp(x)), rtol=1e-6)
    assert model.compiled == 6  # Three programs, two shapes.


def test_a_value_that_several_read() -> None:
    model = clustered(
        "g (float[N] x) => (float[N] y, float[N] a) { a = Exp(x) h = Abs(a) y = Sub(h, a) }",
        host=["Abs"],
    )
    found = model.run({"x": X})
    np.testing.assert_array_equal(found["y"], np.zeros(4, np.float32))
    np.testing.assert_allclose(found["a"], np.exp(X), rtol=1e-6)


def test_a_cluster_of_a_model_of_1000_nodes() -> None:
    """Each tenth node is on the host."""
    nodes = " ".join(f"v{i + 1} = {'Abs' if i % 10 == 9 else 'Neg'}(v{i})" for i in range(1000))
    model = clustered(f"g (float[N] v0) => (float[N] v1000) {{ {nodes} }}", host=["Abs"])
    assert len(model.clusters) == 200
    np.testing.assert_array_equal(model.run({"v0": X})["v1000"], np.abs(X))


def test_a_model_without_nodes_of_its_own() -> None:
    model = clustered("g (float[N] x) => (float[N] y) { y = Identity(x) }")
    np.testing.assert_array_equal(model.run({"x": X})["y"], X)


def test_wrong_inputs() -> None:
    with pytest.raises(OperatorInputError, match="needs the input 'x'"):
        clustered(CHAIN).run({})


def test_an_operator_that_nobody_knows() -> None:
    text = '<ir_version: 10, opset_import: ["": 21, "com.none": 1]>\n'
    text += "g (float[N] x) => (float[N] y) { a = com.none.Odd(x) y = Abs(a) }"
    model = ClusteredModel(onnx.parser.parse_model(text))
    with pytest.raises((LeavesDeviceError, popir.UnknownOperatorError), match="Odd"):
        model.run({"x": X})


def _random_graph(seed: int) -> tuple[list[list[int]], list[bool]]:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 14))
    edges = [[j for j in range(i + 1, count) if rng.random() < 2 / count] for i in range(count)]
    return edges, [bool(rng.random() < 0.7) for _ in range(count)]


@pytest.mark.parametrize("seed", range(200))
def test_partitions_are_sound_and_maximal(seed: int) -> None:
    """Against the definition: units run in order, are connected, and no two could be one."""
    edges, taken = _random_graph(seed)
    units = Partition(edges, taken).units
    place = {n: u for u, unit in enumerate(units) for n in unit}
    assert sorted(place) == list(range(len(edges)))
    assert all(place[i] <= place[j] for i, each in enumerate(edges) for j in each)
    for unit in units:
        assert len(unit) == 1 or all(taken[n] for n in unit)
        assert _connected(unit, edges)
    for i, each in enumerate(edges):
        for j in each:
            if place[i] != place[j] and taken[i] and taken[j]:
                assert _has_cycle(edges, place, place[i], place[j])


def _connected(unit: list[int], edges: list[list[int]]) -> bool:
    seen, ahead = {unit[0]}, [unit[0]]
    while ahead:
        n = ahead.pop()
        near = [m for m in unit if m in edges[n] or n in edges[m]]
        ahead += [m for m in near if m not in seen]
        seen.update(near)
    return seen == set(unit)


def _has_cycle(edges: list[list[int]], place: dict[int, int], a: int, b: int) -> bool:
    """Whether joining the units a and b leaves a cycle of units."""
    unit = {n: a if u == b else u for n, u in place.items()}
    left = {
        u: {unit[j] for n, v in unit.items() if v == u for j in edges[n]} - {u}
        for u in set(unit.values())
    }
    while True:
        ends = [u for u, following in left.items() if not following & left.keys()]
        if not ends:
            return bool(left)
        for u in ends:
            del left[u]


@pytest.mark.parametrize("options", [{}, {"eager": True}, {"host": ["Neg"]}])
def test_clusters_draw_numbers_of_their_own(options: dict[str, Any]) -> None:
    """Programs of one model do not start at the same seed; nor does one compiled anew."""
    model = clustered(
        "g (float[N] x) => (float[N] y, float[N] z) { y = RandomNormalLike(x) "
        "n = Neg(x) a = Abs(n) r = RandomNormalLike(a) z = Identity(r) }",
        **options,
    )
    first, second = model.run({"x": X}), model.run({"x": np.ones([5], np.float32)})
    drawn = [*first["y"], *first["z"], *second["y"], *second["z"]]
    assert len(set(drawn)) == len(drawn)


class CountedOp(popir.Op):
    """Passes its input on."""

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def hasSideEffect(self) -> bool:
        return True


class CountedOpx(popir.Opx):
    """Counts how often it is compiled."""

    calls: ClassVar[list[int]] = []

    def grow(self, prog: popir.poplar.program.Sequence) -> None:
        CountedOpx.calls.append(0)
        self.setOutTensor(0, self.cloneNcopy(prog, self.getInTensor(0)))


def test_what_acts_stays() -> None:
    """An operator with a side effect is part of a program though nobody reads it."""
    with registry.scoped():
        _what_acts_stays()


def _what_acts_stays() -> None:
    popir.OpCreator(CountedOp, popir.OperatorIdentifier("test.effects", "Counted", 1))
    popir.OpxCreator(CountedOpx, popir.OperatorIdentifier("test.effects", "Counted", 1))
    text = HEAD.replace('"": 21', '"": 21, "test.effects": 1') + (
        "g (float[N] x) => (float[N] y) { a = test.effects.Counted(x) y = Neg(x) }"
    )
    for options in ({}, {"eager": True}):
        CountedOpx.calls.clear()
        ClusteredModel(onnx.parser.parse_model(text), **options).run({"x": X})
        assert len(CountedOpx.calls) == 1


def test_names_that_the_model_has_not() -> None:
    with pytest.raises(ModelError, match=r"host has 'Abz', which is neither .*mean 'Abs'"):
        clustered(CHAIN, host=["Abz"])
    text = (
        "g (float[N] x, bool c) => (float[N] y) { y = If(c) <then_branch = t () => (float[N] a) "
        "{ a = Exp(x) }, else_branch = e () => (float[N] b) { b = Neg(x) }> }"
    )
    with pytest.raises(ModelError, match=r"'Neg', which is inside Node '' \(ai.onnx.If\).*Name"):
        clustered(text, host=["Neg"])
    model = clustered("g (float[N] x) => (float[N] y) { a = Exp(x) y = Foo(a) }")
    assert model.clusters[1].onHost == "the operator is not known"


def test_a_variable_of_two_programs() -> None:
    """One changes it; the other would not see that."""
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]))
    w = builder.addInitializedInputTensor(np.float32([1, 2]), "w")
    summed = builder.aiOnnx.add([w, x])
    builder.aiGraphcore.copyvarupdate([w, summed])
    y = builder.aiOnnx.mul([w, builder.aiOnnx.abs([summed])])
    builder.addOutputTensor(y)
    for options in ({"eager": True}, {"host": ["Abs"]}):
        with pytest.raises(ModelError, match="The initializer 'w' is changed by one program"):
            found = ClusteredModel(builder.getModelProto(), **options)
            for _ in range(2):
                found.run({x: X[:2]})
    one = ClusteredModel(builder.getModelProto())
    one.run({x: X[:2]})
    with pytest.raises(ModelError, match="which would keep the value of its own"):
        one._context.sessions = type(one._context.sessions)()  # pyright: ignore
        one.run({x: X[:2]})


@pytest.mark.parametrize("every", [0, 3])
def test_large_graphs(every: int) -> None:
    """If the time grew with the square of the size, this would take minutes."""
    count = 20_000
    edges = [[j for j in (i + 1, i + 2, i + 7) if j < count] for i in range(count)]
    taken = [not every or i % every != 1 for i in range(count)]
    units = Partition(edges, taken).units
    assert sorted(i for unit in units for i in unit) == [*range(count)]
    if not every:
        assert len(units) == 1
