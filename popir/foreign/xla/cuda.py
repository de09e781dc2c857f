"""Sources of CUDA as C++: what g++ cannot read is rewritten, for the simulated device of
popir/cuda/cuda_runtime.h.
"""

from __future__ import annotations

import re

BARRIERS = "POPIR_CUDA_BARRIERS"
"""The macro with which the threads of a block take turns, so that they can wait for one another."""

_SHARED = re.compile(
    r"extern\s+__shared__\s+(?:__align__\s*\([^)]*\)\s*)?([\w:][\w:\s]*?)\s+(\w+)\s*\[\s*\]\s*;"
)
_UNTYPED = re.compile(r"(__global__\s+)(\w+)(\s*\()")


def as_cpp(text: str) -> str:
    """The source with launches `kernel<<<grid, block>>>(...)` and `extern __shared__` arrays in
    C++, and with `void` before a kernel that has no type. Lines keep their numbers.
    """
    text = _SHARED.sub(r"\1* \2 = ::popir_cuda::dynamic_shared<\1>();", text)
    text = _UNTYPED.sub(r"\1void \2\3", text)
    at = text.find("<<<")
    while at >= 0:
        end = text.find(">>>", at)
        if end < 0:
            break
        opening = re.compile(r"\s*\(").match(text, end + 3)
        begin = _callee(text, at)
        if opening is not None and begin < at:
            kernel, setting = text[begin:at].strip(), text[at + 3 : end]
            behind = text[opening.end() :]
            comma = "" if behind.lstrip().startswith(")") else ", "
            # A kernel may be a template whose arguments are deduced, so it is not an argument.
            called = f"[=](auto... popir_args) {{ {kernel}(popir_args...); }}"
            launch = f"::popir_cuda::Launch({setting})({called}{comma}"
            text = text[:begin] + launch + "\n" * text[end : opening.end()].count("\n") + behind
            end = begin + len(launch)
        at = text.find("<<<", end)
    if "cuda_runtime.h" not in text:
        text = '#include "cuda_runtime.h"\n#line 1\n' + text
    return text


def _callee(text: str, end: int) -> int:
    """Where the name of a kernel begins that ends before `end`, with its template arguments."""
    i = end
    while i > 0 and text[i - 1].isspace():
        i -= 1
    if i > 0 and text[i - 1] == ">":
        depth = 0
        while i > 0:
            i -= 1
            depth += {">": 1, "<": -1}.get(text[i], 0)
            if depth == 0:
                break
    while i > 0 and (text[i - 1].isalnum() or text[i - 1] in "_:"):
        i -= 1
    return i


def needs_barriers(text: str) -> bool:
    """Whether a kernel of the source waits for the other threads of its block."""
    return "__syncthreads" in text
