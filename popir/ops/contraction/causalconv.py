"""CausalConvWithState: a convolution of what was, with a state for the next step."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator

ACTIVATIONS = ("none", "silu", "swish")
"""The last two are one function, x * sigmoid(x)."""


class CausalConvWithState(Decomposition):
    """ONNX's CausalConvWithState, version 27: each channel of the input, [batch, channels,
    positions], convolved with a row of the weight, [channels, 1, size], that ends at the position.
    What comes before the first position is the state, [batch, channels, size - 1], or zeros. The
    second output is the state after the last position.
    """

    activation: str

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        state: Tensor | None = None,
    ) -> list[Tensor]:
        """A Conv of as many groups as channels. Raises OperatorInputError for shapes that do not
        fit, OperatorAttributeError for an unknown activation.
        """
        if self.activation not in ACTIVATIONS:
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'activation' is {self.activation!r}; expected is "
                f"one of {', '.join(ACTIVATIONS)}."
            )
        shape, given = on.shape(x), on.shape(weight)
        if len(shape) != 3 or len(given) != 3 or given[:2] != [shape[1], 1] or given[2] < 1:
            raise self.wrong(
                f"the input is {shape} and the weight {given}; expected are [batch, channels, "
                "positions] and [channels, 1, size]."
            )
        batch, channels, positions = shape
        before = given[2] - 1
        for name, t, wanted in (
            ("bias", bias, [channels]),
            ("past_state", state, [batch, channels, before]),
        ):
            if t is not None and on.shape(t) != wanted:
                raise self.wrong(f"{name} is {on.shape(t)}; expected is {wanted}.")
        if state is None:
            whole = on.Pad(x, on.ints(0, 0, before, 0, 0, 0)) if before else x
        else:
            whole = on.Concat(state, x, axis=2)
        # A window does not fit into what was alone.
        y = on.Conv(whole, weight, bias, group=channels) if positions else on.Identity(x)
        if self.activation != "none":
            y = on.Mul(y, on.Sigmoid(y))
        end = positions + before
        return [y, on.Slice(whole, on.ints(positions), on.ints(end), on.ints(2))]


OpCreator(CausalConvWithState, onnx_ids("CausalConvWithState", 27))
