"""The methods of `builder.aiOnnx` and the like, made from schemas.

The arguments are: the ids of the inputs as a list ("" for one that is left out); the number of
outputs, if it is variable; the attributes, required ones first; and a debug context. An attribute
named like a Python keyword has an underscore after it (`lambda_`). The result is the id of the
output, or a list of ids if there are or may be several outputs.

A method raises OperatorCallError for arguments that do not fit its signature; OperatorInputError
for inputs of a wrong number or type, and unknown ids; OperatorAttributeError for a wrong value of
an attribute. Example: `y = builder.aiOnnx.conv([x, w], strides=[2, 2])`.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import types
from collections.abc import Callable, Iterator, Sized
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from popir.builder import popart_methods
from popir.builder.core import Core
from popir.definitions import Formal
from popir.errors import OperatorAttributeError, did_you_mean
from popir.ir import AttributeKind, AttributeSpec
from popir.onnxio import schemas
from popir.onnxio.schema_text import Schema
from popir.options.table import warn
from popir.typed import shown
from popir.types import DataType


class OperatorCallError(OperatorAttributeError, TypeError):
    """Wrong arguments of an operator's method. Also a TypeError, as for any call."""


class Opset:
    """The operators of one opset of a domain, as methods that add them to a Builder's model.

    Each method has the operator's schema as its documentation; see the module for its arguments.
    Raises AttributeError, with similar names, for an operator that the opset does not have.
    """

    def __init__(self, builder: Core, domain: str, version: int) -> None:
        self.builder = builder
        self.domain = domain
        self.version = version

    def __getattr__(self, name: str) -> Callable[..., Any]:
        known = schemas.in_force(self.domain, self.version)
        if self.domain == popart_methods.DOMAIN and name in popart_methods.METHODS:
            return types.MethodType(popart_methods.METHODS[name], self)
        if name not in known:
            raise AttributeError(
                f"Version {self.version} of {self.domain} has no operator '{name}'."
                f"{did_you_mean(name, known)}",
                name=name,
                obj=None,  # else Python adds names of its own to ours
            )
        method = types.MethodType(_method(known[name]), self)
        self.__dict__[name] = method
        return method

    def __dir__(self) -> list[str]:
        own = popart_methods.METHODS if self.domain == popart_methods.DOMAIN else ()
        return sorted({*super().__dir__(), *schemas.in_force(self.domain, self.version), *own})

    def __str__(self) -> str:
        names = {"ai.onnx": "AiOnnx", "ai.onnx.ml": "AiOnnxMl", "ai.graphcore": "AiGraphcore"}
        return f"{names.get(self.domain, self.domain)}{self.version}"

    def __repr__(self) -> str:
        return f"Opset('{self.domain}', {self.version})"


class AiGraphcoreOpset1(Opset):
    """What `Builder.aiGraphcore` is. PopART's class of this name."""


class AiOnnxOpset6(Opset):
    """What `Builder.aiOnnxOpset6` is. PopART's class of this name."""


class AiOnnxOpset7(Opset):
    """What `Builder.aiOnnxOpset7` is. PopART's class of this name."""


class AiOnnxOpset8(Opset):
    """What `Builder.aiOnnxOpset8` is. PopART's class of this name."""


class AiOnnxOpset9(Opset):
    """What `Builder.aiOnnxOpset9` is. PopART's class of this name."""


class AiOnnxOpset10(Opset):
    """What `Builder.aiOnnxOpset10` is. PopART's class of this name."""


class AiOnnxOpset11(Opset):
    """What `Builder.aiOnnxOpset11` is. PopART's class of this name."""


_POPART: dict[tuple[str, int], type[Opset]] = {
    ("ai.graphcore", 1): AiGraphcoreOpset1,
    ("ai.onnx", 6): AiOnnxOpset6,
    ("ai.onnx", 7): AiOnnxOpset7,
    ("ai.onnx", 8): AiOnnxOpset8,
    ("ai.onnx", 9): AiOnnxOpset9,
    ("ai.onnx", 10): AiOnnxOpset10,
    ("ai.onnx", 11): AiOnnxOpset11,
}


def opset(builder: Core, domain: str, version: int) -> Opset:
    """The operators of an opset, of the class that PopART has for it, if it has one."""
    return _POPART.get((domain, version), Opset)(builder, domain, version)


@functools.cache
def _method(schema: Schema) -> Callable[..., Any]:
    """The method that adds an operator. Its first argument is the Opset."""
    signature = _signature(schema)
    several = "num_outputs" in signature.parameters or len(schema.outputs) > 1

    def call(self: Opset, *args: Any, **kwargs: Any) -> Any:
        if "debugPrefix" in kwargs and "debugContext" not in kwargs:
            warn(
                f"{schema.method}(): debugPrefix is PopART's former name of debugContext.",
                DeprecationWarning,
            )
            kwargs["debugContext"] = kwargs.pop("debugPrefix")
        given = {_parameter(name): kwargs[name] for name in kwargs}
        try:
            arguments = signature.bind(self, *args, **given).arguments
        except TypeError as error:
            raise OperatorCallError(
                f"{schema.method}(): incompatible function arguments. The following argument types "
                f"are supported: {schema.method}{_without_self(signature)}. Given was a "
                f"call with this fault: {error}."
            ) from None
        outputs = _add(self, schema, arguments)
        if not outputs:
            return None
        return outputs if several else outputs[0]

    if schema.opid.type == "Constant":
        call = _constant
    call.__name__ = call.__qualname__ = schema.method
    call.__doc__ = _doc(schema)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _constant(self: Opset, value: Any, debugContext: Any = "", after_sparse: Any = "") -> str:
    # PopART's opset 11 has is_value_sparse in the place of debugContext, which follows it.
    if isinstance(debugContext, bool):
        is_sparse, debugContext = debugContext, after_sparse
    else:
        is_sparse = False
    if is_sparse:
        raise OperatorAttributeError("Constant: popir has no sparse constants.")
    array = np.asarray(value)
    if array.dtype == object and not isinstance(value, np.ndarray):
        raise OperatorAttributeError(f"Constant takes a numpy array; given was {shown(value)}.")
    attributes = {"value": (AttributeKind.TENSOR, array)}
    return self.builder.addNode("ai.onnx", "Constant", [], 1, attributes, debugContext)[0]


def _add(self: Opset, schema: Schema, arguments: dict[str, Any]) -> list[str]:
    inputs = arguments.get("args", [])
    count = arguments.get("num_outputs", len(schema.outputs))
    attributes: dict[str, tuple[AttributeKind, Any]] = {}
    for name, spec in schema.attributes.items():
        value = arguments.get(_parameter(name), spec.default)
        if name == "num_outputs":
            value = count if len(inputs) == 1 else None
        if spec.kind is AttributeKind.INT:
            value = _code(value, named=(schema.opid.type, name) == ("Cast", "to"))
        is_given = value is not None or spec.required
        if is_given and not _is_absent(schema, spec, value):
            attributes[name] = (spec.kind, value)
    context = arguments.get("debugContext", "")
    return self.builder.addNode(
        schema.opid.domain, schema.opid.type, inputs, count, attributes, context, schema
    )


def _code(value: Any, named: bool) -> Any:
    """ONNX's number of an element type, if `value` is a DataType or, as PopART has it for Cast, a
    type's name; otherwise `value`.
    """
    if isinstance(value, DataType):
        return value.onnx
    return DataType.of(value).onnx if named and isinstance(value, str) else value


def _is_absent(schema: Schema, spec: AttributeSpec, value: Any) -> bool:
    """Whether `value` has the same meaning as leaving the attribute out.

    As in PopART, that holds for text that is the default, and for an empty list, except for the
    axes of a reduction.
    """
    if spec.default is not None and spec.kind in (AttributeKind.STRING, AttributeKind.STRINGS):
        return isinstance(value, str | list) and value == spec.default
    may_be_empty = spec.kind.is_list and not spec.required and isinstance(value, Sized)
    return (
        may_be_empty
        and not isinstance(value, str)
        and getattr(value, "ndim", 1) > 0
        and len(value) == 0
        and not schema.opid.type.startswith("Reduce")
    )


def _parameter(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _signature(schema: Schema) -> Signature:
    return Signature([Parameter("self", Parameter.POSITIONAL_ONLY), *_parameters(schema)])


def _without_self(signature: Signature) -> Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _parameters(schema: Schema) -> Iterator[Parameter]:
    kind = Parameter.POSITIONAL_OR_KEYWORD
    if schema.opid.type == "Constant":
        yield Parameter("value", kind)
        yield Parameter("debugContext", kind, default="")
        return
    if schema.inputs:
        yield Parameter("args", kind)
    if any(formal.optional or formal.variadic for formal in schema.outputs):
        yield Parameter("num_outputs", kind)
    specs = [spec for name, spec in schema.attributes.items() if name != "num_outputs"]
    for spec in sorted(specs, key=lambda spec: not spec.required):
        if spec.required:
            yield Parameter(_parameter(spec.name), kind)
        elif spec.name != "auto_pad":
            yield Parameter(_parameter(spec.name), kind, default=spec.shown_default)
    yield Parameter("debugContext", kind, default="")
    # PopART has no auto_pad, so it is keyword-only: the positions of others stay PopART's.
    if "auto_pad" in schema.attributes:
        default = schema.attributes["auto_pad"].default
        yield Parameter("auto_pad", Parameter.KEYWORD_ONLY, default=default)


def _doc(schema: Schema) -> str:
    text = [f"Adds {schema.opid} to the model.", "", inspect.cleandoc(schema.doc), ""]
    for title, formals in (("Inputs", schema.inputs), ("Outputs", schema.outputs)):
        text += [f"{title}:", *(_formal_doc(formal) for formal in formals), ""]
    if schema.attributes:
        text.append("Attributes:")
        text += [f"    {name}: {_line(spec.doc)}" for name, spec in schema.attributes.items()]
    return "\n".join(text).rstrip() + "\n"


def _formal_doc(formal: Formal) -> str:
    mark = " (any number)" if formal.variadic else " (optional)" if formal.optional else ""
    kinds = ", ".join(sorted(kind.name for kind in formal.types))
    return f"    {formal.name}{mark}: {_line(formal.doc)} [{kinds}]"


def _line(text: str) -> str:
    return " ".join(text.split())
