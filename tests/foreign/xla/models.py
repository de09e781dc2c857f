"""Models with custom calls, and running them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import popir
from popir.custom_ops import custom_call

Array = np.ndarray[Any, Any]


def leaves(value: Any) -> list[str]:
    """The tensors of a result, without tokens."""
    if isinstance(value, list):
        items: list[Any] = value
        return [leaf for each in items for leaf in leaves(each)]
    return [value] if isinstance(value, str) else []


def session(model: Any, outputs: Sequence[str]) -> popir.InferenceSession:
    """A session that is prepared to run the model."""
    anchors = {id: popir.AnchorReturnType("All") for id in outputs}
    device = popir.DeviceManager().createCpuDevice()
    made = popir.InferenceSession(model, popir.DataFlow(1, anchors), device)
    made.prepareDevice()
    return made


def run(model: Any, inputs: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
    """Runs a model once."""
    made = session(model, outputs)
    arrays = made.initAnchorArrays()
    made.run(popir.PyStepIO({id: np.asarray(x) for id, x in inputs.items()}, arrays))
    return [np.array(arrays[id]) for id in outputs]


def built(
    values: Sequence[Any], make: Callable[..., Any]
) -> tuple[popir.Builder, dict[str, Array], Any]:
    """A Builder with an input for each value, and what `make` adds to it."""
    builder = popir.Builder()
    arrays = [np.asarray(value) for value in values]
    ids = [builder.addInputTensor(popir.TensorInfo(array)) for array in arrays]
    result = make(*ids)
    for id in leaves(result):
        builder.addOutputTensor(id)
    return builder, dict(zip(ids, arrays, strict=True)), result


def call(
    target: str, values: Sequence[Any], result: Any, operands: Any = None, **options: Any
) -> list[Array]:
    """Runs one custom call with these values, or with operands of them by number."""

    def make(*ids: str) -> Any:
        def pick(each: Any) -> Any:
            return [pick(e) for e in each] if isinstance(each, list) else ids[each]

        given = [*ids] if operands is None else [pick(each) for each in operands]
        return custom_call(target, given, result, **options)

    builder, inputs, made = built(values, make)
    return run(builder.getModelProto(), inputs, leaves(made))
