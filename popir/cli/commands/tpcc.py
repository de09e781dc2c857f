"""`popir tpcc`: compiles TPC-C kernels for the host, and libraries of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from popir import files
from popir.cli import targets
from popir.cli.exits import ExitCode
from popir.cli.options import common, existing_file, output_file
from popir.cli.output import Output
from popir.foreign.habana.libraries import load_kernel_library
from popir.foreign.habana.tpcc import DEVICES, KERNEL, build_kernel_library, compile_kernel


@click.command(short_help="Compile TPC-C kernels for the host.")
@click.argument("sources", nargs=-1, required=True, type=existing_file)
@click.option("--name", default="", help="The library is libNAME.so.  [default: the first source]")
@click.option(
    "-o", "--output", "target", type=output_file, help="Its file.  [default: ./libNAME.so]"
)
@click.option(
    "--tpc",
    type=click.Choice([*DEVICES]),
    help="The device of the kernels.  [default: as their folder is called, else gaudi]",
)
@click.option("--flag", "flags", multiple=True, help="For the compiler; may be repeated.")
@click.option("--ldflag", "ldflags", multiple=True, help="For the linker; may be repeated.")
@common
def command(
    output: Output,
    sources: Sequence[str],
    name: str,
    target: str | None,
    tpc: str | None,
    flags: Sequence[str],
    ldflags: Sequence[str],
) -> ExitCode:
    """Compile SOURCES, TPC-C kernels (.c) and their glue code in C++, to a library for
    GC_KERNEL_PATH. One kernel alone becomes an object file, NAME.o, for glue code that is built
    elsewhere.

    The compiler is $CXX, or g++. What has not changed is taken from a cache ($POPIR_CACHE, or
    ~/.cache/popir).
    """
    targets.check(target)
    if len(sources) == 1 and sources[0].endswith(KERNEL):
        return _object(output, Path(sources[0]), target, tpc, flags)
    with output.status("compiling"):
        built = build_kernel_library(list(sources), name, tpc, list(flags), list(ldflags))
    library = Path(target) if target is not None else Path(built.library.name)
    targets.check(library)
    files.write(library, built.library.read_bytes())
    for line in built.said.splitlines():
        output.note(line)
    guids = load_kernel_library(library)
    output.line(f"wrote {library}")
    output.line(f"kernels: {', '.join(guids) or 'none'}")
    found = {"library": str(library), "object": None, "kernels": guids, "warnings": built.said}
    output.result(found)
    return ExitCode.FINE


def _object(
    output: Output, source: Path, target: str | None, tpc: str | None, flags: Sequence[str]
) -> ExitCode:
    with output.status("compiling"):
        made = compile_kernel(source, tpc or "gaudi", list(flags))
    file = Path(target) if target is not None else Path(f"{source.stem}.o")
    targets.check(file)
    files.write(file, made.read_bytes())
    output.line(f"wrote {file}")
    output.result({"library": None, "object": str(file), "kernels": [], "warnings": ""})
    return ExitCode.FINE
