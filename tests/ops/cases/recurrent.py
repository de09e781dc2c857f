"""Recurrent networks."""

from __future__ import annotations

import numpy as np

from tests.ops.cases.case import Array, Case, ints, sigmoid

_T, _N, _I, _H = 3, 2, 4, 5


def _lstm_by_batch(x: Array, w: Array, r: Array, b: Array, _: None, h: Array, c: Array) -> Array:
    """Of one direction, [batch, time, ...]."""
    h, c, found = h[:, 0], c[:, 0], []
    for t in range(x.shape[1]):
        gates = x[:, t] @ w[0].T + h @ r[0].T + b[0].reshape(2, -1).sum(0)
        i, o, f, g = np.split(gates, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found.append(h)
    return np.stack(found, 1)[:, :, None]


_LSTM = [[_T, _N, _I], [1, 4 * _H, _I], [1, 4 * _H, _H]]
_BOTH = [[_T, _N, _I], [2, 4 * _H, _I], [2, 4 * _H, _H], [2, 8 * _H]]
_STATES = [[1, _N, _H], [1, _N, _H]]
_LENGTHS = ints(3, 1, dtype=np.int32)
_GRU = [[_T, _N, _I], [1, 3 * _H, _I], [1, 3 * _H, _H]]
_GRUS = [[_T, _N, _I], [2, 3 * _H, _I], [2, 3 * _H, _H], [2, 6 * _H]]
_RNN = [[_T, _N, _I], [1, _H, _I], [1, _H, _H]]
_RNNS = [[_T, _N, _I], [2, _H, _I], [2, _H, _H], [2, 2 * _H]]
_STATE = [1, _N, _H]


def _gru_by_batch(x: Array, w: Array, r: Array, b: Array, _: None, h: Array) -> Array:
    """Of one direction, [batch, time, ...]."""
    h, found = h[:, 0], []
    bias_w, bias_r = b[0].reshape(2, -1)
    for t in range(x.shape[1]):
        xz, xr, xn = np.split(x[:, t] @ w[0].T + bias_w, 3, 1)
        hz, hr, hn = np.split(h @ r[0].T + bias_r, 3, 1)
        z, reset = sigmoid(xz + hz), sigmoid(xr + hr)
        h = (1 - z) * np.tanh(xn + reset * hn) + z * h
        found.append(h)
    return np.stack(found, 1)[:, :, None]


def _rnn_by_batch(x: Array, w: Array, r: Array, b: Array) -> Array:
    """Of one direction, [batch, time, ...]."""
    h, found = np.zeros((x.shape[0], r.shape[2])), []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ w[0].T + h @ r[0].T + b[0].reshape(2, -1).sum(0))
        found.append(h)
    return np.stack(found, 1)[:, :, None]


_GATED = [
    Case("GRU", _GRU, {"hidden_size": _H}, opsets=(6, 7, 14, 22), outputs=2, low=-1, high=1),
    Case(
        "GRU",
        [*_GRU, [1, 6 * _H], None, _STATE],
        {"hidden_size": _H, "linear_before_reset": 1},
        opsets=(14,),
        outputs=2,
        low=-1,
        high=1,
        id="linear before reset",
    ),
    Case(
        "GRU",
        _GRUS,
        {"hidden_size": _H, "direction": "bidirectional"},
        opsets=(14,),
        outputs=2,
        low=-1,
        high=1,
        id="bidirectional",
    ),
    Case(
        "GRU",
        [*_GRU, [1, 6 * _H], _LENGTHS, _STATE],
        {"hidden_size": _H, "direction": "reverse", "linear_before_reset": 1},
        opsets=(14,),
        outputs=2,
        low=-1,
        high=1,
        id="everything, reverse",
    ),
    Case(
        "GRU",
        [*_GRUS, None, [2, _N, _H]],
        {
            "hidden_size": _H,
            "direction": "bidirectional",
            "activations": ["HardSigmoid", "ScaledTanh", "Affine", "Elu"],
            "activation_alpha": [0.3, 0.8, 0.7, 0.9],
            "activation_beta": [0.4, 1.1, 0.1],
        },
        opsets=(14,),
        outputs=2,
        low=-1,
        high=1,
        id="activations",
    ),
    Case(
        "GRU",
        [[_N, _T, _I], *_GRU[1:], [1, 6 * _H], None, [_N, 1, _H]],
        {"hidden_size": _H, "layout": 1, "linear_before_reset": 1},
        opsets=(14,),
        formula=_gru_by_batch,
        low=-1,
        high=1,
        id="batch first",
    ),
    Case("RNN", _RNN, {"hidden_size": _H}, opsets=(6, 7, 14, 22), outputs=2, low=-1, high=1),
    Case(
        "RNN",
        [*_RNNS, _LENGTHS, [2, _N, _H]],
        {"hidden_size": _H, "direction": "bidirectional", "activations": ["Relu", "Softsign"]},
        opsets=(14,),
        outputs=2,
        low=-1,
        high=1,
        id="bidirectional",
    ),
    Case(
        "RNN",
        [*_RNN, [1, 2 * _H], _LENGTHS, _STATE],
        {"hidden_size": _H, "direction": "reverse", "clip": 0.3},
        opsets=(14,),
        outputs=2,
        low=-1,
        high=1,
        id="clipped, reverse",
    ),
    Case(
        "RNN",
        [[_N, _T, _I], *_RNN[1:], [1, 2 * _H]],
        {"hidden_size": _H, "layout": 1},
        opsets=(14,),
        formula=_rnn_by_batch,
        low=-1,
        high=1,
        id="batch first",
    ),
]
RECURRENT = [
    *_GATED,
    Case("LSTM", _LSTM, {"hidden_size": _H}, opsets=(7, 14, 22), outputs=3, low=-1, high=1),
    Case(
        "LSTM",
        _BOTH,
        {"hidden_size": _H, "direction": "bidirectional"},
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="bidirectional",
    ),
    Case(
        "LSTM",
        [*_LSTM, [1, 8 * _H], _LENGTHS, *_STATES, [1, 3 * _H]],
        {"hidden_size": _H, "direction": "reverse"},
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="everything, reverse",
    ),
    Case(
        "LSTM",
        [*_BOTH, None, [2, _N, _H], [2, _N, _H]],
        {
            "hidden_size": _H,
            "direction": "bidirectional",
            "activations": ["HardSigmoid", "Elu", "Softsign", "Affine", "ScaledTanh", "Tanh"],
            "activation_alpha": [0.3, 0.8, 0.7, 0.9],
            "activation_beta": [0.4, 0.1, 1.1],
        },
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="activations",
    ),
    Case(
        "LSTM",
        [*_LSTM, None, _LENGTHS, None, [1, _N, _H]],
        {"hidden_size": _H, "direction": "reverse", "clip": 0.3, "input_forget": 1},
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="clipped, coupled",
    ),
    Case(
        "LSTM",
        [[_N, _T, _I], *_LSTM[1:], [1, 8 * _H], None, [_N, 1, _H], [_N, 1, _H]],
        {"hidden_size": _H, "layout": 1},
        opsets=(14,),
        formula=_lstm_by_batch,
        low=-1,
        high=1,
        id="batch first",
    ),
]
