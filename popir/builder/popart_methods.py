"""Methods of `builder.aiGraphcore` whose arguments are not those of the operator's schema.

`METHODS` has them by name; each takes the Opset first.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from popir.enums import CollectiveOperator, InitType, ScatterReduction
from popir.errors import OperatorAttributeError, popart_exception
from popir.onnxio import schemas
from popir.options.annotations import (
    AVAILABLE_MEMORY,
    COLLECTIVE_OPERATOR,
    COMM_GROUP,
    CONV_DITHERING,
    PARTIALS_TYPE,
)
from popir.replicas import CommGroup
from popir.typed import shown, typed
from popir.types import DataType, ReductionType

if TYPE_CHECKING:
    from popir.builder.methods import Opset

DOMAIN = "ai.graphcore"

_REDUCTIONS: dict[Any, str] = {
    ScatterReduction.Sum: "sum",
    ScatterReduction.Max: "max",
    ScatterReduction.Min: "min",
    ScatterReduction.Mul: "mul",
    ScatterReduction.NoReduction: "none",
}
"""How the attribute of ScatterReduce spells them."""


def _add(
    opset: Opset,
    type: str,
    args: Sequence[str],
    outputs: int,
    attributes: Mapping[str, Any],
    debugContext: Any,
) -> list[str]:
    """Adds a node; an attribute that is None is left out."""
    schema = schemas.find(DOMAIN, type, opset.version)
    assert schema is not None
    given = {
        name: (schema.attributes[name].kind if name in schema.attributes else None, value)
        for name, value in attributes.items()
        if value is not None
    }
    return opset.builder.addNode(DOMAIN, type, args, outputs, given, debugContext, schema)


@typed
def init(
    opset: Any,
    shape: Sequence[int],
    data_type: DataType | int,
    init_type: InitType | int,
    batch_axis: Any = -1,
    debugContext: Any = "",
) -> str:
    """Adds Init: `init(shape, data_type, init_type, batch_axis=-1, debugContext="")`. The batch
    axis may be left out, with the debug context in its place.
    """
    if not isinstance(batch_axis, int):
        batch_axis, debugContext = -1, batch_axis
    attributes = {
        "shape": list(shape),
        "data_type": data_type.onnx if isinstance(data_type, DataType) else data_type,
        "init_type": init_type.value if isinstance(init_type, enum.Enum) else init_type,
        "batch_axis": batch_axis,
    }
    return _add(opset, "Init", [], 1, attributes, debugContext)[0]


@typed
def abort(opset: Any, args: Sequence[str] = (), debugContext: Any = "") -> None:
    """Adds Abort: it has no output."""
    _add(opset, "Abort", args, 0, {}, debugContext)


@typed
def printtensor(
    opset: Any,
    args: Sequence[str],
    print_gradient: int = 1,
    debugContext: Any = "",
    title: str = "",
    summariseThreshold: int = 1000,
    edgeItems: int = 3,
    maxLineWidth: int = 75,
    digits: int = 8,
    floatFormat: int = 0,
    separator: str = " ",
    openBracket: str = "[",
    closeBracket: str = "]",
) -> str:
    """Adds PrintTensor. The separator and the brackets are characters."""
    attributes: dict[str, Any] = {
        "print_gradient": print_gradient,
        "title": title,
        "summariseThreshold": summariseThreshold,
        "edgeItems": edgeItems,
        "maxLineWidth": maxLineWidth,
        "digits": digits,
        "floatFormat": floatFormat,
    }
    for name, text in (
        ("separator", separator),
        ("openBracket", openBracket),
        ("closeBracket", closeBracket),
    ):
        if not isinstance(text, str) or len(text) != 1 or not text.isascii():
            raise OperatorAttributeError(
                f"PrintTensor: {name} is {shown(text)}; expected is one ASCII character."
            )
        attributes[name] = ord(text)
    return _add(opset, "PrintTensor", args, 1, attributes, debugContext)[0]


@typed
def scatterreduce(
    opset: Any,
    args: Sequence[str],
    axis_size: int,
    axis: int = -1,
    reduction: ScatterReduction | str = ScatterReduction.Sum,
    enable_index_broadcast: int = 1,
    debugContext: Any = "",
) -> str:
    """Adds ScatterReduce without groups."""
    return groupedscatterreduce(
        *(opset, args, axis_size, axis, reduction, 1, enable_index_broadcast, debugContext)
    )


@typed
def groupedscatterreduce(
    opset: Any,
    args: Sequence[str],
    axis_size: int,
    axis: int = -1,
    reduction: ScatterReduction | str = ScatterReduction.Sum,
    group_size: int = 1,
    enable_index_broadcast: int = 1,
    debugContext: Any = "",
) -> str:
    """Adds ScatterReduce, with the first dimension of `group_size` groups."""
    attributes = {
        "axis_size": axis_size,
        "axis": axis,
        "reduction": _REDUCTIONS.get(reduction, reduction),
        "group_size": group_size,
        "enable_index_broadcast": enable_index_broadcast,
    }
    return _add(opset, "ScatterReduce", args, 1, attributes, debugContext)[0]


@typed
def ctcloss(
    opset: Any,
    args: Sequence[str],
    reduction: ReductionType | str = ReductionType.Mean,
    blank: int = 0,
    outDataType: DataType | str = "UNDEFINED",
    zeroInfinity: bool = False,
    debugContext: Any = "",
) -> str:
    """Adds Ctc, and returns the loss. `outDataType` is a type, or "UNDEFINED" for that of the
    probabilities.
    """
    return _ctcloss(opset, args, reduction, blank, outDataType, zeroInfinity, debugContext)[0]


@typed
def _ctcloss(
    opset: Any,
    args: Sequence[str],
    reduction: ReductionType | str = ReductionType.Mean,
    blank: int = 0,
    outDataType: DataType | str = "UNDEFINED",
    zeroInfinity: bool = False,
    debugContext: Any = "",
) -> list[str]:
    """Adds Ctc, and returns the loss and the gradient of each sequence's."""
    attributes = {
        "reduction": reduction,
        "blank": blank,
        "outDataType": 0 if outDataType == "UNDEFINED" else DataType.of(outDataType).onnx,
        "zeroInfinity": int(zeroInfinity),
    }
    return _add(opset, "Ctc", args, 2, attributes, debugContext)


@typed
def multiconv(
    opset: Any,
    args: Sequence[Sequence[str]],
    dilations: Sequence[Sequence[int]] = (),
    inDilations: Sequence[Sequence[int]] = (),
    pads: Sequence[Sequence[int]] = (),
    outPads: Sequence[Sequence[int]] = (),
    strides: Sequence[Sequence[int]] = (),
    availableMemoryProportions: Sequence[float] = (),
    partialsTypes: Sequence[str] = (),
    planType: str | None = None,
    perConvReservedTiles: int | None = None,
    cycleBackOff: float | None = None,
    enableConvDithering: Sequence[int | bool] = (),
    debugContext: Any = "",
) -> list[str]:
    """Adds MultiConv: `args` has data, weights and perhaps a bias of each convolution; other lists
    are empty, or have an element for each.
    """
    who, count = f"MultiConvOp '{opset.builder.getNameScope()}'", len(args)
    if not count:
        raise popart_exception(f"{who} has no input tensors. Provide at least one set of inputs")
    for each in args:
        if isinstance(each, str) or len(each) < 2:
            raise popart_exception(
                f"Each convolution of {who} must have at least two inputs - data and weights"
            )
        if len(each) > 3:
            raise popart_exception(
                f"Each convolution of {who} can have at most three inputs - data, weights, and bias"
            )
    nested = {
        "dilations": (dilations, 1),
        "inDilations": (inDilations, 1),
        "pads": (pads, 2),
        "outPads": (outPads, 2),
        "strides": (strides, 1),
    }
    lists: dict[str, Sequence[Any]] = {name: value for name, (value, _) in nested.items()}
    lists["availableMemoryProportions"] = availableMemoryProportions
    lists["partialsTypes"] = partialsTypes
    lists["enableConvDithering"] = enableConvDithering
    for name, value in lists.items():
        if len(value) not in (0, count):
            raise popart_exception(
                f"For {who}, number of {name} parameter sets ({len(value)}) does not match the "
                f"number of input sets ({count})"
            )
    builder: Any = opset.builder
    attributes: dict[str, Any] = {}
    for name, (value, each) in nested.items():
        for (data, *_), numbers in zip(args, value, strict=False):
            dims = len(builder.getTensorShape(data)) - 2
            if len(numbers) != each * dims:
                words = "number of" if each == 1 else "2 * number of"
                raise popart_exception(
                    f"Length of {name} vector {len(numbers)} != {words} spatial dimensions {dims}"
                )
        attributes[name] = [n for numbers in value for n in numbers] or None
    attributes |= {
        "planType": planType,
        "perConvReservedTiles": perConvReservedTiles,
        "cycleBackOff": cycleBackOff,
        "numConvs": count,
        AVAILABLE_MEMORY: [float(v) for v in availableMemoryProportions] or None,
        PARTIALS_TYPE: list(partialsTypes) or None,
        CONV_DITHERING: [int(each) for each in enableConvDithering] or None,
    }
    inputs = [id for each in args for id in (*each, *[""] * (3 - len(each)))]
    return _add(opset, "MultiConv", inputs, count, attributes, debugContext)


@typed
def reshape(
    opset: Any, args: Sequence[str] | str, shape: Sequence[int], debugContext: Any = ""
) -> str:
    """Adds Reshape. The tensor may be given without a list around it."""
    inputs = [args] if isinstance(args, str) else args
    return _add(opset, "Reshape", inputs, 1, {"shape": shape}, debugContext)[0]


@typed
def replicatedallreduce(
    opset: Any,
    args: Sequence[str],
    collectiveOperator: CollectiveOperator | None = None,
    commGroup: CommGroup | Sequence[int] | None = None,
    debugContext: Any = "",
) -> str:
    """Adds ReplicatedAllReduce. The reduction is Add, the group all replicas, by default."""
    attributes = _collective(collectiveOperator, commGroup)
    return _add(opset, "ReplicatedAllReduce", args, 1, attributes, debugContext)[0]


@typed
def replicatedreducescatter(
    opset: Any,
    args: Sequence[str],
    collectiveOperator: CollectiveOperator | None = None,
    commGroup: CommGroup | Sequence[int] | None = None,
    debugContext: Any = "",
) -> str:
    """Adds ReplicatedReduceScatter. The reduction is Add, the group all replicas, by default."""
    attributes = _collective(collectiveOperator, commGroup)
    return _add(opset, "ReplicatedReduceScatter", args, 1, attributes, debugContext)[0]


@typed
def replicatedallgather(
    opset: Any,
    args: Sequence[str],
    commGroup: CommGroup | Sequence[int] | None = None,
    debugContext: Any = "",
) -> str:
    """Adds ReplicatedAllGather. The group is all replicas by default."""
    attributes = _collective(None, commGroup)
    return _add(opset, "ReplicatedAllGather", args, 1, attributes, debugContext)[0]


def _collective(
    operator: CollectiveOperator | None, group: CommGroup | Sequence[int] | None
) -> dict[str, Any]:
    """The attributes of a collective."""
    if isinstance(group, CommGroup):
        group = [int(group.type), group.replicaGroupSize]
    return {
        COLLECTIVE_OPERATOR: None if operator is None else int(operator),
        COMM_GROUP: group,
    }


METHODS: dict[str, Callable[..., Any]] = {
    "init": init,
    "abort": abort,
    "printtensor": printtensor,
    "scatterreduce": scatterreduce,
    "groupedscatterreduce": groupedscatterreduce,
    "ctcloss": ctcloss,
    "_ctcloss": _ctcloss,
    "multiconv": multiconv,
    "reshape": reshape,
    "replicatedallreduce": replicatedallreduce,
    "replicatedreducescatter": replicatedreducescatter,
    "replicatedallgather": replicatedallgather,
}
