"""The roles of a model's initializers in training: options that set them, and tables of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from popir.cli.output import Output
from popir.trainable import Choice, Role

Function = TypeVar("Function", bound=Callable[..., Any])


def choosing(function: Function) -> Function:
    """Decorates a command with --train and --freeze, which it gets as `trained` and `frozen`."""
    train = click.option(
        "--train",
        "trained",
        multiple=True,
        metavar="NAME",
        help="Train this initializer, or those that a pattern with * fits; may be repeated.",
    )
    freeze = click.option(
        "--freeze",
        "frozen",
        multiple=True,
        metavar="NAME",
        help="Leave this initializer, or those that a pattern with * fits; may be repeated.",
    )
    return train(freeze(function))


def rows(choices: Mapping[str, Choice]) -> list[dict[str, Any]]:
    """One dict of JSON values for each initializer."""
    return [
        {
            "name": name,
            "type": choice.info.dataType().lcase,
            "shape": choice.info.shape(),
            "role": choice.role.value,
            "reason": choice.reason,
        }
        for name, choice in choices.items()
    ]


def show_table(output: Output, choices: Mapping[str, Choice]) -> None:
    """Prints a table with a row for each initializer."""
    columns = ["name", "dtype", "shape", "role", "why"]
    cells = [
        [row["name"], row["type"], _shape(row["shape"]), row["role"], row["reason"]]
        for row in rows(choices)
    ]
    if cells:
        output.table("initializers in training", columns, cells)


def _shape(shape: list[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


def show_summary(output: Output, choices: Mapping[str, Choice]) -> None:
    """Prints a line for each role with the number of its initializers and the first names."""
    for role in Role:
        names = [name for name, choice in choices.items() if choice.role is role]
        if not names:
            continue
        elements = _counted(sum(choices[name].info.nelms() for name in names), "element")
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = ", ".join(names[:_SHOWN]) + more
        output.line(f"{role.value}: {elements} in {_counted(len(names), 'tensor')}: {shown}")


def note_untold(output: Output, choices: Mapping[str, Choice]) -> None:
    """Names the initializers that are trained but may be buffers, as the file does not tell."""
    names = [name for name, choice in choices.items() if choice.is_untold]
    if names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        output.note(
            "note: PyTorch's tracing exporter does not tell parameters from buffers. These are "
            f"trained; --freeze those that are buffers: {', '.join(names[:_SHOWN])}{more}"
        )


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


_SHOWN = 8
