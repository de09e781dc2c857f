"""A profile as a trace for Perfetto: `traceOf`.

The format is Chrome's JSON "Trace Event Format", which Perfetto reads. Times are in microseconds,
by the simulated machine's clock.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

from popir.files import write
from popir.profile.document import Json, Profile, compact

PROCESS = 1
PARTS = ("sync", "exchange", "compute")
LINKS = ("host", "streaming memory")
LANES = ("operators", "steps", *PARTS, *LINKS)
"""The tracks, from top to bottom. A step consists of its sync, exchange and compute, one after the
other; where tiles wait for a transfer there is nothing in these. Transfers with the host and with
streaming memory have tracks of their own. With several IPUs there is another track for each of
them, with its steps.
"""


def traceOf(profile: Profile) -> Json:
    """The trace of one run, with the keys `traceEvents` and `otherData`.

    A step that runs several times is one slice with the length of all runs, and `times` as an
    argument; so is its transfer. A slice of the track "operators" is a sequence of steps of one
    operator.
    """
    data = profile.data
    machine = data["machine"]
    name = f"{data['model']['name']} on {machine['ipus']} x {machine['target']}"
    events: list[Json] = [_named("process_name", 0, name)]
    ipus = machine["ipus"] if machine["ipus"] > 1 else 0
    for i, lane in enumerate([*LANES, *(f"IPU {ipu}" for ipu in range(ipus))]):
        events.append(_named("thread_name", i, lane))
        events.append({**_event("M", i), "name": "thread_sort_index", "args": {"sort_index": i}})
    events += _slices(data, machine["clock_hz"])
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"popir": data["popir"], **machine},
    }


def saveTrace(profile: Profile, path: str | os.PathLike[str]) -> None:
    """Writes the trace to a file, atomically. Raises OSError."""
    write(path, compact(traceOf(profile)))


def _slices(data: Json, clock: float) -> Generator[Json]:
    """The slices of each track in order of time; `clock` is in cycles a second. Times are counted
    in cycles.
    """
    us = 1e6 / clock
    now, begun, running = 0.0, 0.0, None
    for step in data["steps"]:
        if step["operator"] != running:
            yield from _operator(data, running, begun * us, (now - begun) * us)
            begun, running = now, step["operator"]
        yield _counter("live bytes", now * us, step["live_bytes"])
        length = step["cycles"] * step["times"]
        if length:
            args = {k: v for k, v in step.items() if k not in ("name", "operations", "ipus")}
            yield _slice(1, step["name"], step["kind"], now * us, length * us, args)
            if data["machine"]["ipus"] > 1:
                for ipu in step["ipus"]:
                    at = len(LANES) + ipu
                    yield _slice(at, step["name"], step["kind"], now * us, length * us, {})
        for lane in PARTS:
            part = step[f"{lane}_cycles"] * step["times"]
            if part:
                yield _slice(LANES.index(lane), step["name"], lane, now * us, part * us, {})
            now += part
        if step["transfer_seconds"]:
            begin, length = step["transfer_begin_seconds"], step["transfer_seconds"] * step["times"]
            link = LANES.index(LINKS[0 if step["host_bytes"] else 1])
            args = {key: step[key] for key in ("times", "host_bytes", "streaming_bytes")}
            args["waited_us"] = step["wait_seconds"] * 1e6
            yield _slice(link, step["name"], step["kind"], begin * 1e6, length * 1e6, args)
        now += step["wait_seconds"] * clock
    yield from _operator(data, running, begun * us, (now - begun) * us)
    yield _counter("live bytes", now * us, 0)


def _operator(data: Json, row: int | None, at: float, length: float) -> Generator[Json]:
    if row is not None and length:
        operator = data["operators"][row]
        kind = f"{operator['domain']}.{operator['type']}"
        yield _slice(0, operator["name"], kind, at, length, {"type": kind})


def _event(phase: str, lane: int) -> Json:
    return {"ph": phase, "pid": PROCESS, "tid": lane}


def _named(what: str, lane: int, name: str) -> Json:
    return {**_event("M", lane), "name": what, "args": {"name": name}}


def _slice(lane: int, name: str, kind: str, at: float, length: float, args: Json) -> Json:
    return {**_event("X", lane), "name": name, "cat": kind, "ts": at, "dur": length, "args": args}


def _counter(name: str, at: float, value: Any) -> Json:
    return {"ph": "C", "pid": PROCESS, "name": name, "ts": at, "args": {"bytes": value}}
