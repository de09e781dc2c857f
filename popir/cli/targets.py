"""Checks of the files that a command will write, before the work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from popir.cli.exits import CommandError
from popir.cli.options import ExistingFile
from popir.onnxio.load import Loaded, data_files

_Path = str | os.PathLike[str]


def check(*paths: _Path | None) -> None:
    """Raises CommandError for a path where no file can be written, for an input file of the
    command, and for the same path twice. None is no path.
    """
    read = list(_inputs())
    written: list[str] = []
    for path in _given(paths):
        _check_writable(path)
        for what, file in read:
            _refuse_same(path, what, file)
        if any(_is_same(path, other) for other in written):
            raise CommandError(f"{path} would be written twice: two outputs have this name.")
        written.append(path)


def check_data(loaded: Loaded, *paths: _Path | None) -> None:
    """Raises CommandError for the path of an external data file of the model."""
    for path in _given(paths):
        for file in data_files(loaded):
            _refuse_same(path, "the model's data", str(file))


def _given(paths: Iterable[_Path | None]) -> Iterable[str]:
    return (os.fspath(path) for path in paths if path is not None)


def _inputs() -> Iterable[tuple[str, str]]:
    """The input files on the command line: (how it is named, path)."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if isinstance(parameter.type, ExistingFile):
            is_option = isinstance(parameter, click.Option)
            what = parameter.opts[0] if is_option else parameter.human_readable_name
            for file in _values(context, parameter):
                yield what, file


def _values(context: click.Context, parameter: click.Parameter) -> Iterable[str]:
    value = context.params.get(parameter.name or "")
    return value if isinstance(value, tuple) else [value] if value is not None else []


def _refuse_same(path: str, what: str, file: str) -> None:
    if _is_same(path, file):
        raise CommandError(
            f"{path} cannot be written: it is {what}, which this command reads. Give another name."
        )


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # The file does not exist yet.
        return os.path.realpath(one) == os.path.realpath(other)


def _check_writable(path: str) -> None:
    folder = Path(path).parent
    if Path(path).exists() and not Path(path).is_file():
        raise CommandError(f"{path} cannot be written: it is no regular file.")
    if not os.access(folder, os.W_OK | os.X_OK):
        why = "cannot be written to" if folder.is_dir() else "does not exist"
        raise CommandError(f"{path} cannot be written: its folder {why}.")
