"""No function of popir takes what it does not look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.toolchain import ROOT

FILES = sorted((ROOT / "popir").rglob("*.py"))
TREES = {file: ast.parse(file.read_text()) for file in FILES}

ALLOWED = {
    "Reports.getSummaryReport.resetProfile": "PopART's; the report has nothing to reset",
    "PopirBackend.run_node.outputs_info": "ONNX's; a hint that nothing needs",
    "Commands.list_commands.ctx": "click's interface",
    "Number.get_metavar.param": "click's interface",
    "Number.get_metavar.ctx": "click's interface",
    "Interruption._take.signum": "a signal handler's",
    "Interruption._take.frame": "a signal handler's",
    "passed_on.frame": "a signal handler's",
    "Expression.__array_function__.types": "numpy's interface",
    "cached_property.__set_name__.owner": "Python's interface of descriptors",
    "cached_property.__get__.owner": "Python's interface of descriptors",
    "_Reader._op_after_all.each": "all instructions are added by functions of one form",
    "_Reader._op_tuple.each": "all instructions are added by functions of one form",
}
"""What is not read, and why it is there."""


def methods() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function, by the name of its class and its own."""
    for tree in TREES.values():
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            for each in body if isinstance(body, list) else ():
                if isinstance(each, ast.FunctionDef):
                    owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                    yield f"{owner}{each.name}", each


def declares(function: ast.FunctionDef) -> bool:
    """Whether it has no body but words, an error or something fixed: subclasses have, or, of an
    overload, what follows it.
    """
    rest = [
        s
        for s in function.body
        if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    ]
    fixed = not any(isinstance(node, (ast.Name, ast.Call)) for s in rest for node in ast.walk(s))
    return not rest or (len(rest) == 1 and (isinstance(rest[0], ast.Raise) or fixed))


def inherited() -> set[str]:
    """Methods, by class and name, that a base or a derived class of popir has too, or that a class
    from elsewhere may ask for.
    """
    classes = {
        n.name: n for tree in TREES.values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef)
    }
    own = {
        name: {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
        for name, node in classes.items()
    }

    def above(name: str) -> Iterator[str]:
        for base in classes[name].bases if name in classes else ():
            if isinstance(base, ast.Name):
                yield base.id
                yield from above(base.id)

    found: set[str] = set()
    for name in classes:
        for base in set(above(name)) & own.keys():
            both = own[name] & own[base]
            found |= {f"{each}.{method}" for each in (name, base) for method in both}
    return found


def source(nodes: list[ast.expr]) -> str:
    """The source of the decorators."""
    return " ".join(map(ast.unparse, nodes))


def unread() -> Iterator[str]:
    shared = inherited()
    for name, function in methods():
        is_overload = any(
            isinstance(d, ast.Name) and d.id == "overload" for d in function.decorator_list
        )
        if name in shared or name.endswith(".__exit__"):
            continue
        is_stub = ast.unparse(function.body[0]) == "..."  # for type checkers
        if is_stub or (("." in name or is_overload) and declares(function)):
            continue
        a = function.args
        names = [arg.arg for arg in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
        names += [arg.arg for arg in (a.vararg, a.kwarg) if arg is not None]
        read = {
            node.id
            for statement in function.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        for each in names:
            if each == "call" and "host_operator(" in source(function.decorator_list):
                continue  # The registry gives the call to every operator of the host.
            if each not in read and each not in ("self", "cls") and not each.startswith("_"):
                yield f"{name}.{each}"


def test_every_parameter_is_read_or_excused() -> None:
    assert set(unread()) == set(ALLOWED)
