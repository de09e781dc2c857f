"""Every flag of every command: the table says which test shows what it does."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from onnx import helper

from popir.cli.main import group
from popir.optimizers import OPTIMIZERS
from tests.cli.commands import call, call_json, classifier, dense, failure, samples, save
from tests.cli.test_build_op import NOTHING, popir

HERE = Path(__file__).parent
SMALL = ["--tiles", 8]

TESTS = {
    "build-op": {
        "test_build_op::test_a_library_and_its_codelets": "--name -o --flag --codelets",
        "test_flags::test_the_linkers_flags_and_the_file": "--ldflag --output",
    },
    "completion": {},
    "gradcheck": {
        "test_gradcheck::test_inputs_and_attributes": "--input --inputs --attribute --wrt --low "
        "--high --seed --most --step --rtol --atol",
        "test_flags::test_constants_outputs_and_what_is_differentiated": "--constant --outputs "
        "--through",
    },
    "info": {
        "test_info::test_flops_are_for_the_sizes_given": "--dim",
        "test_info::test_what_patterns_do_and_why_not": "--decisions --loss",
        "test_flags::test_info_of_a_shape_and_of_what_is_trained": "--shape --train --freeze",
    },
    "new-op": {
        "test_new_op::test_nothing_is_overwritten": "--cpp",
        "test_new_op::test_what_is_written_passes_its_test": "--domain --folder",
        "test_flags::test_the_language_and_codelets_of_a_new_operator": "--python --codelet",
    },
    "ops": {
        "test_ops::test_built_in_operators": "--domain",
        "test_ops::test_operators_of_a_library": "--custom",
        "test_ops::test_coverage": "--coverage",
    },
    "options": {},
    "plan": {
        "test_plan::test_sizes_are_those_given": "--dim --shape",
        "test_plan::test_a_simulated_ipu_shares_repeated_blocks": "--device",
    },
    "profile": {
        "test_profile::test_training_costs_more": "--training --loss --momentum",
        "test_profile::test_the_machine_can_be_chosen": "--target --ipus --figure",
        "test_profile::test_a_run_counts_codelets": "--tiles --random",
        "test_profile::test_replicas_have_collectives": "--replicas",
        "test_profile::test_files_hold_the_same_profile": "-o --trace",
        "test_profile::test_profiles_are_compared": "--dim --compare",
        "test_flags::test_the_optimizer_of_a_profile": "--optimizer --lr --weight-decay",
        "test_flags::test_what_a_profile_trains": "--train --freeze",
        "test_flags::test_modes_of_nodes": "--training-mode --evaluation-mode",
        "test_flags::test_a_profile_of_a_shape": "--shape --output --threads",
    },
    "run": {
        "test_run::test_the_table_says_what_the_output_holds": "--inputs --output",
        "test_run::test_random_inputs_depend_on_the_seed_alone": "--random --dim",
        "test_run::test_inputs_without_a_shape_take_that_of_an_option_or_an_array": "--shape",
        "test_run::test_check_fails_out_of_tolerance": "--check --atol",
        "test_run::test_nan_and_infinity_are_said_and_fail": "--allow-nonfinite",
        "test_run::test_runs_are_timed_and_profiled": "--runs --host-profile --threads",
        "test_run::test_devices_agree": "--device",
        "test_flags::test_a_tolerance_is_for_a_check": "--rtol",
    },
    "run-distributed": {
        "test_run_distributed::test_ranks_replicas_and_the_limit_reach_the_launcher": "--ranks "
        "--replicas --timeout --mpiexec",
        "test_run_distributed::test_a_job_that_fails_is_started_again": "-n --restarts",
    },
    "tpcc": {
        "test_tpcc::test_a_library_of_kernels": "--name -o --ldflag",
        "test_tpcc::test_one_kernel": "--tpc --flag --output",
    },
    "train": {
        "test_train::test_training_goes_on": "--epochs --first-epoch --seed --output",
        "test_train::test_the_batch_size_of_a_model_that_leaves_it_open": "--data --loss "
        "--batch-size --dim",
        "test_train::test_one_step_is_that_of_numpy": "--lr --momentum --weight-decay --no-shuffle",
        "test_train::test_what_is_trained_is_said_and_may_be_named": "--train --freeze",
        "test_flags::test_modes_of_nodes": "--training-mode --evaluation-mode",
        "test_flags::test_how_a_model_is_trained": "--optimizer --shuffle --shape --device "
        "--threads",
        "test_long_training::test_learning_rates": "--lr-schedule --warmup --lr-end --lr-every "
        "--lr-gamma",
        "test_long_training::test_validation": "--validation --validate-every",
        "test_long_training::test_a_killed_command_resumes": "--checkpoints --save-every --resume",
        "test_long_training::test_a_file_for_tensorboard": "--tensorboard",
    },
}
"""By command, the tests of its flags. --json, --debug and --op-library have tests of their own."""
OF_ALL = {"--json", "--debug", "--op-library"}


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command


def flags(command: click.Command) -> set[str]:
    options = [p for p in command.params if isinstance(p, click.Option)]
    return {flag for p in options for flag in (*p.opts, *p.secondary_opts)}


def test_every_flag_has_a_test() -> None:
    found = {name: flags(command) - OF_ALL for name, command in commands()}
    said = {name: set(" ".join(tests.values()).split()) for name, tests in TESTS.items()}
    assert found == said


@pytest.mark.parametrize(
    ("test", "words"),
    [pytest.param(t, w, id=f"{c} {t}") for c, tests in TESTS.items() for t, w in tests.items()],
)
def test_the_tests_use_the_flags(test: str, words: str) -> None:
    file, _, name = test.partition("::")
    source = (HERE / f"{file}.py").read_text()
    tree = ast.parse(source)
    (found,) = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    texts = {n.value for n in ast.walk(found) if isinstance(n, ast.Constant)}
    # What a test calls may write the flag for it: its fixtures and helpers are in the same file.
    texts |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    strings = [text for text in texts if isinstance(text, str)]
    assert [w for w in words.split() if not any(w in text.split("=")[0] for text in strings)] == []


def call_of(command: str, folder: Path) -> list[object]:
    """Words that end well, or with a verdict."""
    model = dense(folder / "m.onnx")
    loss = classifier(folder / "c.onnx")
    data = samples(folder / "d.npz", 32)
    (folder / "nothing.cpp").write_text(NOTHING.replace("NAME", "FlagsOf"))
    (folder / "k.c").write_text("void main(tensor x) {}\n")
    return {
        "build-op": ["build-op", folder / "nothing.cpp", "-o", folder / "libn.so"],
        "gradcheck": ["gradcheck", "Relu"],
        "info": ["info", model],
        "new-op": ["new-op", "Cube", "--folder", folder / "new"],
        "ops": ["ops"],
        "options": ["options", "host.fuse"],
        "plan": ["plan", model, "--dim", "batch=4"],
        "profile": ["profile", model, "--dim", "batch=4", *SMALL],
        "run": ["run", model, "--dim", "batch=4"],
        "run-distributed": ["run-distributed", "-n", 1, folder / "nothing.cpp"],
        "tpcc": ["tpcc", folder / "k.c", "-o", folder / "k.o"],
        "train": [
            *("train", folder / "c.onnx", "--data", data, "--loss", loss),
            *("--output", folder / "o.onnx"),
        ],
    }[command]


@pytest.mark.parametrize("name", [name for name, c in commands() if "--json" in flags(c)])
def test_json_is_one_object(name: str, tmp_path: Path) -> None:
    out, _ = popir(*call_of(name, tmp_path), "--json", cwd=tmp_path)
    assert isinstance(json.loads(out), dict)


@pytest.mark.parametrize("name", [name for name, c in commands() if "--op-library" in flags(c)])
def test_operators_are_loaded_first(name: str, tmp_path: Path) -> None:
    (tmp_path / "said.py").write_text("import sys\nsys.stderr.write('loaded\\n')\n")
    words = [*call_of(name, tmp_path), "--op-library", tmp_path / "said.py"]
    assert "loaded\n" in popir(*words, cwd=tmp_path)[1]


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_debug_shows_the_traceback(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    words = ["completion", "bash"] if name == "completion" else call_of(name, tmp_path)
    monkeypatch.setattr(dict(commands())[name], "invoke", fail)
    assert call(*words, code=4).stderr == "popir: error: No space left on device.\n"
    assert call(*words, "--debug", code=4).stderr.startswith("Traceback (most recent call last):")


# Flags that no other test tries.


def test_the_linkers_flags_and_the_file(tmp_path: Path) -> None:
    source = tmp_path / "nothing.cpp"
    source.write_text(NOTHING.replace("NAME", "Linked"))
    words = ["build-op", source, "--output", tmp_path / "x.so"]
    _, said = popir(*words, "--ldflag=-lno_such_library", cwd=tmp_path, code=3)
    assert "no_such_library" in said and not (tmp_path / "x.so").exists()
    popir(*words, "--ldflag=-Wl,-O1", cwd=tmp_path)
    assert (tmp_path / "x.so").exists()


def test_constants_outputs_and_what_is_differentiated() -> None:
    found = call_json("gradcheck", "Mul", "--constant", "1")["inputs"]
    assert [each["checked"] for each in found] == [12, 0]
    assert found[1]["why"] == "its value is part of the model"
    said = failure("gradcheck", "Mul", "--constant", 7, code=3)
    assert "input 7 cannot be a constant: it is not given; there are 2 inputs" in said
    split = ["gradcheck", "Split:11", "--outputs", "3", "--input", "3,4"]
    every, first = call_json(*split), call_json(*split, "--through", "0")
    assert every["ok"] and first["ok"]
    said = failure(*split, "--through", "3", code=3)
    assert "not all of [3] can be differentiated" in said


def test_gradcheck_takes_a_range_for_random_inputs_only(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.ones(3, np.float32))
    for flag in ("--low", "--high"):
        said = failure("gradcheck", "Relu", "--inputs", tmp_path / "x.npz", flag, 1, code=2)
        assert f"{flag} is for random inputs; --inputs has their values" in said


def test_info_of_a_shape_and_of_what_is_trained(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        {"x": None},
        ["y"],
        {"w": np.ones((8, 4), np.float32)},
    )
    assert call_json("info", model, "--shape", "x=5,8")["flops"] == 2 * 5 * 8 * 4
    words = ["info", model, "--shape", "x=5,8"]
    (row,) = call_json(*words, "--freeze", "w")["initializers"]
    assert (row["role"], row["reason"]) == ("constant", "the caller says so, by its name")
    (row,) = call_json(*words, "--train", "w")["initializers"]
    assert (row["role"], row["reason"]) == ("trained", "the caller says so, by its name")


@pytest.mark.parametrize(
    ("words", "suffixes"),
    [
        (["--python"], [".py", ".py"]),
        (["--codelet"], [".cpp", ".py", ".py"]),
        (["--cpp"], [".cpp", ".py"]),
        (["--cpp", "--codelet"], [".cpp", ".cpp", ".py"]),
    ],
    ids=" ".join,
)
def test_the_language_and_codelets_of_a_new_operator(
    words: list[str], suffixes: list[str], tmp_path: Path
) -> None:
    files = call_json("new-op", "Cube", "--folder", tmp_path, *words)["files"]
    assert sorted(Path(file).suffix for file in files) == suffixes


def test_the_list_of_operators_alone_is_filtered() -> None:
    for flag in (["--custom"], ["--domain", "ai.onnx"]):
        said = failure("ops", "Relu", *flag, code=2)
        assert "--domain and --custom are for the list, without OPERATORS" in said


def cycles(*words: object) -> int:
    return call_json("profile", *words, *SMALL)["totals"]["cycles"]


def test_the_optimizer_of_a_profile(tmp_path: Path) -> None:
    """Its numbers are compiled in: a rate costs what another one costs, a decay costs more."""
    classifier(tmp_path / "c.onnx")
    words = [tmp_path / "c.onnx", "--training"]
    assert cycles(*words) == cycles(*words, "--optimizer", "sgd", "--lr", 0.5)
    assert cycles(*words) < cycles(*words, "--weight-decay", 0.25)
    assert cycles(*words) < cycles(*words, "--optimizer", "adam")
    said = failure("profile", *words, "--optimizer", "adam", "--momentum", 0.5, code=2)
    assert "--momentum 0.5: the optimizer adam has none" in said
    said = failure("profile", *words, "--optimizer", "adams", code=2)
    assert "'adams' is not one of 'sgd', 'adam'" in said
    assert "'-1' is not in the range" in failure("profile", *words, "--lr", -1, code=2)
    assert "'-1' is not in the range" in failure("profile", *words, "--weight-decay", -1, code=2)


def twice(file: Path) -> Path:
    """mean(x @ a @ b), with two weights."""
    nodes = [
        helper.make_node("MatMul", ["x", "a"], ["h"]),
        helper.make_node("MatMul", ["h", "b"], ["y"]),
        helper.make_node("ReduceMean", ["y"], ["loss"], keepdims=0),
    ]
    weights = {"a": np.ones((8, 8), np.float32), "b": np.ones((8, 4), np.float32)}
    return save(file, nodes, {"x": [16, 8]}, ["loss"], weights)


def test_what_a_profile_trains(tmp_path: Path) -> None:
    words = [twice(tmp_path / "m.onnx"), "--training"]
    both = cycles(*words)
    assert cycles(*words, "--freeze", "a") < both
    assert cycles(*words, "--freeze", "*", "--train", "b") == cycles(*words, "--freeze", "a")
    said = failure("profile", *words, *SMALL, "--train", "c", code=3)
    assert "'c' fits no initializer" in said


def test_modes_of_nodes(tmp_path: Path) -> None:
    """A dropout drops in training, unless --evaluation-mode says otherwise; --training-mode undoes
    what the model says.
    """
    ratio = np.array(0.5, np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Dropout", ["h", "ratio", "training"], ["y"], "drop"),
        helper.make_node("ReduceMean", ["y"], ["loss"], keepdims=0),
    ]
    weights = {"w": np.ones((8, 4), np.float32), "ratio": ratio}
    np.savez(tmp_path / "d.npz", x=np.ones((16, 8), np.float32))
    for says, flag in ((True, "--evaluation-mode"), (False, "--training-mode")):
        given = {**weights, "training": np.array(says)}
        model = save(tmp_path / "m.onnx", nodes, {"x": [16, 8]}, ["loss"], given)
        words: list[Any] = [model, "--training"]
        assert (cycles(*words) > cycles(*words, flag, "drop")) is says
        train = [
            *("train", model, "--data", tmp_path / "d.npz", "--loss", "loss"),
            *("--output", tmp_path / "o.onnx"),
        ]
        losses = [call_json(*train, *more)["epochs"][0]["loss"] for more in ([], [flag, "*"])]
        assert [loss == 8 for loss in losses] == [not says, says]


def test_a_profile_of_a_shape(tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    model = save(tmp_path / "m.onnx", [node], {"x": None}, ["y"])
    one, two = (
        call_json("profile", model, "--shape", f"x={n},64", "--threads", n, *SMALL) for n in (1, 2)
    )
    assert two["totals"]["flops"] == 2 * one["totals"]["flops"] > 0
    call("profile", model, "--shape", "x=1,64", *SMALL, "--output", tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text().startswith("<!")
    assert "0 is not in the range" in failure("profile", model, "--threads", 0, code=2)


@pytest.mark.parametrize("flag", ["--dim batch", "--shape x", "--figure callCycles"])
def test_a_name_is_given_a_value_once(flag: str, tmp_path: Path) -> None:
    option, name = flag.split()
    words = ["profile", dense(tmp_path / "m.onnx"), option, f"{name}=4", option, f"{name}=5"]
    assert f"'{name}' is given 2 times; give it once" in failure(*words, code=2)


def test_an_attribute_is_given_once() -> None:
    words = ["gradcheck", "LeakyRelu", "--attribute", "alpha=0.1", "--attribute", "alpha=0.2"]
    assert "--attribute gives a name twice" in failure(*words, code=2)


def test_a_loss_that_is_near_nothing_names_the_outputs(tmp_path: Path) -> None:
    classifier(tmp_path / "c.onnx")
    words = ["profile", tmp_path / "c.onnx", "--training", "--loss", "objective"]
    assert "computes such a tensor. Its outputs are Nll:0." in failure(*words, code=2)


def test_a_tolerance_is_for_a_check(tmp_path: Path) -> None:
    words = ["run", dense(tmp_path / "m.onnx"), "--dim", "batch=4"]
    for flag in ("--rtol", "--atol"):
        assert "--rtol and --atol are for --check" in failure(*words, flag, 0.1, code=2)
    call(*words, "--check", "--rtol", 0.1)


def test_how_a_model_is_trained(tmp_path: Path) -> None:
    loss = classifier(tmp_path / "c.onnx")
    words = [
        *("train", tmp_path / "c.onnx", "--data", samples(tmp_path / "d.npz", 64), "--loss", loss),
        *("--output", tmp_path / "o.onnx", "--epochs", 2),
    ]

    def losses(*more: object) -> list[float]:
        return [epoch["loss"] for epoch in call_json(*words, *more)["epochs"]]

    assert losses() == losses("--shuffle", "--optimizer", "sgd") != losses("--no-shuffle")
    np.testing.assert_allclose(losses("--device", "ipumodel"), losses(), 1e-5)
    np.testing.assert_allclose(losses("--threads", 1), losses(), 1e-5)
    assert "0 is not in the range" in failure(*words, "--threads", 0, code=2)
    assert "'adams' is not one of 'sgd', 'adam'" in failure(*words, "--optimizer", "adams", code=2)
    for kind in OPTIMIZERS:
        found = losses("--optimizer", kind, "--no-shuffle")
        assert (found == losses("--no-shuffle")) == (kind == "sgd")
    assert "'gpu' is not one of" in failure(*words, "--device", "gpu", code=2)
    # Sizes that the model has cannot be changed.
    assert "x" in failure(*words, "--shape", "x=4,8", code=2)
