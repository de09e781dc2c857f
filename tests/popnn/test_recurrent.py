"""Recurrent layers of popnn, forward and backward, beside PyTorch's, and beside its formulas."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.arrays import build, results

STEPS, BATCH, IN, OUT = 5, 3, 4, 6
LENGTHS = [5, 2, 4]

Cell = Callable[[torch.Tensor, tuple[torch.Tensor, ...], int], tuple[torch.Tensor, ...]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "recurrent.cpp"
    return build(source, tmp_path_factory.mktemp("recurrent"))


def _data(seed: int, **shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(shape).astype("float32") for name, shape in shapes.items()}


def _run(
    cell: Cell, x: torch.Tensor, state: tuple[torch.Tensor, ...], lengths: list[int]
) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """All outputs, 0 after a sample's end, and the states, which stay from there on."""
    outputs = []
    for step in range(STEPS):
        new = cell(x[step], state, step)
        runs = torch.tensor([[float(step < n)] for n in lengths], dtype=x.dtype)
        state = tuple(runs * a + (1 - runs) * b for a, b in zip(new, state, strict=True))
        outputs.append(runs * new[0])
    return torch.stack(outputs), state


def _tensors(data: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(a, dtype=torch.float64) for name, a in data.items()}


def _compare(
    program: Path,
    part: str,
    given: dict[str, np.ndarray],
    expected: dict[str, torch.Tensor | None],
) -> None:
    arrays = {name: t.detach().numpy() for name, t in expected.items() if t is not None}
    made = results(program, part, given, {name: ("f4", a.shape) for name, a in arrays.items()})
    for name, array in arrays.items():
        np.testing.assert_allclose(made[name], array, rtol=1e-4, atol=1e-5, err_msg=name)


def _lengths(part: str) -> list[int]:
    return LENGTHS if "each" in part else [3] * BATCH if "steps" in part else [STEPS] * BATCH


def _given(part: str, data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    if "last" in part:
        data = data | {"grad": data["grad"][0]}
    lengths = _lengths(part)
    return data | {"steps": np.array(lengths if "each" in part else lengths[:1], "uint32")}


@pytest.mark.parametrize(
    "part",
    ["full", "last", "full first", "full steps", "last steps", "full each", "last each first"],
)
def test_lstm(program: Path, part: str) -> None:
    data = _data(
        0,
        x=(STEPS, BATCH, IN),
        w=(4, IN, OUT),
        u=(4, OUT, OUT),
        b=(4, OUT),
        h=(BATCH, OUT),
        c=(BATCH, OUT),
        grad=(STEPS, BATCH, OUT),
        lastH=(BATCH, OUT),
        lastC=(BATCH, OUT),
    )
    lengths = _lengths(part)
    t = _tensors(data)
    leaves = [t[name].requires_grad_() for name in ("x", "w", "u", "b", "h", "c")]

    def cell(
        x: torch.Tensor, state: tuple[torch.Tensor, ...], _step: int
    ) -> tuple[torch.Tensor, ...]:
        sums = torch.einsum("bi,uio->ubo", x, t["w"]) + torch.einsum(
            "bi,uio->ubo", state[0], t["u"]
        )
        i, f, g, o = sums + t["b"][:, None]
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    outputs, (h, c) = _run(cell, t["x"], (t["h"], t["c"]), lengths)
    last = "last" in part
    loss = (h * t["grad"][0]).sum() if last else (outputs * t["grad"]).sum()
    if min(lengths) == STEPS:  # with steps that vary, these are not read
        loss = loss + (h * t["lastH"]).sum() + (c * t["lastC"]).sum()
    grads = torch.autograd.grad(loss, leaves)
    expected = dict(zip(("dx", "dw", "du", "db", "dh", "dc"), grads, strict=True))
    _compare(
        program,
        f"lstm {part}",
        _given(part, data),
        {"out": h if last else outputs, "cell": c, **expected},
    )


def test_lstm_is_pytorchs(program: Path) -> None:
    data = _data(1, x=(STEPS, BATCH, IN), h=(BATCH, OUT), c=(BATCH, OUT), grad=(STEPS, BATCH, OUT))
    layer = torch.nn.LSTM(IN, OUT)
    w, u, b1, b2 = (p.detach() for p in layer.parameters())
    x = torch.tensor(data["x"], requires_grad=True)
    state = (torch.tensor(data["h"])[None], torch.tensor(data["c"])[None])
    out, (_, c) = layer(x, state)
    (out * torch.tensor(data["grad"])).sum().backward()
    given = data | {
        "w": w.reshape(4, OUT, IN).permute(0, 2, 1).numpy(),
        "u": u.reshape(4, OUT, OUT).permute(0, 2, 1).numpy(),
        "b": (b1 + b2).reshape(4, OUT).numpy(),
        "lastH": np.zeros((BATCH, OUT), "float32"),
        "lastC": np.zeros((BATCH, OUT), "float32"),
    }
    weight = next(layer.parameters()).grad
    assert weight is not None
    _compare(
        program,
        "lstm full",
        given,
        {
            "out": out,
            "cell": c[0],
            "dx": x.grad,
            "dw": weight.reshape(4, OUT, IN).permute(0, 2, 1),
        },
    )


@pytest.mark.parametrize(
    "part",
    [
        "full",
        "last",
        "full after",
        "full each",
        "last each after",
        "full steps after",
        "full attention",
        "last each attention",
        "full steps attention after",
    ],
)
def test_gru(program: Path, part: str) -> None:
    after = "after" in part
    data = _data(
        2,
        x=(STEPS, BATCH, IN),
        w=(3, IN, OUT),
        u=(3, OUT, OUT),
        b=(3, 2, OUT) if after else (3, OUT),
        h=(BATCH, OUT),
        scores=(BATCH, STEPS),
        grad=(STEPS, BATCH, OUT),
    )
    t = _tensors(data)
    attends = "attention" in part
    names = ("x", "w", "u", "b", "h", *(["scores"] if attends else []))
    leaves = [t[name].requires_grad_() for name in names]

    def cell(
        x: torch.Tensor, state: tuple[torch.Tensor, ...], step: int
    ) -> tuple[torch.Tensor, ...]:
        h = state[0]
        sums = torch.einsum("bi,uio->ubo", x, t["w"])
        b = t["b"][:, 0] if after else t["b"]
        own = b + (t["b"][:, 1] if after else 0)
        r = (sums[0] + h @ t["u"][0] + own[0]).sigmoid()
        u = (sums[1] + h @ t["u"][1] + own[1]).sigmoid()
        if after:
            c = sums[2] + b[2] + r * (h @ t["u"][2] + t["b"][2, 1])
        else:
            c = sums[2] + b[2] + (r * h) @ t["u"][2]
        if attends:
            u = (1 - t["scores"][:, step, None]) * u
        return (u * h + (1 - u) * c.tanh(),)

    outputs, (h,) = _run(cell, t["x"], (t["h"],), _lengths(part))
    last = "last" in part
    loss = (h * t["grad"][0]).sum() if last else (outputs * t["grad"]).sum()
    grads = torch.autograd.grad(loss, leaves)
    made = dict(zip((f"d{name}" for name in names), grads, strict=True))
    _compare(program, f"gru {part}", _given(part, data), {"out": h if last else outputs, **made})


@pytest.mark.parametrize("part", ["steps", "loop", "loop first"])
def test_simple_rnn(program: Path, part: str) -> None:
    data = _data(
        3,
        x=(STEPS, BATCH, IN),
        w=(IN, OUT),
        u=(OUT, OUT),
        b=(OUT,),
        h=(BATCH, OUT),
        grad=(STEPS, BATCH, OUT),
    )
    t = _tensors(data)
    leaves = [t[name].requires_grad_() for name in ("x", "w", "u", "b")]

    def cell(
        x: torch.Tensor, state: tuple[torch.Tensor, ...], _step: int
    ) -> tuple[torch.Tensor, ...]:
        return ((x @ t["w"] + state[0] @ t["u"] + t["b"]).tanh(),)

    outputs, _ = _run(cell, t["x"], (t["h"],), [STEPS] * BATCH)
    grads = torch.autograd.grad((outputs * t["grad"]).sum(), leaves)
    made = dict(zip(("dx", "dw", "du", "db"), grads, strict=True))
    _compare(program, f"rnn {part}", data, {"out": outputs, **made})


def test_a_cell_of_ones_own_and_what_it_gathers(program: Path) -> None:
    x = _data(4, x=(STEPS, BATCH, OUT))["x"]
    steps = np.array([4, 2, 3], "uint32")
    made = results(
        program,
        "own",
        {"x": x, "steps": steps},
        {
            "sums": ("f4", (STEPS, BATCH, OUT)),
            "last": ("f4", (BATCH, OUT)),
            "gathered": ("f4", (BATCH, OUT)),
        },
    )
    runs = (np.arange(STEPS)[:, None] < steps)[..., None] * x
    np.testing.assert_allclose(made["sums"][:4], np.cumsum(runs, 0)[:4], rtol=1e-5, atol=1e-6)
    assert not made["sums"][4].any()  # no sample has this step
    np.testing.assert_allclose(made["last"], runs.sum(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made["gathered"], runs.sum(0) + x.sum(0), rtol=1e-5, atol=1e-5)
