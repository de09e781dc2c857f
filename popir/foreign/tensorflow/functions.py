"""`precompiled_user_op`, `cpu_user_operation` and `codelet_expression_op`, with the arguments that
TensorFlow's have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from popir.builder import builder_of
from popir.builder.builder import Builder
from popir.errors import (
    AttributeTextError,
    OperatorAttributeError,
    popart_exception,
)
from popir.foreign.tensorflow import library
from popir.foreign.tensorflow.codelet_expression import traced
from popir.foreign.tensorflow.outputs import declared
from popir.foreign.tensorflow.user_ops import DOMAIN
from popir.typed import typed

_Path = str | os.PathLike[str]


@typed
def precompiled_user_op(
    inputs: Sequence[str],
    library_path: _Path,
    gp_path: _Path = "",
    outs: Mapping[str, Any] | None = None,
    name: str = "UserOp",
    op_name: str = "Build",
    separate_gradients: bool = False,
    inputs_with_gradients: Iterable[int] | None = None,
    attributes: Any = None,
    gradient_attributes: Any = None,
    *,
    builder: Builder | None = None,
) -> list[str]:
    """Adds an operator whose program a function of a library builds. TensorFlow's function
    `ipu.custom_ops.precompiled_user_op`.

    Args:
        inputs: ids of tensors.
        library_path: the library, of API level 1, 2, 4 or 5. It is loaded here.
        gp_path: codelets that the function uses: a file of popc's, or their source. It is given to
            the gradient, too.
        outs: {"output_types": [...], "output_shapes": [...]}; None for no outputs.
        name: the name of the node.
        op_name: the function. The library may have `<op_name>_metadata`, `<op_name>_allocator` and
            `<op_name>_grad` beside it.
        separate_gradients: whether the gradient of each input is a call of its own.
        inputs_with_gradients: the indices of the inputs that have a gradient; None for all.
        attributes, gradient_attributes: text that the function and its gradient get.
        builder: the Builder, for an operator without inputs.

    Returns the ids of the outputs. Raises LibraryLoadError for a library that cannot be used or
    lacks the function, OperatorAttributeError for a wrong `outs`, AttributeTextError, which is a
    ValueError, for `attributes` that are no str.
    """
    codelets = os.fspath(gp_path)
    given = _attributes(
        "precompiled_user_op",
        *(inputs, library_path, outs, op_name, [codelets] if codelets else []),
        *(separate_gradients, inputs_with_gradients, attributes, gradient_attributes),
    )
    if codelets:
        given["gp_path"] = codelets
    return _added("IpuUserOp", inputs, given, name, builder)


@typed
def cpu_user_operation(
    inputs: Sequence[str],
    library_path: _Path,
    outs: Mapping[str, Any] | None = None,
    name: str = "UserOp",
    op_name: str = "Callback",
    separate_gradients: bool = False,
    inputs_with_gradients: Iterable[int] | None = None,
    attributes: Any = None,
    gradient_attributes: Any = None,
    *,
    callback_abi: str = "called",
    time_limit: float = 0.0,
    builder: Builder | None = None,
) -> list[str]:
    """Adds an operator that a function of a library computes on the host, in each run. TensorFlow's
    function `ipu.custom_ops.cpu_user_operation`.

    The arguments are those of `precompiled_user_op`, and:

        callback_abi: "called" for a function as TensorFlow calls it: from API level 2 on it gets
            `attributes` before its name. "documented" for one without `attributes`.
        time_limit: the seconds that a call may take; 0 for any. A call that takes longer ends the
            run with popart_runtime_error, and the session cannot run again.

    Returns and raises as `precompiled_user_op` does.
    """
    given = _attributes(
        "cpu_user_operation",
        *(inputs, library_path, outs, op_name, []),
        *(separate_gradients, inputs_with_gradients, attributes, gradient_attributes),
    )
    if callback_abi not in ("called", "documented"):
        raise OperatorAttributeError(
            f"cpu_user_operation: callback_abi is 'called' or 'documented'; given was "
            f"{callback_abi!r}."
        )
    if isinstance(time_limit, bool) or not 0 <= time_limit < 1e9:
        raise OperatorAttributeError(
            f"cpu_user_operation: time_limit is a number of seconds, 0 for no limit; given was "
            f"{time_limit!r}."
        )
    given.update(callback_abi=callback_abi, time_limit=float(time_limit))
    return _added("IpuUserReadWriteOp", inputs, given, name, builder)


@typed
def codelet_expression_op(
    vertex_expression: Callable[..., Any],
    *args: str,
    name: str = "",
    builder: Builder | None = None,
) -> str:
    """Adds an operator that computes an expression, element by element, in one pass. TensorFlow's
    function `ipu.custom_ops.codelet_expression_op`.

    `vertex_expression` is called once, with an operand for each of `args`, and returns the
    expression: `lambda x, y: x * x + np.exp(y)`. `popir.custom_ops.expressions` has the functions
    that numpy lacks. Shapes broadcast by numpy's rule; the result has the type of the first
    argument, and a gradient.

    Returns the id of the result. Raises TypeError if there are no arguments, or if the function
    does what expressions cannot, or gives none.
    """
    if not args:
        raise TypeError("codelet_expression_op takes the tensors that the function is applied to.")
    given = {"expression": traced(vertex_expression, len(args))}
    into = builder_of("codelet_expression_op", args, builder)
    return into.customOp("CodeletExpressionOp", 1, DOMAIN, args, given, 1, name)[0]


def _attributes(
    who: str,
    inputs: Sequence[str],
    library_path: _Path,
    outs: Mapping[str, Any] | None,
    op_name: str,
    codelets: Sequence[str],
    separate_gradients: bool,
    inputs_with_gradients: Iterable[int] | None,
    attributes: str | None,
    gradient_attributes: str | None,
) -> dict[str, Any]:
    texts = {"attributes": attributes, "gradient_attributes": gradient_attributes}
    for what, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise AttributeTextError(
                f"Expected {what} to be a 'str' type, but was {type(text)} ({who}). Make text of "
                "it, by json.dumps() for example."
            )
    types, shapes = declared(who, outs)
    path = library.load(library_path, who, codelets, op_name)
    library.operator(who, path, op_name)
    for each in codelets:
        library.codelets(who, each, path)
    found: dict[str, Any] = {
        "library_path": os.fspath(library_path),
        "op_name": op_name,
        "output_types": types,
        "output_shapes": shapes,
        "separate_gradients": int(bool(separate_gradients)),
        **{what: text for what, text in texts.items() if text},
    }
    if inputs_with_gradients is not None:
        wanted = [*inputs_with_gradients]
        if wrong := [i for i in wanted if not 0 <= i < len(inputs)]:
            raise popart_exception(
                f"{who}: inputs_with_gradients has {wrong[0]!r}; the operator has {len(inputs)} "
                "inputs, counted from 0."
            )
        found["inputs_with_gradients"] = sorted({*wanted})
    return found


def _added(
    type: str, inputs: Sequence[str], given: dict[str, Any], name: str, builder: Builder | None
) -> list[str]:
    into = builder_of(type, inputs, builder)
    return into.customOp(type, 1, DOMAIN, inputs, given, len(given["output_types"]), name)
