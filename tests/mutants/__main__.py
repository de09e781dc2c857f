"""Mutation testing of popir's own tests: `python -m tests.mutants`.

Sites are drawn over all parts (`sites.py`) and compiled into one copy of the tree (`copy.py`).
One run of all tests without any mutant says which sites each test comes by; then each mutant runs
against tests that come by it: those of its part's own, quickest first, and if it survives them the
others. What survives that too runs against everything, all survivors at once.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar

from tests.mutants.copy import make
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.runs import Outcome, Server
from tests.mutants.sites import Site, part_of
from tests.mutants.state import Known, Verdict, digests, module
from tests.toolchain import ROOT

OWN = {
    "cpp/bindings": ["tests/poplar", "tests/popart", "tests/fuzz/test_api.py"],
    "cpp/codelets": ["tests/poplar/test_codelets.py", "tests/build"],
    "cpp/costing": ["tests/machine", "tests/poplar"],
    "cpp/engine": ["tests/poplar"],
    "cpp/executable": ["tests/poplar"],
    "cpp/gcl": ["tests/popart"],
    "cpp/kernels": ["tests/popops", "tests/poplin", "tests/popnn", "tests/poprand"],
    "cpp/program": ["tests/poplar", "tests/machine"],
    "cpp/pva": ["tests/poplar", "tests/profile"],
    "cpp/support": ["tests/poplar", "tests/test_memory.py"],
    "cpp/tools": ["tests/poplar/test_codelets.py", "tests/build"],
    "popir": ["tests/test_"],
    "popir/foreign": ["tests/foreign", "tests/popart"],
    "popir/options": ["tests/test_options.py", "tests/test_acting_options.py"],
    "popir/patterns": ["tests/patterns", "tests/test_patterns.py"],
    "popir/transforms": ["tests/transforms", "tests/test_transformed_models.py"],
}
"""How paths of a part's own tests begin, where that is not the folder of the same name."""
BUDGET = 30.0
"""Seconds that one mutant may spend in its part's own tests, and as many in others, before it runs
on everything, together with what else has been left."""
CHUNK = 300
"""Tests of one module that share a process when all run."""
T = TypeVar("T")


class Trial:
    """One run over all mutants; `home` is where the copy, switchboards and what is known are kept.

    Each of `jobs` workers has a clean server, which starts without mutants; sites that collecting
    comes by need a server of their own, whose process has the mutant from its start.
    """

    def __init__(self, home: Path, count: int, seed: str, jobs: int) -> None:
        self.tree, self.file, self.jobs = home / "tree", home / "state.json", jobs
        self.boards = [home / f"board{worker}" for worker in range(2 * jobs)]
        home.mkdir(parents=True, exist_ok=True)
        self.known = Known.load(self.file)
        dropped = set(self.known.dropped)
        self.sites = make(ROOT, self.tree, count, seed, dropped)
        self.known.dropped = sorted(dropped)
        self.names = [site.name for site in self.sites]
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.lock = threading.Lock()

    def run(self) -> None:
        """Learns what tests come by, tries what has not been caught, and keeps what it finds."""
        with ExitStack() as stack:
            self.clean = self._servers(stack, self.boards[: self.jobs])
            self._learn()
            caught = {name for name, verdict in self.known.verdicts.items() if verdict.test}
            left = [site for site in self.sites if site.name not in caught]
            left.sort(key=lambda site: site.name in self.known.early)
            self._each(left, self._alone)
            left = [site for site in left if self.known.verdicts[site.name].test is None]
            left = [site for site in left if site.name not in EQUIVALENT]
            if left:
                self._together(left)
            self.known.tried = dict(self.known.modules)
            self.known.save(self.file)

    def _servers(self, stack: ExitStack, boards: Sequence[Path], on: Sequence[int] = ()):
        """Servers of all tests, which collect at the same time."""
        with ThreadPoolExecutor() as pool:
            started = list(pool.map(lambda board: Server(self.tree, board, [], on), boards))
        return [stack.enter_context(server) for server in started]

    def _each(self, tasks: Sequence[T], work: Callable[[int, T], None]) -> None:
        """Shares tasks over the workers; `work` gets the number of the one it runs in."""
        waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)

        def worker(number: int) -> None:
            with suppress(queue.Empty):
                while True:
                    work(number, waiting.get_nowait())

        with ThreadPoolExecutor(self.jobs) as pool:
            for result in [pool.submit(worker, number) for number in range(self.jobs)]:
                result.result()

    def _learn(self) -> None:
        """Runs all tests, or those that are new, without any mutant."""
        known, tests = self.known, self.clean[0].tests
        found = digests(self.tree, set(map(module, tests)))
        if known.sites != self.names:
            known.tests, known.unfit, known.modules = {}, {}, {}
            known.sites = self.names
        fresh = {path for path in found if known.modules.get(path) != found[path]}
        for old in [*known.tests, *known.unfit]:
            if module(old) in fresh or module(old) not in found:
                known.tests.pop(old, None)
                known.unfit.pop(old, None)
        known.early = [self.names[number] for number in sorted(self.clean[0].early)]
        known.modules = {path: digest for path, digest in found.items() if path not in fresh}
        print(f"{len(tests)} tests, of {len(fresh)} modules new", flush=True)

        def learn(worker: int, chunk: list[str]) -> None:
            limits = dict.fromkeys(chunk, 900.0)
            outcomes = run_all(self.clean[worker], chunk, (), limits)
            with self.lock:
                for outcome in outcomes:
                    known.note(outcome, self.names)

        self._each(chunks(test for test in tests if module(test) in fresh), learn)
        known.modules = found
        known.save(self.file)
        for test, why in known.unfit.items():
            print(f"fails without any mutant: {test}: {why[-200:]!r}", flush=True)

    def _alone(self, worker: int, site: Site) -> None:
        """Tries one mutant: on its part's own tests, then on others until the budget is spent."""
        known, early = self.known, site.name in self.known.early
        come_by = self._come_by(site)
        tests = list(known.tests) if early else list(come_by)
        if site.name in known.verdicts:  # It has survived what is as it was.
            tried = known.tried
            tests = [t for t in tests if tried.get(module(t)) != known.modules[module(t)]]
        own = [test for test in tests if is_own(site, test)]
        others = [test for test in tests if not is_own(site, test)]
        bad = self._hunt(worker, site, self._ordered(own, come_by), BUDGET)
        self._judge(site, bad or self._hunt(worker, site, self._ordered(others, come_by), BUDGET))

    def _together(self, sites: Sequence[Site]) -> None:
        """Runs everything with all these mutants, and each of them on the tests that fail: finds
        what comes by a site only in another order, such as caches and imports."""
        numbers = [self.numbers[site.name] for site in sites]
        print(f"{len(sites)} mutants together", flush=True)
        failed: list[str] = []
        with ExitStack() as stack:
            servers = self._servers(stack, self.boards[self.jobs :], numbers)
            limits = self._limits()

            def run(worker: int, chunk: list[str]) -> None:
                outcomes = run_all(servers[worker], chunk, numbers, limits)
                with self.lock:
                    failed.extend(outcome.test for outcome in outcomes if outcome.failed)

            self._each(chunks(self.known.tests), run)
        print(f"{len(failed)} tests fail", flush=True)

        def hunt(worker: int, site: Site) -> None:
            order = self._ordered(failed, self._come_by(site))
            self._judge(site, self._hunt(worker, site, order, float("inf")))

        self._each(sites, hunt)

    def _come_by(self, site: Site) -> set[str]:
        """The tests that come by a site."""
        with self.lock:
            tests = self.known.tests.items()
            return {test for test, (_, seen) in tests if site.name in seen}

    def _hunt(self, worker: int, site: Site, tests: list[str], budget: float) -> Outcome | None:
        """The first of the tests that fails with the mutant and, run again, passes without."""
        if not tests:
            return None
        number, clean = self.numbers[site.name], self.clean[worker]
        with ExitStack() as stack:
            server = clean
            if site.name in self.known.early:
                paths = sorted(set(map(module, tests)))
                board = self.boards[self.jobs + worker]
                server = stack.enter_context(Server(self.tree, board, paths, [number]))
                if server.broken:
                    return Outcome(paths[0], "collecting fails", 0.0)
            end = time.monotonic() + budget
            while tests:
                left = end - time.monotonic()
                done = server.run(tests, [number], limits=self._limits(), budget=left)
                if not done or not done[-1].failed:
                    return None
                test = done[-1].test
                again = clean.run([test], limits=self._limits())
                if again and not again[0].failed:
                    return done[-1]
                with self.lock:
                    self.known.unfit[test] = f"fails now and then: {done[-1].failed}"
                    self.known.tests.pop(test, None)
                tests = tests[tests.index(test) + 1 :]
        return None

    def _judge(self, site: Site, bad: Outcome | None) -> None:
        verdict = Verdict(None)
        if bad is not None:
            verdict = Verdict(bad.test, (bad.failed or "")[-300:], is_own(site, bad.test))
        with self.lock:
            self.known.verdicts[site.name] = verdict
            self.known.save(self.file)
        print(f"{site.path}:{site.line} {site.kind}: {verdict.test or 'SURVIVED'}", flush=True)

    def _limits(self) -> dict[str, float]:
        """How long each test may take; fixtures that others shared may be set up anew."""
        with self.lock:
            return {test: 60 + 10 * seconds for test, (seconds, _) in self.known.tests.items()}

    def _ordered(self, tests: Iterable[str], first: set[str]) -> list[str]:
        """The quickest first, by modules, so that what a module's tests share is set up once."""
        with self.lock:
            seconds = {
                test: self.known.tests[test][0] for test in tests if test in self.known.tests
            }
        whole: dict[str, list[float]] = {}
        for test, each in seconds.items():
            whole.setdefault(module(test), []).append(each)
        mean = {path: sum(each) / len(each) for path, each in whole.items()}
        return sorted(
            seconds, key=lambda t: (t not in first, mean[module(t)], module(t), seconds[t])
        )


def is_own(site: Site, test: str) -> bool:
    """Whether a test is one of those of the site's part."""
    part = part_of(site.path)
    return test.startswith(tuple(OWN.get(part, [f"tests/{part.rpartition('/')[2]}/"])))


def chunks(tests: Iterable[str]) -> list[list[str]]:
    """Tests by modules, in pieces for one process each."""
    whole: dict[str, list[str]] = {}
    for test in tests:
        whole.setdefault(module(test), []).append(test)
    pieces = [
        those[start : start + CHUNK]
        for those in whole.values()
        for start in range(0, len(those), CHUNK)
    ]
    return sorted(pieces, key=len, reverse=True)


def run_all(
    server: Server, tests: list[str], on: Sequence[int], limits: dict[str, float]
) -> list[Outcome]:
    """Runs all tests whatever becomes of them, in a new process after each crash."""
    outcomes: list[Outcome] = []
    while tests:
        done = server.run(tests, on, limits=limits, first=False)
        outcomes += done
        if not done:
            break
        tests = tests[tests.index(done[-1].test) + 1 :]
    return outcomes


def report(trial: Trial) -> None:
    """Prints the table of parts, and what survived."""
    rows: dict[str, Counter[str]] = {}
    for site in trial.sites:
        verdict = trial.known.verdicts.get(site.name, Verdict(None))
        row = rows.setdefault(part_of(site.path), Counter())
        row["mutants"] += 1
        row["own"] += bool(verdict.test and verdict.own)
        row["whole"] += bool(verdict.test)
        row["equivalent"] += not verdict.test and site.name in EQUIVALENT
        row["survived"] += not verdict.test and site.name not in EQUIVALENT
    columns = ("mutants", "own", "whole", "equivalent", "survived")
    total = sum(rows.values(), Counter())
    print(f"{'part':20}" + "".join(f"{name:>12}" for name in columns))
    for part, row in [*sorted(rows.items()), ("all", total)]:
        print(f"{part:20}" + "".join(f"{row[name]:12}" for name in columns))
    share = total["whole"] / (total["mutants"] - total["equivalent"])
    print(f"{share:.1%} of those that are not equivalent are caught")
    come_by = {name for _, seen in trial.known.tests.values() for name in seen}
    for site in trial.sites:
        verdict = trial.known.verdicts.get(site.name, Verdict(None))
        if not verdict.test:
            why = "survived" if site.name in come_by else "survived: no test comes by it"
            why = EQUIVALENT.get(site.name, why)
            number = trial.numbers[site.name]
            print(f"{site.path}:{site.line} ({number}) {site.kind} {site.before!r}: {why}")


def main() -> int:
    """Runs everything and prints what came of it; 1 if a mutant survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="mutants (%(default)s)")
    parser.add_argument("--seed", default="popir", help="other sites for another word")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "mutants", help="the folder")
    given = parser.parse_args()
    trial = Trial(given.keep.resolve(), given.count, given.seed, given.jobs)
    trial.run()
    report(trial)
    found = (trial.known.verdicts[name].test or name in EQUIVALENT for name in trial.names)
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
