"""Options of commands that train: the loss, the optimizer, modes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from popir.cli.exits import CommandError
from popir.cli.options import Count, Number
from popir.errors import PopirError, did_you_mean
from popir.optimizers import OPTIMIZERS, Optimizer
from popir.training.schedules import SCHEDULES, Schedule

TRAINING = frozenset(
    "loss kind lr momentum weight_decay trained frozen training_mode evaluation_mode".split()
)
"""The names of the parameters for training."""


def loss_option(required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a command with --loss. If it is not required, the default is the only tensor
    without readers.
    """
    default = "" if required else "  [default: the only output, or else tensor, that no node reads]"
    words = f"The tensor to minimise; it has one element.{default}"
    return click.option("--loss", required=required, help=words)


def mode_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command with --training-mode and --evaluation-mode."""
    for mode in ("evaluation", "training"):
        function = click.option(
            f"--{mode}-mode",
            multiple=True,
            metavar="NODE",
            help=f"A normalisation or dropout node, or a pattern such as '*', to run as in {mode}, "
            "whatever the model says; may be repeated.",
        )(function)
    return function


def optimizer_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command with --optimizer and its numbers. It gets an `Optimizer` as
    `optimizer`. Its learning rate is constant unless `schedule_options`, decorating this one, has
    a schedule.
    """

    @click.option(
        "--optimizer", "kind", type=click.Choice([*OPTIMIZERS]), default="sgd", show_default=True
    )
    @click.option("--lr", type=Number(0), default=0.01, show_default=True)
    @click.option("--momentum", type=Number(0), default=0.0, show_default=True)
    @click.option("--weight-decay", type=Number(0), default=0.0, show_default=True)
    @functools.wraps(function)
    def command(
        *args: Any, kind: str, lr: float, momentum: float, weight_decay: float, **options: Any
    ) -> Any:
        is_constant = options.get("schedule") is None
        numbers = {
            "defaultLearningRate": (lr, is_constant),
            "defaultWeightDecay": (weight_decay, True),
        }
        if "defaultMomentum" in OPTIMIZERS[kind]({}).DEFAULTS:
            numbers["defaultMomentum"] = (momentum, True)
        elif momentum:
            raise click.UsageError(f"--momentum {momentum:g}: the optimizer {kind} has none.")
        try:
            optimizer: Optimizer = OPTIMIZERS[kind](numbers)
        except PopirError as error:
            raise click.UsageError(str(error)) from None
        return function(*args, optimizer=optimizer, **options)

    return command


def schedule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command with --lr-schedule and its settings. It gets as `schedule` a function
    that makes the `Schedule` from the number of steps, or None if the rate is constant.
    """

    @click.option(
        "--lr-schedule",
        "schedule_kind",
        type=click.Choice([*SCHEDULES]),
        default="constant",
        show_default=True,
        help="What becomes of the learning rate until the last epoch.",
    )
    @click.option("--warmup", type=Count(0), default=0, help="Steps in which it rises, at first.")
    @click.option(
        "--lr-end", "end", type=Number(0), help="Its end, as a part of --lr.  [default: 0]"
    )
    @click.option("--lr-every", "every", type=Count(1), help="The steps between those of 'step'.")
    @click.option("--lr-gamma", "gamma", type=Number(0), help="Its factor there.  [default: 0.1]")
    @functools.wraps(function)
    def command(*args: Any, schedule_kind: str, warmup: int, **options: Any) -> Any:
        kind = schedule_kind
        found = SCHEDULES[kind]
        settings: dict[str, Any] = {name: options.pop(name) for name in ("end", "every", "gamma")}
        for name, value in settings.items():
            if value is None and name in found.needs:
                raise click.UsageError(f"--lr-schedule {kind} needs --lr-{name}.")
            if value is not None and name not in (*found.needs, *found.takes):
                kinds = [k for k, each in SCHEDULES.items() if name in (*each.needs, *each.takes)]
                raise click.UsageError(f"--lr-{name} is for --lr-schedule {' and '.join(kinds)}.")

        def made(steps: int) -> Schedule:
            needs_steps = {"steps": steps} if "steps" in found.needs else {}
            try:
                return Schedule(kind, warmup=warmup, **needs_steps, **settings)
            except PopirError as error:
                raise click.UsageError(str(error)) from None

        is_constant = kind == "constant" and not warmup
        return function(*args, schedule=None if is_constant else made, **options)

    return command


def _outputs(model: Any) -> str:
    names = [value.name for value in model.graph.output]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    return f" Its outputs are {shown or 'none'}."


def loss_of(model: Any, given: str | None) -> str:
    """The id of the tensor to minimise in a ModelProto.

    By default the only tensor that no node reads or, of several, the only output. Raises
    CommandError if there is not exactly one, or if no node computes the given one.
    """
    made = [id for node in model.graph.node for id in node.output if id]
    if given is not None:
        if given not in made:
            raise CommandError(
                f"--loss {given}: no node of the model computes such a tensor."
                f"{did_you_mean(given, made) or _outputs(model)}"
            )
        return given
    read = {id for node in model.graph.node for id in node.input}
    ends = [id for id in made if id not in read]
    outputs = {value.name for value in model.graph.output}
    if len(ends) > 1:
        ends = [id for id in ends if id in outputs] or ends
    if len(ends) != 1:
        shown = ", ".join(map(repr, ends[:5])) + (", ..." if len(ends) > 5 else "")
        raise CommandError(
            f"Which tensor is the loss? {len(ends)} tensors are read by no node: {shown or 'none'}."
            " Name one with --loss."
        )
    return ends[0]
