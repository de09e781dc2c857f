"""Signal processing."""

from __future__ import annotations

import numpy as np

from tests.ops.cases.case import Array, Case


def _complex(x: Array) -> Array:
    return x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x[..., 0].astype(complex)


def _pairs(x: Array) -> Array:
    return np.stack([x.real, x.imag], -1)


def _real(x: Array, sided: int = 2) -> Array:
    """The transform of real numbers along the last axis, with exact zeros."""
    half = np.fft.rfft(x)
    rest = half[..., 1 : (x.shape[-1] + 1) // 2][..., ::-1].conj()
    return _pairs(half if sided == 1 else np.concatenate([half, rest], -1))


def _framed(x: Array, size: int, step: int) -> Array:
    count = (x.shape[1] - size) // step + 1
    return np.stack([x[:, i * step : i * step + size, 0] for i in range(count)], 1)


def _number(value: int) -> Array:
    return np.array(value, np.int64)


SIGNAL = [
    Case("DFT", [[2, 6, 1]], opsets=(17, 20), formula=lambda x: _real(x[..., 0]), atol=5e-6),
    Case("DFT", [[2, 6, 2]], {"inverse": 1}, opsets=(17, 20), atol=5e-6, id="inverse"),
    Case(
        *("DFT", [[2, 7, 3, 1]], {"onesided": 1, "axis": 1}),
        opsets=(17,),
        formula=lambda x: np.moveaxis(_real(np.moveaxis(x[..., 0], 1, 2), 1), 2, 1),
        atol=5e-6,
        id="onesided",
    ),
    Case(
        "DFT",
        [[2, 7, 3, 2], _number(9), _number(1)],
        constants=[1, 2],
        opsets=(20,),
        formula=lambda x, n, a: _pairs(np.fft.fft(_complex(x), 9, 1)),
        atol=1e-5,
        id="longer",
    ),
    Case(
        "DFT",
        [[2, 3, 7, 1], _number(4), _number(-2)],
        {"onesided": 1},
        constants=[1, 2],
        opsets=(20,),
        formula=lambda x, n, a: _pairs(np.fft.rfft(x[..., 0], 4, 2)),
        atol=1e-5,
        id="shorter",
    ),
    *(
        Case(
            "DFT",
            [[2, n // 2 + 1, 2], _number(n)],
            {"onesided": 1, "inverse": 1},
            constants=[1],
            opsets=(20,),
            formula=lambda x, n: np.fft.irfft(_complex(x), int(n), 1)[..., None],
            atol=1e-5,
            id=f"real {n}",
        )
        for n in (1, 6, 7)
    ),
    *(
        Case(
            "DFT",
            [[2, n, 2]],
            opsets=(20,),
            formula=lambda x: _pairs(np.fft.fft(_complex(x), axis=1)),
            rtol=1e-5,
            atol=1e-4,
            gradient=n < 300,
            id=f"{n}",
        )
        for n in (257, 288, 1030)
    ),
    Case(
        "DFT",
        [[1, 301, 2], _number(600)],
        {"onesided": 1, "inverse": 1},
        constants=[1],
        opsets=(20,),
        formula=lambda x, n: np.fft.irfft(_complex(x), 600, 1)[..., None],
        atol=1e-5,
        gradient=False,
        id="real 600",
    ),
    Case(
        *("STFT", [[2, 11, 1], _number(2), None, _number(4)]),
        constants=[1, 3],
        formula=lambda x, step, w, n: _real(_framed(x, 4, 2), 1),
        atol=1e-5,
    ),
    Case(
        *("STFT", [[2, 11, 1], _number(3), [5]], {"onesided": 0}),
        constants=[1],
        formula=lambda x, step, w: _real(_framed(x, 5, 3) * w),
        atol=1e-5,
        id="window",
    ),
    Case(
        *("STFT", [[2, 11], _number(3), [5]]),
        constants=[1],
        formula=lambda x, step, w: _real(_framed(x[..., None], 5, 3) * w, 1),
        atol=1e-5,
        id="real, as PyTorch writes it",
    ),
    Case(
        "STFT",
        [[1, 9, 2], _number(2), [4], _number(4)],
        {"onesided": 0},
        constants=[1, 3],
        formula=lambda x, step, w, n: _pairs(
            np.stack([np.fft.fft(_complex(x)[:, i : i + 4] * w) for i in (0, 2, 4)], 1)
        ),
        atol=1e-5,
        id="complex",
    ),
    Case(
        "MelWeightMatrix",
        [_number(8), _number(64), _number(8000), np.float32(100), np.float32(4000)],
        constants=[0, 1, 2, 3, 4],
        gradient=False,
    ),
]
