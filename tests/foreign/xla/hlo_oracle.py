"""Runs HLO text through jaxlib on the CPU, in a process of its own:
`python tests/foreign/xla/hlo_oracle.py FOLDER`.

FOLDER has NAME.hlo, and NAME.npz with the parameters; NAME.out.npz is written there. popir is not
imported.
"""

import sys
from pathlib import Path

import jax
import numpy as np
from jaxlib import _hlo, _jax  # type: ignore[attr-defined] - The only way from text to a program.

jax.config.update("jax_enable_x64", True)


def main(folder: Path) -> None:
    """Runs all programs of the folder."""
    devices = jax.devices()[:1]
    for source in sorted(folder.glob("*.hlo")):
        module = _hlo.hlo_module_from_text(source.read_text())
        computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
        text = _jax.mlir.xla_computation_to_mlir_module(computation)
        options = _jax.CompileOptions()
        program = devices[0].client.compile_and_load(text, _jax.DeviceList(tuple(devices)), options)
        arrays = np.load(source.with_suffix(".npz"))
        given = [jax.device_put(arrays[f"{i}"]) for i in range(len(arrays))]
        found = program.execute_sharded(given).disassemble_into_single_device_arrays()
        results = {f"{i}": np.asarray(each[0]) for i, each in enumerate(found)}
        np.savez(source.with_suffix(".out.npz"), **results)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
