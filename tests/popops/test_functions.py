"""Functions of PopLibs that no operator of popir uses, called from a program in C++."""

from pathlib import Path

import numpy as np
import pytest

from tests.toolchain import CACHED_CXX, popir_config, run

SOURCE = Path(__file__).with_name("programs") / "functions.cpp"
N, C, F = 3, 6, 5
EPS = 0.01
Axes = int | tuple[int, ...]
Ran = tuple[list[str], list[np.ndarray], bytes]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """What the program printed, the arrays it read, and a reader of those it wrote."""
    folder = tmp_path_factory.mktemp("functions")
    cflags, libs = popir_config("--cflags"), popir_config("--libs")
    words = [*CACHED_CXX, "-std=c++11", "-Wall", "-Werror", *cflags, SOURCE, *libs]
    run(*words, "-lpopnn", "-lpopfloat", "-o", folder / "functions", cwd=folder)
    rng = np.random.default_rng(5)
    given = [rng.normal(size=s).astype(np.float32) for s in ((N, C, F), (N, C, F), (C,), (C,))]
    (folder / "in").write_bytes(b"".join(a.tobytes() for a in given))
    printed = run(folder / "functions", folder / "in", folder / "out", cwd=folder)
    return printed.splitlines(), given, (folder / "out").read_bytes()


def grouped(a: np.ndarray, groups: int, strided: bool) -> np.ndarray:
    """[N, C, F] as [N, groups, all elements of a group]."""
    if strided:
        return a.reshape(N, C // groups, groups, F).swapaxes(1, 2).reshape(N, groups, -1)
    return a.reshape(N, groups, -1)


def ungrouped(a: np.ndarray, groups: int, strided: bool) -> np.ndarray:
    if strided:
        return a.reshape(N, groups, C // groups, F).swapaxes(1, 2).reshape(N, C, F)
    return a.reshape(N, C, F)


def whiten(a: np.ndarray, axis: Axes, ddof: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean, the inverse standard deviation and what they make of a."""
    mean, inverse = (
        a.mean(axis, keepdims=True),
        (a.var(axis, ddof=ddof, keepdims=True) + EPS) ** -0.5,
    )
    return mean, inverse, (a - mean) * inverse


def gradient(white: np.ndarray, inverse: np.ndarray, g: np.ndarray, axis: Axes) -> np.ndarray:
    g_mean, slope = g.mean(axis, keepdims=True), (g * white).mean(axis, keepdims=True)
    return (g - g_mean - white * slope) * inverse


def test_results_are_numpys(ran: Ran) -> None:
    _, given, written = ran
    x, g, gamma, beta = (a.astype(np.float64) for a in given)
    by = (None, slice(None), None)
    want = [
        np.pad(x[:, 2:], ((1, 0), (0, 1), (0, 2)), constant_values=1.5),
        np.pad(x, ((0, 0), (0, 0), (1, 2)), constant_values=7),
        np.pad(x, ((0, 1), (0, 0), (0, 0)), constant_values=beta[0]),
        np.pad(x, ((0, 0), (0, 1), (2, 3)), mode="edge"),
        np.pad(x, ((0, 0), (0, 0), (4, 3)), mode="reflect"),
        np.sort(x, 1),
        np.take_along_axis(g, np.argsort(x, 0), 0),
        np.sort(x, 2),
        np.take_along_axis(g, np.argsort(x, 2), 2),
    ]
    rows = x.reshape(N * C, F)
    best = np.argsort(-rows, 1)[:, :2]
    want += [np.take_along_axis(rows, best, 1), best, np.ones(()), np.zeros(())]
    mean, inverse, white = whiten(x, (0, 2))
    want += [mean, inverse, white * gamma[by] + beta[by]]
    want += [(g * white).sum((0, 2)), g.sum((0, 2))]
    want.append(gradient(white, inverse, g * gamma[by], (0, 2)))
    for strided in (True, False):
        mean, inverse, white = whiten(grouped(x, 2, strided), 2)
        flat = ungrouped(white, 2, strided)
        want += [mean, inverse, flat * gamma[by] + beta[by]]
        want += [(g * flat).sum((0, 2)), g.sum((0, 2))]
        back = gradient(white, inverse, grouped(g * gamma[by], 2, strided), 2)
        want.append(ungrouped(back, 2, strided))
    want.append(whiten(x, (1, 2), ddof=1)[2] * gamma[by] + beta[by])
    want.append(whiten(x, 2)[2] * gamma[by] + beta[by])
    want += [gamma - 0.5 * beta, beta - 0.5 * gamma]
    got = np.frombuffer(written, np.float32)
    assert got.size == sum(a.size for a in want)
    for i, a in enumerate(want):
        np.testing.assert_allclose(got[: a.size], a.ravel(), rtol=2e-5, atol=2e-5, err_msg=str(i))
        got = got[a.size :]


def test_shapes_halves_and_what_is_refused(ran: Ran) -> None:
    printed = ran[0]
    assert printed[0].replace(" ", "") in ("[4][4,3][7]", "{4}{4,3}{7}")
    assert printed[1] == "15360 31743 1.5"
    assert printed[2].strip("[]{}") == "6"
    words = [
        "1 and 1 amounts given for a tensor of rank 3",
        "dimension 2 has 5 elements, 3 and 3 are to be taken away",
        "5 elements cannot be reflected, dimension 2 has 5",
        "dimension 3 given, the tensor has 3",
        "give one shape",
        "4 groups for activations",
        "option 'group' = '1'; there is groupNormStridedChannelGrouping",
        "give [batch, channels, ...]",
    ]
    for line, word in zip(printed[3:], words, strict=True):
        assert word in line
