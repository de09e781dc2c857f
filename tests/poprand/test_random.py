"""poprand: the bits of Philox, the laws of the numbers, and what they may depend on."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from popir import poplar, poprand
from popir._device import machine
from popir.errors import poplibs_exception
from popir.poplar import program
from popir.profile import MachineReport
from tests.popops.rig import Rig

F, H, D = poplar.FLOAT, poplar.HALF, poplar.DOUBLE
INT, UINT, BOOL = poplar.INT, poplar.UNSIGNED_INT, poplar.BOOL
LINEAR = poplar.VariableMappingMethod.LINEAR
SEED = (0x12345678, 0x9ABCDEF0)
N = 200_003

# (function, outType, parameters)
CASES = {
    **{f"uniform {t}": ("uniform", t, (-2.5, 7.25)) for t in (F, H, D)},
    **{f"uniform {t}": ("uniform", t, (3, 14)) for t in (INT, UINT)},
    **{f"logUniform {t}": ("logUniform", t, (2, 1000)) for t in (F, H, D, INT)},
    **{f"bernoulli {t}": ("bernoulli", t, (0.3,)) for t in (F, H, D, INT, UINT, BOOL)},
    **{f"normal {t}": ("normal", t, (1.5, 0.75)) for t in (F, H, D)},
    **{f"truncatedNormal {t}": ("truncatedNormal", t, (-1, 2, 1.25)) for t in (F, H, D)},
}
REAL = [name for name in CASES if CASES[name][1] in (F, H, D) and "bernoulli" not in name]


def draw(case, n=N, seed=SEED, modifier=0, threads=1, shape=None):
    """The numbers of one call."""
    function, dtype, parameters = case
    rig = Rig(threads)
    reference = rig.graph.addVariable(F, shape or [n], LINEAR, "reference")
    key = None if seed is None else rig.tensor(np.array(seed, np.uint32))
    call = getattr(poprand, function)
    t = call(rig.graph, key, modifier, reference, dtype, *parameters, rig.prog)
    name = rig.result(t)
    return rig.run()[name]


# ---- Bits ----

# The Random123 distribution's known answers for philox4x32 of 10 rounds.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0"),
]
ANSWERS = [
    "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    "408f276d 41c83b0e a20bc7c6 6d5451fd",
    "d16cfe09 94fdcceb 5001e420 24126ea1",
]


def words(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(("given", "answer"), list(zip(KNOWN, ANSWERS, strict=True)))
def test_known_answers(given, answer):
    counter, key = given
    assert list(poprand.philox4x32(words(counter), words(key))) == words(answer)


def test_elements_are_the_words_of_the_stream():
    case = ("uniform", UINT, (0, 2**32 - 1))
    assert draw(case, 4, (0, 0)).tolist() == words(ANSWERS[0])
    numbers = draw(case, 5003, (7, 8), modifier=9, threads=2)
    for block in (0, 1, 255, 256, 1249, 1250):
        expected = poprand.philox4x32([block, 0, 9, 0], [7, 8])
        got = numbers[4 * block : 4 * block + 4]
        assert got.tolist() == list(expected)[: len(got)]


@pytest.mark.parametrize("name", CASES)
def test_bits_depend_on_seed_modifier_and_index_alone(name):
    numbers = draw(CASES[name])
    for other in (draw(CASES[name], threads=2), draw(CASES[name], threads=3)):
        assert other.tobytes() == numbers.tobytes()
    assert draw(CASES[name], n=1027).tobytes() == numbers[:1027].tobytes()
    shaped = draw(CASES[name], shape=[7, 11, 13])
    assert shaped.tobytes() == numbers[:1001].tobytes()
    for other in (
        draw(CASES[name], seed=(SEED[0] + 1, SEED[1])),
        draw(CASES[name], seed=(SEED[0], SEED[1] + 1)),
        draw(CASES[name], modifier=1),
    ):
        # Independent numbers: as many equal as chance makes them.
        values, counts = np.unique(numbers, return_counts=True)
        del values
        chance = float(np.sum((counts / N) ** 2))
        deviation = math.sqrt(chance / N)
        assert np.mean(other == numbers) < chance + 6 * deviation + 1e-4
        if numbers.dtype.kind == "f" and "bernoulli" not in name:
            correlation = np.corrcoef(numbers.astype(float), other.astype(float))[0, 1]
            assert abs(correlation) < 5 / math.sqrt(N)


def test_every_instruction_set_gives_the_same_bits():
    script = Path(__file__).with_name("isa_digest.py")
    outputs = []
    for isa in ("base", "avx2", "avx512"):
        env = {**os.environ, "POPIR_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run(
            [sys.executable, script], env=env, capture_output=True, text=True, timeout=300
        )
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout.splitlines())
    assert len(outputs[0]) == len(CASES)
    assert outputs[1] == outputs[0]
    assert outputs[2] == outputs[0]


def test_a_seed_is_read_when_the_program_runs():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    seed = graph.addVariable(UINT, [2], LINEAR, "seed")
    graph.createHostWrite("seed", seed)
    reference = graph.addVariable(F, [1000], LINEAR, "reference")
    prog = program.Sequence()
    graph.createHostRead("out", poprand.normal(graph, seed, 5, reference, F, 0, 1, prog))
    engine = poplar.Engine(graph, [prog])
    for key in ((1, 2), (3, 4), (1, 2)):
        engine.writeTensor("seed", np.array(key, np.uint32))
        engine.run()
        out = np.empty(1000, np.float32)
        engine.readTensor("out", out)
        np.testing.assert_array_equal(out, draw(("normal", F, (0, 1)), 1000, key, 5))


def test_without_a_seed_every_call_site_and_run_has_other_numbers():
    def runs():
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        reference = graph.addVariable(F, [1000], LINEAR, "reference")
        prog = program.Sequence()
        for i in range(2):
            t = poprand.uniform(graph, None, 7, reference, F, 0, 1, prog)
            graph.createHostRead(f"out{i}", t)
        engine = poplar.Engine(graph, [prog])
        drawn = []
        for _ in range(3):
            engine.run()
            for i in range(2):
                drawn.append(np.empty(1000, np.float32))
                engine.readTensor(f"out{i}", drawn[-1])
        return drawn

    first, second = runs(), runs()
    for i, x in enumerate(first):
        np.testing.assert_array_equal(x, second[i])
        for y in first[:i]:
            assert np.mean(x == y) < 0.01


# ---- Laws ----


def phi(x):
    return 0.5 * (1 + np.vectorize(math.erf)(np.asarray(x, float) / math.sqrt(2)))


def distribution(function, parameters):
    """The exact distribution function, and mean and variance."""
    if function == "uniform":
        a, b = parameters
        return lambda x: (x - a) / (b - a), (a + b) / 2, (b - a) ** 2 / 12
    if function == "logUniform":
        a, b = parameters
        length = math.log(b / a)
        mean = (b - a) / length
        return lambda x: np.log(x / a) / length, mean, (b * b - a * a) / (2 * length) - mean**2
    if function == "normal":
        mean, deviation = parameters
        return lambda x: phi((x - mean) / deviation), mean, deviation**2
    mean, deviation, alpha = parameters
    cut = float(phi(-alpha))
    density = math.exp(-alpha * alpha / 2) / math.sqrt(2 * math.pi)
    variance = deviation**2 * (1 - 2 * alpha * density / (1 - 2 * cut))
    return lambda x: (phi((x - mean) / deviation) - cut) / (1 - 2 * cut), mean, variance


def distance(sample, cdf, rounded):
    """Kolmogorov's and Smirnov's: the greatest between the empirical distribution and the exact
    one. Where numbers are rounded, one stands for all up to the middles to its neighbours."""
    values, counts = np.unique(sample.astype(float), return_counts=True)
    upto = np.cumsum(counts) / len(sample)
    if rounded:
        return np.max(np.abs(upto[:-1] - cdf((values[:-1] + values[1:]) / 2)))
    exact = cdf(values)
    return max(np.max(upto - exact), np.max(exact - (upto - counts / len(sample))))


@pytest.mark.parametrize("name", REAL)
def test_laws(name):
    function, dtype, parameters = CASES[name]
    cdf, mean, variance = distribution(function, parameters)
    sample = draw(CASES[name], threads=2)
    exact = sample.astype(float)
    deviation = math.sqrt(variance)
    rounding = 2.0**-11 if dtype == H else 0.0
    scale = abs(mean) + deviation
    assert abs(exact.mean() - mean) < 4.5 * deviation / math.sqrt(N) + rounding * scale * 0.05
    assert abs(exact.var() / variance - 1) < 0.02
    # Exceeded with probability 7e-4.
    assert distance(sample, cdf, dtype == H) < 2.0 / math.sqrt(N)
    # Neighbours, those made together among them, are not correlated, nor are their squares.
    for step in (1, 2, 3, 4):
        for x in (exact - mean, (exact - mean) ** 2):
            assert abs(np.corrcoef(x[step:], x[:-step])[0, 1]) < 5 / math.sqrt(N)


@pytest.mark.parametrize("dtype", [F, H, D], ids=str)
def test_uniform_numbers_stay_below_the_upper_end(dtype):
    for a, b in ((0, 1), (1 - 2**-10, 1), (-1, -1 + 2**-10), (1000, 1001), (0, 2**-14)):
        numbers = draw(("uniform", dtype, (a, b))).astype(float)
        assert numbers.min() >= a
        assert numbers.max() < b


def test_uniform_between_ends_that_are_no_floats():
    numbers = draw(("uniform", F, (0.1, 0.1 + 5e-9))).astype(float)
    assert numbers.min() >= 0.1
    assert numbers.max() < 0.1 + 5e-9
    assert len(np.unique(numbers)) == 1


@pytest.mark.parametrize(
    ("dtype", "a", "b"),
    [(INT, -3, 4), (UINT, 4294967290, 4294967295), (INT, -(2**31), 2**31 - 1), (INT, 5, 5)],
    ids=str,
)
def test_uniform_integers(dtype, a, b):
    numbers = draw(("uniform", dtype, (a, b))).astype(float)
    assert numbers.min() >= a
    assert numbers.max() <= b
    if b - a < 100:
        counts = np.bincount((numbers - a).astype(int))
        expected = N / (b - a + 1)
        assert len(counts) == b - a + 1
        # Chi-square of up to 7 degrees of freedom; 29 has a probability of 1e-4.
        assert np.sum((counts - expected) ** 2 / expected) < 29
    else:
        assert abs(np.mean(numbers)) < 4.5 * 2**32 / math.sqrt(12 * N)


def test_log_uniform_integers():
    numbers = draw(("logUniform", INT, (2, 10)))
    counts = np.bincount(numbers, minlength=11)
    expected = N * np.diff(np.log(np.arange(2, 11))) / math.log(5)
    assert counts[:2].sum() == counts[10] == 0
    assert np.sum((counts[2:10] - expected) ** 2 / expected) < 29


@pytest.mark.parametrize("dtype", [F, H, D, INT, UINT, BOOL], ids=str)
@pytest.mark.parametrize("p", [0, 0.001, 0.3, 0.5, 1])
def test_bernoulli(dtype, p):
    numbers = draw(("bernoulli", dtype, (p,)))
    whole = numbers.view(np.uint8) if numbers.dtype == bool else numbers  # a bool is 0 or 1
    assert set(np.unique(whole).tolist()) <= {0, 1}
    assert abs(numbers.astype(float).mean() - p) <= 4.5 * math.sqrt(p * (1 - p) / N)
    np.testing.assert_array_equal(numbers, draw(("bernoulli", F, (p,))).astype(numbers.dtype))


@pytest.mark.parametrize("dtype", [F, D], ids=str)
def test_tails_of_normal_numbers(dtype):
    numbers = np.abs(draw(("normal", dtype, (0, 1)), n=4_000_000, threads=2))
    for x in (3, 4, 4.5):
        expected = len(numbers) * 2 * float(phi(-x))
        assert abs(np.sum(numbers > x) - expected) < 4.5 * math.sqrt(expected)
    assert numbers.max() < 6.7


@pytest.mark.parametrize("dtype", [F, H, D], ids=str)
@pytest.mark.parametrize("alpha", [0.01, 0.3, 2, 5])
def test_truncated_normal_numbers_are_within_the_cut(dtype, alpha):
    numbers = draw(("truncatedNormal", dtype, (10, 3, alpha))).astype(float)
    assert numbers.min() >= 10 - 3 * alpha
    assert numbers.max() <= 10 + 3 * alpha
    if dtype != H and alpha < 5:
        assert numbers.min() < 10 - 2.9 * alpha
        assert numbers.max() > 10 + 2.9 * alpha


def test_truncated_normal_numbers_are_quantiles():
    """Of the uniform number at that place."""
    for dtype, error in ((D, 1e-14), (F, 2e-7)):
        p = draw(("uniform", dtype, (0, 1))).astype(float)
        x = draw(("truncatedNormal", dtype, (0, 1, 8)))
        assert np.max(np.abs(phi(x) - p)) < error


# ---- Dropout ----


def drop(array, keep, scale, modifier=3, threads=1, reference=None, function="dropout", extra=()):
    rig = Rig(threads)
    x = rig.tensor(array)
    mask = x if reference is None else rig.graph.addVariable(F, reference, LINEAR, "mask")
    seed = rig.tensor(np.array(SEED, np.uint32))
    call = getattr(poprand, function)
    name = rig.result(call(rig.graph, seed, modifier, x, mask, keep, scale, *extra, rig.prog))
    return rig.run()[name]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("keep", [0, 0.25, 0.9, 1])
def test_dropout(dtype, keep):
    x = np.random.default_rng(0).normal(size=(37, 1001)).astype(dtype)
    mask = draw(("bernoulli", BOOL, (keep,)), modifier=3, shape=list(x.shape))
    scaled = (x.astype(np.float32 if dtype == np.float16 else dtype) * dtype(1.5)).astype(dtype)
    for threads in (1, 2):
        np.testing.assert_array_equal(
            drop(x, keep, 1.5, threads=threads), np.where(mask, scaled, 0)
        )


def test_dropout_leaves_nothing_of_what_it_drops():
    x = np.full(1000, np.nan, np.float32)
    x[::2] = np.inf
    dropped = drop(x, 0.5, 2.0)
    kept = draw(("bernoulli", BOOL, (0.5,)), n=1000, modifier=3)
    np.testing.assert_array_equal(dropped, np.where(kept, x, np.float32(0)))


def test_dropout_of_a_transposed_tensor_goes_by_its_own_order():
    x = np.random.default_rng(1).normal(size=(30, 40)).astype(np.float32)
    rig = Rig()
    seed = rig.tensor(np.array(SEED, np.uint32))
    t = rig.tensor(x).transpose()
    name = rig.result(poprand.dropout(rig.graph, seed, 3, t, t, 0.5, 2.0, False, rig.prog))
    np.testing.assert_array_equal(rig.run()[name], drop(np.ascontiguousarray(x.T), 0.5, 2.0))


def test_shaped_dropout():
    x = np.random.default_rng(2).normal(size=(6, 50, 40)).astype(np.float32)
    mask = draw(("bernoulli", BOOL, (0.4,)), modifier=3, shape=[50, 1])
    result = drop(x, 0.4, 2.5, reference=[50, 1], function="shapedDropout")
    np.testing.assert_array_equal(result, np.where(mask, x * np.float32(2.5), 0))


# ---- What it costs on the machine ----


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n][1] == F] + ["dropout"])
def test_the_machine_reading_knows_the_vertices(name):
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2"))
    x = graph.addVariable(F, [1200], LINEAR, "x")
    prog = program.Sequence()
    if name == "dropout":
        function = name
        poprand.dropout(graph, None, 0, x, x, 0.5, 2, prog)
    else:
        function, dtype, parameters = CASES[name]
        getattr(poprand, function)(graph, None, 0, x, dtype, *parameters, prog)
    (row,) = MachineReport.of(poplar.Engine(graph, [prog])).operations
    assert row.vertexClass == f"poprand::{function[0].upper()}{function[1:]}"
    assert row.vertexClass in machine.vertexClasses()
    assert row.cycles > 0


def test_runs_counted_on_one_tile_travel():
    """Tile 1 has one of the counter's two words in proportion: four bytes there and back."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2"))
    x = graph.addVariable(H, [8], "x")
    graph.setTileMapping(x.slice(0, 4, 0), 0)
    graph.setTileMapping(x.slice(4, 8, 0), 1)
    prog = program.Sequence()
    poprand.uniform(graph, None, 0, x, H, 0, 1, prog)
    assert MachineReport.of(poplar.Engine(graph, [prog])).exchangeBytes == 8


# ---- Edges and errors ----


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 1023, 1025])
def test_sizes(name, n):
    assert draw(CASES[name], n=n).tobytes() == draw(CASES[name], n=2050)[:n].tobytes()


def test_empty_tensors():
    assert draw(("normal", F, (0, 1)), shape=[3, 0]).shape == (3, 0)


@pytest.mark.parametrize(
    ("dtype", "shape", "text"),
    [(INT, [2], "not int"), (UINT, [3], "[3]"), (UINT, [1, 2], "[1,2]"), (UINT, [], "not")],
    ids=str,
)
def test_a_seed_is_two_unsigned_ints(dtype, shape, text):
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    seed = graph.addVariable(dtype, shape, LINEAR, "seed")
    x = graph.addVariable(F, [4], LINEAR, "x")
    prog = program.Sequence()
    message = r"poprand::{}.*the seed must be unsigned int \[2\], not"
    for function, call in {
        "normal": lambda: poprand.normal(graph, seed, 0, x, F, 0, 1, prog, "site"),
        "dropout": lambda: poprand.dropout(graph, seed, 0, x, x, 0.5, 2, prog),
    }.items():
        with pytest.raises(poplibs_exception, match=message.format(function)) as caught:
            call()
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (("uniform", F, (1, 1)), "minVal < maxVal.* not minVal 1 and maxVal 1"),
        (("uniform", F, (0, math.nan)), "not minVal 0 and maxVal nan"),
        (("uniform", H, (0, 1e5)), "no further apart than the greatest half"),
        (("uniform", F, (-3e38, 3e38)), "no further apart than the greatest float"),
        (("uniform", F, (0.1, 0.1 + 1e-12)), "no number of type float lies from"),
        (("uniform", INT, (0.5, 3)), "integers of type int with minVal <= maxVal"),
        (("uniform", UINT, (-1, 3)), "integers of type unsigned int"),
        (("uniform", BOOL, (0, 1)), "of type float, half, double, int or unsigned int, not bool"),
        (("logUniform", F, (0.5, 3)), "1 <= minVal < maxVal are expected, not minVal 0.5"),
        (("logUniform", UINT, (1, 3)), "of type float, half, double or int, not unsigned int"),
        (("bernoulli", F, (1.5,)), "the probability must be from 0 to 1, not 1.5"),
        (("bernoulli", poplar.LONGLONG, (0.5,)), "not long long"),
        (("normal", INT, (0, 1)), "of type float, half or double, not int"),
        (("normal", F, (0, -1)), "must be finite and not negative, not -1"),
        (("normal", F, (math.inf, 1)), "the mean must be finite, not inf"),
        (("truncatedNormal", F, (0, 1, 0)), "alpha must be a number greater than 0, not 0"),
    ],
    ids=str,
)
def test_parameters_that_a_law_does_not_take(case, text):
    with pytest.raises(poplibs_exception, match=f"poprand::{case[0]}: .*{text}"):
        draw(case, n=4)


def test_dropouts_that_do_not_fit():
    x = np.zeros((3, 4), np.float32)
    with pytest.raises(poplibs_exception, match=r"shape \[4,3\], the input \[3,4\]"):
        drop(x, 0.5, 2, reference=[4, 3])
    with pytest.raises(poplibs_exception, match=r"shape \[3\] cannot be broadcast to.*\[3,4\]"):
        drop(x, 0.5, 2, reference=[3], function="shapedDropout")
    with pytest.raises(poplibs_exception, match="keepProbability must be from 0 to 1, not -1"):
        drop(x, -1, 2)
    with pytest.raises(poplibs_exception, match="of type float, half, bfloat16 or double, not int"):
        drop(np.zeros(3, np.int32), 0.5, 2)
