"""Gradients against finite differences: what is right passes, what is wrong is named."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

import popir
from popir import registry
from popir.ir import Op
from popir.popops import expr as pe
from popir.testing import gradcheck
from tests.testing.operators import define, square

TWO = pe.Const(2.0)
RIGHT = TWO * pe._1 * pe._2


@pytest.fixture(autouse=True)
def own_registry() -> Iterator[None]:
    with registry.scoped():
        yield


def wrong(*given: object, words: str, **options: object) -> str:
    """What is said of a gradient that is wrong."""
    with pytest.raises(popir.GradientError, match=re.escape(words)) as caught:
        gradcheck(*given, **options)  # pyright: ignore[reportArgumentType]
    return str(caught.value)


def test_a_gradient_that_is_right() -> None:
    report = gradcheck(square("Square", RIGHT), [[2, 3]])
    assert report.ok
    assert (report.dtype, report.note, report.source) == ("float64", "", "python")
    (found,) = report.inputs
    assert (found.checked, found.wrong, found.shape) == (6, 0, (2, 3))
    assert abs(found.analytic - found.numeric) < 1e-8
    lines = str(report).splitlines()
    assert lines[0] == (
        "test.gradcheck.Square:1 in float64, step 1e-05, rtol 1e-05, atol 1e-06, seed 0"
    )
    assert lines[1].startswith(f"  input 0: right at 6 elements; at {list(found.worst)} the grad")


@pytest.mark.parametrize(
    ("gradient", "words"),
    [
        (pe.Const(3.0) * pe._1 * pe._2, "Everywhere it is 1.5 times what it should be."),
        (-RIGHT, "Its sign is wrong everywhere."),
        (pe._1 * pe.Const(0.0), "The gradient is 0 everywhere."),
        (pe.Log(-pe._2 * pe._2), "The gradient holds NaN or infinity."),
    ],
)
def test_what_a_wrong_gradient_looks_like(gradient: object, words: str) -> None:
    name = square("Square", gradient)
    said = wrong(name, [[2, 3]], words=words)
    assert said.startswith("The gradient of test.gradcheck.Square:1 (python) is wrong.\n")
    assert "input 0: WRONG at 6 of 6 elements; worst at [" in said
    report = gradcheck(name, [[2, 3]], raiseError=False)
    assert not report.ok and str(report) in said


def test_the_worst_element_and_its_values() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    late = TWO * pe._1 * pe._2 + pe.Select(pe._1, pe.Const(0.0), pe._2 > pe.Const(2.5))
    report = gradcheck(square("Square", late), [x], raiseError=False)
    (found,) = report.inputs
    assert found.wrong == 2
    assert found.worst in [(1, 0), (1, 1)]
    slope = 2 * x[found.worst]
    assert found.analytic / found.numeric == pytest.approx((slope + 1) / slope)
    assert f"worst at {list(found.worst)}: the gradient is {found.analytic:.9g}, the" in str(report)
    assert found.hint == ""


def test_gradients_that_are_swapped() -> None:
    product = [pe._1 * pe._1 * pe._2]
    gradients = {0: TWO * pe._1 * pe._2 * pe._3, 1: pe._1 * pe._2 * pe._2}
    assert gradcheck(define("Right", product, gradients), [[4], [4]]).ok
    name = define("Swapped", product, gradients, reached={0: 1, 1: 0})
    said = wrong(name, [[4], [4]], words="It is that of input 1: compare gradOutToNonGradIn()")
    assert "It is that of input 0" in said


def test_one_input_of_two() -> None:
    product = [pe._1 * pe._2]
    name = define("Half", product, {0: pe._1 * pe._3})
    first, second = gradcheck(name, [[3], [3]]).inputs
    assert (first.checked, second.checked, second.why) == (3, 0, "it has no gradient")
    wrongly = define("Wrong", product, {0: pe._1 * pe._3, 1: pe._1})
    said = wrong(wrongly, [[3], [3]], words="input 1: WRONG")
    assert "input 0: right at 3 elements" in said
    first, second = gradcheck(wrongly, [[3], [3]], wrt=[0]).inputs
    assert (first.ok, second.why) == (True, "it is not among those asked for")
    with pytest.raises(popir.MissingGradientError, match="the loss depends on input 1"):
        gradcheck(name, [[3], [3]], wrt=[1])


def test_several_outputs() -> None:
    outputs = [pe._1 * pe._1, pe._1 + pe._1]
    name = define("Two", outputs, {0: TWO * (pe._1 * pe._3 + pe._2)})
    assert gradcheck(name, [[5]], outputs=2).ok
    assert gradcheck(name, [[5]], outputs=2, through=[1]).ok
    first = define("First", outputs, {0: TWO * pe._1 * pe._3})
    assert gradcheck(first, [[5]], outputs=2, through=[0]).ok
    wrong(first, [[5]], words="input 0: WRONG", outputs=2)


def test_corners() -> None:
    said = wrong("Relu", [np.array([0.0, 1.0])], words="input 0 (X): WRONG at 1 of 2 elements")
    assert "; worst at [0]: the gradient is 0, the finite difference 0.5" in said
    assert "The slope there is 0 from below and 1.1" in said
    assert "from above: if the operator has a corner or a step there, choose inputs away" in said


def only_float(op: Op) -> None:
    if op.inInfo(0).dataType() is not popir.DataType.FLOAT:
        raise popir.OperatorInputError("it takes FLOAT alone")


def test_operators_that_do_not_run_in_double() -> None:
    name = define("Single", [pe._1 * pe._1], {0: RIGHT}, setup=only_float)
    report = gradcheck(name, [[2, 3]])
    assert (report.dtype, report.step, report.rtol) == ("float32", 1e-2, 1e-2)
    assert report.note.startswith("not in float64, since: ")
    assert "it takes FLOAT alone" in str(report).splitlines()[1]
    bad = define("Bad", [pe._1 * pe._1], {0: pe.Const(2.2) * pe._1 * pe._2}, setup=only_float)
    wrong(bad, [[2, 3]], words="Everywhere it is 1.1 times what it should be.")


def nothing_fits(_: Op) -> None:
    raise popir.OperatorInputError("nothing fits")


def test_operators_that_do_not_run_at_all() -> None:
    name = define("Never", [pe._1], {0: pe._1}, setup=nothing_fits)
    with pytest.raises(popir.OperatorInputError, match="nothing fits"):
        gradcheck(name, [[2]])


def test_random_numbers_are_the_same_in_each_run() -> None:
    first = gradcheck("Dropout", [[40]], {"ratio": 0.5}, version=10, seed=3)
    assert first == gradcheck("Dropout", [[40]], {"ratio": 0.5}, version=10, seed=3)
    assert first.inputs[0].checked == 40


def test_operators_that_never_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from popir.testing import trials

    run = trials.Trial.run

    def noisy(self: trials.Trial, *given: object) -> dict[int, np.ndarray]:
        found = run(self, *given)  # pyright: ignore[reportArgumentType]
        return {i: y + np.random.default_rng().random() for i, y in found.items()}

    monkeypatch.setattr(trials.Trial, "run", noisy)
    said = wrong("Relu", [[3]], words="gives other values in its output 0 when it runs again")
    assert "must come from the seed that requiresRandomSeed() asks for" in said


def test_inputs_that_are_not_moved() -> None:
    data, indices = gradcheck("Gather", [[3, 4], np.array([0, 2])]).inputs
    assert (data.checked, indices.checked, indices.why) == (12, 0, "int64 carries no gradient")
    data, shape = gradcheck("Reshape", [[3, 4], np.array([12])]).inputs
    assert (data.checked, shape.why) == (12, "its value is part of the model")
    inputs = gradcheck("Clip", [[3], None, np.array(9.0)]).inputs
    assert [each.why for each in inputs][1:2] == ["it is left out"]


def test_part_of_many_elements() -> None:
    (found,) = gradcheck("Exp", [[100, 10]], most=20).inputs
    assert (found.checked, found.ok) == (20, True)
    assert "right at 20 of its 1000 elements" in str(found)


def test_scalars_and_nothing() -> None:
    assert gradcheck("Exp", [[]]).inputs[0].worst == ()
    (found,) = gradcheck("Exp", [np.zeros((0, 3))]).inputs
    assert found.why == "it has no elements"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (("Equal", [[3], [3]]), popir.popart_exception, "none can be differentiated, since that t"),
        (("test.No", [[3]]), popir.UnknownOperatorError, "No operator 'test.No' is registered."),
        (("Exq", [[3]]), popir.UnknownOperatorError, "Did you mean 'Exp'"),
        (
            ("Exp", ["x"]),
            popir.popart_exception,
            "lists of integers or None as inputs; given was ['x']",
        ),
        (("Exp", [[3.5]]), popir.popart_exception, "as inputs; given was [[3.5]]"),
    ],
)
def test_what_cannot_be_checked(given: tuple, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        gradcheck(*given)


def test_operators_without_a_gradient() -> None:
    name = define("Flat", [pe._1], {})
    with pytest.raises(popir.MissingGradientError, match=r"Flat:1 \(python\) has no gradient to"):
        gradcheck(name, [[3]])
    with pytest.raises(popir.popart_exception, match=r"not all of \[1\] can be differentiated"):
        gradcheck("Exp", [[3]], through=[1])
    with pytest.raises(popir.popart_exception, match=r"input 1 of ai\.onnx\.Gather:13 cannot be"):
        gradcheck("Gather", [[3], np.array([0])], wrt=[1])
