"""Command line options that several commands share."""

from __future__ import annotations

import functools
import math
import os
from collections import Counter
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from popir.cli.libraries import load_operators
from popir.cli.output import Output
from popir.devices import DeviceInfo, DeviceManager
from popir.errors import did_you_mean
from popir.options import SessionOptions
from popir.progress import Logger

Function = TypeVar("Function", bound=Callable[..., Any])


class ExistingFile(click.Path):
    """A click type: the path of a file that can be read."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """The path. Raises BadParameter, with similar names, if there is no such file."""
        file = Path(value)
        if not os.path.lexists(file):
            self.fail(f"{self._missing(file)}", param, ctx)
        return super().convert(value, param, ctx)

    def _missing(self, file: Path) -> str:
        try:
            beside = [each.name for each in file.parent.iterdir()]
        except NotADirectoryError:
            return f"File '{file}' does not exist: '{file.parent}' is no folder."
        except FileNotFoundError:
            return f"File '{file}' does not exist, and neither does the folder '{file.parent}'."
        except PermissionError:
            return f"File '{file}' cannot be looked for: the folder '{file.parent}' is closed."
        return f"File '{file}' does not exist.{did_you_mean(file.name, beside)}"


existing_file = ExistingFile()


class OutputFile(click.Path):
    """A click type: the path of a file to write. `popir.cli.targets` checks it."""


output_file = OutputFile()


class Number(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """A click type: a finite number."""

    name = "float"

    def __init__(self, least: float | None = None, is_open: bool = False) -> None:
        """The number must be at least `least` or, if `is_open`, above it."""
        self._least, self._is_open = least, is_open
        self._range = "" if least is None else f"{'>' if is_open else '>='}{least:g}"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The placeholder in the help text."""
        return f"FLOAT{self._range}"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number. Raises BadParameter if it is not finite or out of range."""
        number = float(click.FLOAT.convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no finite number.", param, ctx)
        least = self._least
        if least is not None and (number < least or (self._is_open and number == least)):
            self.fail(f"{value!r} is not in the range x{self._range}.", param, ctx)
        return number


class Count(click.IntRange):
    """A click type: an integer of at least `least` that fits 64 bits."""

    def __init__(self, least: int) -> None:
        super().__init__(least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises BadParameter if it is no integer or out of range."""
        number = int(super().convert(value, param, ctx))
        if number >= 1 << 63:
            self.fail(f"{value!r} does not fit 64 bits.", param, ctx)
        return number


model_argument = click.argument("model", type=existing_file)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command that uses operators with the common options. It gets an `Output` as
    `output`.
    """

    @click.option(
        "--op-library",
        "libraries",
        multiple=True,
        type=existing_file,
        help="Load operators first (runs their code): .so, .cpp or .py; may be repeated.",
    )
    @functools.wraps(function)
    def command(libraries: tuple[str, ...], **options: Any) -> Any:
        for library in libraries:
            load_operators(library)
        return function(**options)

    return printing(command)


def printing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command that uses no operators with --json. It gets an `Output` as `output`."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
    @click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks of errors.")
    @functools.wraps(function)
    def command(as_json: bool, **options: Any) -> Any:
        return function(output=Output(as_json), **options)

    return command


def given_options(context: click.Context, names: Container[str]) -> list[str]:
    """The parameters among `names` that were given on the command line, as spelled there."""
    return [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]


def assignments(value: Callable[[str], Any], example: str) -> Callable[..., Any]:
    """A click callback that parses options of the form NAME=VALUE, such as `example`.

    The last "=" separates, since names may contain one.
    """

    def parse(_: click.Context, __: click.Parameter, given: Sequence[str]) -> list[tuple[str, Any]]:
        found = [one(text) for text in given]
        for name, times in Counter(name for name, _ in found).items():
            if times > 1:
                raise click.BadParameter(f"{name!r} is given {times} times; give it once.")
        return found

    def one(text: str) -> tuple[str, Any]:
        name, _, size = text.rpartition("=")
        try:
            parsed = value(size)
        except ValueError:
            parsed = None
        if not name or parsed is None:
            raise click.BadParameter(f"{text!r} is not of the form of {example}.")
        return name, parsed

    return parse


def _dimension(text: str) -> int | None:
    value = int(text)
    return value if 0 <= value < 2**31 else None


def _dimensions(text: str) -> list[int] | None:
    values = [_dimension(part) for part in text.split(",")] if text else []
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def shapes(function: Function) -> Function:
    """Decorates a command with the options --dim and --shape."""
    dim = click.option(
        "--dim",
        "dims",
        multiple=True,
        metavar="NAME=N",
        callback=assignments(_dimension, "batch=1"),
        help="Size of a symbolic dimension; may be repeated.",
    )
    shape = click.option(
        "--shape",
        "shapes",
        multiple=True,
        metavar="INPUT=N,N,...",
        callback=assignments(_dimensions, "x=1,3,224,224"),
        help="Shape of an input that the model leaves open; may be repeated.",
    )
    return dim(shape(function))


def threads(function: Function) -> Function:
    """Decorates a command with the option --threads."""
    return click.option(
        "--threads",
        type=click.IntRange(1, 1024),
        help="Threads of the host.  [default: one for each core]",
    )(function)


def device_kind(function: Function) -> Function:
    """Decorates a command with the option --device."""
    return click.option(
        "--device",
        "device_kind",
        type=click.Choice(["cpu", "ipumodel"]),
        default="cpu",
        show_default=True,
        help="The host as one tile, or a simulated IPU: results agree, layouts differ.",
    )(function)


def device(function: Function) -> Function:
    """Decorates a command with the options --device and --threads."""
    return device_kind(threads(function))


def device_of(kind: str) -> DeviceInfo:
    """The device for the value of --device."""
    manager = DeviceManager()
    return manager.createCpuDevice() if kind == "cpu" else manager.createIpuModelDevice()


def session_options(
    threads: int | None, host_profile: bool = False, progress: Logger | None = None
) -> SessionOptions:
    """The session's options for --threads and --host-profile. `progress` is called while
    compiling.
    """
    options = SessionOptions(compilationProgressLogger=progress)
    if threads is not None:
        options.engineOptions["host.numThreads"] = str(threads)
    if host_profile:
        options.engineOptions["host.profile"] = "true"
    return options
