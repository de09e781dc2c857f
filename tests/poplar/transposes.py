"""Transposes matrices of all sizes of elements, and compares with NumPy. Run under POPIR_ISA."""

import itertools

import numpy as np

import popir
from popir import poputil
from tests.popops.rig import Rig

SIZES = (1, 3, 5, 15, 16, 17, 33, 64, 67, 130)
DTYPES = ("uint8", "float16", "float32", "int64")


def copies(dtype, rows, columns):
    """A program's copy of a transposed matrix, and of one that is a part of a larger one."""
    rig = Rig(threads=2)
    rng = np.random.default_rng(rows * 131 + columns)
    x = rng.integers(0, 100, (rows + 3, columns + 2)).astype(dtype)
    whole = rig.tensor(x)
    part = whole.slice([2, 1], [rows + 2, columns + 1])
    results = [
        (rig.result(poputil.duplicate(rig.graph, t.transpose(), rig.prog)), want)
        for t, want in ((whole, x), (part, x[2:-1, 1:-1]))
    ]
    got = rig.run()
    for name, want in results:
        np.testing.assert_array_equal(got[name], want.T, err_msg=f"{dtype} {want.shape}")


def operators(dtype, rows, columns):
    """The operator, over some matrices."""
    builder = popir.Builder()
    kind = {"uint8": "UINT8", "float16": "FLOAT16", "float32": "FLOAT", "int64": "INT64"}[dtype]
    x = builder.addInputTensor(popir.TensorInfo(kind, [2, rows, columns]))
    y = builder.aiOnnx.transpose([x], [0, 2, 1])
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, {y: popir.AnchorReturnType("All")}),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    values = (np.arange(2 * rows * columns) % 127).reshape(2, rows, columns).astype(dtype)
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: values}, anchors))
    np.testing.assert_array_equal(anchors[y], values.transpose(0, 2, 1), err_msg=f"{dtype}")


def main():
    """Every pair of sizes, then some large ones, which threads share."""
    for dtype in DTYPES:
        for rows, columns in itertools.product(SIZES, SIZES):
            copies(dtype, rows, columns)
        for rows, columns in ((700, 900), (4096, 16), (16, 70000)):
            copies(dtype, rows, columns)
            operators(dtype, rows, columns)
    print("equal")


if __name__ == "__main__":
    main()
