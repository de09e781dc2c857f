"""`popir build-op`: compiles an operator library, and lists what it registers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from popir import files
from popir.cli import targets
from popir.cli.exits import ExitCode
from popir.cli.options import common, existing_file, output_file
from popir.cli.output import Output
from popir.foreign.build import compile_op_library
from popir.foreign.load import load_op_library


@click.command(short_help="Compile an operator library from C++ sources.")
@click.argument("sources", nargs=-1, required=True, type=existing_file)
@click.option("--name", default="", help="The library is libNAME.so.  [default: the first source]")
@click.option(
    "-o", "--output", "target", type=output_file, help="Its file.  [default: ./libNAME.so]"
)
@click.option("--flag", "flags", multiple=True, help="For compiler and linker; may be repeated.")
@click.option("--ldflag", "ldflags", multiple=True, help="For the linker; may be repeated.")
@click.option(
    "--codelets",
    multiple=True,
    type=existing_file,
    help="Codelets, compiled to a .gp file beside the library; may be repeated.",
)
@common
def command(
    output: Output,
    sources: Sequence[str],
    name: str,
    target: str | None,
    flags: Sequence[str],
    ldflags: Sequence[str],
    codelets: Sequence[str],
) -> ExitCode:
    """Compile SOURCES, C++ files, to an operator library, and load it to see what it registers.

    The compiler is $CXX, or g++. What has not changed is taken from a cache ($POPIR_CACHE, or
    ~/.cache/popir).
    """
    targets.check(target)
    with output.status("compiling"):
        built = compile_op_library(list(sources), name, flags, ldflags, list(codelets))
    library = Path(target) if target is not None else Path(built.library.name)
    beside = [library.parent / each.name for each in built.codelets]
    targets.check(library, *beside)
    for source, copy in zip([built.library, *built.codelets], [library, *beside], strict=True):
        files.write(copy, source.read_bytes())
    for line in built.said.splitlines():
        output.note(line)
    loaded = load_op_library(library)
    output.line(f"wrote {library}")
    for each in beside:
        output.line(f"wrote {each}")
    for what, found in (("operators", loaded.operators), ("lowerings", loaded.lowerings)):
        output.line(f"{what}: {', '.join(map(str, found)) or 'none'}")
    if loaded.functions:
        output.line(f"functions: {', '.join(loaded.functions)}")
    if loaded.patterns:
        output.line(f"patterns: {', '.join(loaded.patterns)}")
    output.result(
        {
            "library": str(library),
            "codelets": [str(each) for each in beside],
            "operators": [str(opid) for opid in loaded.operators],
            "lowerings": [str(opid) for opid in loaded.lowerings],
            "patterns": list(loaded.patterns),
            **({"functions": list(loaded.functions)} if loaded.functions else {}),
            "warnings": built.said,
        }
    )
    return ExitCode.FINE
