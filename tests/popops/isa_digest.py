"""Prints a line for each operator and type: a digest of its results. Run under POPIR_ISA."""

import hashlib

import numpy as np

from popir import poplar, popops
from popir.errors import poplibs_exception
from tests.popops.rig import Rig

e = popops.expr
TYPES = ["bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))]
TYPES += ["float16", "float32", "float64"]
SIZES = (1, 17, 1003)


def samples(dtype, n, seed):
    """Bits of every kind, and numbers near 1 for floats."""
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.integers(0, 2, n).astype(bool)
    bits = rng.integers(0, 256, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    if dtype.kind in "iu":
        return np.where(rng.random(n) < 0.5, bits, rng.integers(0, 70, n).astype(dtype))
    near = (rng.normal(size=n) * 4).astype(dtype)
    return np.where(rng.random(n) < 0.3, bits, near)


def expressions():
    """Every operator, over placeholders and with constants in the places that have own loops."""
    _1, _2, _3 = e._1, e._2, e._3
    for op in e.UnaryOpType.__members__.values():
        yield e.UnaryOp(op, _1)
    for op in e.BinaryOpType.__members__.values():
        yield e.BinaryOp(op, _1, _2)
        yield e.BinaryOp(op, _1, 3)
        yield e.BinaryOp(op, 3, _1)
    yield e.Clamp(_1, _2, _3)
    yield e.Clamp(_1, 1, 3)
    yield e.Select(_1, _2, _2 < _3)
    yield e.Select(_1, 3, _2 >= 1)
    yield e.Select(e.Mul(2, _1), _1, _1 < 1)
    yield e.Mul(e.Select(2, 3, _1 < 1), _2)
    yield e.Atan2(_1, 1)
    yield e.Atan2(e.Sqrt(e.Mul(1 - _1, 1 + _1)), _1)
    yield e.Max(1, e.Min(3, _1))
    yield _1 * e.Sigmoid(_1)
    yield 0.5 * _1 * (1 + e.Tanh(0.8 * (_1 + 0.04 * (_1 * e.Square(_1)))))
    yield 0.5 * _1 * (1 + e.Erf(0.7 * _1))
    t = e.Tanh(0.8 * (_1 + 0.04 * (_1 * e.Square(_1))))
    inner = 0.8 * (1 + 0.04 * (e.Square(_1) + _1 * (2 * _1)))
    yield (1 + t) * 0.5 + 0.5 * _1 * ((1 - e.Square(t)) * inner)
    density = 1.1 * e.Exp(-e.Square(0.7 * _1)) * 0.7
    yield (1 + e.Erf(0.7 * _1)) * 0.5 + 0.5 * _1 * density
    yield e.Exp(_1 - 3)
    yield 0.9 * _1 + 0.1 * _2
    yield _1 / (e.Sqrt(_2) + 3)
    yield e.Cast(e.NearbyInt(_1 / 3), poplar.SIGNED_CHAR)
    yield e.Cast(e.NearbyInt(_1 / 3) + 5, poplar.UNSIGNED_SHORT)
    yield e.Cast(e.NearbyInt(_1 / 3) + 5, poplar.UNSIGNED_CHAR)
    yield e.Cast(e.NearbyInt(_1 / -3) - 7, poplar.SIGNED_CHAR)
    x, y = e.Cast(_1, poplar.FLOAT) * 0.7, (e.Cast(_2, poplar.FLOAT) - 9) * 0.4
    for both in (x + y, x * y):
        for scale in (0.9, -0.3, 1e-30):
            yield e.Cast(e.NearbyInt(both / scale) + 5, poplar.UNSIGNED_CHAR)
            yield e.Cast(e.NearbyInt(both / scale), poplar.SIGNED_CHAR)


def main():
    """One run for each type and size."""
    for name, n in ((t, n) for t in TYPES for n in SIZES):
        dtype = np.dtype(name)
        rig = Rig(threads=1)
        tensors = [rig.tensor(samples(dtype, n, seed)) for seed in range(3)]
        handles = []
        for expr in expressions():
            try:
                t = popops.map(rig.graph, expr, tensors, rig.prog)
            except poplibs_exception:
                continue
            handles.append((repr(expr), rig.result(t)))
        results = rig.run()
        for text, handle in handles:
            y = results[handle]
            if y.dtype.kind == "f":
                y = np.where(np.isnan(y), y.dtype.type(np.nan), y)  # payloads are nobody's business
            print(name, n, text, hashlib.sha256(y.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
