"""A hundred functions of jax.numpy and jax.lax, and what jaxlib computes for them.

Run as `python jax_functions.py FOLDER`, it writes for each the HLO text, its inputs and its
results. The list was written before any of it was tried; only the call of conv_transpose was
corrected, which JAX itself refused.
"""

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

R = np.random.default_rng(7)
V = R.standard_normal(6).astype(np.float32)
W = R.standard_normal(6).astype(np.float32)
M = R.standard_normal((4, 5)).astype(np.float32)
N = R.standard_normal((5, 3)).astype(np.float32)
S = R.standard_normal((4, 4)).astype(np.float32)
T = R.standard_normal((2, 4, 5)).astype(np.float32)
INDEX = np.array([3, 0, 2, 2, 1], np.int32)
K = np.int32(2)
IMAGE = R.standard_normal((2, 3, 8, 8)).astype(np.float32)
FILTER = R.standard_normal((4, 3, 3, 3)).astype(np.float32)
NHWC = R.standard_normal((1, 6, 6, 4)).astype(np.float32)
HWIO = R.standard_normal((3, 3, 2, 4)).astype(np.float32)
SIGNAL = R.standard_normal((2, 3, 9)).astype(np.float32)


def window(x: Any, start: Any, combine: Any, size: Any, steps: Any, padding: Any) -> Any:
    return lax.reduce_window(x, np.float32(start), combine, size, steps, padding)


FUNCTIONS: dict[str, tuple[Any, ...]] = {
    # Element by element, reductions, products.
    "add": (jnp.add, V, W),
    "where": (lambda x, y: jnp.where(x > y, x, y * 2), V, W),
    "clip": (lambda x: jnp.clip(x, -0.5, 0.5), M),
    "softmax": (lambda x: jax.nn.softmax(x, axis=1), M),
    "log_softmax": (lambda x: jax.nn.log_softmax(x), M),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, axis=0), M),
    "gelu": (jax.nn.gelu, V),
    "relu": (jax.nn.relu, V),
    "sinh": (jnp.sinh, V),
    "arcsinh": (jnp.arcsinh, V),
    "arccos": (lambda x: jnp.arccos(jnp.tanh(x)), V),
    "floor_divide": (lambda x: x // 2, INDEX),
    "float_power": (lambda x: jnp.abs(x) ** 1.5, V),
    "integer_pow": (lambda x: x**3, V),
    "mean": (lambda x: jnp.mean(x, axis=1), M),
    "var": (jnp.var, M),
    "std": (lambda x: jnp.std(x, axis=0), M),
    "prod": (jnp.prod, V),
    "all": (lambda x: jnp.all(x > -3, axis=1), M),
    "any": (lambda x: jnp.any(x > 1, axis=0), M),
    "norm": (jnp.linalg.norm, M),
    "argmax": (lambda x: jnp.argmax(x, axis=1), M),
    "argmin": (jnp.argmin, V),
    "matmul": (jnp.matmul, M, N),
    "einsum": (lambda x, y: jnp.einsum("bij,jk->bik", x, y), T, N),
    "outer": (jnp.outer, V, W),
    "tensordot": (lambda x, y: jnp.tensordot(x, y, axes=1), T, N),
    "vdot": (jnp.vdot, V, W),
    "trace": (jnp.trace, S),
    "isclose": (jnp.isclose, V, W),
    # Shapes.
    "roll": (lambda x: jnp.roll(x, 2), V),
    "flip": (lambda x: jnp.flip(x, 1), M),
    "tile": (lambda x: jnp.tile(x, (2, 3)), M),
    "repeat": (lambda x: jnp.repeat(x, 3, axis=0), M),
    "stack": (lambda x, y: jnp.stack([x, y], 1), V, W),
    "split": (lambda x: jnp.split(x, 2), M),
    "pad_edge": (lambda x: jnp.pad(x, 1, mode="edge"), M),
    "pad_reflect": (lambda x: jnp.pad(x, 2, mode="reflect"), M),
    "rot90": (jnp.rot90, M),
    "tril": (jnp.tril, S),
    "triu": (lambda x: jnp.triu(x, 1), S),
    "diag": (jnp.diag, S),
    "diag_of_vector": (jnp.diag, V),
    "kron": (jnp.kron, S, S),
    "meshgrid": (jnp.meshgrid, V, W),
    "diff": (jnp.diff, V),
    "one_hot": (lambda i: jax.nn.one_hot(i, 5), INDEX),
    "moveaxis": (lambda x: jnp.moveaxis(x, 0, -1), T),
    # Sorting and searching.
    "sort": (jnp.sort, V),
    "sort_axis_0": (lambda x: jnp.sort(x, axis=0), M),
    "sort_descending": (lambda x: jnp.sort(x, descending=True), M),
    "sort_ints": (jnp.sort, INDEX),
    "argsort": (jnp.argsort, V),
    "argsort_stable": (lambda i: jnp.argsort(i, stable=True), INDEX),
    "lax_sort_pairs": (lambda i, x: lax.sort((i, x), num_keys=1), INDEX, M[0]),
    "median": (jnp.median, V),
    "percentile": (lambda x: jnp.percentile(x, 30), V),
    "searchsorted": (lambda x, y: jnp.searchsorted(jnp.sort(x), y), V, W),
    "top_k": (lambda x: lax.top_k(x, 2), M),
    # Gathers and scatters.
    "take": (lambda x, i: jnp.take(x, i % 4, axis=0), M, INDEX),
    "index_rows": (lambda x, i: x[i], M, INDEX),
    "index_columns": (lambda x, i: x[:, i], M, INDEX),
    "index_pairs": (lambda x, i: x[i, i], M, INDEX),
    "index_scalar": (lambda x, k: x[k], M, K),
    "take_along_axis": (lambda x, i: jnp.take_along_axis(x, i[:4, None], axis=1), M, INDEX),
    "gather_clip": (lambda x, i: x.at[i * 2].get(mode="clip"), M, INDEX),
    "gather_fill": (lambda x, i: x.at[i * 2].get(mode="fill", fill_value=0), M, INDEX),
    "at_set": (lambda x: x.at[2].set(7.0), V),
    "at_add": (lambda x, i: x.at[i].add(1.0), V, INDEX),
    "at_max": (lambda x, i: x.at[i].max(0.5), V, INDEX),
    "at_mul": (lambda x, i: x.at[i].multiply(2.0), V, INDEX),
    "at_set_rows": (lambda x, i: x.at[i[:2]].set(0.0), M, INDEX),
    "at_add_columns": (lambda x, i: x.at[:, i].add(1.0), M, INDEX),
    "bincount": (lambda i: jnp.bincount(i, length=5), INDEX),
    "segment_sum": (lambda x, i: jax.ops.segment_sum(x, i, 4), N, INDEX),
    "dynamic_slice": (lambda x, k: lax.dynamic_slice(x, (k, k), (2, 3)), M, K),
    "dynamic_slice_clamps": (lambda x, k: lax.dynamic_slice(x, (k * 9,), (3,)), V, K),
    "dynamic_update_slice": (
        lambda x, y, k: lax.dynamic_update_slice(x, y[:2, :2], (k, k)),
        M,
        N,
        K,
    ),
    "dynamic_index": (lambda x, k: lax.dynamic_index_in_dim(x, k, 1), M, K),
    # Control flow.
    "fori_loop": (lambda x: lax.fori_loop(0, 5, lambda i, y: y * 1.5 + i, x), V),
    "while_loop": (lambda x: lax.while_loop(lambda y: jnp.sum(y) < 50, lambda y: y + 1, x), V),
    "scan": (lambda x: lax.scan(lambda c, y: (c + y, c * y), jnp.float32(1), x), V),
    "map": (lambda x: lax.map(lambda y: jnp.sum(y) * y, x), M),
    "cond": (lambda x, k: lax.cond(k > 1, jnp.sin, jnp.cos, x), V, K),
    "switch": (lambda x, k: lax.switch(k, [jnp.sin, jnp.cos, jnp.tanh], x), V, K),
    "grad_of_scan": (jax.grad(lambda x: lax.scan(lambda c, y: (jnp.sin(c + y), c), 1.0, x)[0]), V),
    "vmap_of_cond": (jax.vmap(lambda y: lax.cond(y > 0, jnp.sin, jnp.cos, y)), V),
    # Windows and convolutions.
    "max_pool": (lambda x: window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), IMAGE),
    "sum_pool_same": (lambda x: window(x, 0, lax.add, (1, 1, 3, 3), (1, 1, 2, 2), "SAME"), IMAGE),
    "min_pool": (lambda x: window(x, np.inf, lax.min, (1, 1, 2, 2), (1, 1, 1, 1), "VALID"), IMAGE),
    "cumsum": (jnp.cumsum, V),
    "cumprod": (lambda x: jnp.cumprod(x, axis=1), M),
    "cummax": (lambda x: lax.cummax(x, axis=0), M),
    "conv": (lambda x, w: lax.conv(x, w, (1, 1), "SAME"), IMAGE, FILTER),
    "conv_strided": (lambda x, w: lax.conv(x, w, (2, 2), "VALID"), IMAGE, FILTER),
    "conv_dilated": (
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), [(2, 1), (0, 2)], rhs_dilation=(2, 1)),
        IMAGE,
        FILTER,
    ),
    "conv_nhwc_groups": (
        lambda x, w: lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2
        ),
        NHWC,
        HWIO,
    ),
    "conv_transpose": (
        lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"),
        NHWC,
        HWIO.transpose(0, 1, 3, 2),
    ),
    "convolve": (lambda x, y: jnp.convolve(x, y[:3]), V, W),
    "grad_of_conv": (
        jax.grad(lambda w, x: jnp.sum(lax.conv(x, w, (1, 1), "VALID") ** 2)),
        FILTER,
        IMAGE,
    ),
}


def main(folder: Path) -> None:
    for name, (function, *values) in FUNCTIONS.items():
        jitted = jax.jit(function)
        text = jitted.lower(*values).as_text("hlo")
        results = [np.asarray(y) for y in jax.tree_util.tree_leaves(jitted(*values))]
        (folder / f"{name}.hlo").write_text(text)
        arrays = {f"in{i}": np.asarray(x) for i, x in enumerate(values)}
        arrays |= {f"out{i}": y for i, y in enumerate(results)}
        np.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
