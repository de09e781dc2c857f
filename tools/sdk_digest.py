"""Writes the symbol of the SDK's headers into cpp/include/popir/sdk_symbol.hpp:
`python -m tools.sdk_digest`.

Its name has the version of popir and a digest of all headers, without comments and white space. So
an operator library that was compiled with other headers does not load (see popir/sdk.hpp).
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADERS = ROOT / "cpp" / "include"
FILE = HEADERS / "popir" / "sdk_symbol.hpp"
_VERSION = re.compile(r'^version = "(.+)"$', re.MULTILINE)
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def symbol(headers: Path = HEADERS) -> str:
    """The symbol of the headers in a folder and below."""
    digest = hashlib.sha256()
    for file in sorted(headers.rglob("*.h*")):
        if file.relative_to(headers) != FILE.relative_to(HEADERS):
            words = _COMMENT.sub(b" ", file.read_bytes()).split()
            digest.update(b"\0".join([str(file.relative_to(headers)).encode(), *words, b""]))
    (version,) = _VERSION.findall((ROOT / "pyproject.toml").read_text())
    return f"popir_sdk_{version.replace('.', '_')}_{digest.hexdigest()[:8]}"


def text() -> str:
    """What the file says."""
    return f"""\
// The symbol of the SDK's headers, by `python -m tools.sdk_digest`. popir's own.
#ifndef popir_sdk_symbol_hpp
#define popir_sdk_symbol_hpp

#define POPIR_SDK_SYMBOL {symbol()}

#endif
"""


if __name__ == "__main__":
    FILE.write_text(text())
