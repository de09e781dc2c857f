"""How long it takes to cost a training step of ResNet-50, and how much memory.

    python -m bench.costing                on one ipu2, and on 16
    python -m bench.costing 1 2 4 8        on so many
    python -m bench.costing --json FILE    the figures as JSON too

Each in a process of its own. The seconds are those of the report alone, the program being grown and
its engine made; the megabytes are the process's peak, and what the report added to it.
The batch is one image; tensors are spread over all tiles of all IPUs.
"""

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from bench.report import Report, measurement

USUAL = ["1", "16"]
CLASSES = 1000


def with_loss(model: Any, logits: str) -> Any:
    """The model up to the logits, then the cross entropy of `labels` [1]."""
    nodes = list(model.graph.node)
    while logits not in nodes[-1].output:
        nodes.pop()
    running: list[str] = []
    for i, node in enumerate(nodes):
        if node.op_type == "BatchNormalization":  # in training, as opset 9 says it
            node.output.extend(f"bn{i}.{name}" for name in ("mean", "var", "saved", "savedVar"))
            running += node.input[3:]
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes[:0] = [
        helper.make_node("Constant", [], [name], value=weights.pop(name)) for name in running
    ]
    del model.graph.initializer[:]
    model.graph.initializer.extend(weights.values())
    nodes += [
        helper.make_node("Reshape", [logits, "logits.shape"], ["logits.rows"]),
        helper.make_node("LogSoftmax", ["logits.rows"], ["logits.log"], axis=1),
        helper.make_node(
            "Nll",
            ["logits.log", "labels"],
            ["loss"],
            domain="ai.graphcore",
            inputIsLogProbability=1,
        ),
    ]
    shape = numpy_helper.from_array(np.array([1, CLASSES]), "logits.shape")
    model.graph.initializer.append(shape)
    model.graph.input.append(helper.make_tensor_value_info("labels", TensorProto.INT32, [1]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("loss", TensorProto.FLOAT, []))
    model.opset_import.append(helper.make_opsetid("ai.graphcore", 1))
    return model


def peak_megabytes() -> float:
    """Of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def worker(ipus: str) -> None:
    """Prints the cells of a row of the table."""
    import popir
    from models import light

    model = light.randomized(light.path("resnet50"))
    options = popir.SessionOptions()
    options.engineOptions = {"debug.allowOutOfMemory": "true"}
    session = popir.TrainingSession(
        with_loss(model, light.logits(model)),
        popir.DataFlow(1, []),
        "loss",
        popir.ConstSGD(0.1),
        popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "ipuVersion": "ipu2"}),
        userOptions=options,
    )
    start = time.perf_counter()
    session.prepareDevice()
    prepared, before = time.perf_counter() - start, peak_megabytes()
    start = time.perf_counter()
    report = session.getReport()
    seconds, after = time.perf_counter() - start, peak_megabytes()
    steps = len(report.steps)
    print(
        json.dumps([report.tiles, steps, prepared, seconds, after, after - before, report.cycles])
    )


@measurement()
def main(report: Report) -> None:
    """Prints the table."""
    columns = (
        "tiles",
        "steps",
        "prepare s",
        "report s",
        "peak MB",
        "of it by the report",
        "cycles",
    )
    report.table("IPUs", *columns)
    for n in report.asked.words or USUAL:
        words = [sys.executable, "-m", "bench.costing", "--worker", n]
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
        report.row(n, *json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2])
    else:
        main(sys.argv[1:])
