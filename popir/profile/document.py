"""`Profile`: the machine report of a model by its operators, as JSON that can be saved."""

from __future__ import annotations

import functools
import html
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from popir import _library
from popir.errors import ModelError
from popir.files import write
from popir.ir import Graph
from popir.profile.engine_file import Parts, is_engine_file, report_of
from popir.profile.operators import Operators
from popir.profile.pod import PodReport
from popir.profile.report import MachineReport, OperationCost, ProgramPart, StepCost

FORMAT = "popir.profile"
VERSION = 6
KINDS = {True: "training step", False: "inference", None: "program"}
"""What is profiled, in words, by `training` of the model."""
SCHEMA = Path(__file__).with_name("schema.json")
"""The file with the JSON schema of `Profile.data`."""

Json = dict[str, Any]
_MEMORY = ("gathered_bytes", "vertex_state_bytes", "exchange_code_bytes")
_COSTS = ("cycles", "compute_cycles", "exchange_cycles", "sync_cycles", "exchange_bytes")
_SUMS = (*_COSTS, "flops", *_MEMORY)


@dataclass(frozen=True, repr=False)
class Profile:
    """The cost of a program on the simulated machine, by operators. `data` follows the JSON schema
    in `SCHEMA`.
    """

    data: Json
    """The profile as JSON values: model, machine, totals, pod, memory, balance, tree, steps,
    operations, operators, notes.
    """

    @staticmethod
    def of(
        report: MachineReport,
        graph: Graph,
        name: str,
        loss: str | None = None,
        pod: PodReport | None = None,
    ) -> Profile:
        """Makes the profile of a program that was lowered from a compiled graph.

        Args:
            report: the machine report of the program.
            graph: the compiled graph.
            name: the name of the model.
            loss: the id of the loss; None for inference.
            pod: the collectives of several replicas; None for one replica.
        """
        model = {
            "name": name,
            "training": loss is not None,
            "loss": loss,
            "inputs": {id: str(graph.getTensor(id).info) for id in graph.inputs},
        }
        return Profile._made(report, Operators(graph), model, pod)

    @staticmethod
    def _made(
        report: MachineReport, found: Operators | Parts, model: Json, pod: PodReport | None = None
    ) -> Profile:
        operations = [_operation(each) for each in report.operations]
        operators = [{**each, **dict.fromkeys(_SUMS, 0)} for each in found.rows]
        steps = [_step(step, _operator(step, found)) for step in report.steps]
        _add_costs(operators, steps, operations)
        _add_memory(operators, report.steps, steps)
        return Profile(
            {
                "format": FORMAT,
                "version": VERSION,
                "popir": _library.version(),
                "model": model,
                "machine": {
                    "target": report.target,
                    "ipus": report.numIPUs,
                    "tiles_per_ipu": report.tilesPerIPU,
                    "clock_hz": report.clockHz,
                    "bytes_per_tile": report.bytesPerTile,
                },
                "totals": _totals(report),
                "pod": None if pod is None else _pod(pod),
                "memory": _memory(report, found),
                "balance": {
                    "tile_compute_cycles": report.tileComputeCycles.tolist(),
                    "tile_received_bytes": report.tileReceivedBytes.tolist(),
                },
                "tree": [_part(each) for each in report.parts],
                "steps": steps,
                "operations": operations,
                "operators": operators,
                "notes": report.counts,
            }
        )

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Profile:
        """Reads a file written by `save`, or the `profile.pop` of an Engine. That has no operators;
        what its program's author has named takes their place (`popir.profile.engine_file`).

        Raises ModelError, saying what is wrong, for a file that is no profile or of another
        version; OSError for one that cannot be read.
        """
        if is_engine_file(path):
            report, has_numbers = report_of(path)
            model = {"name": Path(path).name, "training": None, "loss": None, "inputs": {}}
            return Profile._made(report, Parts(report, has_numbers), model)
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:  # Also for too many digits.
            raise ModelError(f"{path} is no profile: it is no JSON ({error}).") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ModelError(
                f"{path} is no profile: its 'format' is not '{FORMAT}'. `popir profile MODEL "
                "--json` writes profiles."
            )
        if data.get("version") != VERSION:
            raise ModelError(
                f"{path} is a profile of version {data.get('version')}; this popir reads version "
                f"{VERSION}. Profile the model anew."
            )
        check(data, str(path))
        return Profile(data)

    def json(self) -> str:
        """The profile as JSON text, which `load` reads."""
        return compact(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the profile to a file, atomically. Raises OSError."""
        write(path, self.json())

    def __repr__(self) -> str:
        model, machine = self.data["model"], self.data["machine"]
        what = KINDS[model["training"]]
        return (
            f"<Profile of '{model['name']}': {what} on {machine['ipus']} x {machine['target']}, "
            f"{self.data['totals']['cycles']} cycles, {len(self.data['operators'])} operators>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the page, in a frame of its own, whose scripts reach nothing
        outside of it.
        """
        from popir.profile.html import htmlOf  # It shows profiles, and imports this module.

        return (
            f'<iframe title="{html.escape(repr(self))}" srcdoc="{html.escape(htmlOf(self))}" '
            'sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: 48em; border: 0"></iframe>'
        )


def compact(value: Json | None) -> str:
    """`value` as JSON without blanks."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def check(data: Any, where: str) -> None:
    """Raises ModelError, naming the first error, if `data` does not follow the schema, or if a row
    refers to one that does not exist.
    """
    import fastjsonschema  # Slow to import, and only needed for loaded files.

    try:
        _validator()(data)
    except fastjsonschema.JsonSchemaValueException as error:
        raise ModelError(f"{where} is no profile: {error.message}.") from None
    tiles = data["machine"]["ipus"] * data["machine"]["tiles_per_ipu"]
    for category in data["memory"]["categories"]:
        if len(category["tile_bytes"]) != tiles:
            raise ModelError(
                f"{where} is no profile: '{category['name']}' has bytes for "
                f"{len(category['tile_bytes'])} tiles; the machine has {tiles}."
            )
    if data["memory"]["fullest_tile"] >= max(tiles, 1):
        raise ModelError(f"{where} is no profile: its fullest tile is none of its {tiles} tiles.")
    _check_rows(
        where, "operators", data, [*data["operations"], *data["steps"], *data["memory"]["owners"]]
    )
    for step in data["steps"]:
        if any(i >= len(data["operations"]) for i in step["operations"]):
            raise ModelError(f"{where} is no profile: a step has operations that are not there.")
        if len(step["ipus"]) != len(step["ipu_compute_cycles"]):
            raise ModelError(f"{where} is no profile: a step has IPUs without cycles.")
    _check_tiles(where, data, tiles)


def _check_rows(where: str, of: str, data: Json, users: Sequence[Json]) -> None:
    for user in users:
        if (user["operator"] or 0) >= len(data[of]) and user["operator"] is not None:
            raise ModelError(
                f"{where} is no profile: '{user['name']}' belongs to operator {user['operator']}, "
                f"of {len(data[of])}."
            )


def _check_tiles(where: str, data: Json, tiles: int) -> None:
    """That what has numbers by tile, or by step, has them of tiles and steps that there are."""
    for name, values in data["balance"].items():
        if len(values) != tiles:
            raise ModelError(f"{where} is no profile: '{name}' has not one number for each tile.")
    steps = len(data["steps"])
    for each in [*data["memory"]["variables"], *data["memory"]["vertices"]]:
        if any(not begin < end <= tiles for begin, end, _ in each["tiles"]):
            raise ModelError(f"{where} is no profile: tiles of memory are not there.")
        if any(not first <= last < steps for first, last in each.get("live", [])):
            raise ModelError(
                f"{where} is no profile: a variable lives at steps that are not there."
            )
    if any(each["first_step"] + each["steps"] > steps for each in data["tree"]):
        raise ModelError(f"{where} is no profile: its tree has steps that are not there.")


@functools.cache
def _validator() -> Any:
    import fastjsonschema

    return fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _operation(each: OperationCost) -> Json:
    return {
        "name": each.name,
        "vertex": each.vertexClass,
        "source": each.source,
        "operator": None,
        "times": each.times,
        "cycles": each.cycles,
        "compute_cycles": each.computeCycles,
        "exchange_cycles": each.exchangeCycles,
        "sync_cycles": each.syncCycles,
        "exchange_bytes": each.exchangeBytes,
        "flops": each.flops,
    }


def _add_costs(operators: list[Json], steps: list[Json], operations: list[Json]) -> None:
    """Adds the costs of steps to their operators, and sets the operator of each operation to that
    of its first step.
    """
    for step in steps:
        if step["operator"] is None:
            continue
        operator = operators[step["operator"]]
        for part in _COSTS:
            operator[part] += step["times"] * step[part]
        for row in step["operations"]:
            operation = operations[row]
            if operation["operator"] is None:
                operation["operator"] = step["operator"]
            operator["flops"] += step["times"] * operation["flops"] // operation["times"]


def _add_memory(operators: list[Json], report: Sequence[StepCost], steps: list[Json]) -> None:
    """Adds the memory of steps to their operators. Memory that a step has only once, however often
    it runs, is counted where it runs first.
    """
    known: set[tuple[int, ...]] = set()
    for step, data in zip(report, steps, strict=True):
        if data["operator"] is None:
            continue
        operator = operators[data["operator"]]
        operator["gathered_bytes"] = max(operator["gathered_bytes"], step.gatheredBytes)
        key = tuple(step.operations)
        if key not in known:
            known.add(key)
            operator["vertex_state_bytes"] += step.vertexStateBytes
            operator["exchange_code_bytes"] += step.exchangeCodeBytes


def _totals(report: MachineReport) -> Json:
    return {
        "cycles": report.cycles,
        "compute_cycles": report.computeCycles,
        "exchange_cycles": report.exchangeCycles,
        "sync_cycles": report.syncCycles,
        "unknown": report.unknown,
        "seconds": report.seconds,
        "flops": report.flops,
        "exchange_bytes": report.exchangeBytes,
        "inter_ipu_bytes": report.interIPUBytes,
        "inter_ipu_cycles": report.interIPUCycles,
        "host_bytes_in": report.hostBytesIn,
        "host_bytes_out": report.hostBytesOut,
        "host_transfers": report.hostTransfers,
        "host_seconds": report.hostSeconds,
        "streaming_bytes_in": report.streamingBytesIn,
        "streaming_bytes_out": report.streamingBytesOut,
        "streaming_seconds": report.streamingSeconds,
        "overlap_seconds": report.overlapSeconds,
        "run_seconds": report.runSeconds,
    }


def _pod(pod: PodReport) -> Json:
    return {
        "replicas": pod.replicas,
        "ipus": pod.ipus,
        "seconds": pod.seconds,
        "replica_seconds": pod.replicaSeconds,
        "transfer_seconds": pod.transferSeconds,
        "collective_seconds": pod.collectiveSeconds,
        "collectives": [
            {
                "name": each.name,
                "algorithm": each.algorithm,
                "times": each.times,
                "rounds": each.rounds,
                "bytes": each.bytes,
                "link_bytes": each.linkBytes,
                "gateway_bytes": each.gatewayBytes,
                "seconds": each.seconds,
                "link_seconds": each.linkSeconds,
                "gateway_seconds": each.gatewaySeconds,
                "sync_seconds": each.syncSeconds,
            }
            for each in pod.collectives
        ],
    }


def _memory(report: MachineReport, found: Operators | Parts) -> Json:
    return {
        "total_bytes": report.totalBytes,
        "max_tile_bytes": report.maxTileBytes,
        "fullest_tile": report.fullestTile,
        "tiles_out_of_memory": report.tilesOutOfMemory,
        "interleaved_bytes": int(report.interleavedBytes.max(initial=0)),
        "non_interleaved_bytes": int(report.nonInterleavedBytes.max(initial=0)),
        "interleaved_bytes_per_tile": report.interleavedBytesPerTile,
        "streaming_bytes": report.streamingMemoryBytes,
        "remote_buffers": [
            {
                "name": each.name,
                "bytes": each.bytes,
                "bytes_in": each.bytesIn,
                "bytes_out": each.bytesOut,
            }
            for each in report.remoteBuffers
        ],
        "categories": [
            {
                "name": each.category,
                "always_live": each.alwaysLive,
                "total_bytes": each.totalBytes,
                "fullest_tile_bytes": each.fullestTileBytes,
                "tile_bytes": each.tileBytes.tolist(),
            }
            for each in report.memory
        ],
        "variables": [
            {
                "name": each.name,
                "category": each.category,
                "total_bytes": each.bytes,
                "tiles": [list(run) for run in each.tiles],
                "live": [list(span) for span in each.live],
            }
            for each in report.variables
        ],
        "vertices": [
            {
                "vertex": each.vertexClass,
                "code_bytes": each.codeBytes,
                "tiles": [list(run) for run in each.tiles],
            }
            for each in report.vertices
        ],
        "owners": [{**vars(each), "operator": found.named(each.name)} for each in report.owners],
    }


def _part(part: ProgramPart) -> Json:
    return {
        "kind": part.kind,
        "name": part.name,
        "depth": part.depth,
        "first_step": part.firstStep,
        "steps": part.steps,
        "times": part.times,
    }


def _operator(step: StepCost, found: Operators | Parts) -> int | None:
    return found.behind(step.blocks, step.name) if step.operations else None


def _step(step: StepCost, operator: int | None) -> Json:
    return {
        "name": step.name,
        "kind": step.kind,
        "operator": operator,
        "times": step.times,
        "cycles": step.cycles,
        "compute_cycles": step.computeCycles,
        "exchange_cycles": step.exchangeCycles,
        "sync_cycles": step.syncCycles,
        "inter_ipu_cycles": step.interIPUCycles,
        "mean_compute_cycles": step.meanComputeCycles,
        "exchange_bytes": step.exchangeBytes,
        "host_bytes": step.hostBytesIn + step.hostBytesOut,
        "streaming_bytes": step.streamingBytesIn + step.streamingBytesOut,
        "transfer_seconds": step.transferSeconds,
        "wait_seconds": step.waitSeconds,
        "transfer_begin_seconds": step.transferBegin,
        "live_bytes": step.liveBytes,
        "fullest_tile_live_bytes": step.fullestTileLiveBytes,
        "gathered_bytes": step.gatheredBytes,
        "ipus": step.ipus,
        "ipu_compute_cycles": step.ipuComputeCycles,
        "operations": step.operations,
    }
