"""The pipeline: from an imported graph to the graph that is lowered, one pass after another."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from popir import registry
from popir.autodiff import differentiate, reservedGradientPrefix
from popir.errors import AnchorError, VerificationError, did_you_mean, popart_exception
from popir.ir import Graph, Op, verify
from popir.ir.graph import calledGraphs
from popir.ir.hash import digest, encoded
from popir.patterns import Patterns, applyPatterns
from popir.progress import Logger
from popir.reserved import RANDOM_SEED
from popir.trainable import Choice, Role, choose
from popir.transforms.decision import Decision
from popir.transforms.inplace import PATTERN, inplace
from popir.transforms.outline import OutlineOptions, outline
from popir.transforms.prune import prune
from popir.transforms.state import keepState
from popir.types import requireFinite


class Updater(Protocol):
    """What compiling asks of an optimizer; see `popir.optimizers`."""

    def isConstant(self, name: str, weight: str) -> bool:
        """Whether a number never changes; "lossScaling" is one that belongs to no weight."""
        ...

    def value(self, name: str, weight: str) -> float:
        """What the number is now."""
        ...

    def addUpdate(self, graph: Graph, weight: str, gradient: str) -> dict[str, tuple[str, str]]:
        """Adds the operator that updates a weight.

        Returns the tensors that hold numbers which may change, with their names and the weight.
        """
        ...


LOSS_SCALING = "lossScaling_FLOAT"
"""The id of the tensor that holds a loss scaling which may change."""


@dataclass
class Compilation:
    """What the passes work on."""

    graph: Graph
    anchors: list[str]
    patterns: Patterns = field(default_factory=Patterns)
    loss: str | None = None
    """The tensor to differentiate, in training."""
    optimizer: Updater | None = None
    outlining: OutlineOptions | None = None
    """What is worth to be outlined; None to outline nothing."""
    trained: Collection[str] = ()
    """Names and patterns of initializers to train, whatever the rule says."""
    frozen: Collection[str] = ()
    """The same of those to leave as they are."""
    roundsStochastically: bool = False
    """Whether 16-bit floats are rounded by draws from the random seed."""
    choices: dict[str, Choice] = field(default_factory=dict)
    """What becomes of each initializer in training, and why."""
    weights: list[str] = field(default_factory=list)
    """The ids of the initializers that are trained."""
    gradients: dict[str, str] = field(default_factory=dict)
    """The gradient's id by the tensor's id."""
    scalars: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The tensors that hold changing numbers of the optimizer: the number's name, and its weight.
    """
    decisions: list[Decision] = field(default_factory=list)
    """What patterns and transforms did and where they did not, with the reasons."""

    @property
    def kept(self) -> set[str]:
        """The tensors that no pass may remove."""
        return {*self.anchors, *([self.loss] if self.loss else [])}


def chooseWeights(c: Compilation) -> None:
    """Decides what is trained, before patterns and other passes add variables of their own."""
    if c.loss is None:
        return
    c.choices = choose(c.graph, c.trained, c.frozen)
    c.weights = [id for id, choice in c.choices.items() if choice.role is Role.TRAINED]


def keepStates(c: Compilation) -> None:
    """Lets state that operators compute, such as running statistics, last till the next batch."""
    if c.loss is None:
        return
    keepState(c.graph, {id for id, choice in c.choices.items() if choice.role is Role.STATE})


def connectRandomSeed(c: Compilation) -> None:
    """Gives the operators that draw random numbers, and stochastic rounding, one seed, which
    changes after each batch.

    It begins where the training stopped that saved the model, else at 0.
    """
    c.graph.isTraining = c.loss is not None
    users = [op for op in c.graph.ops.values() if op.requiresRandomSeed()]
    users = [op for op in users if not op.hasInput(op.getSeedInIndex())]
    if not users and not c.roundsStochastically:
        return
    c.graph.addState(RANDOM_SEED, np.zeros(2, np.uint32))
    if c.graph.isTraining:
        c.graph.saveVariable(RANDOM_SEED)
    for op in users:
        op.connectInTensor(op.getSeedInIndex(), RANDOM_SEED)
    settings = Op.Settings(c.graph, "nextRandomSeed")
    c.graph.createConnectedOp(
        registry.createOp,
        {0: RANDOM_SEED},
        {0: f"{RANDOM_SEED}/next"},
        *("ai.graphcore", "NextRandomSeed", 1, settings, {}, [c.graph.getTensor(RANDOM_SEED)]),
    )


def rewrite(c: Compilation) -> None:
    """Applies the patterns until none matches. What anchors are gradients of stays, and so do the
    weights' gradients.
    """
    prefix = reservedGradientPrefix()
    bases = (id.removeprefix(prefix) for id in c.anchors)
    made = applyPatterns(c.graph, c.patterns, {*c.kept, *bases, *c.gradients.values()})
    # An operator that was refused before is still there and refused again, if for the same reason.
    c.decisions = [decision for decision in c.decisions if decision.reason is None] + made


def addGradients(c: Compilation) -> None:
    """Differentiates the loss with respect to the weights, and to tensors whose gradient is
    anchored.
    """
    if c.loss is None or c.optimizer is None:
        return
    prefix = reservedGradientPrefix()
    asked = (id.removeprefix(prefix) for id in c.anchors if id.startswith(prefix))
    targets = dict.fromkeys([*c.weights, *(id for id in asked if c.graph.hasTensor(id))])
    seed: float | str = c.optimizer.value("lossScaling", "")
    if not c.optimizer.isConstant("lossScaling", ""):
        info = c.graph.getTensor(c.loss).info
        assert info is not None
        requireFinite(f"The loss scaling of '{c.loss}'", seed, info.dataType())
        c.graph.addVarInit(LOSS_SCALING, np.full(info.shape(), seed, info.dataType().numpy))
        c.scalars[LOSS_SCALING] = ("lossScaling", "")
        seed = LOSS_SCALING
    c.gradients = differentiate(c.graph, c.loss, targets, seed)
    c.graph.hasGradients = True


def addUpdates(c: Compilation) -> None:
    """Adds the operator that updates each weight which has a gradient."""
    if c.optimizer is None:
        return
    for weight in c.weights:
        if weight in c.gradients:
            c.scalars.update(c.optimizer.addUpdate(c.graph, weight, c.gradients[weight]))


def checkAnchors(c: Compilation) -> None:
    """Raises AnchorError, with near misses, for an anchor that is no tensor."""
    tensors = c.graph.tensors
    for id in c.anchors:
        if id not in tensors:
            near = did_you_mean(id, tensors) or f" It has {', '.join(sorted(tensors)[:10])}."
            raise AnchorError(f"The anchor '{id}' is no tensor of the model.{near}")


def removeUnused(c: Compilation) -> None:
    """Removes what leads neither to an anchor nor to an update."""
    prune(c.graph, c.anchors)


def outlineRepeats(c: Compilation) -> None:
    """Makes one graph, called several times, of what repeats."""
    if c.outlining is not None:
        c.decisions += outline(c.graph, c.kept, c.outlining)


def overwrite(c: Compilation) -> None:
    """Lets operators write their results over inputs that nobody misses."""
    if c.patterns.isPatternEnabled(PATTERN):
        for graph in calledGraphs(c.graph):
            c.decisions += inplace(graph, c.kept)


def getHash(c: Compilation, seed: object = ()) -> int:
    """64 bits for the compiled graph, the same in every process: PopART's `Ir::getHash`.

    It tells graphs apart by what `popir.ir.hash.digest` says, by anchors, and by `seed`: whatever
    else an executable depends on. Raises popart_exception for what has no digest.
    """
    return int.from_bytes(digest(c.graph, encoded((sorted(c.kept), seed)))[:8], "little")


PASSES: list[Callable[[Compilation], None]] = [
    chooseWeights,
    keepStates,
    connectRandomSeed,
    rewrite,
    addGradients,
    rewrite,
    addUpdates,
    checkAnchors,
    removeUnused,
    outlineRepeats,
    overwrite,
]


def compile(c: Compilation, progress: Logger | None = None) -> None:
    """Runs the passes, and verifies the graph after each; `progress` hears how many are done.

    Raises VerificationError, naming the passes that ran, where one leaves the graph inconsistent;
    and what the passes raise.
    """
    done: list[str] = []
    for run in PASSES:
        if progress is not None:
            progress(len(done), len(PASSES))
        run(c)
        done.append(run.__name__)
        try:
            verify(c.graph)
        except VerificationError as error:
            raise VerificationError(
                f"After the pass {done[-1]} (passes run: {', '.join(done)}): {error}"
            ) from error
    if c.loss is not None and not c.gradients:
        _checkTraining(c)


def _checkTraining(c: Compilation) -> None:
    """Refuses training that changes nothing."""
    if c.weights:
        raise popart_exception(
            f"The loss '{c.loss}' depends on none of the weights {', '.join(c.weights)}, so there "
            "is nothing to train."
        )
    left = {id: choice for id, choice in c.choices.items() if c.graph.getTensor(id).isVariable()}
    if left and all(choice.role is Role.CONSTANT for choice in left.values()):
        first = "; ".join(f"'{id}': {choice.reason}" for id, choice in list(left.items())[:5])
        raise popart_exception(
            f"None of the model's {len(left)} floating-point initializers is trained: {first}. "
            "Name those that are to be: TrainingSession(..., trained=[...]), or popir train "
            "--train."
        )
