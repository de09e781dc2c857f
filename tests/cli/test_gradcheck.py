"""`popir gradcheck`: what it prints, and what its options mean."""

from pathlib import Path

import numpy as np
import pytest

import popir
from popir import registry
from popir.popops import expr as pe
from tests.cli.commands import call, call_json, failure
from tests.testing.operators import square


@pytest.fixture
def wrong():
    """An operator whose gradient has the wrong sign."""
    with registry.scoped():
        yield square("Wrong", pe.Const(-2.0) * pe._1 * pe._2)


def test_gradients_that_are_right() -> None:
    lines = call("gradcheck", "Gemm", "--input", "2,3", "--input", "3,4", "--input", "4").stdout
    rows = [line.split() for line in lines.splitlines()]
    assert rows[0] == "ai.onnx.Gemm:13 (built in), in float64, step 1e-05".split()
    columns = "input shape checked worst at gradient difference allowed verdict"
    assert rows[2] == columns.split()
    assert [row[:4] for row in rows[3:]] == [
        ["0", "A", "[2,3]", "6"],
        ["1", "B", "[3,4]", "12"],
        ["2", "C", "[4]", "4"],
    ]
    assert all(row[-1] == "ok" for row in rows[3:])


def test_gradients_that_are_wrong(wrong: str) -> None:
    result = call("gradcheck", wrong, code=1)
    assert result.stdout.splitlines()[-1].endswith("12 WRONG")
    assert result.stderr == "popir: input 0: Its sign is wrong everywhere.\n"
    found = call_json("gradcheck", f"{wrong}:1", "--input", "2", code=1)
    assert (found["ok"], found["operator"], found["source"]) == (False, f"{wrong}:1", "python")
    (only,) = found["inputs"]
    assert (only["wrong"], only["ok"], only["shape"]) == (2, False, [2])
    assert only["analytic"] == pytest.approx(-only["numeric"])


def test_inputs_and_attributes(tmp_path: Path) -> None:
    words = ["--input", "3,4", "--input", "2:int64", "--attribute", "axis=1"]
    found = call_json("gradcheck", "Gather", *words)
    assert [each["why"] for each in found["inputs"]] == ["", "int64 carries no gradient"]
    rows = [line.split() for line in call("gradcheck", "Gather", *words).stdout.splitlines()]
    whole = ["1", "indices", "[2]", "0", *"----", "not", "checked:"]
    assert rows[-1] == [*whole, "int64", "carries", "no", "gradient"]
    file = tmp_path / "x.npz"
    np.savez(file, x=np.array([0.5, -1.0, 2.0], np.float32))
    found = call_json("gradcheck", "LeakyRelu:6", "--inputs", file, "--attribute", "alpha=0.5")
    assert (found["inputs"][0]["checked"], found["dtype"]) == (3, "float64")
    found = call_json("gradcheck", "Clip", "--input", "3", "--input", "-", "--input", "")
    assert [each["shape"] for each in found["inputs"]] == [[3], [], []]
    words = ["--most", "5", "--low", "1", "--high", "2", "--seed", "4", "--rtol", "1e-4"]
    found = call_json("gradcheck", "Log", *words, "--atol", "1e-5", "--step", "1e-6")
    numbers = [found[key] for key in ("rtol", "atol", "step", "seed")]
    assert numbers == [1e-4, 1e-5, 1e-6, 4]
    assert found["inputs"][0]["checked"] == 5
    found = call_json("gradcheck", "Mul", "--wrt", "1")
    assert [each["checked"] for each in found["inputs"]] == [0, 12]


def test_what_is_wrong_in_every_type_is_said_of_another_than_double(tmp_path: Path) -> None:
    call("new-op", "Square", "--codelet", "--folder", tmp_path)
    file = tmp_path / "square_codelets.cpp"
    file.write_text(
        file.read_text().replace("Output<poplar::Vector<T>>", "Output<poplar::Vector<int>>")
    )
    (tmp_path / "square.py").rename(tmp_path / "square_of_test.py")
    operator = tmp_path / "square_of_test.py"
    with registry.scoped():
        said = failure("gradcheck", "com.acme.Square", "--op-library", operator, code=3)
    assert "double" not in said and "Square<float>" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["Nope"], 3, "No operator 'Nope' is registered."),
        (["Relu:3"], 3, "Relu has no version 3; it has "),
        (["Equal"], 3, "none can be differentiated"),
        (["Relu", "--input", "3;4"], 2, "--input '3;4' is not of the form of 3,4 or 3,4:int64"),
        (["Relu", "--input", "3:word"], 2, "'word' is no type such as int64 or bool."),
        (["Relu", "--attribute", "alpha"], 2, "--attribute 'alpha' is not of the form of alpha=0"),
        (["Relu", "--input", "3", "--inputs", __file__], 2, "--input and --inputs exclude each"),
        (["Relu", "--inputs", __file__], 2, "is no .npz file"),
        (
            ["Relu", "--constant", "5"],
            3,
            "input 5 cannot be a constant: it is not given; there are",
        ),
        (["Relu", "--low", "3", "--high", "1"], 3, "random floats cannot be from 3.0 to 1.0."),
        (["Relu", "--input", "3", "--input", "3"], 3, "has invalid number of inputs 2"),
    ],
)
def test_words_that_do_not_fit(words: list[str], code: int, said: str) -> None:
    assert said in failure("gradcheck", *words, code=code)


def test_names_of_operators() -> None:
    newest, *older = registry.named("ai.onnx.LeakyRelu")
    assert [newest.opid.version, *(entry.opid.version for entry in older)] == [16, 6, 1]
    assert registry.named("LeakyRelu:6")[0].opid.version == 6
    assert registry.named("Reshape")[0].opid.domain == "ai.onnx"
    with registry.scoped():
        for domain in "test.a", "test.b":
            popir.OpCreator(
                popir.Op, [popir.OperatorIdentifier(domain, "Same", 1)], source="python"
            )
        with pytest.raises(popir.UnknownOperatorError, match=r"test\.a\.Same, test\.b\.Same\."):
            registry.named("Same")
