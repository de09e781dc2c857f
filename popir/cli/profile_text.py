"""A profile as text for a terminal: totals, memory, the most expensive operators, and changes."""

from __future__ import annotations

from typing import Any

from popir.cli.output import Output
from popir.profile import Profile
from popir.profile.document import KINDS

Json = dict[str, Any]
_SHOWN = 10
_CHANGES = [
    ("cycles", "totals", "cycles"),
    ("compute cycles", "totals", "compute_cycles"),
    ("exchange cycles", "totals", "exchange_cycles"),
    ("sync cycles", "totals", "sync_cycles"),
    ("FLOPs", "totals", "flops"),
    ("bytes exchanged", "totals", "exchange_bytes"),
    ("bytes of memory", "memory", "total_bytes"),
    ("bytes on the fullest tile", "memory", "max_tile_bytes"),
]


def show_profile(output: Output, profile: Profile) -> None:
    """Prints the summary of a profile as tables."""
    data = profile.data
    model, machine, totals, memory = (data[k] for k in ("model", "machine", "totals", "memory"))
    tiles = machine["ipus"] * machine["tiles_per_ipu"]
    kind = KINDS[model["training"]]
    output.line(
        f"{model['name']}: {kind} on {machine['ipus']} x {machine['target']}, {tiles} tiles at "
        f"{machine['clock_hz'] / 1e9:g} GHz"
    )
    parts = (
        f"{part} {_share(totals[f'{part}_cycles'], totals['cycles'])}"
        for part in ("compute", "exchange", "sync")
    )
    cycles = f"{'at least ' if totals['unknown'] else ''}{totals['cycles']:,}"
    output.line(f"cycles: {cycles} ({totals['seconds'] * 1e6:,.1f} us): {', '.join(parts)}")
    for name in totals["unknown"]:
        output.line(f"without vertices of class '{name}', whose cycles are not known")
    by_source = _cycles_by_source(data["operations"])
    whole = sum(by_source.values())
    shares = (f"{source} {_share(by_source[source], whole)}" for source in by_source)
    output.line(f"cycles of operations by: {', '.join(shares)}")
    guessed = {each["vertex"] for each in data["operations"] if each["source"] == "guess"}
    if guessed:
        output.line(f"a guess, as nothing is published: {', '.join(sorted(guessed))}")
    speed = totals["flops"] / totals["seconds"] / 1e12 if totals["seconds"] else 0.0
    output.line(f"FLOPs: {totals['flops']:,} ({speed:.3g} TFLOP/s)")
    output.line(
        f"exchange: {totals['exchange_bytes']:,} bytes; host: {totals['host_bytes_in']:,} bytes "
        f"in, {totals['host_bytes_out']:,} out"
    )
    if memory["streaming_bytes"]:
        output.line(
            f"streaming memory: {memory['streaming_bytes']:,} bytes in "
            f"{len(memory['remote_buffers'])} remote buffers; {totals['streaming_bytes_in']:,} "
            f"bytes in, {totals['streaming_bytes_out']:,} out "
            f"({totals['streaming_seconds'] * 1e6:,.1f} us)"
        )
    output.line(
        f"memory: {memory['total_bytes']:,} bytes, "
        f"{_share(memory['total_bytes'], tiles * machine['bytes_per_tile'])} of all tiles; at most "
        f"{memory['max_tile_bytes']:,} of {machine['bytes_per_tile']:,} "
        f"({_share(memory['max_tile_bytes'], machine['bytes_per_tile'])}), on tile "
        f"{memory['fullest_tile']}"
    )
    _show_pod(output, data["pod"])
    _show_memory(output, memory)
    _show_operators(output, data)


def _show_pod(output: Output, pod: Json | None) -> None:
    if pod is None:
        return
    output.line(
        f"{pod['replicas']:,} replicas, {pod['ipus']:,} IPUs: {pod['seconds'] * 1e3:,.4g} ms a "
        f"step, transfers {pod['transfer_seconds'] * 1e3:,.4g} ms, "
        f"collectives {_share(pod['collective_seconds'], pod['seconds'])}"
    )
    rows = [
        [
            each["name"],
            each["algorithm"],
            f"{each['bytes']:,}",
            f"{each['link_bytes']:,}",
            f"{each['gateway_bytes']:,}",
            f"{each['times']:,}",
            f"{each['seconds'] * 1e3:,.4g}",
            _share(each["seconds"] * each["times"], pod["seconds"]),
        ]
        for each in pod["collectives"]
    ]
    columns = ["", "algorithm", ">bytes", ">IPU-Links", ">GW-Links", ">times", ">ms", ">share"]
    output.table("collectives", columns, rows)


def _show_memory(output: Output, memory: Json) -> None:
    rows = [
        [each["name"], f"{each['total_bytes']:,}", f"{each['fullest_tile_bytes']:,}"]
        for each in memory["categories"]
    ]
    tile = f"tile {memory['fullest_tile']}"
    output.table("bytes by category", ["category", ">all tiles", f">{tile}"], rows)
    owners = [[f"{each['bytes']:,}", each["category"], each["name"]] for each in memory["owners"]]
    output.table(f"what fills {tile}", [">bytes", "category", "owner"], owners)


def _cycles_by_source(operations: list[Json]) -> dict[str, int]:
    """Where the cycles of operations come from; the source of most cycles first."""
    sums: dict[str, int] = {}
    for each in operations:
        sums[each["source"]] = sums.get(each["source"], 0) + each["cycles"]
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _show_operators(output: Output, data: Json) -> None:
    order = sorted(range(len(data["operators"])), key=lambda i: -data["operators"][i]["cycles"])
    operators = [data["operators"][i] for i in order[:_SHOWN]]
    rows_of: dict[int | None, list[int]] = {}  # Several operators may have one operation.
    for step in data["steps"]:
        rows_of.setdefault(step["operator"], []).extend(step["operations"])
    sources = [
        ", ".join(_cycles_by_source([data["operations"][row] for row in rows_of.get(i, [])]))
        for i in order[:_SHOWN]
    ]
    rows = [
        [
            f"{each['cycles']:,}",
            _share(each["cycles"], data["totals"]["cycles"]),
            f"{each['compute_cycles']:,}",
            f"{each['exchange_cycles']:,}",
            f"{each['sync_cycles']:,}",
            f"{each['flops']:,}",
            source,
            each["type"],
            each["name"],
        ]
        for each, source in zip(operators, sources, strict=True)
    ]
    title = f"operators by cycles ({len(rows)} of {len(data['operators'])})"
    columns = [">cycles", ">share", ">compute", ">exchange", ">sync", ">FLOPs"]
    columns += ["cycles by", "type", "operator"]
    output.table(title, columns, rows)


def show_changes(output: Output, before: Profile, after: Profile) -> None:
    """Prints the differences from an earlier profile."""
    rows = [
        [words, *_change(before.data[part][key], after.data[part][key])]
        for words, part, key in _CHANGES
    ]
    columns = ["", ">before", ">after", ">change", ">"]
    output.table(f"against {before.data['model']['name']}", columns, rows)
    old, new = (_cycles(profile) for profile in (before, after))
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    changed.sort(key=lambda key: -abs(new.get(key, 0) - old.get(key, 0)))
    each = [[*_change(old.get(k, 0), new.get(k, 0)), k[1], k[0]] for k in changed[:_SHOWN]]
    title = f"operators whose cycles changed ({len(each)} of {len(changed)})"
    output.table(title, [*columns[1:], "type", "operator"], each)


def _cycles(profile: Profile) -> dict[tuple[str, str], int]:
    """The cycles of operators, by (name, type)."""
    sums: dict[tuple[str, str], int] = {}
    for each in profile.data["operators"]:
        key = (each["name"], each["type"])
        sums[key] = sums.get(key, 0) + each["cycles"]
    return sums


def _change(before: int, after: int) -> list[str]:
    delta = after - before
    share = f"{delta / before:+.1%}" if before else "-"
    return [f"{before:,}", f"{after:,}", f"{delta:+,}", share]


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"
