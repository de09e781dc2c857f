"""The operator of PopART's custom-operator guide, put together from the guide's own fragments."""

import re
from pathlib import Path

from tests.toolchain import ROOT

SEEDS = ROOT.parent / "shared" / "seeds"

PRELUDE = """\
#include <popart/opmanager.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>
namespace pe = popops::expr;
"""


def document() -> Path | None:
    """The guide, where the folder with it is there."""
    return next(iter(SEEDS.glob("003_*.txt")), None) if SEEDS.is_dir() else None


def fragment(text: str, start: str) -> str:
    """From `start` to the brace that closes the first one behind it, and a semicolon after that."""
    begin = text.index(start)
    depth = 0
    for match in re.finditer("[{}]", text[begin:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            end = begin + match.end()
            return text[begin:end] + (";" if text[end : end + 1] == ";" else "")
    raise ValueError(f"the braces behind {start!r} are not balanced")


def statement(text: str, start: str) -> str:
    """From `start` to the next semicolon."""
    begin = text.index(start)
    return text[begin : text.index(";", begin) + 1]


def source(text: str) -> str:
    """A source of all fragments, with three corrections: a constructor is not qualified inside its
    class; a function body that needs the gradient operator stands behind it; names of popart that
    the guide leaves unqualified are found.
    """
    op = fragment(text, "class LeakyReluOp ")
    head = "std::vector<std::unique_ptr<popart::Op>> getGradOps()"
    body = fragment(op, head)
    op = op.replace(body, f"{head};")
    grad_op = fragment(text, "class LeakyReluGradOp ")
    grad_op = grad_op.replace("LeakyReluGradOp::LeakyReluGradOp(", "LeakyReluGradOp(")
    parts = [
        PRELUDE,
        fragment(text, "namespace CustomOperators {"),
        fragment(text, "namespace CustomGradOperators {"),
        op,
        grad_op,
        body.replace("getGradOps", "LeakyReluOp::getGradOps"),
        fragment(text, "class LeakyReluOpx "),
        fragment(text, "class LeakyReluGradOpx "),
        "using namespace popart;",
        fragment(text, "namespace {\nstatic OpDefinition::DataTypes"),
        statement(text, "static popart::popx::OpxCreator<LeakyReluOpx> "),
        statement(text, "static popart::popx::OpxCreator<LeakyReluGradOpx>"),
    ]
    return "\n\n".join(parts) + "\n"


def command(text: str) -> str:
    """The guide's command line."""
    begin = text.index("g++ \\\n")
    end = text.index("-o libleaky_relu_custom_op.so", begin)
    return text[begin:end] + "-o libleaky_relu_custom_op.so"
