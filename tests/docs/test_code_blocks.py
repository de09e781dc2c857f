"""Every code block of the README and of docs/ does what it says; see `tests.docs.blocks`."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks, commands
from tests.toolchain import CXX, PACKAGE, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"python", "sh", "cpp", "c", "cmake", "output", "text"}
RUNNER = Path(__file__).with_name("run_page.py")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def builds_popir(block: Block) -> bool:
    """Whether a shell block is made of commands that would build popir or run all of its tests."""
    starts = (
        "make ",
        "cmake -S cpp",
        "cmake --build build/dev",
        "pip install .",
        "python -m bench",
    )
    assignment = re.compile(r"^(\w+=(\"[^\"]*\"|\S*) )+")
    lines = [assignment.sub("", line) + " " for line in commands(block.code)]
    return block.language == "sh" and all(line.startswith(starts) for line in lines)


def check_build(line: str) -> None:
    """Asserts that what a command names is there: targets, folders, modules, options."""
    words = [word for word in shlex.split(line) if not re.match(r"^\w+=", word)]
    if words[0] == "make":
        targets = (ROOT / "Makefile").read_text()
        for target in words[1:]:
            assert re.search(rf"^{re.escape(target)}:", targets, re.MULTILINE), target
    elif words[:2] == ["python", "-m"]:
        assert (ROOT / (words[2].replace(".", "/") + ".py")).exists() or words[2] == "bench"
    elif words[0] == "cmake" and "-S" in words:
        assert (ROOT / words[words.index("-S") + 1] / "CMakeLists.txt").exists()
    else:
        assert words[:2] in (["pip", "install"], ["cmake", "--build"]), line
    for option in re.findall(r"-D(POPIR_\w+)", line):
        assert option in (ROOT / "cpp" / "CMakeLists.txt").read_text(), option


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the commands that an installed popir brings, and a compiler with a memory."""
    folder = tmp_path_factory.mktemp("bin")
    scripts = {
        "popir": f'{sys.executable} -m popir "$@"',
        "python": f'{sys.executable} "$@"',
        "popir-config": f'{PACKAGE / "bin" / "popir-config"} "$@"',
        "g++": f'{"ccache " if shutil.which("ccache") else ""}{shutil.which(CXX)} "$@"',
    }
    for script, command in scripts.items():
        (folder / script).write_text(f"#!/bin/sh\nexec {command}\n")
        (folder / script).chmod(0o755)
    return folder


def steps(page: Path) -> list[tuple[str, Block]]:
    """What is done for each block of a page."""
    found: list[tuple[str, Block]] = []
    for block in blocks(page):
        if block.file:
            kind = "file"
        elif builds_popir(block):
            kind = "build"
        else:
            kind = block.language
        found.append((kind, block))
    return found


def run(page: Path, folder: Path, programs: Path) -> Counter[str]:
    """Runs a page in an empty folder; how many blocks of each kind there were."""
    given, done = [], Counter[str]()
    for kind, block in steps(page):
        done[kind] += 1
        if kind == "file":
            code = f"open({block.file!r}, 'w', encoding='utf-8').write({block.code!r})"
            given.append(("python", block.where, code))
        elif kind == "build":
            for line in commands(block.code):
                check_build(line)
        elif kind in ("python", "sh"):
            given.append((kind, block.where, block.code))
    results = execute(given, folder, programs)
    check_outputs(page, results)
    return done


def execute(given: list[tuple[str, str, str]], folder: Path, programs: Path) -> dict[str, str]:
    """What each block printed, by its place."""
    (folder / "page").mkdir()
    inputs, outputs = folder / "steps.json", folder / "results.json"
    inputs.write_text(json.dumps(given))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("POPIR", "LD_"))}
    path = [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment |= {
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": str(ROOT),
        "CCACHE_NOHASHDIR": "1",
        "POPIR_CACHE": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(inputs), str(outputs)],
        cwd=folder / "page",
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(outputs.read_text())
    for result in results:
        assert not result["failed"], f"{result['place']}\n{result['printed']}{result['failed']}"
    assert len(results) == len(given)
    return {result["place"]: result["printed"] for result in results}


def check_outputs(page: Path, printed: dict[str, str]) -> None:
    """Asserts that every `output` block is what the block before it printed."""
    before: Block | None = None
    for block in blocks(page):
        if block.language == "output":
            assert before is not None and before.where in printed, f"{block.where}: of what?"
            form = ".*".join(map(re.escape, block.code.rstrip().split("...")))
            said = printed[before.where].rstrip()
            assert re.fullmatch(form, said, re.DOTALL), f"{block.where}: it printed\n{said}"
        before = block


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_blocks_do_what_they_say(page: Path, tmp_path: Path, programs: Path) -> None:
    done = run(page, tmp_path, programs)
    present = Counter(block.language for block in blocks(page))
    assert done.total() == present.total()
    assert done["text"] == present["text"], "a block was passed over"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_has_a_language(page: Path) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.where}: {block.language!r}"
        known = block.language not in ("cpp", "c", "cmake") or block.file
        assert known, f"{block.where}: say in a comment which file it is, or fence it as text"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_are_used(page: Path) -> None:
    found = blocks(page)
    for i, block in enumerate(found):
        if block.file:
            later = [each.code for each in found[i + 1 :] if each.language in ("sh", "python")]
            stem = re.compile(rf"\b{re.escape(block.file)}\b|\bimport {Path(block.file).stem}\b")
            used = any(stem.search(code) for code in later)
            assert used or block.file == "CMakeLists.txt", f"{block.where}: no block uses the file"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_readme_names_every_page() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name(page) for page in PAGES[1:] if f"({name(page)})" not in text] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```sh\nfalse\n```\n", "non-zero exit status 1"),
        ("```python\nprint(1)\n```\n\n```output\n2\n```\n", "page.md:5: it printed"),
        ("```sh\nmake nonsense\n```\n", "nonsense"),
        ("```sh\ncmake -S cpp -DPOPIR_NONSENSE=1\n```\n", "POPIR_NONSENSE"),
        ("```python\nopen('x')\n", "the block does not end"),
    ],
)
def test_what_is_wrong_is_found(text: str, words: str, tmp_path: Path, programs: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError, match=re.escape(words)):
        run(page, tmp_path, programs)
