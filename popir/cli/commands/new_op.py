"""`popir new-op`: writes the files of a new operator, ready to compile, run and test."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from popir.cli import scaffold
from popir.cli.exits import CommandError, ExitCode
from popir.cli.options import printing
from popir.cli.output import Output


@click.command(short_help="Write the files of a new operator, and its test.")
@click.argument("name")
@click.option("--python/--cpp", "python", default=True, help="Its language.  [default: Python]")
@click.option("--codelet", is_flag=True, help="It runs codelets of its own.")
@click.option("--domain", default="com.acme", show_default=True, help="Its domain.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False),
    default=".",
    help="Where, made if need be.  [default: here]",
)
@printing
def command(
    output: Output, name: str, python: bool, codelet: bool, domain: str, folder: str
) -> ExitCode:
    """Write the files of the operator NAME, such as Cubic, with its gradient and its test.

    Nothing is overwritten. What is written runs as it is; change its formulas to yours.
    """
    texts = scaffold.files(name, domain, not python, codelet)
    place = Path(folder)
    taken = [file for file in texts if os.path.lexists(place / file)]
    if taken:
        raise CommandError(
            f"{', '.join(str(place / file) for file in taken)} "
            f"{'is' if len(taken) == 1 else 'are'} there already, and nothing was written. Give "
            "the operator another name, or another folder by --folder."
        )
    _write(place, texts)
    for file in texts:
        output.line(f"wrote {place / file}")
    test = next(str(place / file) for file in texts if file.startswith("test_"))
    output.line(f"next: python -m pytest {shlex.quote(test)}")
    output.result({"files": [str(place / file) for file in texts], "test": test})
    return ExitCode.FINE


def _write(place: Path, texts: Mapping[str, str]) -> None:
    """Writes all files or, if one fails, none."""
    made: list[Path] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            with (place / file).open("x", encoding="utf-8") as stream:
                made.append(place / file)
                stream.write(text)
    except OSError as error:
        for each in made:
            each.unlink()
        raise CommandError(
            f"The operator cannot be written to '{place}': {error.strerror}. Nothing was written; "
            "give a folder that can be written to by --folder.",
            ExitCode.SYSTEM,
        ) from error
