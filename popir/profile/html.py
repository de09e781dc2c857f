"""A profile as a page that people look at: `htmlOf`.

The page is one file that loads nothing: its style, its scripts, uPlot (which draws the plots) and
the profile itself stand in it, and its content security policy forbids everything else.
"""

from __future__ import annotations

import html
import os
from pathlib import Path

from popir.files import write
from popir.profile.document import Json, Profile, compact

PAGE = Path(__file__).with_name("page")
STYLES = ["uplot/uPlot.min.css", "style.css"]
SCRIPTS = [
    "dom",
    "model",
    "plot",
    "summary",
    "memory",
    "liveness",
    "trace",
    "tables",
    "views",
    "main",
]
"""The scripts of the page, each of which uses those before it."""


def htmlOf(profile: Profile, before: Profile | None = None) -> str:
    """The page; with `before`, one that compares the profile with that earlier one."""
    name = profile.data["model"]["name"]
    scripts = "\n".join(_read(f"{script}.js") for script in SCRIPTS)
    parts = {
        "title": html.escape(f"{name} - popir profile"),
        "style": "\n".join(map(_read, STYLES)),
        "profile": _embedded(profile.data),
        "before": _embedded(before.data if before else None),
        "script": f'{_read("uplot/uPlot.iife.min.js")}\n(() => {{\n"use strict";\n{scripts}}})();',
    }
    first, *rest = _read("page.html").split("@")
    # Names and texts alternate: what is put in is never looked through again.
    return first + "".join(parts.get(text, text) for text in rest)


def saveHtml(profile: Profile, path: str | os.PathLike[str], before: Profile | None = None) -> None:
    """Writes the page; the file appears whole or not at all. Raises OSError."""
    write(path, htmlOf(profile, before))


def _read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _embedded(value: Json | None) -> str:
    """JSON for a script element: nothing in it ends the element."""
    return compact(value).replace("<", "\\u003c")
