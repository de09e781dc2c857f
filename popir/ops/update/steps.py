"""Adagrad, Adam and Momentum of ai.onnx.preview.training: one step of an optimizer, as an operator.

Their tensors come in groups: all parameters, then all gradients, then all of each state.
"""

from __future__ import annotations

from collections.abc import Sequence

from popir.errors import OperatorAttributeError
from popir.ir import Op, OperatorIdentifier, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.registry import OpCreator

DOMAIN = "ai.onnx.preview.training"


class OptimizerStep(Decomposition):
    """The base class: new values for each parameter, from it, its gradient and its state."""

    norm_coefficient: float
    states = 1
    """The number of states that a parameter has."""
    getGradOps = Op.getGradOps

    def decompose(
        self, on: Decomposer, rate: Tensor, count: Tensor, *tensors: Tensor
    ) -> list[Tensor]:
        """The new parameters, then the new states. Raises OperatorInputError for tensors that are
        not groups of one size with the shapes of the parameters, or a rate that is no scalar.
        """
        groups = 2 + self.states
        size, rest = divmod(len(tensors), groups)
        if rest or not size:
            raise self.wrong(
                f"it has {len(tensors)} tensors; expected are {groups} groups of one size: "
                "parameters, gradients, and states."
            )
        for name, scalar in (("the rate", rate), ("the count", count)):
            if on.info(scalar).nelms() != 1:
                raise self.wrong(f"{name} is {on.info(scalar)}; it must be one number.")
        news: list[Sequence[Tensor]] = []
        for i in range(size):
            own = tensors[i::size]
            if len({str(on.info(each)) for each in own}) > 1:
                given = ", ".join(str(on.info(each)) for each in own)
                raise self.wrong(f"parameter {i}, its gradient and states are {given}: not alike.")
            kind = on.info(own[0]).dataType()
            r, t = (on.reshape(on.cast(each, kind), []) for each in (rate, count))
            x, g, *states = own
            g = on.Add(on.Mul(x, on.like(self.norm_coefficient, x)), g)
            news.append(self.step(on, r, t, x, g, states))
        return [each[k] for k in range(1 + self.states) for each in news]

    def step(
        self, on: Decomposer, r: Tensor, t: Tensor, x: Tensor, g: Tensor, states: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """The new parameter and its new states; `g` is the gradient with that of the norm."""
        raise NotImplementedError


class Adagrad(OptimizerStep):
    """ONNX's Adagrad of ai.onnx.preview.training, version 1: H' is H + G^2, X' is X - R / (1 + T
    decay_factor) G / (sqrt(H') + epsilon), where G has norm_coefficient X added.
    """

    decay_factor: float
    epsilon: float

    def step(
        self, on: Decomposer, r: Tensor, t: Tensor, x: Tensor, g: Tensor, states: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """The new parameter X' and state H'."""
        r = on.Div(r, on.Add(on.Mul(t, on.like(self.decay_factor, t)), on.like(1, t)))
        h = on.Add(states[0], on.Mul(g, g))
        size = on.Add(on.Sqrt(h), on.like(self.epsilon, x))
        return on.Sub(x, on.Div(on.Mul(r, g), size)), h


class Adam(OptimizerStep):
    """ONNX's Adam of ai.onnx.preview.training, version 1: V' is alpha V + (1 - alpha) G, H' is
    beta H + (1 - beta) G^2, X' is X - R' V' / (sqrt(H') + epsilon), times 1 -
    norm_coefficient_post. R' is R, or R sqrt(1 - beta^T) / (1 - alpha^T) if T is above 0.
    """

    alpha: float
    beta: float
    epsilon: float
    norm_coefficient_post: float
    states = 2

    def step(
        self, on: Decomposer, r: Tensor, t: Tensor, x: Tensor, g: Tensor, states: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """The new parameter X' and states V' and H'."""
        v, h = states
        v = on.Add(on.Mul(v, on.like(self.alpha, x)), on.Mul(g, on.like(1 - self.alpha, x)))
        square = on.Mul(on.Mul(g, g), on.like(1 - self.beta, x))
        h = on.Add(on.Mul(h, on.like(self.beta, x)), square)
        one = on.like(1, t)
        powers = [on.Sub(one, on.Pow(on.like(base, t), t)) for base in (self.beta, self.alpha)]
        later = on.Div(on.Mul(r, on.Sqrt(powers[0])), powers[1])
        r = on.Where(on.Greater(t, on.like(0, t)), later, r)
        size = on.Add(on.Sqrt(h), on.like(self.epsilon, x))
        x = on.Sub(x, on.Div(on.Mul(r, v), size))
        return on.Mul(x, on.like(1 - self.norm_coefficient_post, x)), v, h


class Momentum(OptimizerStep):
    """ONNX's Momentum of ai.onnx.preview.training, version 1: V' is alpha V + beta G, with 1 for
    beta if T is 0. X' is X - R V' (mode "standard") or X - R (G + alpha V') ("nesterov").
    """

    alpha: float
    beta: float
    mode: str

    def step(
        self, on: Decomposer, r: Tensor, t: Tensor, x: Tensor, g: Tensor, states: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """X' and V'. Raises OperatorAttributeError for another mode."""
        if self.mode not in ("standard", "nesterov"):
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': the attribute 'mode' is {self.mode!r}; expected is "
                "'standard' or 'nesterov'."
            )
        beta = on.Where(on.Greater(t, on.like(0, t)), on.like(self.beta, t), on.like(1, t))
        v = on.Add(on.Mul(states[0], on.like(self.alpha, x)), on.Mul(g, beta))
        along = v if self.mode == "standard" else on.Add(g, on.Mul(v, on.like(self.alpha, x)))
        return on.Sub(x, on.Mul(along, r)), v


for _step in (Adagrad, Adam, Momentum):
    OpCreator(_step, [OperatorIdentifier(DOMAIN, _step.__name__, 1)])
