"""Makes the files of a new operator from the templates in `templates/`."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
import unicodedata
from pathlib import Path
from string import Template

from popir.cli.exits import CommandError

TEMPLATES = Path(__file__).with_name("templates")


def files(type: str, domain: str, cpp: bool, codelet: bool) -> dict[str, str]:
    """The files of an operator: name to contents. Raises CommandError for an impossible name."""
    _check(type, domain, cpp)
    name = snake(type)
    codelets = f"{name}_codelets.cpp"
    language = "cpp" if cpp else "py"
    words = {"Name": type, "name": name, "domain": domain}
    words["codelets"] = f', codelets=HERE / "{codelets}"' if codelet else ""

    def template(file: str, **more: str) -> str:
        text = (TEMPLATES / f"{file}.txt").read_text(encoding="utf-8")
        return Template(text).substitute(words | more)

    kind = "codelet_" if codelet else ""
    parts = {
        "imports": template(f"{kind}imports.{language}"),
        "lowering": template(f"{kind}lowering.{language}"),
        "test_imports": template(f"test_imports.{language}"),
    }
    found = {f"{name}.{language}": template(f"operator.{language}", **parts)}
    if codelet:
        found[codelets] = template("codelets.cpp")
    found[f"test_{name}.py"] = template("test.py", **parts)
    return found


def snake(type: str) -> str:
    """A type in snake case: "leaky_relu_x" for "LeakyReluX"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type).lower()


def _check(type: str, domain: str, cpp: bool) -> None:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", type):
        plain = unicodedata.normalize("NFKD", type).encode("ascii", "ignore").decode()
        words = re.findall(r"[A-Za-z0-9]+", plain)
        camel = "".join(word[:1].upper() + word[1:] for word in words).lstrip("0123456789")
        near = f", such as {camel[:1].upper()}{camel[1:]}" if camel else ""
        raise CommandError(
            f"'{type}' cannot be an operator's name: it takes a capital, then letters and "
            f"digits{near}."
        )
    name = snake(type)
    if not cpp and (keyword.iskeyword(name) or _hides(name)):
        raise CommandError(
            f"The operator's file would be {name}.py, which is the name of one of Python's own "
            "words or modules, or of one that is installed and could not be imported beside it. "
            f"Choose another name than '{type}'."
        )
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", domain):
        raise CommandError(f"'{domain}' is no domain; give words with dots, such as com.acme.")
    if domain.split(".")[0] == "ai":
        raise CommandError(
            f"The domain '{domain}' is for operators of ONNX and popir; take one of your own, such "
            "as com.acme."
        )


def _hides(name: str) -> bool:
    """Whether a file of that name would hide a module of Python or an installed one."""
    if name in sys.stdlib_module_names or name in ("popir", "test"):
        return True
    found = importlib.util.find_spec(name)
    places = Path(found.origin).parts if found is not None and found.origin else ()
    return "site-packages" in places or "dist-packages" in places
