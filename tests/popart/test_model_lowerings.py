"""The classes that lower operators that models have, for operators of other names, beside NumPy."""

import ctypes
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated


def close(got: np.ndarray, want: np.ndarray, name: str, within: float = 2e-6) -> None:
    assert got.shape == np.shape(want), name
    np.testing.assert_allclose(got, want, rtol=within, atol=within, err_msg=name)


def same(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(got, want)


def check_choices(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(3, 4, 5)
    for axis in (0, 1, -1):
        to = list(np.argmax(x, axis).shape)
        for name, f in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
            same(results(name, {"x": x}, axis=axis, to=to, type="INT32")[0], f(x, axis))
    for largest in (0, 1):
        want = np.sort(x, 1)[:, ::-1][:, :2] if largest else np.sort(x, 1)[:, :2]
        same(results("TopK", {"x": x}, largest=largest, to=[3, 2, 5])[0], want)
    i = np.array([[1, 0], [3, 2]], "int32")
    depth, values = np.array(4, "int32"), np.array([-1, 2], "float32")
    for axis in (-1, 0, 1):
        want = np.moveaxis(np.where(i[..., None] == np.arange(4), 2, -1), -1, axis)
        inputs = {"i": i, "d": depth, "v": values}
        shape = list(want.shape)
        same(results("Onehot", inputs, axis=axis, to=shape, type="FLOAT")[0], want)


def test_choices(library: Library, tmp_path: Path) -> None:
    isolated(check_choices, library("model_lowerings"), cwd=tmp_path)


def check_movements(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(2, 3, 4)
    y = floats(3, 1)
    for name in ("Expand", "ExpandInplace"):
        same(results(name, {"y": y}, to=[2, 3, 5])[0], np.broadcast_to(y, (2, 3, 5)))
    close(results("ExpandGrad", {"x": x}, to=[3, 1])[0], x.sum((0, 2))[:, None], "ExpandGrad")
    same(results("Tile", {"x": x}, to=[2, 9, 8])[0], np.tile(x, (1, 3, 2)))
    z = floats(4, 6)
    close(
        results("TileGrad", {"z": z}, to=[2, 2])[0], z.reshape(2, 2, 3, 2).sum((0, 2)), "TileGrad"
    )
    same(results("Split", {"x": x}, sizes=[4], to=[2, 3, 4])[0], x)
    for name in ("Reverse", "ReverseInplace", "ReverseGrad"):
        same(results(name, {"x": x}, dims=[0, 2])[0], x[::-1, :, ::-1])
    pads, numpy_pads = [1, 0, 2, 0, 1, 1], [(1, 0), (0, 1), (2, 1)]
    flipped = x[::-1]
    for name in ("Pad", "PadInplace"):
        got = results(name, {"x": x}, pads=pads, mode="constant", value=0.5)[0]
        same(got, np.pad(flipped, numpy_pads, constant_values=0.5))
        for mode in ("edge", "reflect"):
            got = results(name, {"x": x}, pads=pads, mode=mode, value=0.0)[0]
            same(got, np.pad(flipped, numpy_pads, mode=mode))  # type: ignore[call-overload]
    whole = np.arange(6, dtype="int32")
    got = results("Pad", {"x": whole}, pads=[1, 2], mode="constant", value=-3.0)[0]
    same(got, np.pad(whole[::-1], [(1, 2)], constant_values=-3))
    for name in ("Zeros", "Init"):
        same(results(name, {"x": x}, to=[2, 2])[0], np.zeros((2, 2)))


def test_movements(library: Library, tmp_path: Path) -> None:
    isolated(check_movements, library("model_lowerings"), cwd=tmp_path)


def check_arithmetic(library: str) -> None:
    ctypes.CDLL(library)
    x, g, y = floats(2, 3, 4), floats(2, 3, 4), floats(3, 1)
    chosen = floats(3, 4) > 0
    wide = np.broadcast_to(chosen, x.shape)
    got = results("Where", {"c": chosen, "x": x, "y": y}, to=[2, 3, 4], type="FLOAT")[0]
    same(got, np.where(chosen, x, y))
    inputs = {"c": chosen, "g": g}
    for name, kept in {"WhereXGrad": wide, "WhereYGrad": ~wide}.items():
        got = results(name, inputs, to=[3, 1], type="FLOAT")[0]
        close(got, (g * kept).sum((0, 2))[:, None], name)
    close(results("Tanh", {"x": x})[0], np.tanh(x.astype("float64")), "Tanh")
    t: np.ndarray = np.tanh(x)
    close(results("TanhGrad", {"g": g, "t": t})[0], g * (1 - t * t), "TanhGrad")
    bias = floats(3)
    for name in ("AddBias", "AddBiasInplace"):
        close(results(name, {"x": x, "b": bias})[0], x + bias[:, None], name)
    same(results("AddBiasDataGrad", {"g": g})[0], g)
    sums = np.cumsum(x.astype("float64"), 0)
    for exclusive, reverse, want in (
        (0, 0, sums),
        (1, 0, sums - x),
        (0, 1, sums[-1] - sums + x),
        (1, 1, sums[-1] - sums),
    ):
        close(results("CumSum", {"x": x}, exclusive=exclusive, reverse=reverse)[0], want, "CumSum")
    for dtype in ("int32", "uint32", "float32"):
        whole = np.arange(9).astype(dtype)
        same(results("IncrementMod", {"x": whole})[0], (whole + 3) % 7)
    for axis in (1, 2, -1):
        rows = x.astype("float64").reshape(*x.shape[: axis % 3], -1)
        shares = np.exp(rows) / np.exp(rows).sum(-1, keepdims=True)
        close(results("Softmax", {"x": x}, axis=axis)[0], shares.reshape(x.shape), "Softmax")
        logs = np.log(shares).reshape(x.shape)
        close(results("LogSoftmax", {"x": x}, axis=axis)[0], logs, "LogSoftmax")
    with pytest.raises(popir.popart_exception, match="no operator of the class"):
        results("NoSoftmax", {"x": x})
    sizes: np.ndarray = np.abs(x) / 4
    for how, want in ((0, sizes.sum()), (1, sizes.mean()), (2, sizes)):
        close(results("L1", {"x": x}, how=how)[0], want, "L1")


def test_arithmetic(library: Library, tmp_path: Path) -> None:
    isolated(check_arithmetic, library("model_lowerings"), cwd=tmp_path)


def derivative(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """The gradient of a sum, by central differences in 64 bits."""
    x = x.astype("float64")
    found = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        found[place] = np.sum(f(x + step) - f(x - step)) / 2e-6
    return found


def check_gradients(library: str) -> None:
    ctypes.CDLL(library)
    x, bias = floats(2, 3, 4), floats(3)
    for how, scale in ((0, 1.0), (1, 1 / 24)):
        y, got, weight = results("L1Trained", {"x": x}, "x", how=how)
        close(y, np.abs(x).sum() * 0.25 * scale, "L1")
        want = derivative(lambda a: weight * np.abs(a) * 0.25 * scale, x)  # noqa: B023
        close(got["x"], want, "L1Grad", 1e-5)
    for exclusive in (0, 1):
        for reverse in (0, 1):

            def sums(a: np.ndarray, axis: int = 0) -> np.ndarray:
                turned = np.flip(a, axis) if reverse else a  # noqa: B023
                total = np.cumsum(turned, axis) - (turned if exclusive else 0)  # noqa: B023
                return np.flip(total, axis) if reverse else total  # noqa: B023

            for axis in (0, 1, 2, -1):
                y, got, weights = results(
                    "CumSumTrained",
                    {"x": x},
                    "x",
                    exclusive=exclusive,
                    reverse=reverse,
                    axis=axis,
                )
                close(y, sums(x.astype("float64")), "CumSum")
                want = derivative(lambda a: weights * sums(a, axis), x)  # noqa: B023
                close(got["x"], want, "CumSumGrad", 1e-5)
    y, got, weights = results("AddBiasTrained", {"x": x, "b": bias}, "xb")
    close(y, x + bias[:, None], "AddBias")
    same(got["x"], weights)
    close(got["b"], weights.sum((0, 2)), "AddBiasBiasGrad")
    i = np.array([[1, 0], [3, 2]], "int32")
    depth, values = np.array(4, "int32"), np.array([-1, 2], "float32")
    for axis in (-1, 0, 1):
        chosen = np.moveaxis(i[..., None] == np.arange(4), -1, axis)
        inputs = {"i": i, "d": depth, "v": values}
        how = {"axis": axis, "to": list(chosen.shape), "type": "FLOAT"}
        y, got, weights = results("OnehotTrained", inputs, "v", **how)
        same(y, np.where(chosen, 2, -1))
        close(got["v"], np.array([weights[~chosen].sum(), weights[chosen].sum()]), "OnehotGrad")


def test_gradients(library: Library, tmp_path: Path) -> None:
    isolated(check_gradients, library("model_lowerings"), cwd=tmp_path)


def check_in_place(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(2, 3, 4)
    for axis in (1, 2, -1):
        rows = x.astype("float64").reshape(*x.shape[: axis % 3], -1)
        shares = np.exp(rows) / np.exp(rows).sum(-1, keepdims=True)
        got = results("SoftmaxInplace", {"x": x}, axis=axis)[0]
        close(got, shares.reshape(x.shape), "SoftmaxInplace")
        got = results("LogSoftmaxInplace", {"x": x}, axis=axis)[0]
        close(got, np.log(shares).reshape(x.shape), "LogSoftmaxInplace")
    for dtype in ("int32", "uint32", "float32"):
        whole = np.arange(9).astype(dtype)
        same(results("IncrementModInplace", {"x": whole})[0], (whole + 3) % 7)


def test_variants_in_place(library: Library, tmp_path: Path) -> None:
    isolated(check_in_place, library("model_lowerings"), cwd=tmp_path)


def printed(title: str, prints: bool, x: np.ndarray) -> str:
    """What the operator Print writes to standard error; it passes `x` on."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            same(results("Print", {"x": x}, self=int(prints), title=title)[0], x)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read().decode()


def check_side_effects(library: str) -> None:
    loaded = ctypes.CDLL(library)
    x = np.array([1.5, -2.25], "float32")
    assert printed("of x", True, x) == "of x: (1.50,-2.25)\n"
    assert printed("", True, x) == "x: (1.50,-2.25)\n"
    assert printed("of x", False, x) == ""
    many = printed("many", True, np.arange(8, dtype="float32"))
    assert many == "many: (0.00,1.00,...,6.00,7.00)\n"
    same(results("Synced", {"x": x})[0], x)
    loaded.model_synced.restype = ctypes.c_char_p
    assert "Sync" in loaded.model_synced().decode()


def test_prints_and_synchronizations(library: Library, tmp_path: Path) -> None:
    isolated(check_side_effects, library("model_lowerings"), cwd=tmp_path)


def check_steps(library: str) -> None:
    ctypes.CDLL(library)
    seed = np.array([7, 4294967295], "uint32")
    assert results("NextSeed", {"s": seed})[0].tolist() == [8, 0]
    drawn = [
        tuple(results("SeedOf", {"s": seed, "m": np.array([m], "uint32")})[0].tolist())
        for m in (0, 1, 1, 2)
    ]
    assert drawn[1] == drawn[2]
    assert len(set(drawn)) == 3
    assert {left for left, _ in drawn} == {7}
    with pytest.raises(popir.popart_exception, match="two numbers of UINT32, not INT32"):
        results("NextSeed", {"s": seed.astype("int32")})
    factor = np.array(8, "float32")
    for below, above, want in ((100, 0, 16), (100, 1, 4), (0, 0, 16)):
        counts = np.array([below, above], "uint32")
        assert results("Scaling", {"f": factor, "c": counts})[0] == want
    with pytest.raises(popir.popart_exception, match="two counts of UINT32"):
        results("Scaling", {"f": factor, "c": np.array([1, 2, 3], "uint32")})


def test_operators_of_a_step(library: Library, tmp_path: Path) -> None:
    isolated(check_steps, library("model_lowerings"), cwd=tmp_path)


def check_answers(library: str) -> None:
    loaded = ctypes.CDLL(library)
    loaded.model_answers.restype = ctypes.c_char_p
    assert loaded.model_answers() == b""


def test_where_tensors_are(library: Library, tmp_path: Path) -> None:
    isolated(check_answers, library("model_lowerings"), cwd=tmp_path)
