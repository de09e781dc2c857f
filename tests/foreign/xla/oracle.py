"""Runs custom calls through jaxlib on the CPU, in a process of its own:
`python -m tests.foreign.xla.oracle FOLDER`.

FOLDER has calls.json, a list of calls, and arrays.npz with their operands; results.npz and
answers.json are written there. popir is not imported.
"""

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tests.foreign.xla.functions import OPERANDS, made


def attribute(value: Any) -> Any:
    """An attribute from JSON: a dict {type: value} is numpy's."""
    if isinstance(value, dict):
        ((kind, content),) = value.items()
        if kind == "dictionary":
            return {name: attribute(each) for name, each in content.items()}
        return np.array(content, kind)[()]
    return value


def structure(shape: Any) -> Any:
    """ShapeDtypeStructs for [type, dims], or a list of these."""
    if isinstance(shape[0], str):
        return jax.ShapeDtypeStruct(tuple(shape[1]), np.dtype(shape[0]))
    return [structure(each) for each in shape]


def answer(number: int, call: dict[str, Any], arrays: Any, results: dict[str, Any]) -> str:
    """Runs one call. Returns its error, or ""."""
    name, version = f"oracle.{number}", call["version"]
    function = getattr(ctypes.CDLL(call["library"]), call["symbol"])
    jax.ffi.register_ffi_target(
        name, jax.ffi.pycapsule(function), platform="cpu", api_version=1 if version == 4 else 0
    )
    options: dict[str, Any] = {"custom_call_api_version": version, **call.get("options", {})}
    if version != 4:
        options["legacy_backend_config"] = call.get("opaque", "")
    for key in ("input_layouts", "output_layouts"):  # There from the outermost dimension.
        if key in options:
            options[key] = [tuple(reversed(each)) for each in options[key]]
    if "output_layouts" in options:
        (options["output_layouts"],) = options["output_layouts"]
    aliases = options.pop("aliases", None)
    if aliases:
        options["input_output_aliases"] = {into: out for out, into in aliases}
    run = jax.ffi.ffi_call(name, structure(call["result"]), **options)
    attributes = {key: attribute(value) for key, value in call.get("attributes", {}).items()}
    operands = [arrays[each] for each in call["operands"]]
    try:
        found = jax.jit(lambda *x: run(*x, **attributes))(*operands)
        found = [np.asarray(each) for each in jax.tree_util.tree_leaves(found)]
    except Exception as error:
        return str(error)
    results.update({f"{number}.{i}": each for i, each in enumerate(found)})
    return ""


def programs(folder: Path, library: str, results: dict[str, Any]) -> None:
    """Functions of JAX with a custom call: the text of each, its operands and its results."""
    jnp = jax.numpy
    axpy = ctypes.CDLL(library).Axpy
    jax.ffi.register_ffi_target("Axpy", jax.ffi.pycapsule(axpy), platform="cpu")

    def call(x: Any, y: Any) -> Any:
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.ffi.ffi_call("Axpy", shape)(x, y, a=np.float32(2.5))

    def network(w: Any, x: Any, t: Any) -> Any:
        p = jnp.tanh(x @ w)
        q = call(p, jnp.where(p > 0, p, jnp.exp(p)))
        return jnp.mean((q - t) ** 2), jnp.max(q, axis=1), q.T, jnp.sum(q > 0)

    def gradient(w: Any, x: Any, t: Any) -> Any:
        return jax.grad(lambda w: jnp.sum(jax.nn.log_softmax(x @ w) * t))(w)

    def arithmetic(w: Any, x: Any, t: Any) -> Any:
        n = jnp.arange(6).reshape(2, 3)
        y = jnp.concatenate([w, w[::2] * 3], 0) // 2 + n.sum(0)
        return (
            y,
            jnp.clip(t, -0.5, 0.5),
            (n % 4) ^ 3,
            jnp.einsum("ij,kj->ki", x, w.T).astype("int32"),
        )

    arrays = np.load(folder / "arrays.npz")
    operands = [arrays[name] for name in ("w", "x", "t")]
    asked = {f.__name__: (f, operands) for f in (network, gradient, arithmetic)}
    asked |= {name: (f, OPERANDS[name]) for name, f in made(jax).items()}
    for name, (function, values) in asked.items():
        jitted = jax.jit(function, keep_unused=True)
        text = jitted.lower(*values).as_text("hlo")
        (folder / f"{name}.hlo").write_text(text)
        found = [np.asarray(y) for y in jax.tree_util.tree_leaves(jitted(*values))]
        results.update({f"{name}.{i}": plain(y) for i, y in enumerate(found)})


def plain(y: Any) -> Any:
    """An array of a type that files of numpy know."""
    return y.astype(np.float32) if y.dtype.name == "bfloat16" else y


def main(folder: Path) -> None:
    """Answers what the folder asks."""
    arrays = np.load(folder / "arrays.npz")
    results: dict[str, Any] = {}
    asked = json.loads((folder / "calls.json").read_text())
    answers = [answer(i, call, arrays, results) for i, call in enumerate(asked["calls"])]
    programs(folder, asked["handlers"], results)
    np.savez(folder / "results.npz", **results)
    (folder / "answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
