"""`Recurrent`: what GRU and RNN have in common. Both become a product and a loop.

The input's part of the gates is one matrix product for all time steps. A loop over the time steps
then adds the part of the previous hidden state, and computes the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.control.loop_op import ITERATION, add_loop
from popir.ops.recurrent.lstm import DIRECTIONS
from popir.ops.recurrent.lstm_cell import functions
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.types import DataType, TensorInfo


@dataclass(frozen=True)
class Activation:
    """An activation function of a direction."""

    apply: Callable[[Tensor], Tensor]
    name: str = ""
    """Its name in ONNX, in lower case; empty if the values that it is given are clipped."""

    def __call__(self, x: Tensor) -> Tensor:
        """Adds the function of `x`."""
        return self.apply(x)


def activations_of(on: Decomposer) -> dict[str, Any]:
    """The activation functions, as functions of (x, alpha, beta) with the defaults of these."""
    return {
        "sigmoid": (lambda x, a, b: on.Sigmoid(x), None, None),
        "tanh": (lambda x, a, b: on.Tanh(x), None, None),
        "relu": (lambda x, a, b: on.Relu(x), None, None),
        "softsign": (lambda x, a, b: on.Softsign(x), None, None),
        "softplus": (lambda x, a, b: on.Softplus(x), None, None),
        "affine": (lambda x, a, b: on.Add(on.Mul(x, on.like(a, x)), on.like(b, x)), 1.0, 0.0),
        "leakyrelu": (lambda x, a, b: on.LeakyRelu(x, alpha=a), 0.01, None),
        "thresholdedrelu": (lambda x, a, b: on.ThresholdedRelu(x, alpha=a), 1.0, None),
        "scaledtanh": (
            lambda x, a, b: on.Mul(on.Tanh(on.Mul(x, on.like(b, x))), on.like(a, x)),
            1.0,
            1.0,
        ),
        "hardsigmoid": (lambda x, a, b: on.HardSigmoid(x, alpha=a, beta=b), 0.2, 0.5),
        "elu": (lambda x, a, b: on.Elu(x, alpha=a), 1.0, None),
    }


class Recurrent(Decomposition):
    """A recurrent layer with one state. Inputs: X [time, batch, inputs], or [batch, time, inputs]
    with layout 1; W [directions, gates, inputs]; R [directions, gates, hidden]; B [directions, 2
    gates]; sequence_lens [batch]; initial_h [directions, batch, hidden].

    16-bit floats are computed in float, from the inputs to the results. Without time steps the last
    state is the initial one; ONNX does not say, and onnxruntime has zeros.
    """

    withoutMeaning = {"output_sequence": "the outputs that the node names are computed."}
    activations: list[str] | None
    activation_alpha: list[float] | None
    activation_beta: list[float] | None
    clip: float | None
    direction: str
    hidden_size: int | None
    layout: bool | None
    output_sequence: bool | None

    gates: ClassVar[int]
    """The number of gates."""
    defaults: ClassVar[list[str]]
    """The activations of a direction."""
    declared: ClassVar[list[str]] = []
    """The default of the attribute `activations` in ONNX, whatever the number of directions."""

    def recurrent(self, on: Decomposer, r: Tensor, bias: Tensor | None) -> list[Tensor]:
        """What a step needs of R [gates hidden, hidden] and of its half of B."""
        raise NotImplementedError

    def step(
        self, on: Decomposer, x: Tensor, h: Tensor, weights: list[Tensor], f: list[Activation]
    ) -> Tensor:
        """The next state from the input's part of the gates, the state, what `recurrent` returned,
        and the activations.
        """
        raise NotImplementedError

    def first_bias(self, on: Decomposer, bias: Tensor) -> Tensor:
        """What is added to the input's part of the gates, from the halves of B, [2, gates
        hidden].
        """
        return on.ReduceSum(bias, on.ints(0), keepdims=0)

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        r: Tensor,
        b: Tensor | None = None,
        lengths: Tensor | None = None,
        initial: Tensor | None = None,
    ) -> Sequence[Tensor]:
        """For each direction a product and a loop. Raises OperatorInputError for wrong shapes,
        OperatorAttributeError for wrong attributes.
        """
        reversals = self._reversals()
        time, batch, hidden = self._sizes(on, x, w, r, b, lengths, initial, len(reversals))
        names = self.activations or []
        if names in ([], self.declared):
            names = self.defaults * len(reversals)
        each = len(self.defaults)
        if len(names) != each * len(reversals):
            raise OperatorAttributeError(
                f"{self._who()}: the activations are {names}; there must be {each} for each of "
                f"the {len(reversals)} directions."
            )
        self._functions(on, names)  # Checks the names, also if there are no time steps.
        stored, wide = on.info(x).dataType(), accumulator_of(on.info(x).dataType())
        x, w, r = (on.cast(t, wide) for t in (x, w, r))
        b, initial = (t if t is None else on.cast(t, wide) for t in (b, initial))
        if self.layout:
            x = on.Transpose(x, perm=[1, 0, 2])
            initial = initial and on.Transpose(initial, perm=[1, 0, 2])
        mask = None if lengths is None else self._mask(on, lengths, time)
        rows = on.reshape(x, [time * batch, on.shape(x)[2]])
        sequences: list[Tensor] = []
        lasts: list[Tensor] = []
        for d, reverse in enumerate(reversals):
            wd, rd, bd, hd = (
                t and self._direction(on, t, d, len(reversals)) for t in (w, r, b, initial)
            )
            assert wd is not None and rd is not None
            parts = on.MatMul(rows, on.Transpose(wd, perm=[1, 0]))
            second = None
            if bd is not None:
                bd = on.reshape(bd, [2, self.gates * hidden])
                parts = on.Add(parts, self.first_bias(on, bd))
                second = on.Slice(bd, on.ints(1), on.ints(2), on.ints(0))
            parts = on.reshape(parts, [time, batch, self.gates * hidden])
            if hd is None:
                hd = on.zeros(TensorInfo(wide, [batch, hidden]))
            weights = self.recurrent(on, rd, second)
            chosen = slice(each * d, each * (d + 1))
            last, sequence = self._loop(
                on.within(f"body{d}"), on, parts, mask, hd, weights, (names, chosen), reverse
            )
            sequences.append(on.Unsqueeze(sequence, on.ints(1)))
            lasts.append(on.Unsqueeze(last, on.ints(0)))
        y, y_h = (
            parts[0] if len(parts) == 1 else on.Concat(*parts, axis=axis)
            for parts, axis in ((sequences, 1), (lasts, 0))
        )
        if self.layout:
            y, y_h = on.Transpose(y, perm=[2, 0, 1, 3]), on.Transpose(y_h, perm=[1, 0, 2])
        return [on.cast(y, stored), on.cast(y_h, stored)]

    def _loop(
        self,
        inner: Decomposer,
        on: Decomposer,
        parts: Tensor,
        mask: Tensor | None,
        first: Tensor,
        weights: list[Tensor],
        activations: tuple[list[str], slice],
        reverse: bool,
    ) -> tuple[Tensor, Tensor]:
        """Adds the loop over the time steps; returns the last state, and the state after each."""
        names, chosen = activations
        time, *shape = on.shape(parts)
        wide = on.info(parts).dataType()
        inner.input(ITERATION, "number")
        h = inner.input(on.info(first), "h")
        x = inner.input(TensorInfo(wide, shape), "x")
        scanned = [parts]
        within = None
        if mask is not None:
            within = inner.input(TensorInfo(DataType.BOOL, on.shape(mask)[1:]), "mask")
            scanned.append(mask)
        read = [inner.input(on.info(t), f"weight{i}") for i, t in enumerate(weights)]
        new = self.step(inner, x, h, read, self._functions(inner, names)[chosen])
        out = new
        if within is not None:
            out = inner.Where(within, new, inner.like(0, new))
            new = inner.Where(within, new, h)
        inner.graph.outputs = [new.id, out.id]
        if time == 0:
            empty = TensorInfo(wide, [0, *on.shape(first)])
            return first, on.zeros(empty)
        attributes = {
            "body": inner.graph,
            "carried": 1,
            "scanned": len(scanned),
            "trip": time,
            "conditional": False,
            "descending": False,
            "reversed_inputs": [int(reverse)] * len(scanned),
            "reversed_outputs": [int(reverse)],
        }
        last, sequence = add_loop(on, [None, None, first, *scanned, *weights], 2, attributes)
        return last, sequence

    def _functions(self, on: Decomposer, names: list[str]) -> list[Activation]:
        """The activations of all directions, of clipped values if the operator clips."""
        found = functions(
            self._who(),
            names,
            self.activation_alpha or [],
            self.activation_beta or [],
            activations_of(on),
        )
        if self.clip is None:
            named = zip(found, names, strict=True)
            return [Activation(f, name.lower()) for f, name in named]
        clip = self.clip

        def clipped(f: Callable[[Tensor], Tensor]) -> Activation:
            return Activation(lambda x: f(on.Clip(x, on.like(-clip, x), on.like(clip, x))))

        return [clipped(f) for f in found]

    def _mask(self, on: Decomposer, lengths: Tensor, time: int) -> Tensor:
        """BOOL[time, batch, 1]: whether a time step is within its sequence."""
        steps = on.like(np.arange(time)[:, None], lengths)
        mask = on.Less(steps, on.Unsqueeze(lengths, on.ints(0)))
        return on.Unsqueeze(mask, on.ints(2))

    def _direction(self, on: Decomposer, t: Tensor, d: int, directions: int) -> Tensor:
        """Row `d` of a tensor with a row for each direction."""
        if directions > 1:
            t = on.Slice(t, on.ints(d), on.ints(d + 1), on.ints(0))
        return on.reshape(t, on.shape(t)[1:])

    def _reversals(self) -> list[bool]:
        found = DIRECTIONS.get(self.direction)
        if found is None:
            raise OperatorAttributeError(
                f"{self._who()}: the direction is {self.direction!r}; it must be one of "
                f"{', '.join(DIRECTIONS)}."
            )
        return found

    def _sizes(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        r: Tensor,
        b: Tensor | None,
        lengths: Tensor | None,
        initial: Tensor | None,
        directions: int,
    ) -> tuple[int, int, int]:
        """(time steps, batch, hidden units), after a check of all shapes."""
        given, rows = on.shape(x), on.shape(r)
        if len(given) != 3 or len(rows) != 3:
            raise self.wrong(f"X has shape {given} and R {rows}; both must have three dimensions.")
        time, batch, inputs = given
        if self.layout:
            time, batch = batch, time
        hidden = rows[2]
        state = [batch, directions, hidden] if self.layout else [directions, batch, hidden]
        expected = [
            ("W", w, [directions, self.gates * hidden, inputs]),
            ("R", r, [directions, self.gates * hidden, hidden]),
            ("B", b, [directions, 2 * self.gates * hidden]),
            ("sequence_lens", lengths, [batch]),
            ("initial_h", initial, state),
        ]
        for name, tensor, shape in expected:
            if tensor is not None and on.shape(tensor) != shape:
                raise self.wrong(
                    f"{name} has shape {on.shape(tensor)}; for X {given} and {hidden} hidden units "
                    f"it must be {shape}."
                )
        if self.clip is not None and not self.clip > 0:
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'clip' is {self.clip}; it must be above 0."
            )
        if self.hidden_size not in (None, hidden):
            raise OperatorAttributeError(
                f"{self._who()}: hidden_size is {self.hidden_size}, which does not match R, "
                f"of {hidden} units."
            )
        return time, batch, hidden
