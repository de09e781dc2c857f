"""Where source can be changed, and the text that makes each change one of run time.

A site is one expression or statement. Its mutant is compiled in beside what was there, `a < b` as
`(mutant(17) ? (a <= b) : (a < b))`, so that all mutants share one build.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tree_sitter
import tree_sitter_cpp
import tree_sitter_python
from tree_sitter import Node

_PAIRS = (
    "< <=, > >=, == !=, && ||, and or, min max, minimum maximum, + -, * /, continue break, "
    "is is not, in not in"
)
_HALVES = [pair.split(" ", 1) for pair in _PAIRS.split(", ")]
SWAPS = {one: other for pair in _HALVES for one, other in (pair, pair[::-1])}
"""What an operator or a word becomes."""
MESSAGES = re.compile(r"^(std::cerr|log|logger|_log|logging|warnings)\b|^(popart::)?logging::")
"""Calls that only say something."""


@dataclass(frozen=True)
class Site:
    """A change of bytes `start` to `end` of a file; `template` has @ for the mutant's number."""

    path: str
    function: str
    kind: str
    line: int
    start: int
    end: int
    before: str
    template: str

    @property
    def name(self) -> str:
        """The same for as long as the function has this text in this place."""
        return f"{self.path} {self.function} {self.kind}: {self.before}"

    def chance(self, seed: str, what: str) -> float:
        """A number between 0 and 1 that depends on nothing but these names."""
        digest = hashlib.sha256(f"{seed}/{self.path}/{self.function}/{what}".encode()).digest()
        return (int.from_bytes(digest[:6], "big") + 1) / 2**48


class Language:
    """What sites of one language look like; a rule yields (kind, node, new text)."""

    FUNCTIONS: frozenset[str]
    LOOPS: frozenset[str]
    LEFT_OUT: frozenset[str]
    """Nodes below which nothing is changed: what is no code, what must be constant when
    compiled, and errors' texts."""
    GUARD: str

    def __init__(self, language: object) -> None:
        self.parser = tree_sitter.Parser(tree_sitter.Language(language))

    def rules(self, node: Node, function: Node | None) -> Iterator[tuple[str, Node, str]]:
        """The changes of a node itself."""
        raise NotImplementedError

    def skipped(self, node: Node) -> bool:
        """Whether the node and all below it stay as they are."""
        return node.type in self.LEFT_OUT or node.type == "ERROR"

    def first(self, source: bytes) -> tuple[int, str]:
        """Where the declaration of `mutant` goes, and its text."""
        raise NotImplementedError

    def sites(self, path: str, source: bytes) -> Iterator[Site]:
        """All sites of a file."""
        root = self.parser.parse(source).root_node
        functions: dict[Node | None, str] = {None: ""}
        names: Counter[str] = Counter()
        for node, function in self._below(root, None):
            if function not in functions:
                assert function is not None
                name = self.name(function)
                names[name] += 1
                functions[function] = f"{name}#{names[name]}" if names[name] > 1 else name
            for kind, place, new in self.rules(node, function):
                line, span = place.start_point[0] + 1, (place.start_byte, place.end_byte)
                yield Site(path, functions[function], kind, line, *span, text(place), new)

    def _below(self, node: Node, function: Node | None) -> Iterator[tuple[Node, Node | None]]:
        """What may be changed, each with the outermost function around it."""
        if self.skipped(node) or (node.has_error and node.type in self.FUNCTIONS):
            return
        if function is None and node.type in self.FUNCTIONS:
            function = node
        yield node, function
        for child in node.children:
            yield from self._below(child, function)

    def name(self, function: Node) -> str:
        """A function's name, with that of its class."""
        declarator = function.child_by_field_name("declarator")
        node = declarator or function.child_by_field_name("name") or function
        outer = function.parent
        while outer is not None and outer.type not in ("class_definition", "class_specifier"):
            outer = outer.parent
        scope = text(outer.child_by_field_name("name")) + "." if outer is not None else ""
        return scope + re.sub(r"\s+", " ", text(node).partition("(")[0])[-60:]

    def jumps(self, node: Node, breakable: frozenset[str]) -> bool:
        """Whether a node is a jump, and what it leaves a loop."""
        if node.type not in ("break_statement", "continue_statement"):
            return False
        outer = node.parent
        while outer is not None and outer.type not in breakable | self.FUNCTIONS:
            outer = outer.parent
        return outer is not None and outer.type in self.LOOPS


def text(node: Node | None) -> str:
    """The source of a node."""
    return "" if node is None or node.text is None else node.text.decode()


class Cpp(Language):
    """C++: conditional expressions, and statements behind an `if`."""

    FUNCTIONS = frozenset({"function_definition"})
    LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})
    LEFT_OUT = frozenset(
        """comment string_literal raw_string_literal char_literal template_argument_list
        template_parameter_list static_assert_declaration throw_statement enumerator
        bitfield_clause preproc_include preproc_def preproc_function_def preproc_call
        attribute_declaration attribute_specifier decltype alignas_qualifier noexcept
        sizeof_expression delete_method_clause default_method_clause pure_virtual_clause
        concept_definition""".split()
    )

    def __init__(self) -> None:
        super().__init__(tree_sitter_cpp.language())

    def skipped(self, node: Node) -> bool:
        outer = node.parent
        if super().skipped(node) or any(text(child) == "constexpr" for child in node.children[:6]):
            return node.type != "if_statement" and node.type != "translation_unit"
        if outer is None:
            return False
        if outer.type == "if_statement" and any(text(c) == "constexpr" for c in outer.children[:3]):
            return node.type == "condition_clause"
        constant = {"case_statement": "value", "array_declarator": "size"}
        constant |= {"preproc_if": "condition", "preproc_elif": "condition"}
        field = constant.get(outer.type)
        return field is not None and outer.child_by_field_name(field) == node

    def first(self, source: bytes) -> tuple[int, str]:
        return 0, '#include "popir_mutants.hpp"\n'

    def rules(self, node: Node, function: Node | None) -> Iterator[tuple[str, Node, str]]:
        kind = node.type
        if kind == "binary_expression":
            left, sign, right = (text(child) for child in node.children)
            if sign in SWAPS and not (sign == "+" and '"' in left + right):
                new = f"(popirMutant(@) ? ({left} {SWAPS[sign]} {right}) : ({left} {sign} {right}))"
                yield operator_kind(sign), node, new
        elif kind == "number_literal":
            yield "number", node, f"(popirMutant(@) ? {text(node)} + 1 : {text(node)})"
        elif kind in ("true", "false"):
            sign = "!" if kind == "true" else ""
            yield "flag", node, f"({sign}popirMutant(@))"
        elif kind in ("if_statement", "conditional_expression"):
            condition = node.child_by_field_name("condition")
            if condition is not None and condition.type == "condition_clause":
                value = condition.child_by_field_name("value")
                plain = condition.child_by_field_name("initializer") is None
                constant = any(text(child) == "constexpr" for child in node.children[:3])
                condition = value if plain and not constant else None
            if condition is not None and condition.type not in ("declaration", "true", "false"):
                yield (
                    "negate",
                    condition,
                    f"(popirMutant(@) != static_cast<bool>({text(condition)}))",
                )
        elif kind == "call_expression":
            called = text(node.child_by_field_name("function"))
            found = re.fullmatch(r"(std::)(min|max)(<.*>)?", called)
            if found:
                arguments = text(node.child_by_field_name("arguments"))
                other = f"std::{SWAPS[found[2]]}{found[3] or ''}"
                new = f"(popirMutant(@) ? {other}{arguments} : {called}{arguments})"
                yield "extreme", node, new
        elif kind == "expression_statement" and function is not None:
            inner = node.children[0]
            plain = {"assignment_expression", "call_expression", "update_expression"}
            if inner.type in plain and not MESSAGES.match(text(inner)):
                yield "skip", node, f"{{ if (!popirMutant(@)) {text(node)} }}"
        elif kind == "return_statement" and len(node.children) == 3:
            value = node.children[1]
            if value.type not in ("number_literal", "true", "false", "initializer_list"):
                yield "result", node, f"{{ if (popirMutant(@)) return {{}}; {text(node)} }}"
        elif self.jumps(node, self.LOOPS | {"switch_statement"}):
            word = kind.partition("_")[0]
            yield "jump", node, f"{{ if (popirMutant(@)) {SWAPS[word]}; {word}; }}"


class Python(Language):
    """Python: conditional expressions, and statements behind an `if`."""

    FUNCTIONS = frozenset({"function_definition"})
    LOOPS = frozenset({"for_statement", "while_statement"})
    LEFT_OUT = frozenset(
        """comment string type raise_statement case_pattern import_statement import_from_statement
        future_import_statement type_alias_statement type_parameter""".split()
    )

    def __init__(self) -> None:
        super().__init__(tree_sitter_python.language())

    def first(self, source: bytes) -> tuple[int, str]:
        place = 0
        for number, node in enumerate(self.parser.parse(source).root_node.named_children):
            docstring = number == 0 and node.named_children[:1] and node.named_children[0].type
            if node.type == "future_import_statement" or docstring == "string":
                place = node.end_byte
            elif node.type != "comment":
                break
        declaration = "from popir._mutants import mutant as _mutant_"
        return place, f"; {declaration}" if place else f"{declaration}\n"

    def skipped(self, node: Node) -> bool:
        return super().skipped(node) or text(node)[:10] == "@dataclass"

    def rules(self, node: Node, function: Node | None) -> Iterator[tuple[str, Node, str]]:
        kind = node.type
        if kind in ("comparison_operator", "boolean_operator") and len(node.children) == 3:
            left, sign, right = (text(child) for child in node.children)
            if sign in SWAPS and "TYPE_CHECKING" not in left and "__name__" not in left:
                new = f"{left} {SWAPS[sign]} {right}"
                yield operator_kind(sign), node, f"(({new}) if _mutant_(@) else ({text(node)}))"
        elif kind == "binary_operator" and text(node.children[1]) == "-":
            left, _, right = (text(child) for child in node.children)
            new = f"({left} + {right})"
            yield "arithmetic", node, f"({new} if _mutant_(@) else ({text(node)}))"
        elif kind in ("integer", "float"):
            yield "number", node, f"({text(node)} + 1 if _mutant_(@) else {text(node)})"
        elif kind in ("true", "false"):
            yield "flag", node, "(not _mutant_(@))" if kind == "true" else "bool(_mutant_(@))"
        elif kind in ("if_statement", "elif_clause", "conditional_expression", "if_clause"):
            index = {"conditional_expression": 2}.get(kind, 1)
            condition = node.children[index]
            if not re.search("TYPE_CHECKING|__name__|:=", text(condition)):
                yield "negate", condition, f"(bool(_mutant_(@)) != bool({text(condition)}))"
        elif kind == "call":
            called = node.child_by_field_name("function")
            found = re.fullmatch(r"(np\.)?(min|max|minimum|maximum)", text(called))
            if called is not None and found:
                other = f"{found[1] or ''}{SWAPS[found[2]]}"
                yield "extreme", called, f"({other} if _mutant_(@) else {text(called)})"
        elif kind == "expression_statement" and function is not None:
            if self._skippable(node.children[0], function):
                yield "skip", node, f"if not _mutant_(@): {text(node)}"
        elif kind == "return_statement" and len(node.children) == 2:
            value = node.children[1]
            if value.type not in ("none", "true", "false", "integer", "float"):
                yield "result", value, f"None if _mutant_(@) else ({text(value)})"
        elif self.jumps(node, self.LOOPS):
            word, indent = text(node), " " * node.start_point[1]
            yield "jump", node, f"if _mutant_(@): {SWAPS[word]}\n{indent}{word}"

    def _skippable(self, inner: Node, function: Node) -> bool:
        """Whether a statement may be left out: a call, or a further value of what has one."""
        if inner.type == "augmented_assignment":
            return True
        if inner.type == "call":
            return not MESSAGES.match(text(inner))
        if inner.type != "assignment" or inner.child_by_field_name("type") is not None:
            return False
        target = inner.child_by_field_name("left")
        assert target is not None
        if target.type in ("attribute", "subscript"):
            return True
        start = inner.start_byte - function.start_byte
        earlier = (function.text or b"")[:start].decode()
        return target.type == "identifier" and bool(re.search(rf"\b{text(target)}\b", earlier))


def operator_kind(sign: str) -> str:
    """The kind of an operator's change."""
    if sign in "+-*/":
        return "arithmetic"
    return "logic" if sign in ("and", "or", "&&", "||") else "compare"


LANGUAGES: dict[str, Callable[[], Language]] = {
    ".py": Python,
    ".cpp": Cpp,
    ".hpp": Cpp,
    ".inc": Cpp,
}


def part_of(path: str) -> str:
    """The folder of popir/ or cpp/ that a file is in; popir/ itself for modules directly in it."""
    return "/".join(path.rpartition("/")[0].split("/")[:2])


def candidates(root: Path, files: Sequence[str], seed: str) -> dict[str, list[Site]]:
    """For each part (a folder of popir/ or cpp/) one site of each of its functions, in the order
    in which they are drawn: functions with more lines that can be changed come early by chance.

    Left out is what users' compilers see (`cpp/include`), what only builds, and code for
    instruction sets that this machine lacks.
    """
    languages = {suffix: make() for suffix, make in LANGUAGES.items()}
    sets = set(Path("/proc/cpuinfo").read_text().split())
    parts: dict[str, list[tuple[float, Site]]] = {}
    for file in files:
        where, _, name = file.rpartition("/")
        isa = re.search(r"_(avx2|avx512|amx)\.cpp$", name)
        if not re.match("popir|cpp/(?!include|cmake)", where) or where.startswith("cpp/package"):
            continue
        if isa and {"avx512": "avx512f", "amx": "amx_tile"}.get(isa[1], isa[1]) not in sets:
            continue
        suffix = Path(file).suffix
        if suffix not in languages or (suffix == ".py") != where.startswith("popir"):
            continue
        functions: dict[str, list[Site]] = {}
        for site in languages[suffix].sites(file, (root / file).read_bytes()):
            functions.setdefault(site.function, []).append(site)
        part = parts.setdefault(part_of(file), [])
        for sites in functions.values():
            lines = len({site.line for site in sites})
            part.append((-math.log(sites[0].chance(seed, "draw")) / lines, _chosen(sites, seed)))
    ordered = {part: sorted(those, key=lambda pair: pair[0]) for part, those in parts.items()}
    return {part: [site for _, site in those] for part, those in ordered.items()}


def _chosen(sites: Sequence[Site], seed: str) -> Site:
    """One site of a function: first a kind by chance, each the same, then one of that kind."""
    kinds = sorted({site.kind for site in sites})
    kind = kinds[int(sites[0].chance(seed, "kind") * len(kinds)) % len(kinds)]
    those = [site for site in sites if site.kind == kind]
    return those[int(sites[0].chance(seed, "site") * len(those)) % len(those)]


def draw(root: Path, files: Sequence[str], count: int, seed: str, no: set[str]) -> list[Site]:
    """`count` sites, those named in `no` aside, shared over the parts by their functions, two at
    least for each."""
    parts = candidates(root, files, seed)
    total = sum(map(len, parts.values()))
    found: list[Site] = []
    for _, sites in sorted(parts.items()):
        quota = max(2, round(count * len(sites) / total))
        found += [site for site in sites if site.name not in no][:quota]
    return found


def changed(path: str, source: bytes, sites: Sequence[tuple[int, Site]]) -> bytes:
    """A file's text with its sites' mutants, by their numbers, beside what was there."""
    place, declaration = LANGUAGES[Path(path).suffix]().first(source)
    edits = [(place, place, declaration)]
    edits += [(s.start, s.end, s.template.replace("(@)", f"({number})")) for number, s in sites]
    for start, end, new in sorted(edits, reverse=True):
        source = source[:start] + new.encode() + source[end:]
    return source
