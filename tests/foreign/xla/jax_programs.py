"""A hundred layers, losses, random numbers and small programs of JAX, and what jaxlib computes.

Run as `python jax_programs.py FOLDER`, it writes for each the HLO text, its inputs and its results.
The list was written before any of it was tried.
"""

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

R = np.random.default_rng(11)
V = R.standard_normal(6).astype(np.float32)
U = R.uniform(0.1, 0.9, 6).astype(np.float32)
M = R.standard_normal((4, 5)).astype(np.float32)
N = R.standard_normal((5, 3)).astype(np.float32)
S = R.standard_normal((4, 4)).astype(np.float32)
T = R.standard_normal((2, 4, 5)).astype(np.float32)
IMAGE = R.standard_normal((2, 8, 8, 3)).astype(np.float32)
FILTER = R.standard_normal((3, 3, 3, 4)).astype(np.float32)
LABELS = np.array([2, 0, 1, 2], np.int32)
KEY = np.array([3, 7], np.uint32)
INT = np.array([5, 1, 4, 1, 3, 1], np.int32)
NANS = np.array([1, np.nan, -0.0, 0.0, -np.inf, np.nan, 2, np.inf], np.float32)
K = np.int32(2)


def attention(x: Any) -> Any:
    q, k, v = x, x * 0.5, jnp.tanh(x)
    score = jnp.einsum("bqd,bkd->bqk", q, k) / jnp.sqrt(5.0)
    mask = jnp.tril(jnp.ones((4, 4), bool))
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.where(mask, score, -1e9)), v)


def layer_norm(x: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)


def rnn(x: Any, w: Any) -> Any:
    def step(h: Any, row: Any) -> Any:
        h = jnp.tanh(row + h @ w)
        return h, h

    return lax.scan(step, jnp.zeros(4), x)


def lstm(x: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(jnp.tile(row, 4) + 0.1 * jnp.tile(h, 4), 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros(5), jnp.zeros(5)), x)[1]


def cross_entropy(x: Any, y: Any) -> Any:
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], axis=1))


def pool(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def conv(x: Any, w: Any) -> Any:
    return lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def newton(x: Any) -> Any:
    return lax.fori_loop(0, 6, lambda i, y: y - (y * y - x) / (2 * y), jnp.ones_like(x))


def sgd(w: Any, x: Any) -> Any:
    loss = lambda w: jnp.mean((jnp.tanh(x @ w) - 0.5) ** 2)  # noqa: E731
    return lax.fori_loop(0, 5, lambda i, w: w - 0.1 * jax.grad(loss)(w), w)


def adam(w: Any, x: Any) -> Any:
    loss = lambda w: jnp.sum(jax.nn.softplus(x @ w))  # noqa: E731

    def step(i: Any, state: Any) -> Any:
        w, m, v = state
        g = jax.grad(loss)(w)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return w - 0.01 * m / (jnp.sqrt(v) + 1e-8), m, v

    return lax.fori_loop(0, 4, step, (w, jnp.zeros_like(w), jnp.zeros_like(w)))


def collatz(n: Any) -> Any:
    after = lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1)  # noqa: E731
    return lax.while_loop(lambda s: s[0] != 1, after, (n + 5, jnp.int32(0)))[1]


def custom() -> Any:
    @jax.custom_vjp
    def clipped(x: Any) -> Any:
        return x * x

    clipped.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.clip(g * 2 * x, -1, 1),))
    return jax.grad(lambda x: clipped(x).sum())


FUNCTIONS: dict[str, tuple[Any, ...]] = {
    # Activations and layers.
    "elu": (jax.nn.elu, V),
    "selu": (jax.nn.selu, V),
    "celu": (jax.nn.celu, V),
    "silu": (jax.nn.silu, V),
    "mish": (jax.nn.mish, V),
    "softplus": (jax.nn.softplus, V),
    "soft_sign": (jax.nn.soft_sign, V),
    "leaky_relu": (jax.nn.leaky_relu, V),
    "hard_tanh": (jax.nn.hard_tanh, V),
    "hard_swish": (jax.nn.hard_swish, V),
    "relu6": (jax.nn.relu6, V),
    "glu": (lambda x: jax.nn.glu(x[:, :4]), M),
    "gelu_exact": (lambda x: jax.nn.gelu(x, approximate=False), V),
    "log_sigmoid": (jax.nn.log_sigmoid, V),
    "squareplus": (jax.nn.squareplus, V),
    "sparse_plus": (jax.nn.sparse_plus, V),
    "standardize": (jax.nn.standardize, M),
    "logmeanexp": (lambda x: jax.nn.logsumexp(x, axis=1, b=0.2), M),
    "layer_norm": (layer_norm, M),
    "attention": (attention, T),
    "dot_product_attention": (lambda x: jax.nn.dot_product_attention(x, x, x), T[:, :, None, :]),
    "cross_entropy": (cross_entropy, M, LABELS),
    "conv_nhwc": (conv, IMAGE, FILTER),
    "max_pool": (pool, IMAGE),
    "embedding": (lambda x, i: x[i] * 2, M, LABELS),
    "rnn": (rnn, S, S),
    "lstm": (lstm, M),
    "batch_norm": (lambda x: (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-3), IMAGE),
    "dropout": (lambda k, x: jnp.where(jax.random.bernoulli(k, 0.5, x.shape), x * 2, 0), KEY, M),
    "one_hot_loss": (lambda x, y: jnp.sum(jax.nn.one_hot(y, 5) * x), M, LABELS),
    # Gradients.
    "grad_softplus": (jax.grad(lambda x: jax.nn.softplus(x).sum()), V),
    "grad_attention": (jax.grad(lambda x: attention(x).sum()), T),
    "grad_layer_norm": (jax.grad(lambda x: (layer_norm(x) ** 3).sum()), M),
    "grad_cross_entropy": (jax.grad(cross_entropy), M, LABELS),
    "grad_conv_input": (jax.grad(lambda x, w: (conv(x, w) ** 2).sum()), IMAGE, FILTER),
    "grad_conv_filter": (jax.grad(lambda w, x: (conv(x, w) ** 2).sum()), FILTER, IMAGE),
    "grad_max_pool": (jax.grad(lambda x: (pool(x) ** 2).sum()), IMAGE),
    "grad_rnn": (jax.grad(lambda w, x: (rnn(x, w)[1] ** 2).sum()), S, S),
    "grad_embedding": (jax.grad(lambda x, i: (x[i] ** 2).sum()), M, LABELS),
    "grad_sort": (jax.grad(lambda x: (jnp.sort(x) * jnp.arange(6)).sum()), V),
    "grad_cumsum": (jax.grad(lambda x: (jnp.cumsum(x) ** 2).sum()), V),
    "grad_prod": (jax.grad(jnp.prod), V),
    "grad_max": (jax.grad(lambda x: x.max(axis=1).sum()), M),
    "grad_custom_vjp": (custom(), V),
    "hessian": (jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x)), V),
    "jacfwd": (jax.jacfwd(lambda x: jnp.tanh(x) * x.sum()), V),
    "jvp": (lambda x, y: jax.jvp(jnp.exp, (x,), (y,)), V, U),
    "grad_of_cond": (jax.grad(lambda x, k: lax.cond(k > 1, jnp.sin, jnp.cos, x).sum()), V, K),
    "checkpoint": (jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum())), V),
    # vmap.
    "vmap_dot": (jax.vmap(jnp.dot), M, M),
    "vmap_conv": (jax.vmap(lambda x: conv(x[None], jnp.ones((3, 3, 3, 2)))[0]), IMAGE),
    "vmap_dynamic_slice": (
        jax.vmap(lambda x, k: lax.dynamic_slice(x, (k,), (2,))),
        M,
        LABELS,
    ),
    "vmap_update_slice": (
        jax.vmap(lambda x, k: lax.dynamic_update_slice(x, jnp.ones(2), (k,))),
        M,
        LABELS,
    ),
    "vmap_scatter_add": (jax.vmap(lambda x, k: x.at[k].add(3.0)), M, LABELS),
    "vmap_while": (jax.vmap(collatz), INT),
    "vmap_sort": (jax.vmap(jnp.sort), M),
    "vmap_grad": (jax.vmap(jax.grad(lambda x: jnp.sum(x**3))), M),
    "vmap_argmax": (jax.vmap(jnp.argmax), M),
    "vmap_searchsorted": (jax.vmap(lambda x: jnp.searchsorted(jnp.sort(x), 0.1)), M),
    "vmap_take": (jax.vmap(lambda x, i: jnp.take(x, i)), M, LABELS),
    # jax.scipy.
    "erf": (jsp.special.erf, V),
    "erfc": (jsp.special.erfc, V),
    "erfinv": (jsp.special.erfinv, U),
    "gammaln": (jsp.special.gammaln, U),
    "digamma": (jsp.special.digamma, U),
    "expit": (jsp.special.expit, V),
    "logit": (jsp.special.logit, U),
    "entr": (jsp.special.entr, U),
    "xlogy": (jsp.special.xlogy, U, U),
    "i0": (jsp.special.i0, V),
    "ndtr": (jsp.special.ndtr, V),
    "ndtri": (jsp.special.ndtri, U),
    "betaln": (jsp.special.betaln, U, U),
    "norm_logpdf": (jsp.stats.norm.logpdf, V),
    "gamma_logpdf": (lambda x: jsp.stats.gamma.logpdf(x, 2.0), U),
    "poisson_logpmf": (lambda k: jsp.stats.poisson.logpmf(k, 2.5), INT),
    "convolve2d": (lambda x, y: jsp.signal.convolve2d(x, y), S, S[:2, :3]),
    "map_coordinates": (
        lambda x, c: jsp.ndimage.map_coordinates(x, [c * 3, c * 2], order=1),
        M,
        U,
    ),
    # jax.random, threefry.
    "uniform": (lambda k: jax.random.uniform(k, (7,)), KEY),
    "normal": (lambda k: jax.random.normal(k, (3, 3)), KEY),
    "bits": (lambda k: jax.random.bits(k, (5,)), KEY),
    "randint": (lambda k: jax.random.randint(k, (9,), 0, 10), KEY),
    "split": (lambda k: jax.random.split(k, 3), KEY),
    "fold_in": (lambda k: jax.random.fold_in(k, 5), KEY),
    "permutation": (lambda k: jax.random.permutation(k, 8), KEY),
    "categorical": (lambda k, x: jax.random.categorical(k, x), KEY, M),
    "gumbel": (lambda k: jax.random.gumbel(k, (4,)), KEY),
    "exponential": (lambda k: jax.random.exponential(k, (4,)), KEY),
    "truncated_normal": (lambda k: jax.random.truncated_normal(k, -1, 1, (4,)), KEY),
    # Programs, several keys and cases.
    "newton": (newton, U),
    "sgd": (sgd, N, M),
    "adam": (adam, N, M),
    "lexsort": (lambda x, y: jnp.lexsort((x, y % 3)), V, INT),
    "sort_two_keys": (lambda i, x: lax.sort((i, x), num_keys=2), INT, V),
    "unique": (lambda i: jnp.unique(i, size=4), INT),
    "argmax_nan": (lambda x: (jnp.argmax(x), jnp.argmin(x), jnp.nanargmax(x)), NANS),
    "sort_nan": (lambda x: (jnp.sort(x), jnp.argsort(x), jnp.sort(x, descending=True)), NANS),
    "associative_scan": (lambda x: lax.associative_scan(lambda a, b: a * b + 0.5, x), V),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x), V),
    "histogram": (lambda x: jnp.histogram(x, bins=4, range=(-2, 2))[0], V),
    "interp": (lambda x, y: jnp.interp(y, jnp.sort(x), x), V, U),
}


def main(folder: Path) -> None:
    for name, (function, *values) in FUNCTIONS.items():
        jitted = jax.jit(function, keep_unused=True)
        text = jitted.lower(*values).as_text("hlo")
        results = [np.asarray(y) for y in jax.tree_util.tree_leaves(jitted(*values))]
        (folder / f"{name}.hlo").write_text(text)
        arrays = {f"in{i}": np.asarray(x) for i, x in enumerate(values)}
        arrays |= {f"out{i}": y for i, y in enumerate(results)}
        np.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
