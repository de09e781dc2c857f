"""A profile as an HTML page: `htmlOf`.

The page is one file that loads nothing: it contains the style, the scripts, uPlot (which draws the
plots) and the profile. Its content security policy forbids everything else.
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
    "tables",
    "memory",
    "balance",
    "liveness",
    "trace",
    "tree",
    "views",
    "main",
]
"""The scripts of the page, in order of dependence."""


def htmlOf(profile: Profile, before: Profile | None = None) -> str:
    """The HTML page of a profile; with `before`, a page that compares it with that earlier
    profile.
    """
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
    # Names and texts alternate. Inserted text is not searched for names.
    return first + "".join(parts.get(text, text) for text in rest)


def saveHtml(profile: Profile, path: str | os.PathLike[str], before: Profile | None = None) -> None:
    """Writes the HTML page to a file, atomically. Raises OSError."""
    write(path, htmlOf(profile, before))


def _read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _embedded(value: Json | None) -> str:
    """JSON for a script element; no text in it can end the element."""
    return compact(value).replace("<", "\\u003c")
