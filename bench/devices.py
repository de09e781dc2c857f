"""The simulated IPU as a place to run: a network on createIpuModelDevice beside the Cpu device.

    python -m bench.devices                     every row
    python -m bench.devices MLP                 rows whose names have one of these words
    python -m bench.devices --realtime          each turn at real-time priority (as root)
    python -m bench.devices --json FILE         the figures as JSON too

On both, products, convolutions and reductions are calls of the same libraries; the simulated IPU
has tensors laid out over 1,472 tiles, and vertices on each. A ratio is the time on the simulated
IPU over that on the Cpu device. The outputs must agree.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from bench import inference, peers
from bench.report import Report, measurement

PEER = "popir on IpuModel"
ROWS = ["MLP batch 1", "MLP batch 256", "small convnet, batch 64", "BERT-tiny, batch 16"]
ROWS += ["ResNet-18, batch 8"]
TOLERANCE = 1e-3
start = inference.start


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    report.table("network", *peers.Result.columns("IpuModel")[:-1])
    for name in filter(report.wants, ROWS):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            inference.export(name, folder)
            found = peers.compare("devices", PEER, name, folder, report.realtime)
            ours, other = (np.load(folder / f"{peer}.npy") for peer in ("popir", PEER))
            np.testing.assert_allclose(ours, other, TOLERANCE, TOLERANCE * np.abs(other).max())
        report.row(name, *found.cells()[:-1])


if __name__ == "__main__":
    main(sys.argv[1:])
