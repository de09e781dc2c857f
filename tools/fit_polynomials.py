"""Prints the polynomials of cpp/kernels/vector/math*.inc: minimax fits by Remez's exchange.

Needs mpmath. `python tools/fit_polynomials.py [name...]` fits all, or those named. Each is the
polynomial p of n coefficients with the least largest |weight(x) (f(x) - p(x))| on an interval.
"""

import sys
from collections.abc import Callable

import mpmath as mp

Function = Callable[[mp.mpf], mp.mpf]

mp.mp.dps = 50
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.0001")
EIGHTH_TURN = mp.pi / 4 * mp.mpf("1.0001")
CENTRE = mp.mpf("2.4375")  # of erf's outer interval


def fit(f: Function, weight: Function, a: float, b: float, n: int) -> tuple[list[mp.mpf], mp.mpf]:
    """Coefficients, lowest first, and the largest weighted error."""
    a, b = mp.mpf(a), mp.mpf(b)
    # A weight of 0 in the interval would leave the equations without a solution.
    floor = max(abs(weight(a)), abs(weight(b))) / 200

    def weigh(x: mp.mpf) -> mp.mpf:
        return abs(weight(x)) + floor

    def chebyshev(count: int) -> list[mp.mpf]:
        return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / count) for i in range(count + 1)]

    points, grid = chebyshev(n), chebyshev(40 * n)
    for _ in range(30):
        rows, values = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for i, x in enumerate(points):
            for j in range(n):
                rows[i, j] = x**j
            rows[i, n] = (-1) ** i / weigh(x)
            values[i] = f(x)
        solution = mp.lu_solve(rows, values)
        coefficients = [solution[j] for j in range(n)]
        extrema: list[tuple[mp.mpf, mp.mpf]] = []  # one for each run of one sign
        for x in grid:
            error = weigh(x) * (f(x) - mp.polyval(coefficients[::-1], x))
            if not extrema or (extrema[-1][1] > 0) != (error > 0):
                extrema.append((x, error))
            elif abs(error) > abs(extrema[-1][1]):
                extrema[-1] = (x, error)
        largest = max(abs(error) for _, error in extrema)
        while len(extrema) > n + 1:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        if len(extrema) < n + 1 or largest < abs(solution[n]) * mp.mpf("1.001"):
            break
        points = [x for x, _ in extrema]
    return coefficients, largest


def away_from_zero(f: Function, at_zero: float, near: str = "1e-9") -> Function:
    """`f`, but its limit where the formula loses all its digits."""
    return lambda x: f(x) if abs(x) > mp.mpf(near) else mp.mpf(at_zero)


def odd(f: Function, at_zero: float) -> Function:
    """(f(x) / x - 1) / x^2 as a function of x^2."""
    return away_from_zero(lambda z: (f(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, at_zero)


def main(names: list[str]) -> None:
    """Fit and print."""
    one: Function = lambda _: mp.mpf(1)  # noqa: E731
    same: Function = lambda x: x  # noqa: E731
    third = mp.mpf(1) / 3
    exp_tail = away_from_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, 0.5)
    exp2 = away_from_zero(lambda r: (mp.power(2, r) - 1) / r, mp.log(2))
    log_tail = away_from_zero(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, third)
    low, high = mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1
    erf_small = away_from_zero(
        lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 2 / mp.sqrt(mp.pi) - 1
    )
    atan = odd(mp.atan, -third)
    cos_tail = away_from_zero(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mp.mpf(1) / 24)
    sin_tail = away_from_zero(
        lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1 + z / 6) / z**2, mp.mpf(1) / 120
    )
    cos_tail_6 = away_from_zero(lambda z: (cos_tail(z) - mp.mpf(1) / 24) / z, -mp.mpf(1) / 720)
    atanh = odd(mp.atanh, third)
    ratio = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")
    fits: dict[str, tuple[Function, Function, float, float, int]] = {
        "expReduced": (exp_tail, lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, 5),
        "expm1": (exp_tail, same, -HALF_LN2, HALF_LN2, 5),
        "exp2F": (exp2, same, -0.5001, 0.5001, 6),
        "exp2D": (exp2, same, -0.5001, 0.5001, 9),
        "logF": (log_tail, lambda f: f**3 / mp.log1p(f) if f else 0, low, high, 8),
        "erf, inner": (erf_small, lambda z: 1 / (1 + erf_small(z)), 0, 1, 7),
        "erf, outer": (lambda u: mp.erf(u + CENTRE), one, 1 - CENTRE, mp.mpf("3.92") - CENTRE, 15),
        "logPartsD": (lambda z: 2 * atanh(z), lambda z: z / 2, 0, ratio, 7),
        "asinRest": (odd(mp.asin, mp.mpf(1) / 6), lambda z: z / (1 + z / 6), 0, 0.2501, 6),
        "atanF": (odd(mp.atan, -third), lambda z: z / (1 + z * atan(z)), 0, 1, 10),
        "atan": (odd(mp.atan, -third), same, 0, 1, 14),
        "sin": (odd(mp.sin, -mp.mpf(1) / 6), same, 0, EIGHTH_TURN**2, 4),
        "cos": (cos_tail, lambda z: z * z, 0, EIGHTH_TURN**2, 4),
        "expReducedD": (exp_tail, lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, 10),
        "expm1ReducedD": (exp_tail, same, -HALF_LN2, HALF_LN2, 11),
        "sinTailD": (sin_tail, lambda z: z * z, 0, EIGHTH_TURN**2, 6),
        "cosTailD": (cos_tail_6, lambda z: z**3, 0, EIGHTH_TURN**2, 5),
    }
    for name in names or fits:
        coefficients, error = fit(*fits[name])
        print(f"{name}: error 2^{float(mp.log(error, 2)):.1f}")
        for c in coefficients:
            print(f"  {mp.nstr(c, 20)}")


if __name__ == "__main__":
    main(sys.argv[1:])
