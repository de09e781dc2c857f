"""A model with its inputs, as cases keep and reduce it: `Program`."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tests.fuzz import oracle
from tests.fuzz.generator import Array, Graph, Value, make_model


@dataclass(frozen=True)
class Program:
    """Nodes, the values that they read, and the outputs that are compared."""

    opset: int
    nodes: Sequence[onnx.NodeProto]
    values: Mapping[str, Value]
    inputs: Mapping[str, Array]
    initializers: Mapping[str, Array]
    outputs: Sequence[str]

    @staticmethod
    def of(g: Graph, outputs: Sequence[str]) -> Program:
        """The graph with these outputs, without what they do not need."""
        return Program(
            g.opset, tuple(g.nodes), g.values, g.inputs, g.initializers, outputs
        ).pruned()

    @property
    def given(self) -> dict[str, Array]:
        """The arrays of inputs and initializers."""
        return {**self.inputs, **self.initializers}

    def model(self) -> onnx.ModelProto:
        """The model that popir is given."""
        return make_model(
            self.nodes, self.values, self.initializers, list(self.inputs), self.outputs, self.opset
        )

    def with_function(self) -> onnx.ModelProto:
        """The same model with the middle of its nodes in a function."""
        n = len(self.nodes)
        begin, end = n // 4, n - n // 4
        inside, after = self.nodes[begin:end], self.nodes[end:]
        made = [name for node in inside for name in node.output if name]
        read = dict.fromkeys(name for node in inside for name in node.input if name)
        inputs = [name for name in read if name not in made]
        used = {*self.outputs, *(name for node in after for name in node.input)}
        results = [name for name in made if name in used]
        if not results:
            return self.model()
        call = helper.make_node("Part", inputs, results, "part", domain="own")
        model = dataclasses.replace(self, nodes=[*self.nodes[:begin], call, *after]).model()
        imports = list(model.opset_import)
        part = helper.make_function("own", "Part", inputs, results, inside, imports)
        model.functions.append(part)
        model.opset_import.append(helper.make_opsetid("own", 1))
        return model

    def pruned(self) -> Program:
        """Without nodes and arrays that lead to no output."""
        needed, nodes = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed & set(node.output):
                nodes.append(node)
                needed |= set(node.input)
        return dataclasses.replace(
            self,
            nodes=nodes[::-1],
            inputs={k: v for k, v in self.inputs.items() if k in needed},
            initializers={k: v for k, v in self.initializers.items() if k in needed},
        )

    def evaluated(self) -> dict[str, Array]:
        """All values by the oracle. Raises `oracle.Refused`."""
        return oracle.evaluate(self.nodes, self.opset, self.given)

    def smaller(self) -> Iterator[Program]:
        """Programs with less: one output alone, an earlier one, inputs in place of a node."""
        if len(self.outputs) > 1:
            for name in self.outputs:
                yield dataclasses.replace(self, outputs=[name]).pruned()
        for node in self.nodes[:-1]:
            for name in node.output:
                found = dataclasses.replace(self, outputs=[name]).pruned()
                if len(found.nodes) < len(self.nodes):
                    yield found
        try:
            known = self.evaluated()
        except oracle.Refused:
            return
        for i, node in enumerate(self.nodes):
            if len(self.nodes) > 1 and not set(node.output) & set(self.outputs):
                rest = [*self.nodes[:i], *self.nodes[i + 1 :]]
                inputs = {**self.inputs, **{name: known[name] for name in node.output if name}}
                yield dataclasses.replace(self, nodes=rest, inputs=inputs).pruned()
        for name, array in self.inputs.items():
            if not np.isfinite(array.astype(np.float64)).all():
                tame = np.where(np.isfinite(array.astype(np.float64)), array, 1).astype(array.dtype)
                yield dataclasses.replace(self, inputs={**self.inputs, name: tame})

    def reduced(
        self,
        still: Callable[[Program], bool],
        step: Callable[[Program], Iterable[Program]] = smaller,
        most: int = 200,
    ) -> Program:
        """The smallest program found for which `still` holds, as it does for this one."""
        best, left = self, most
        while True:
            for candidate in step(best):
                left -= 1
                if candidate.nodes and still(candidate):
                    best = candidate
                    break
                if left <= 0:
                    return best
            else:
                return best

    def text(self) -> str:
        """The model as text, its inputs, and what their elements are where they are few."""
        lines = [onnx.printer.to_text(self.model())]
        for name, array in self.given.items():
            elements = np.array2string(array, threshold=40, separator=", ")
            lines.append(f"{name}: {array.dtype}{list(array.shape)} = {elements}")
        return "\n".join(lines)

    def save(self, folder: Path) -> None:
        """Writes model.onnx, and the inputs as ONNX's own test data are laid out."""
        data = folder / "test_data_set_0"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(self.model().SerializeToString())
        for i, (name, array) in enumerate(self.inputs.items()):
            tensor = numpy_helper.from_array(array, name)
            (data / f"input_{i}.pb").write_bytes(tensor.SerializeToString())
