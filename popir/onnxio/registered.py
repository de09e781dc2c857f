"""Schemas of operator libraries, registered with `onnx.defs`, so that `onnx.checker` and
`onnx.shape_inference` know the operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.defs
from onnx import AttributeProto, TypeProto, numpy_helper
from onnx.shape_inference import InferenceError

from popir.errors import PopirError
from popir.onnxio.attributes import to_python

_Schema = onnx.defs.OpSchema
_option: Any = _Schema.FormalParameterOption
_kind: Any = _Schema.AttrType
Dims = Sequence[int | str | None] | None
"""A shape. A dimension is a number, a symbolic name or None; None for an unknown rank."""
Known = tuple[int, Dims]
"""An element type, as in TensorProto, and a shape."""
Infer = Callable[
    [Sequence[Known | None], Mapping[str, Any], Sequence[np.ndarray[Any, Any] | None], int],
    Sequence[Known | None],
]
"""A function from (inputs, attributes, values of constant inputs, number of outputs) to the
outputs.
"""

_ours: set[tuple[str, int, str]] = set()


def register(description: Mapping[str, Any], infer: Infer | None) -> None:
    """Registers a schema, given by the argument names of OpSchema.

    It replaces an earlier schema of a library. Raises the errors of onnx.defs for a schema that is
    inconsistent, or that ONNX has itself.
    """
    schema = _Schema(
        description["name"],
        description["domain"],
        description["since_version"],
        description["doc"],
        inputs=[_parameter(*p) for p in description["inputs"]],
        outputs=[_parameter(*p) for p in description["outputs"]],
        type_constraints=description["type_constraints"],
        attributes=[_attribute(*a) for a in description["attributes"]],
    )
    if infer is not None:
        schema.set_type_and_shape_inference_function(lambda context: _infer(context, infer))
    key = (schema.name, schema.since_version, schema.domain)
    if key in _ours:
        onnx.defs.deregister_schema(*key)
    onnx.defs.register_schema(schema)
    _ours.add(key)


def _parameter(
    name: str, types: str, description: str, option: int, homogeneous: bool, arity: int
) -> Any:
    return _Schema.FormalParameter(
        name,
        types,
        description,
        param_option=_option(option),
        is_homogeneous=homogeneous,
        min_arity=arity,
    )


def _attribute(name: str, description: str, kind: int, required: bool, default: Any) -> Any:
    if default is None:
        return _Schema.Attribute(name, _kind(kind), description, required=required)
    value = onnx.helper.make_attribute(name, default, attr_type=kind)
    return _Schema.Attribute(name, value, description)


def _infer(context: Any, infer: Infer) -> None:
    """Calls a library's inference function. ONNX reports an InferenceError together with the
    node.
    """
    inputs = range(context.get_num_inputs())
    try:
        found = infer(
            [_known(context.get_input_type(i)) if context.has_input(i) else None for i in inputs],
            _Attributes(context),
            [_value(context, i) for i in inputs],
            context.get_num_outputs(),
        )
    except PopirError as error:
        raise InferenceError(str(error)) from None
    for i, known in enumerate(found):
        if known is not None:
            context.set_output_type(i, onnx.helper.make_tensor_type_proto(*known))


def _known(kind: TypeProto | None) -> Known | None:
    if kind is None or not kind.HasField("tensor_type"):
        return None
    tensor = kind.tensor_type
    if not tensor.HasField("shape"):
        return tensor.elem_type, None
    return tensor.elem_type, [
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in tensor.shape.dim
    ]


def _value(context: Any, i: int) -> np.ndarray[Any, Any] | None:
    data = context.get_input_data(i) if context.has_input(i) else None
    return None if data is None else numpy_helper.to_array(data)


class _Attributes(Mapping[str, Any]):
    """The attributes of a node. They are converted when they are read."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getitem__(self, name: str) -> Any:
        found: AttributeProto | None = self._context.get_attribute(name)
        if found is None:
            raise KeyError(name)
        return to_python(found)

    def __iter__(self) -> Any:
        raise TypeError("ONNX does not say which attributes a node has; ask for one.")

    def __len__(self) -> int:
        raise TypeError("ONNX does not say how many attributes a node has; ask for one.")
