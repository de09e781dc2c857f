"""popops.rearrange: what is read stays the same, and how it lies."""

import math
from itertools import product

import numpy as np
import pytest

from popir import errors, poplar, popops, poputil
from popir._device import machine
from popir.poplar import program
from popir.profile import MachineReport
from tests.popops.rig import Rig

rearrange = popops.rearrange
RNG = np.random.default_rng(8)
TYPES = [np.float16, np.int16, np.uint16, np.float32, np.int32, np.uint32]


def machine_rig(tiles: int = 4, ipus: int = 1) -> Rig:
    return Rig(target=poplar.Target.createIPUTarget(ipus, tiles, "ipu2"))


def numbers(shape, dtype=np.float32):
    return np.arange(math.prod(shape)).reshape(shape).astype(dtype)


def tile_of(graph, t) -> int:
    """The tile of the first element."""
    first = t.flatten().slice(0, 1)
    return next(tile for tile, held in enumerate(graph.getTileMapping(first)) if held)


def in_groups(rig, x, size):
    """`x` in the groups of `size` elements of dimension 0, tile by tile."""
    rows, columns = x.shape
    memory = rig.tensor(x.reshape(rows // size, size, columns).transpose(0, 2, 1))
    return memory.dimShuffle([0, 2, 1]).reshape([rows, columns])


# Columns are 16, in rows of 8 for a tile.
@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ((0, 16), [(0, 16), (1, 8)]),  # two blocks of 16 x 16 are four for the four tiles
        ((0, 4), [(0, 4), (1, 16)]),
        ((1, 16), None),
        ((0, 7), None),
        ((2, 4), None),
        ((0, 0), None),
    ],
)
def test_if_possible(to, expected):
    rig = machine_rig()
    x = numbers((32, 16))
    t = rig.tensor(x)
    poputil.mapTensorLinearly(rig.graph, t, 8, 8)
    assert poputil.detectDimGroupings(rig.graph, t)[:2] == [(1, 16), (0, 8)]
    out = rearrange.regroupIfPossible(rig.graph, t, rig.prog, to)
    if expected is None:
        assert out.intersectsWith(t)
    else:
        assert poputil.detectDimGroupings(rig.graph, out)[:2] == expected
    name = rig.result(out)
    np.testing.assert_array_equal(rig.run()[name], x)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    ("shape", "source", "to"),
    [
        ([16, 8], (1, 8), (0, 16)),
        ([3, 16, 24], (2, 24), (1, 8)),
        ([16, 3, 8, 2], (3, 2), (0, 4)),
        ([4, 12, 5], (2, 5), (1, 4)),
        ([24], (0, 8), (0, 4)),
        ([32, 4], (0, 2), (0, 4)),
        ([2, 0, 4], (2, 4), (0, 2)),
    ],
)
def test_groupings_of_any_two_dimensions(shape, source, to, dtype):
    rig, x = machine_rig(), numbers(shape, dtype)
    t = rig.tensor(x) if x.size else rig.graph.addVariable(poplar.typeOf(dtype), shape, "none")
    cs = rig.graph.addComputeSet("turn")
    out = rearrange.regroupTensor(rig.graph, t, rig.prog, cs, source, to)
    rig.prog.add(program.Execute(cs))
    if len(shape) > 1 and x.size:
        (dim, count), *_ = poputil.detectDimGroupings(rig.graph, out)
        # One element after another of the dimension asked for, in whole parts of its groups.
        assert dim == to[0]
        assert count % min(to[1], rearrange.getMinimumRegroupGrainSize(poplar.typeOf(dtype))) == 0
    elif x.size:
        assert out.intersectsWith(t)
    if x.size:
        name = rig.result(out)
        np.testing.assert_array_equal(rig.run()[name], x)


def test_random_tensors_keep_what_is_read():
    for _ in range(40):
        shape = [int(n) for n in RNG.choice([2, 4, 6, 8, 12], RNG.integers(2, 5))]
        order = [int(d) for d in RNG.permutation(len(shape))]
        rig, x = machine_rig(int(RNG.integers(1, 9)), 2), numbers(shape, RNG.choice(TYPES))
        t = rig.tensor(np.transpose(x, order)).dimShuffle([order.index(d) for d in range(x.ndim)])
        dims = RNG.choice(x.ndim, 2, replace=False)
        source, to = ((int(d), int(RNG.choice((1, 2, shape[d])))) for d in dims)
        copies: list[program.Program] = []
        cs = rig.graph.addComputeSet("turn")
        out = rearrange.regroupTensor(rig.graph, t, copies, cs, source, to)
        assert len(copies) == 1
        rig.prog.add(program.Sequence([*copies, program.Execute(cs)]))
        name = rig.result(out)
        np.testing.assert_array_equal(rig.run()[name], x)


def test_blocks_are_shared_evenly_and_stay_on_their_ipu():
    rig = machine_rig(6, 2)
    x = numbers((48, 16), np.float16)
    t = rig.graph.addVariable(poplar.HALF, [48, 16], "t")
    rig.graph.setTileMapping(t.slice(0, 16, 0), 2)
    rig.graph.setTileMapping(t.slice(16, 48, 0), 9)
    rig.graph.createHostWrite("t", t)
    rig.written["t"] = x
    cs = rig.graph.addComputeSet("turn")
    out = rearrange.regroupTensor(rig.graph, t, rig.prog, cs, (1, 4), (0, 4))
    rig.prog.add(program.Execute(cs))
    held: dict[int, int] = {}
    for r, c in product(range(0, 48, 4), range(0, 16, 4)):
        block = out.slice([r, c], [r + 4, c + 4])
        tiles = [tile for tile, pieces in enumerate(rig.graph.getTileMapping(block)) if pieces]
        assert len(tiles) == 1
        assert tiles[0] // 6 == (0 if r < 16 else 1)
        held[tiles[0]] = held.get(tiles[0], 0) + 1
    for ipu, counts in enumerate([[1, 3, 3, 3, 3, 3], [2, 6, 6, 6, 6, 6]]):
        assert sorted(n for tile, n in held.items() if tile // 6 == ipu) == counts
    name = rig.result(out)
    np.testing.assert_array_equal(rig.run()[name], x)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("shape", [(4, 4), (3, 8, 5), (2, 3, 100, 70), (1, 1), (500, 4, 8), (2, 0)])
def test_partial_transpose(shape, dtype, threads):
    rig, x = Rig(threads), numbers(shape, dtype)
    t = rig.tensor(x) if x.size else rig.graph.addVariable(poplar.typeOf(dtype), shape, "none")
    cs = rig.graph.addComputeSet("turn")
    out = rearrange.partialTranspose(rig.graph, t, cs)
    assert out.shape() == [*shape[:-2], shape[-1], shape[-2]]
    assert out.isContiguous()
    if x.size:
        rig.prog.add(program.Execute(cs))
        name = rig.result(out)
        np.testing.assert_array_equal(rig.run()[name], np.swapaxes(x, -1, -2))


def test_a_transposed_matrix_is_where_its_first_element_was():
    rig = machine_rig()
    t = rig.graph.addVariable(poplar.HALF, [4, 8, 4], "t")
    for matrix, tile in enumerate([3, 1, 1, 0]):
        rig.graph.setTileMapping(t[matrix].slice(0, 2, 0), tile)
        rig.graph.setTileMapping(t[matrix].slice(2, 8, 0), 2)
    out = rearrange.partialTranspose(rig.graph, t, rig.graph.addComputeSet("turn"))
    for matrix, tile in enumerate([3, 1, 1, 0]):
        held = rig.graph.getTileMapping(out[matrix])
        assert [i for i, pieces in enumerate(held) if pieces] == [tile]


def test_transpositions_are_added_by_number():
    rig, x = machine_rig(), numbers((3, 2, 5))
    t = rig.tensor(x)
    outs = [rig.graph.addVariable(poplar.FLOAT, [10], f"out{i}") for i in range(3)]
    cs = rig.graph.addComputeSet("turn")
    rearrange.addTransposeVertices(
        *(rig.graph, cs, poplar.FLOAT, 2, 5, [[(2, 3)], [], [(0, 2)]]),
        lambda i: (t[i].flatten(), outs[i]),
    )
    rig.prog.add(program.Execute(cs))
    assert [tile_of(rig.graph, out) for out in outs] == [2, 2, 0]
    names = [rig.result(out) for out in outs]
    found = rig.run()
    for i, name in enumerate(names):
        np.testing.assert_array_equal(found[name].reshape(5, 2), x[i].T)


def test_what_pays_by_a_reference():
    x = numbers((16, 24), np.float16)
    rig = machine_rig()
    t, ref = rig.tensor(x), in_groups(rig, x, 8)
    out = rearrange.regroupIfBeneficial(rig.graph, t, ref, rig.prog)
    assert poputil.detectDimGroupings(rig.graph, out)[0] == (0, 8)
    name = rig.result(out)
    np.testing.assert_array_equal(rig.run()[name], x)
    copies: list[program.Program] = []
    cs = rig.graph.addComputeSet("turn")
    again = rearrange.regroupIfBeneficial(rig.graph, t, ref, copies, cs)
    assert len(copies) == 1
    assert poputil.detectDimGroupings(rig.graph, again)[0] == (0, 8)


@pytest.mark.parametrize(
    ("dtype", "size", "why"),
    [(np.float16, 2, "no whole grain"), (np.float64, 8, "no transpositions"), (np.int8, 8, "none")],
)
def test_what_does_not_pay_by_a_reference(dtype, size, why):
    rig, x = machine_rig(), numbers((16, 4), dtype)
    t = rig.tensor(x)
    ref = in_groups(rig, x, size)
    poputil.mapTensorLinearly(rig.graph, ref.flatten(), size, size)
    assert rearrange.regroupIfBeneficial(rig.graph, t, ref, rig.prog).intersectsWith(t), why
    assert rearrange.regroupIfBeneficial(rig.graph, t, t, rig.prog).intersectsWith(t)


@pytest.mark.parametrize(("size", "grouping"), [(8, (1, 8)), (4, (1, 4)), (2, None)])
def test_what_pays_by_a_preferred_grouping(size, grouping):
    rig, x = machine_rig(2), numbers((64, 24), np.float16)
    t = in_groups(rig, x, 64)
    assert poputil.detectDimGroupings(rig.graph, t)[0] == (0, 64)
    out = rearrange.regroupIfBeneficial(rig.graph, t, size, rig.prog)
    if grouping is None:
        assert out.intersectsWith(t)
    else:
        assert poputil.detectDimGroupings(rig.graph, out)[0] == grouping
    name = rig.result(out)
    np.testing.assert_array_equal(rig.run()[name], x)


IPU2 = poplar.Target.createIPUTarget(1, "ipu2")


@pytest.mark.parametrize(
    ("dtype", "rows", "columns", "count", "fast"),
    [
        (poplar.HALF, 4, 4, 1, True),
        (poplar.HALF, 4, 4, 4097, True),
        (poplar.HALF, 4, 4, 4098, False),  # more repeats than an instruction has
        (poplar.HALF, 8, 4, 4098, True),
        (poplar.HALF, 6, 4, 1, False),
        (poplar.HALF, 4, 680, 1, True),
        (poplar.HALF, 4, 688, 1, False),  # a stride of more than 512
        (poplar.UNSIGNED_SHORT, 2044, 8, 1, True),
        (poplar.SHORT, 2048, 8, 1, False),
        (poplar.HALF, 8, 8, 65536, False),
        (poplar.QUARTER, 8, 16, 1, True),
        (poplar.QUARTER, 8, 12, 1, False),
        (poplar.FLOAT, 4, 4, 1, False),
    ],
)
def test_what_fast_vertices_take(dtype, rows, columns, count, fast):
    assert rearrange.canUseFastTranspose(IPU2, dtype, rows, columns, count) is fast


def test_grains():
    grain = rearrange.getMinimumRegroupGrainSize
    kinds = [poplar.QUARTER, poplar.HALF, poplar.SHORT, poplar.FLOAT, poplar.INT, poplar.DOUBLE]
    assert [grain(kind) for kind in kinds] == [8, 4, 4, 2, 2, 1]


def test_what_transpositions_cost():
    """Each of two tiles transposes six matrices in one compute set, where they lie."""
    rig = machine_rig(2)
    t = rig.graph.addVariable(poplar.HALF, [12, 16, 8], "t")
    rig.graph.createHostWrite("t", t)
    for tile in range(2):
        rig.graph.setTileMapping(t.slice(6 * tile, 6 * tile + 6, 0), tile)
    cs = rig.graph.addComputeSet("turn")
    rearrange.partialTranspose(rig.graph, t, cs)
    rig.prog.add(program.Execute(cs))
    report = MachineReport.of(poplar.Engine(rig.graph, [rig.prog]))
    (row,) = report.operations
    assert row.vertexClass == "popops::Transpose"
    expected = machine.estimateCycles(IPU2, row.vertexClass, poplar.HALF, [6, 16, 8])
    assert (report.computeCycles, report.exchangeCycles) == (expected, 0)


def regrouped(rig, t, source, to):
    cs = rig.graph.addComputeSet("turn")
    return rearrange.regroupTensor(rig.graph, t, rig.prog, cs, source, to)


def transposed(rig, t, rows, columns, mapping):
    cs = rig.graph.addComputeSet("turn")
    rearrange.addTransposeVertices(
        rig.graph, cs, poplar.FLOAT, rows, columns, mapping, lambda _: (t, t)
    )


@pytest.mark.parametrize(
    ("dtype", "call", "words"),
    [
        ("f4", lambda r, t: regrouped(r, t, (1, 8), (0, 7)), r"'to' is 7 .* dimension 0.*\[16,8\]"),
        ("f4", lambda r, t: regrouped(r, t, (2, 2), (0, 8)), "'from' is 2 elements of dimension 2"),
        ("f4", lambda r, t: regrouped(r, t, (0, 8), (0, 4)), "groups of 8 and of 4 of one dim"),
        ("f8", lambda r, t: regrouped(r, t, (1, 8), (0, 8)), "elements of double have no transp"),
        (
            "f4",
            lambda r, t: rearrange.regroupIfBeneficial(r.graph, t, t.transpose(), r.prog),
            r"the tensor is \[16,8\], the reference \[8,16\]; give tensors of one shape",
        ),
        (
            "f4",
            lambda r, t: rearrange.regroupIfBeneficial(r.graph, t, 3, r.prog),
            "preferred grouping 3; give a divisor of the last dimension",
        ),
        (
            "f4",
            lambda r, t: rearrange.partialTranspose(
                r.graph, t.flatten(), r.graph.addComputeSet("turn")
            ),
            r"partialTranspose: the tensor is \[128\]; give one of rank 2 or more",
        ),
        ("f4", lambda r, t: transposed(r, t, 1, 70000, []), "1 rows and 70000 columns; .* 65535"),
        (
            "f4",
            lambda r, t: transposed(r, t, 2, 2, [[(0, 1)]]),
            r"transposition 0 has a tensor of float \[16,8\]; give float \[4\]",
        ),
    ],
)
def test_what_does_not_fit_is_said(dtype, call, words):
    rig = Rig()
    t = rig.tensor(numbers((16, 8), dtype))
    with pytest.raises(errors.PopirError, match=words):
        call(rig, t)


class Fresh:
    """Two objects, made anew whenever somebody asks, that nobody but the asker holds."""

    def __init__(self, first, second):
        self.makers = first, second

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.makers[i]()


def test_a_tensor_of_two_rows_is_a_pair_of_tensors():
    rig, x = machine_rig(), numbers((2, 3, 2))
    t, out = rig.tensor(x), rig.graph.addVariable(poplar.FLOAT, [3, 6], "out")
    rig.graph.setTileMapping(out[2], 0)
    cs = rig.graph.addComputeSet("turn")
    rearrange.addTransposeVertices(
        *(rig.graph, cs, poplar.FLOAT, 3, 2, [[(0, 2)]]),
        lambda i: poplar.concat([t[i].flatten().expand([0]), out[i].expand([0])]),
    )
    rig.prog.add(program.Execute(cs))
    names = [rig.result(out[i]) for i in range(2)]
    found = rig.run()
    for i, name in enumerate(names):
        np.testing.assert_array_equal(found[name].reshape(2, 3), x[i].T)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (None, TypeError, r"getInOut\(0\) gave None, expected two tensors"),
        ((1, 2), TypeError, r"getInOut\(0\) gave \(1, 2\), expected two tensors"),
        (Fresh(poplar.Tensor, poplar.Tensor), errors.poplar_index_error, "no tensor"),
    ],
)
def test_what_a_callback_gives_is_checked(given, error, words):
    rig = Rig()
    cs = rig.graph.addComputeSet("turn")
    with pytest.raises(error, match=words):
        rearrange.addTransposeVertices(
            rig.graph, cs, poplar.FLOAT, 2, 2, [[(0, 1)]], lambda _: given
        )
    with pytest.raises(errors.poplibs_exception, match="from 4 to 3 given for tile 1"):
        rearrange.addTransposeVertices(
            rig.graph, cs, poplar.FLOAT, 2, 2, [[], [(4, 3)]], lambda _: given
        )
