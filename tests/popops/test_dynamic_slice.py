"""popops.multiSlice, multiUpdate, multiUpdateAdd, and those of one slice."""

import numpy as np
import pytest

from popir import errors, poplar, popops
from popir.poplar import program
from tests.popops.rig import Rig

TYPES = [np.bool_, np.int8, np.float16, np.int32, np.float32, np.int64, np.float64]
ADDED = [np.float16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]
RNG = np.random.default_rng(0)


def numbers(shape, dtype=np.float32):
    return RNG.integers(-50, 50, shape).astype(dtype)


def block(x, offsets, dims, sizes):
    """The indices of one slice."""
    index = [slice(None)] * x.ndim
    for o, d, n in zip(offsets, dims, sizes, strict=True):
        index[d] = slice(o, o + n)
    return tuple(index)


def sliced(x, offsets, dims, sizes, threads=None):
    rig = Rig(threads)
    out = popops.multiSlice(rig.graph, rig.tensor(x), rig.tensor(offsets), dims, sizes, rig.prog)
    name = rig.result(out)
    return rig.run()[name]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
def test_rows_of_every_type(dtype):
    x, offsets = numbers((7, 5), dtype), np.array([[3], [0], [6], [3]], np.uint32)
    np.testing.assert_array_equal(sliced(x, offsets, [0], [1])[:, 0], x[offsets[:, 0]])


@pytest.mark.parametrize(
    ("shape", "dims", "sizes"),
    [
        ((6, 5, 4), [1], [2]),
        ((6, 5, 4), [2], [1]),
        ((6, 5, 4), [0, 2], [3, 2]),
        ((6, 5, 4), [2, 0], [2, 3]),
        ((6, 5, 4), [0, 1, 2], [1, 1, 1]),
        ((6,), [0], [6]),
        ((6, 0), [0], [2]),
    ],
)
def test_blocks(shape, dims, sizes):
    x = numbers(shape)
    places = [shape[d] - n + 1 for d, n in zip(dims, sizes, strict=True)]
    offsets = np.array([[RNG.integers(p) for p in places] for _ in range(5)], np.uint32)
    expected = np.stack([x[block(x, o, dims, sizes)] for o in offsets])
    np.testing.assert_array_equal(sliced(x, offsets, dims, sizes), expected)


def test_what_is_not_within_is_zero_and_is_not_written():
    x = numbers((4, 3))
    offsets = np.array([[-1], [2], [4], [2**31 - 1], [3]], np.int32)
    out = sliced(x, offsets, [0], [2])
    np.testing.assert_array_equal(out[1], x[2:])
    assert not out[[0, 2, 3, 4]].any()
    wide = np.array([[2**32 - 1], [1]], np.uint32)
    assert not sliced(x, wide, [0], [2])[0].any()
    rig = Rig()
    t, s, o = rig.tensor(x), rig.tensor(numbers((5, 2, 3))), rig.tensor(offsets)
    popops.multiUpdate(rig.graph, t, s, o, [0], [2], rig.prog)
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name][:2], x[:2])


MANY = 70_000  # more than a thread takes alone


def single_offsets(kind):
    """Offsets of single elements of a vector of 1000, some of them outside of it."""
    offsets = RNG.integers(0, 1000, (MANY, 1)).astype(kind)
    offsets[::7] = 1000
    offsets[1::7] = np.iinfo(kind).max
    offsets[2::7] = np.array(-1).astype(kind)
    return offsets


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", [np.int32, np.uint32], ids=lambda t: t.__name__)
def test_single_elements(kind, threads):
    x, offsets = numbers(1000), single_offsets(kind)
    known = (offsets >= 0) & (offsets < 1000)
    expected = np.where(known, x[np.where(known, offsets, 0)], 0)
    np.testing.assert_array_equal(sliced(x, offsets, [0], [1], threads), expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", [np.int32, np.uint32], ids=lambda t: t.__name__)
@pytest.mark.parametrize("update", ["", "Add", "Max", "Min"])
def test_updates_of_single_elements_of_a_view(update, kind, threads):
    x, s, offsets = numbers((2, 1000)), numbers((MANY, 1)), single_offsets(kind)
    known = ((offsets >= 0) & (offsets < 1000))[:, 0]
    functions = {"Add": np.add, "Max": np.maximum, "Min": np.minimum}
    expected = x.copy()
    if update:
        functions[update].at(expected[1], offsets[known, 0], s[known, 0])
    else:
        for o, value in zip(offsets[known, 0], s[known, 0], strict=True):
            expected[1, o] = value
    rig = Rig(threads)
    whole = rig.tensor(x.T.copy())
    t, one = whole.slice(1, 2, 1).flatten(), [rig.tensor(np.float32(1))]
    operands = [rig.graph, t, rig.tensor(s), rig.tensor(offsets), *one * (update == "Add")]
    getattr(popops, f"multiUpdate{update}")(*operands, [0], [1], rig.prog)
    name = rig.result(whole)
    np.testing.assert_array_equal(rig.run()[name].T, expected)


def test_a_view_is_sliced_where_it_lies():
    x, offsets = numbers((3, 4, 5)), np.array([[2], [0]], np.uint32)
    rig = Rig()
    view = rig.tensor(x).dimShuffle([2, 0, 1]).reverse(1)
    name = rig.result(popops.multiSlice(rig.graph, view, rig.tensor(offsets), [2], [1], rig.prog))
    expected = x.transpose(2, 0, 1)[:, ::-1]
    result = rig.run()[name]
    np.testing.assert_array_equal(result, np.stack([expected[..., 2:3], expected[..., :1]]))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "dtype", [np.int8, np.float16, np.float32, np.int64], ids=lambda t: t.__name__
)
@pytest.mark.parametrize(
    "shape", [(300, 32), (7, 41, 13), (2, 9, 5), (3, 700, 2), (40, 1)], ids=str
)
def test_columns(shape, dtype, threads):
    x = numbers(shape, dtype)
    at = RNG.integers(-1, shape[-1] + 1, (37, 1)).astype(np.int32)
    expected = np.zeros((37, *shape[:-1], 1), dtype)
    for i, (o,) in enumerate(at):
        if 0 <= o < shape[-1]:
            expected[i] = x[..., o : o + 1]
    np.testing.assert_array_equal(sliced(x, at, [x.ndim - 1], [1], threads), expected)
    if x.ndim < 3:
        return
    rig = Rig(threads)
    t = rig.tensor(x).dimShuffle([2, 1, 0])
    name = rig.result(popops.multiSlice(rig.graph, t, rig.tensor(at), [0], [1], rig.prog))
    np.testing.assert_array_equal(rig.run()[name], expected.transpose(0, 3, 2, 1))


@pytest.mark.parametrize("reversed", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("dims", [[0], [1], [0, 1], [1, 0]], ids=str)
def test_a_reversed_view_is_read_and_written_from_its_first_element_on(dims, reversed):
    """Its other elements lie before that in memory. Places not within the view stay as they are."""
    x, sizes = numbers((6, 5)), [2, 1][: len(dims)]
    places = [x.shape[d] - n + 1 for d, n in zip(dims, sizes, strict=True)]
    offsets = np.stack([np.arange(min(places)) for _ in dims], 1).astype(np.int32)
    outside = np.concatenate([offsets, np.full((1, len(dims)), -1, np.int32)])
    view = np.flip(x, reversed).copy()
    blocks = [block(view, o, dims, sizes) for o in offsets]
    written = np.stack([numbers(view[b].shape) for b in [*blocks, blocks[0]]])

    def graph(function):
        rig = Rig()
        t = of = rig.tensor(x)
        for d in reversed:
            of = of.reverse(d)
        name = rig.result(function(rig, of, rig.tensor(outside)) or t)
        return rig.run()[name]

    def update(function):
        return lambda rig, t, o: function(
            rig.graph, t, rig.tensor(written), o, dims, sizes, rig.prog
        )

    found = graph(lambda rig, t, o: popops.multiSlice(rig.graph, t, o, dims, sizes, rig.prog))
    np.testing.assert_array_equal(found[:-1], np.stack([view[b] for b in blocks]))
    assert not found[-1].any()
    expected = view.copy()
    for b, new in zip(blocks, written, strict=False):
        expected[b] = new
    np.testing.assert_array_equal(graph(update(popops.multiUpdate)), np.flip(expected, reversed))
    expected = view.copy()
    for b, new in zip(blocks, written, strict=False):
        expected[b] = np.maximum(expected[b], new)
    np.testing.assert_array_equal(graph(update(popops.multiUpdateMax)), np.flip(expected, reversed))


@pytest.mark.parametrize("threads", [1, 2])
def test_later_updates_stay(threads):
    x, s = numbers((50, 600)), numbers((400, 1, 600))
    offsets = RNG.integers(0, 50, (400, 1)).astype(np.uint32)
    expected = x.copy()
    for o, row in zip(offsets[:, 0], s, strict=True):
        expected[o] = row
    rig = Rig(threads)
    t = rig.tensor(x)
    popops.multiUpdate(rig.graph, t, rig.tensor(s), rig.tensor(offsets), [0], [1], rig.prog)
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], expected)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ADDED, ids=lambda t: t.__name__)
def test_sums_in_order(dtype, threads):
    x, s = numbers((20, 300)).astype(dtype), numbers((200, 1, 300)).astype(dtype)
    offsets = RNG.integers(0, 20, (200, 1)).astype(np.int32)
    scale = np.array(3, dtype)
    computed = np.float32 if dtype is np.float16 else dtype
    expected = x.copy()
    for o, row in zip(offsets[:, 0], s[:, 0], strict=True):
        total = expected[o].astype(computed) + computed(3) * row.astype(computed)
        expected[o] = total.astype(dtype)
    rig = Rig(threads)
    t = rig.tensor(x)
    popops.multiUpdateAdd(
        *(rig.graph, t, rig.tensor(s), rig.tensor(offsets), rig.tensor(scale)),
        *([0], [1], rig.prog),
    )
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], expected)


def test_overlapping_blocks_are_summed():
    x, s, offsets = numbers((6, 4)), numbers((3, 3, 4)), np.array([[0], [2], [3]], np.uint32)
    expected = x.copy()
    for o, rows in zip(offsets[:, 0], s, strict=True):
        expected[o : o + 3] += rows
    rig = Rig(2)
    t = rig.tensor(x)
    one = rig.tensor(np.float32(1))
    popops.multiUpdateAdd(rig.graph, t, rig.tensor(s), rig.tensor(offsets), one, [0], [3], rig.prog)
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], expected)


def test_one_slice_and_one_update():
    x, s = numbers((5, 4, 3)), numbers((2, 4, 1))
    rig = Rig()
    t, offset = rig.tensor(x), rig.tensor(np.array([3, 1], np.uint32))
    before = rig.result(popops.dynamicSlice(rig.graph, t, offset, [0, 2], [2, 1], rig.prog))
    popops.dynamicUpdate(rig.graph, t, rig.tensor(s), offset, [0, 2], [2, 1], rig.prog)
    after = rig.result(t)
    found = rig.run()
    np.testing.assert_array_equal(found[before], x[3:, :, 1:2])
    x[3:, :, 1:2] = s
    np.testing.assert_array_equal(found[after], x)


def test_tensors_made_for_slices():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    table = popops.createSliceableTensor(graph, poplar.HALF, [9, 4], [0], [1])
    rows = popops.createSliceTensor(graph, poplar.HALF, [9, 4], [0], [1], 3)
    indices = popops.createIndicesTensor(graph, [0], 3)
    assert (list(table.shape()), list(rows.shape())) == ([9, 4], [3, 1, 4])
    assert (indices.elementType(), list(indices.shape())) == (poplar.UNSIGNED_INT, [3, 1])


@pytest.mark.parametrize("tiles", [4, 1472])
@pytest.mark.parametrize(("dims", "sizes"), [([0], [1]), ([1], [2]), ([2, 0], [1, 3])])
def test_slices_and_updates_of_tensors_made_for_them(dims, sizes, tiles):
    """What lies by columns, on tiles that may begin anew at the first, is sliced as numpy does."""
    shape, count = (5, 4, 3), 7
    rig = Rig(target=poplar.Target.createIPUTarget(1, tiles, "ipu2"))
    values = numbers(shape)
    starts = np.array(
        [[i % (shape[d] - n + 1) for d, n in zip(dims, sizes, strict=True)] for i in range(count)],
        np.uint32,
    )
    table = popops.createSliceableTensor(rig.graph, poplar.FLOAT, shape, dims, sizes)
    rig.prog.add(program.Copy(rig.tensor(values), table))
    offsets = rig.tensor(starts)
    taken = popops.multiSlice(rig.graph, table, offsets, dims, sizes, rig.prog)
    before = rig.result(taken)
    rows = popops.createSliceTensor(rig.graph, poplar.FLOAT, shape, dims, sizes, count)
    given = numbers(rows.shape())
    rig.prog.add(program.Copy(rig.tensor(given), rows))
    popops.multiUpdate(rig.graph, table, rows, offsets, dims, sizes, rig.prog)
    after = rig.result(table)
    found = rig.run()
    parts = [block(values, start, dims, sizes) for start in starts]
    for part, slices in zip(parts, found[before], strict=True):
        np.testing.assert_array_equal(slices, values[part])
    for part, slices in zip(parts, given, strict=True):
        values[part] = slices
    np.testing.assert_array_equal(found[after], values)


@pytest.mark.parametrize(
    ("type", "elements"),
    [(poplar.FLOAT, 1), (poplar.FLOAT, 2), (poplar.HALF, 3), (poplar.CHAR, 7), (poplar.DOUBLE, 1)],
)
def test_slices_of_less_than_a_grain_are_saved(type: poplar.Type, elements: int) -> None:
    """What lies like them has the mapping that a program in a file may have."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))
    linear = poplar.VariableMappingMethod.LINEAR
    slice = graph.addVariable(type, [1, elements], linear, "slice")
    made = popops.createSliceableTensorFromSlice(graph, slice, [0], [5])
    step = program.Sequence()
    popops.fill(graph, made, step, 1)
    saved = poplar.compileGraph(graph, [step]).serialize()
    poplar.Engine(poplar.Executable.deserialize(saved)).run(0)


@pytest.mark.parametrize("kind", ["linear", "whole on one", "transposed", "part"])
@pytest.mark.parametrize(("dims", "counts"), [([0], [5]), ([1], [3]), ([2, 0], [2, 4])])
def test_tensors_of_slices_that_lie_like_one(kind, dims, counts):
    """Each slice is on the tiles of the one given, and slices and updates are numpy's."""
    rig = Rig(target=poplar.Target.createIPUTarget(1, 8, "ipu2"))
    linear = poplar.VariableMappingMethod.LINEAR
    slice = rig.graph.addVariable(poplar.FLOAT, [4, 8, 6], linear, "slice")
    if kind == "transposed":
        slice = rig.graph.addVariable(poplar.FLOAT, [6, 4, 8], linear, "slice").dimShuffle(
            [1, 2, 0]
        )
    if kind == "whole on one":
        rig.graph.setTileMapping(slice, 5)
    if kind == "part":
        slice = rig.graph.addVariable(poplar.FLOAT, [8, 8, 6], linear, "slice").slice(2, 6)
    made = popops.createSliceableTensorFromSlice(rig.graph, slice, dims, counts)
    sizes = list(slice.shape())
    for d, n in zip(dims, counts, strict=True):
        sizes[d] *= n
    assert list(made.shape()) == sizes
    each = [list(slice.shape())[d] for d in dims]
    for at in (0, 1):
        part = made
        for d, n in zip(dims, each, strict=True):
            part = part.slice(at * n, (at + 1) * n, d)
        assert rig.graph.getTileMapping(part) == rig.graph.getTileMapping(slice)
    values, given = numbers(sizes), numbers((1, *slice.shape()))
    rig.prog.add(program.Copy(rig.tensor(values), made))
    offset = rig.tensor(np.array(each, np.uint32))
    before = rig.result(popops.dynamicSlice(rig.graph, made, offset, dims, each, rig.prog))
    popops.dynamicUpdate(rig.graph, made, rig.tensor(given[0]), offset, dims, each, rig.prog)
    after = rig.result(made)
    found = rig.run()
    part = block(values, each, dims, each)
    np.testing.assert_array_equal(found[before], values[part])
    values[part] = given[0]
    np.testing.assert_array_equal(found[after], values)


def test_a_number_for_each_dimension_of_slices():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    slice = graph.addVariable(poplar.FLOAT, [2, 3], "slice")
    with pytest.raises(errors.poplibs_exception, match="one number for each dimension"):
        popops.createSliceableTensorFromSlice(graph, slice, [0, 1], [4])
    with pytest.raises(errors.poplibs_exception, match="createSliceableTensorFromSlice"):
        popops.createSliceableTensorFromSlice(graph, slice, [2], [4])


@pytest.mark.parametrize(
    ("dims", "sizes", "offsets", "words"),
    [
        ([2], [1], np.zeros((1, 1), np.uint32), r"\{4, 3\}.*dimensions \{2\}"),
        ([0], [5], np.zeros((1, 1), np.uint32), r"sizes \{5\}"),
        ([0, 0], [1, 1], np.zeros((1, 2), np.uint32), "each dimension once"),
        ([0], [1], np.zeros((1, 2), np.uint32), r"the offsets are unsigned int \[1,2\].*slices, 1"),
        ([0], [1], np.zeros((1, 1), np.float32), "the offsets are float"),
    ],
)
def test_what_does_not_fit(dims, sizes, offsets, words):
    with pytest.raises(errors.poplibs_exception, match=words):
        sliced(numbers((4, 3)), offsets, dims, sizes)


def test_updates_that_do_not_fit():
    rig = Rig()
    t, s = rig.tensor(numbers((4, 3))), rig.tensor(numbers((1, 1, 2)))
    offsets, one = rig.tensor(np.zeros((1, 1), np.uint32)), rig.tensor(np.int32(1))
    with pytest.raises(errors.poplibs_exception, match=r"slices are float \[1,1,2\].*\{1, 1, 3\}"):
        popops.multiUpdate(rig.graph, t, s, offsets, [0], [1], rig.prog)
    with pytest.raises(errors.poplibs_exception, match=r"the scale int \[\].*of the same type"):
        popops.multiUpdateAdd(rig.graph, t, s, offsets, one, [0], [1], rig.prog)
