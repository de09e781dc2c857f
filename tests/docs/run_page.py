"""Runs the blocks of one page, in order, in one process: `run_page.py STEPS.json RESULTS.json`.

Each step is [kind, place, code]: "python" runs here, "sh" in a bash, "file" writes. What each step
prints goes to its result; the first one that fails ends the run.
"""

import json
import os
import subprocess
import sys
import tempfile
import traceback


def run_python(place, code, names):
    exec(compile(code, place, "exec"), names)


def run_sh(place, code, names):
    subprocess.run(["bash", "-euo", "pipefail", "-c", code], check=True)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        steps = json.load(file)
    names = {"__name__": "__page__"}
    results = []
    sys.path.insert(0, os.getcwd())
    for kind, place, code in steps:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
            kept = os.dup(1), os.dup(2)
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            failed = ""
            try:
                {"python": run_python, "sh": run_sh}[kind](place, code, names)
            except BaseException:
                failed = traceback.format_exc()
            sys.stdout.flush()
            for number, descriptor in zip((1, 2), kept, strict=True):
                os.dup2(descriptor, number)
                os.close(descriptor)
            printed.seek(0)
            results.append({"place": place, "printed": printed.read(), "failed": failed})
        if failed:
            break
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(results, file)


main()
