"""What tests read of `Engine.planText()`."""

from typing import Any


def instructions(engine: Any) -> str:
    """The instructions of an engine's plan, without what its passes did."""
    return engine.planText().split("passes\n")[0]


def passes(engine: Any) -> dict[str, str]:
    """What each pass did that did anything, by its name."""
    lines = engine.planText().split("passes\n")[1].splitlines()
    return dict(line.strip().split(": ", 1) for line in lines)
