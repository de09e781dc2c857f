"""popir run."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from popir.cli.commands import run as module
from tests.cli.commands import WEIGHT, call, call_json, dense, failure, logarithm, save


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return dense(tmp_path / "dense.onnx")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return logarithm(tmp_path / "log.onnx")


def npz(tmp_path: Path, **arrays: np.ndarray) -> Path:
    np.savez(tmp_path / "in.npz", **arrays)
    return tmp_path / "in.npz"


def test_the_table_says_what_the_output_holds(model: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(3).standard_normal((5, 8)).astype(np.float32)
    target = tmp_path / "out.npz"
    found = call_json("run", model, "--inputs", npz(tmp_path, x=x), "--output", target)
    (output,) = found["outputs"]
    expected = np.maximum(x @ WEIGHT, 0)
    y = np.load(target)["y"]
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    assert (output["name"], output["dtype"], output["shape"]) == ("y", "float32", [5, 4])
    assert output["min"] == pytest.approx(expected.min())
    assert output["max"] == pytest.approx(expected.max())
    assert output["mean"] == pytest.approx(expected.mean())
    assert output["sha256"] == hashlib.sha256(y.tobytes()).hexdigest()
    assert found["inputs"] == {"x": {"dtype": "float32", "shape": [5, 8]}}
    assert (found["check"], found["time"], found["host_profile"]) == (None, None, None)

    lines = call("run", model, "--inputs", npz(tmp_path, x=x)).stdout.splitlines()
    assert lines[0] == "outputs:"
    header = ["output", "dtype", "shape", "min", "max", "mean", "nan", "inf", "sha256"]
    assert lines[1].split() == header
    row = dict(zip(header, lines[2].split(), strict=True))
    assert row["shape"] == "[5,4]"
    assert float(row["max"]) == pytest.approx(expected.max(), rel=1e-5)
    assert row["sha256"] == output["sha256"][:16]


def test_random_inputs_depend_on_the_seed_alone(model: Path) -> None:
    digests = [
        call_json("run", model, "--dim", "batch=3", *more)["outputs"][0]["sha256"]
        for more in ([], ["--random", "0"], ["--random", "1"])
    ]
    assert digests[0] == digests[1] != digests[2]


def test_random_integers_are_small_and_of_the_inputs_type(tmp_path: Path) -> None:
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    for kind, dtype, largest in (
        (TensorProto.INT64, "int64", 1),
        (TensorProto.BOOL, "bool", 1),
        (TensorProto.UINT8, "uint8", 255),
        (TensorProto.FLOAT16, "float16", 10),
        (TensorProto.BFLOAT16, "bfloat16", 10),
        (TensorProto.DOUBLE, "float64", 10),
    ):
        model = save(tmp_path / "m.onnx", nodes, {"x": [1000]}, ["y"], dtype=kind)
        (output,) = call_json("run", model)["outputs"]
        assert output["dtype"] == dtype
        assert largest / 10 <= output["max"] <= largest
        assert output["min"] == 0 or dtype.endswith(("16", "64"))


def test_nan_and_infinity_are_said_and_fail(log: Path, tmp_path: Path) -> None:
    data = npz(tmp_path, x=np.float32([-1, 0, 1]))
    result = call("run", log, "--inputs", data, code=1)
    said = "WARNING: the output 'y' holds 1 NaN and 1 infinities among its 3 elements"
    assert said in result.stderr
    (output,) = call_json("run", log, "--inputs", data, code=1)["outputs"]
    assert (output["nan"], output["inf"]) == (1, 1)
    assert (output["min"], output["max"], output["mean"]) == (0, 0, 0)
    assert said in call("run", log, "--inputs", data, "--allow-nonfinite").stderr


def test_an_output_without_a_finite_element_has_no_range(log: Path, tmp_path: Path) -> None:
    data = npz(tmp_path, x=np.float32([-1, -2, -3]))
    (output,) = call_json("run", log, "--inputs", data, code=1)["outputs"]
    assert (output["min"], output["max"], output["mean"]) == (None, None, None)


def test_check_agrees_with_onnxruntime(model: Path, log: Path, tmp_path: Path) -> None:
    found = call_json("run", model, "--dim", "batch=7", "--check")
    (difference,) = found["check"]
    assert difference["ok"]
    assert 0 <= difference["absolute"] < 1e-5
    data = npz(tmp_path, x=np.float32([-1, 0, 1]))
    same = call("run", log, "--inputs", data, "--check", "--allow-nonfinite")
    assert "against onnxruntime:" in same.stdout
    assert same.stdout.splitlines()[-1].split()[-1] == "ok"


def test_check_takes_the_precision_that_the_model_computes_with(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16),
        helper.make_node("Exp", ["h"], ["e"]),
        helper.make_node("Cast", ["e"], ["y"], to=TensorProto.FLOAT),
    ]
    model = save(tmp_path / "m.onnx", nodes, {"x": [100]}, ["y"])
    (difference,) = call_json("run", model, "--check")["check"]
    assert difference["ok"]
    assert difference["rtol"] == 8 * 2.0**-10


def test_check_says_that_onnxruntime_lacks_a_type(tmp_path: Path) -> None:
    nodes = [helper.make_node("MatMul", ["x", "x"], ["y"])]
    model = save(tmp_path / "m.onnx", nodes, {"x": [4, 4]}, ["y"], dtype=TensorProto.BFLOAT16)
    assert call_json("run", model)["outputs"][0]["dtype"] == "bfloat16"
    said = call("run", model, "--check", code=4).stderr
    assert "onnxruntime has no implementation of an operator of this model for its types" in said
    assert "Run without --check, or check the same model in float32" in said


@pytest.mark.parametrize("device", ["cpu", "ipumodel"])
def test_check_does_not_compare_random_numbers(tmp_path: Path, device: str) -> None:
    """Of a Dropout in training mode; in evaluation there is nothing random."""

    def words(name: str, outputs: Sequence[str], training: bool) -> list[object]:
        nodes = [
            helper.make_node("Relu", ["x"], ["r"]),
            helper.make_node("Dropout", ["r", "ratio", "training"], ["d"], name="drop"),
            helper.make_node("Neg", ["d"], ["y"]),
        ]
        constants = {"ratio": np.float32(0.5), "training": np.array(training)}
        model = save(tmp_path / name, nodes, {"x": [64]}, outputs, constants)
        return ["run", model, "--check", "--device", device]

    said = call(*words("a.onnx", ["y"], True), code=2).stderr
    assert "every output is random, 'y' by Dropout 'drop', and onnxruntime draws other" in said
    both = words("b.onnx", ["r", "y"], True)
    (last,) = (line for line in call(*both).stdout.splitlines() if "not compared" in line)
    assert last.split(maxsplit=1)[0] == "y" and last.endswith("not compared: Dropout 'drop'")
    found = call_json(*both)
    assert [each["name"] for each in found["check"]] == ["r"]
    assert found["random"] == {"y": "Dropout 'drop'"}
    found = call_json(*words("c.onnx", ["r", "y"], False))
    assert [each["ok"] for each in found["check"]] == [True, True] and found["random"] == {}


def test_check_fails_out_of_tolerance(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = module.run_onnxruntime

    def wrong(*args: object) -> dict[str, np.ndarray]:
        values = right(*args)
        values["y"][1, 2] += 0.5
        return values

    monkeypatch.setattr(module, "run_onnxruntime", wrong)
    words = ["run", model, "--dim", "batch=2", "--check"]
    assert call(*words, code=1).stdout.splitlines()[-1].endswith("1 OUT OF TOLERANCE")
    (difference,) = call_json(*words, code=1)["check"]
    assert (difference["ok"], difference["outside"]) == (False, 1)
    assert difference["absolute"] == pytest.approx(0.5, rel=1e-3)
    call(*words, "--atol", "0.6", code=0)


def test_check_without_onnxruntime(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = failure("run", model, "--check", code=4)
    assert "onnxruntime, which is not installed: pip install onnxruntime" in said


def test_runs_are_timed_and_profiled(model: Path) -> None:
    words = ["run", model, "--dim", "batch=64", "--runs", "4", "--host-profile"]
    found = call_json(*words, "--threads", "1")
    assert found["time"]["runs"] == 4
    assert 0 < found["time"]["min_seconds"] <= found["time"]["median_seconds"]
    rows = {row["type"]: row for row in found["host_profile"]["instructions"]}
    assert rows["MatMul"]["operator"] == "block/fc"
    assert rows["MatMul"]["runs"] == 4
    assert found["host_profile"]["by_type"].keys() == rows.keys()
    text = call(*words).stdout
    assert "host time by type of operator:" in text
    assert "time of 4 runs: median" in text
    times = [
        float(line.split()[0])
        for line in text.partition("by instruction:")[2].splitlines()
        if line.startswith("  ") and line.split()[0][0].isdigit()
    ]
    assert times == sorted(times, reverse=True) and len(times) >= 3


def test_devices_agree(model: Path) -> None:
    words = ["run", model, "--dim", "batch=2"]
    cpu, ipu = (call_json(*words, "--device", kind)["outputs"][0] for kind in ("cpu", "ipumodel"))
    assert cpu["mean"] == pytest.approx(ipu["mean"], rel=1e-5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "The input 'x' has the shape [batch, 8]: give its size, as --dim batch=1."),
        (["--dim", "bacth=1"], "no such symbolic dimension; it has batch. Did you mean 'batch'?"),
        (["--dim", "batch"], "'batch' is not of the form of batch=1."),
        (["--dim", "batch=-1"], "'batch=-1' is not of the form of batch=1."),
        (["--dim", "batch=99999999999"], "is not of the form of batch=1."),
        (["--shape", "x=2"], "The input 'x' has the shape [batch, 8]; given was [2]."),
        (["--shape", "x=2,9"], "The input 'x' has the shape [batch, 8]; given was [2, 9]."),
        (["--shape", "z=2,9"], "--shape z: the model has no such input; it has x."),
        (["--random", "-1"], "Invalid value for '--random'"),
        (["--random", "1", "--inputs", __file__], "--inputs and --random exclude each other."),
        (["--output", "/no/such/folder/out.npz"], "its folder does not exist."),
        (["--output", "/"], "/ cannot be written: it is no regular file."),
        (["--output", "/dev/null"], "it is no regular file."),
        (["--inputs", "/dev/zero"], "/dev/zero is no .npz file: it is no regular file."),
        (["--frobnicate"], "No such option"),
    ],
)
def test_what_is_used_wrongly(model: Path, options: list[str], words: str) -> None:
    assert words in failure("run", model, *options, code=2)


def test_inputs_without_a_shape_take_that_of_an_option_or_an_array(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    for shape in (None, [None, 3], [-1, 3]):
        model = save(tmp_path / "open.onnx", nodes, {"x": shape}, ["y"])
        assert call_json("run", model, "--shape", "x=2,3")["outputs"][0]["shape"] == [2, 3]
        data = npz(tmp_path, x=np.ones((4, 3), np.float32))
        assert call_json("run", model, "--inputs", data)["outputs"][0]["shape"] == [4, 3]
        assert "give its size, as --shape x=1" in failure("run", model, code=2)


def test_a_size_too_large_for_memory_is_an_error(model: Path) -> None:
    assert "What the model takes needs 64000000000 bytes" in failure(
        "run", model, "--dim", "batch=2000000000", code=4
    )
