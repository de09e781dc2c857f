"""`popir new-op`: what it writes compiles without a warning, passes its test, and can fail it."""

import sys
from pathlib import Path

import pytest

from popir.cli import scaffold
from tests.cli.commands import call, call_json, failure
from tests.toolchain import CACHED_CXX, ROOT, attempt

KINDS = {
    "python": ["--python"],
    "cpp": ["--cpp"],
    "python-codelet": ["--codelet"],
    "cpp-codelet": ["--cpp", "--codelet"],
}


def pytest_says(folder: Path) -> str:
    """What pytest prints in a folder, where compilers' and Python's warnings are errors."""
    env = {
        "PYTHONPATH": str(ROOT),
        "POPIR_CACHE": str(folder / "cache"),
        "CXX": " ".join([*CACHED_CXX, "-Wall", "-Wextra", "-Werror"]),
    }
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = attempt(*command, folder, cwd=folder, env=env)
    return done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_passes_its_test(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "ops"
    words = ["--domain", "org.test", "--folder", folder]
    found = call_json("new-op", "LeakyReluX", *KINDS[kind], *words)
    suffix = "cpp" if "cpp" in kind else "py"
    names = [f"leaky_relu_x.{suffix}", "test_leaky_relu_x.py"]
    names[1:1] = ["leaky_relu_x_codelets.cpp"] if "codelet" in kind else []
    assert found == {
        "files": [str(folder / name) for name in names],
        "test": str(folder / names[-1]),
    }
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert "org.test" in (folder / names[0]).read_text()
    assert all("$" not in (folder / name).read_text() for name in names)
    said = pytest_says(folder)
    assert "\n2 passed in" in said, said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2 * self", "3 * self", "Everywhere it is 1.5 times what it should be."),
        ("* pe._1 * pe._1", "* pe._1", "Mismatched elements: 12 / 12"),
    ],
)
def test_a_mistake_in_it_is_found(old: str, new: str, words: str, tmp_path: Path) -> None:
    call("new-op", "Square", "--folder", tmp_path)
    file = tmp_path / "square.py"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    said = pytest_says(tmp_path)
    assert "failed" in said and words in said


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("new-op", "Square").stdout.splitlines() == [
        "wrote square.py",
        "wrote test_square.py",
        "next: python -m pytest test_square.py",
    ]
    (tmp_path / "square.py").write_text("mine")
    said = failure("new-op", "Square", code=2)
    assert "square.py, test_square.py are there already, and nothing was written." in said
    said = failure("new-op", "Square", "--cpp", code=2)
    assert "test_square.py is there already" in said
    assert not (tmp_path / "square.cpp").exists()
    assert (tmp_path / "square.py").read_text() == "mine"
    assert "is a file" in failure("new-op", "Other", "--folder", "square.py", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["my_op"], "'my_op' cannot be an operator's name: it takes a capital, then letters and"),
        (["my_op"], "digits, such as MyOp."),
        (["../x"], "such as X."),
        (["Json"], "The operator's file would be json.py, which is the name of one of Python's"),
        (
            ["Numpy"],
            "would be numpy.py, which is the name of one of Python's own words or modules,",
        ),
        (["Numpy"], "or of one that is installed and could not be imported beside it."),
        (["Lambda"], "would be lambda.py"),
        (["Test"], "would be test.py"),
        (["Popir"], "would be popir.py"),
        (["Élu"], "such as Elu."),
        (["3d-conv"], "such as DConv."),
        (["Square", "--domain", "a b"], "'a b' is no domain; give words with dots"),
        (["Square", "--domain", "ai.onnx"], "is for operators of ONNX and popir; take one of your"),
        ([], "Missing argument 'NAME'."),
    ],
)
def test_names_that_cannot_be(words: list[str], said: str, tmp_path: Path) -> None:
    assert said in failure("new-op", *words, "--folder", tmp_path, code=2)
    assert not list(tmp_path.iterdir())


def test_a_source_in_cpp_may_be_called_as_a_module_of_python(tmp_path: Path) -> None:
    assert "wrote" in call("new-op", "Json", "--cpp", "--folder", tmp_path).stdout


def test_words_for_a_shell_are_quoted(tmp_path: Path) -> None:
    said = call("new-op", "Square", "--folder", tmp_path / "an op").stdout
    assert f"next: python -m pytest '{tmp_path}/an op/test_square.py'" in said


def test_what_cannot_be_written_whole_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = failure("new-op", "Square", "--folder", tmp_path / "file" / "ops", code=4)
    assert f"cannot be written to '{tmp_path}/file/ops': Not a directory. Nothing was" in said
    (tmp_path / "test_square.py").symlink_to(tmp_path / "nowhere" / "test.py")
    said = failure("new-op", "Square", "--folder", tmp_path, code=2)
    assert "test_square.py is there already" in said
    with pytest.MonkeyPatch.context() as patch:
        texts = {"a.py": "", "nowhere/b.py": ""}
        patch.setattr(scaffold, "files", lambda *_: texts)
        said = failure("new-op", "Square", "--folder", tmp_path, code=4)
    assert "No such file or directory. Nothing was written" in said
    assert not (tmp_path / "a.py").exists()


def test_names_of_files() -> None:
    names = {"Square": "square", "LeakyReluX": "leaky_relu_x", "FFTConv2d": "fft_conv2d"}
    assert {name: scaffold.snake(name) for name in names} == names
