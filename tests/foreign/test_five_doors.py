"""Operators of all interfaces in one model: trained together, saved, loaded by another process."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "models" / "five_doors"
LISTED = """
import sys
import five_doors
from popir.cli.main import main
five_doors.libraries()
sys.argv = ["popir", "ops", "--custom", *sys.argv[1:]]
main()
"""


def run(*words: str | Path) -> str:
    """What a Python program prints that can import those of the example."""
    path = os.pathsep.join([str(ROOT), str(FOLDER), *sys.path])
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_model_with_an_operator_of_each_interface() -> None:
    said = run(FOLDER / "five_doors.py")
    found = re.fullmatch(
        r"gradients: (\S+) from differences of the loss\n"
        r"loss: (\S+) at first, (\S+) after 100 steps\n"
        r"another process computes the same bits\n",
        said,
    )
    assert found, said
    error, first, last = map(float, found.groups())
    assert error < 1e-3
    assert last < 0.5 * first


def test_each_is_listed_with_its_origin() -> None:
    """With the file that it is from, its inputs, outputs and attributes."""
    found = json.loads(run("-c", LISTED, "--json"))
    origins = {f"{r['domain']}.{r['name']}": Path(r["from"]).name for r in found["operators"]}
    targets = (f"org.openxla.{p}.soft_clip{s}" for p in ("CUDA", "Host") for s in ("", "_grad"))
    assert origins == {
        "ai.onnx.LeakyRelu": "leaky_relu_custom_op.cpp",
        "com.acme.HalfSquare": "square.py",
        "ai.habana.SoftsignHpu": "libsoftsign_hpu.so",
        "ai.habana.SoftsignHpuGrad": "libsoftsign_hpu.so",
        **dict.fromkeys(targets, "soft_clip.cu"),
    }
    functions = {(r["function"], r["kind"], Path(r["from"]).name) for r in found["functions"]}
    names = ("Scale", "Scale_grad", "Sine", "Sine_grad")
    assert functions == {
        *((name, "TensorFlow for the IPU", "libuser_ops.so") for name in names),
        ("softsign_fwd_f32", "TPC kernel", "libsoftsign_kernels.so"),
        ("softsign_bwd_f32", "TPC kernel", "libsoftsign_kernels.so"),
    }
    said = run("-c", LISTED)
    assert not re.search(r" \?( |$)", said, re.MULTILINE), said
