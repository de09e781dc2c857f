"""Functions of popnn that C++ alone has, beside PyTorch and sums over all alignments."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.arrays import build, results
from tests.toolchain import attempt

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "sequences.cpp"
    return build(source, tmp_path_factory.mktemp("sequences"))


@pytest.fixture(params=["grown", "saved"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program runs as it is made, or as it comes back from a file."""
    if request.param == "saved":
        monkeypatch.setenv("SAVED", "1")


@pytest.mark.usefixtures("way")
def test_ctc_losses_and_gradients_are_pytorchs(program: Path) -> None:
    x = RANDOM.standard_normal((9, 3, 5)).astype("float32")
    labels = np.array([[1, 1, 2, 4], [3, 2, 0, 0], [1, 1, 1, 1]], "uint32")
    # The last sample has too few steps for its labels, which repeat: its loss is infinite.
    steps, counts = np.array([9, 7, 5], "uint32"), np.array([4, 2, 4], "uint32")
    data = torch.tensor(x, requires_grad=True)
    logs = torch.log_softmax(data, -1).detach().requires_grad_()
    lengths = torch.tensor(steps.astype("int64")), torch.tensor(counts.astype("int64"))
    targets = torch.tensor(labels.astype("int64"))

    def loss(of: torch.Tensor, zero: bool) -> torch.Tensor:
        return torch.nn.functional.ctc_loss(
            of, targets, *lengths, reduction="none", zero_infinity=zero
        )

    given = {"x": x, "labels": labels, "steps": steps, "counts": counts}
    made = results(
        program,
        "loss",
        given | {"logs": logs.detach().numpy()},
        {
            "loss": ("f4", 3),
            "gradient": ("f4", (9, 3, 5)),
            "zeroedLoss": ("f4", 3),
            "zeroedGradient": ("f4", (9, 3, 5)),
        },
    )
    expected = loss(torch.log_softmax(data, -1), False)
    np.testing.assert_allclose(made["loss"], expected.detach().numpy(), rtol=1e-5)
    assert np.isinf(made["loss"][2])
    expected[:2].sum().backward()
    assert data.grad is not None
    np.testing.assert_allclose(
        made["gradient"][:, :2], data.grad.numpy()[:, :2], rtol=1e-4, atol=1e-6
    )
    # The gradient of the logarithms themselves, by finite differences of PyTorch's loss.
    np.testing.assert_allclose(made["zeroedLoss"], loss(logs, True).detach().numpy(), rtol=1e-5)
    assert not made["zeroedGradient"][:, 2].any() and made["zeroedLoss"][2] == 0
    for t, b, c in [(0, 0, 1), (3, 0, 2), (6, 1, 0), (8, 1, 3), (2, 1, 2)]:
        moved = logs.detach().double().clone()
        slopes = []
        for by in (1e-4, -1e-4):
            moved[t, b, c] = float(logs.detach()[t, b, c]) + by
            slopes.append(float(loss(moved, True)[b]))
        slope = (slopes[0] - slopes[1]) / 2e-4
        np.testing.assert_allclose(made["zeroedGradient"][t, b, c], slope, atol=1e-3)


@pytest.mark.parametrize(
    ("steps", "counts", "label", "words"),
    [
        (10, 2, 1, "sample 1 has 10 steps and 2 labels; there is room for 9 and 4"),
        (9, 5, 1, "sample 1 has 9 steps and 5 labels; there is room for 9 and 4"),
        (9, 2, 5, "sample 1 has the label 5; there are 5 classes"),
    ],
)
def test_samples_that_do_not_fit_are_named(
    program: Path, steps: int, counts: int, label: int, words: str
) -> None:
    folder = program.parent
    arrays = {
        "x": np.zeros((9, 3, 5), "float32"),
        "labels": np.array([[1] * 4, [1, label, 1, 1], [1] * 4], "uint32"),
        "steps": np.array([9, steps, 9], "uint32"),
        "counts": np.array([1, counts, 1], "uint32"),
        "logs": np.zeros((9, 3, 5), "float32"),
    }
    for name, array in arrays.items():
        (folder / f"{name}.bin").write_bytes(array.tobytes())
    made = attempt(program, "loss", cwd=folder)
    assert made.returncode != 0
    assert words in made.stderr


@pytest.mark.usefixtures("way")
def test_decoding_finds_the_labels_of_the_most_likely_alignments(program: Path) -> None:
    logits = RANDOM.standard_normal((4, 3, 3))
    logs = (logits - np.log(np.exp(logits).sum(-1, keepdims=True))).astype("float32")
    steps = np.array([4, 3, 4], "uint32")
    made = results(
        program,
        "decode",
        {"logs": logs, "steps": steps},
        {"probabilities": ("f4", (3, 2)), "lengths": ("u4", (3, 2)), "decoded": ("u4", (3, 2, 4))},
    )
    for b, n in enumerate(steps):
        sums: dict[tuple[int, ...], float] = {}
        for path in itertools.product(range(3), repeat=int(n)):
            label = tuple(c for c, _ in itertools.groupby(path) if c != 2)
            p = np.exp(sum(logs[t, b, c] for t, c in enumerate(path)))
            sums[label] = sums.get(label, 0.0) + p
        best = sorted(sums.items(), key=lambda each: -each[1])[:2]
        for k, (label, p) in enumerate(best):
            assert made["lengths"][b, k] == len(label)
            assert tuple(made["decoded"][b, k, : len(label)]) == label
            np.testing.assert_allclose(made["probabilities"][b, k], np.log(p), rtol=1e-4)


def test_expected_places_of_fields(program: Path) -> None:
    x = RANDOM.standard_normal((3, 4, 6)).astype("float32")
    made = results(
        program, "places", {"fields": x}, {"places": ("f4", (3, 2)), "temperature": ("f4", 1)}
    )
    p = torch.softmax(torch.tensor(x).reshape(3, -1) / 2, -1).reshape(3, 4, 6).numpy()
    y, across = np.linspace(-1, 1, 4), np.linspace(-1, 1, 6)
    expected = np.stack([(p.sum(2) * y).sum(1), (p.sum(1) * across).sum(1)], 1)
    np.testing.assert_allclose(made["places"], expected, rtol=1e-4, atol=1e-6)
    assert made["temperature"][0] == 2.0
