"""A host profile as tables and as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from popir.cli.output import Output
from popir.profile import HostProfile


def show_profile(output: Output, profile: HostProfile, runs: int) -> None:
    """Prints the times of one run, averaged over `runs` runs, the longest first."""
    total = profile.seconds or 1.0

    def cells(seconds: float) -> list[str]:
        return [f"{seconds / runs * 1e3:.4f}", f"{seconds / total:.1%}"]

    byType = [[*cells(seconds), kind] for kind, seconds in profile.byType().items()]
    output.table("host time by type of operator", [">ms", ">share", "type"], byType)
    rows = sorted(profile.instructions, key=lambda row: -row.seconds)
    each = [[*cells(r.seconds), r.runs // runs, r.type, r.operator, r.what] for r in rows]
    columns = [">ms", ">share", ">times", "type", "operator", "instruction"]
    output.table("host time by instruction", columns, each)
    output.line(f"all instructions: {profile.seconds / runs * 1e3:.4f} ms a run")


def profile_json(profile: HostProfile, runs: int) -> dict[str, Any]:
    """The profile as JSON values; seconds are those of all `runs` runs."""
    return {
        "runs": runs,
        "seconds": profile.seconds,
        "by_type": profile.byType(),
        "instructions": [dataclasses.asdict(row) for row in profile.instructions],
    }
