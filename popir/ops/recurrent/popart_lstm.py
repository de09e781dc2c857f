"""PopART's LSTM: ONNX's in another form."""

from __future__ import annotations

from collections.abc import Sequence

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator

_GATES = (1, 3, 0, 2)
"""The places of ONNX's gates (input, output, forget, candidate) among PopART's (forget, input,
candidate, output).
"""


class PopartLstm(Decomposition):
    """PopART's LSTM: one direction, without peepholes. Weights of inputs and states are joined,
    biases are one, and the first states too.
    """

    outputFullSequence: bool

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        weights: Tensor,
        bias: Tensor | None = None,
        state: Tensor | None = None,
        lengths: Tensor | None = None,
    ) -> Sequence[Tensor]:
        """An LSTM of ONNX's."""
        if len(on.shape(x)) != 3 or len(on.shape(weights)) != 3:
            raise self.wrong(
                f"the input is {on.info(x)}, the weights {on.info(weights)}; expected are "
                "[steps, batch, inputs] and [4, inputs + hidden, hidden]."
            )
        (_, batch, inputs), (gates, both, hidden) = on.shape(x), on.shape(weights)
        for what, tensor, shape in (
            ("weights", weights, [4, inputs + hidden, hidden]),
            ("bias", bias, [4, hidden]),
            ("first states", state, [2, batch, hidden]),
        ):
            if tensor is not None and on.shape(tensor) != shape:
                raise self.wrong(f"the {what} are {on.info(tensor)}; expected is {shape}.")
        order = on.ints(*_GATES)
        rows = on.Transpose(on.Gather(weights, order), perm=[0, 2, 1])
        rows = on.reshape(rows, [1, gates * hidden, both])
        w, r = on.Split(rows, on.ints(inputs, hidden), axis=2, outputs=2)
        b = first = cell = None
        if bias is not None:
            one = on.reshape(on.Gather(bias, order), [1, 4 * hidden])
            b = on.Concat(one, on.zeros(on.info(one)), axis=1)
        if state is not None:
            first, cell = on.Split(state, on.ints(1, 1), axis=0, outputs=2)
        sequence, last, last_cell = on.LSTM(
            x, w, r, b, lengths, first, cell, hidden_size=hidden, outputs=3
        )
        full = self.outputFullSequence
        out = on.Squeeze(sequence, on.ints(1)) if full else on.Squeeze(last, on.ints(0))
        return [out, on.Squeeze(last_cell, on.ints(0))]


OpCreator(PopartLstm, graphcore_id("LSTM"))
