"""The command as a whole: help, versions, errors and their codes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import popir
from popir.cli import main
from popir.cli.commands import run
from popir.cli.exits import CommandError, ExitCode
from popir.cli.output import printable
from tests.cli.commands import call, dense, failure
from tests.toolchain import ROOT, python

NAMES = [
    "build-op",
    "completion",
    "gradcheck",
    "info",
    "new-op",
    "ops",
    "options",
    "plan",
    "profile",
    "run",
    "run-distributed",
    "tpcc",
    "train",
]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return dense(tmp_path / "dense.onnx")


def test_version_and_help() -> None:
    assert call("--version").stdout == f"popir {popir.__version__}\n"
    for words in (["--help"], ["-h"]):
        text = call(*words).stdout
        assert all(f"\n  {name} " in text for name in NAMES)
    for name in NAMES:
        assert call(name, "--help").stdout.startswith(f"Usage: popir {name} ")


def test_every_file_of_the_folder_is_a_command() -> None:
    files = (ROOT / "popir" / "cli" / "commands").glob("[a-z]*.py")
    names = sorted(file.stem.replace("_", "-") for file in files)
    context = main.group.make_context("popir", ["--help"], resilient_parsing=True)
    assert main.group.list_commands(context) == names
    for name in names:
        found = main.group.get_command(context, name)
        assert found is not None and found.help and found.short_help
        options = {option for each in found.params for option in each.opts}
        assert {"--debug"} <= options
        # What a script prints is its own, and its operators are, too.
        assert "--json" in options or name in ("completion", "run-distributed")
        uses_operators = name not in ("completion", "new-op", "options", "run-distributed")
        assert ("--op-library" in options) == uses_operators


def test_wrong_words() -> None:
    said = failure("rum", code=2)
    assert "No such command 'rum'. Did you mean 'run'?" in said
    assert said.endswith("See: popir --help\n")
    assert "No such command 'zzz'. There are build-op, completion," in failure("zzz", code=2)
    said = failure("run", code=2)
    assert "Missing argument 'MODEL'" in said and said.endswith("See: popir run --help\n")
    said = failure("completion", "bash", "more", code=2)
    assert "unexpected extra argument (more). See: popir completion --help" in said


def test_the_command_alone_says_what_there_is() -> None:
    result = call(code=2)
    assert result.stdout == "" and result.stderr == call("--help").stdout


def test_files_that_are_not_there(tmp_path: Path) -> None:
    file = dense(tmp_path / "model.onnx")
    said = failure("run", tmp_path / "modle.onnx", code=2)
    assert "modle.onnx' does not exist. Did you mean 'model.onnx'? See: popir run --help" in said
    said = failure("run", tmp_path / "no" / "m.onnx", code=2)
    assert f"and neither does the folder '{tmp_path}/no'. See:" in said
    assert f"'{file}' is no folder." in failure("run", file / "m.onnx", code=2)


@pytest.mark.parametrize("name", ["run", "info"])
def test_models_that_are_none(name: str, tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    assert f"File '{file}' does not exist" in failure(name, file, code=2)
    assert "is a directory" in failure(name, tmp_path, code=2)
    for content in (b"", b"no model", dense(file).read_bytes()[:-20]):
        file.write_bytes(content)
        assert str(file) in failure(name, file, code=3)


def test_operator_libraries(model: Path, tmp_path: Path) -> None:
    none = tmp_path / "libnone.so"
    assert "does not exist" in failure("info", model, "--op-library", none, code=2)
    none.write_text("text")
    for name in ("info", "run"):
        assert "no ELF shared library" in failure(name, model, "--op-library", none, code=3)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (CommandError("so", ExitCode.NO), 1, "popir: error: so\n"),
        (popir.ModelError("two\nlines"), 3, "popir: error: two lines\n"),
        (popir.OutOfMemoryException("full"), 4, "popir: error: full\n"),
        (MemoryError("much"), 4, "popir: error: out of memory: much\n"),
        (PermissionError(13, "Permission denied", "f"), 4, "popir: error: f: Permission denied.\n"),
        (OSError(28, "No space left on device"), 4, "popir: error: No space left on device.\n"),
        (KeyError("k"), 70, "popir: error: KeyError: 'k'. This is a defect of popir or of an"),
        (KeyboardInterrupt(), 130, "popir: interrupted\n"),
    ],
)
def test_errors_have_one_line_and_a_code(
    model: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(run, "load", fail)
    result = call("run", model, code=code)
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    result = call("run", model, "--debug", code=code)
    assert result.stderr.startswith("Traceback (most recent call last):")
    assert words in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    script = call("completion", shell).stdout
    assert f"_POPIR_COMPLETE={shell}_complete" in script
    assert (
        script
        == CliRunner(env={"SHELL": f"/bin/{shell}"}).invoke(main.group, ["completion"]).stdout
    )


def test_completion_without_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "$SHELL is 'tcsh'; name one of bash, zsh, fish." in failure("completion", code=2)
    assert "'tcsh' is not one of" in failure("completion", "tcsh", code=2)


@pytest.mark.parametrize(
    ("words", "expected"),
    [("popir ", {"run", "info"}), ("popir tr", {"train"}), ("popir profile --co", {"--compare"})],
)
def test_what_is_completed(words: str, expected: set[str]) -> None:
    env = {
        "_POPIR_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    out = CliRunner(env=env).invoke(main.group).stdout
    assert expected <= {line.partition(",")[2] for line in out.splitlines()}


def test_importing_popir_imports_neither_click_nor_rich(tmp_path: Path) -> None:
    code = "import sys, popir; print({'click', 'rich', 'popir.cli'} & set(sys.modules))"
    assert python(code, tmp_path) == "set()\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain λ", "plain λ"),
        ("two\n lines\t", "two lines"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\u202eb\udcff", "a\\u202eb\\udcff"),
        (12, "12"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: object, shown: str) -> None:
    assert printable(text) == shown
