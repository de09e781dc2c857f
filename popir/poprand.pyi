# The extension describes its names to nobody: each is Any.
from typing import Any

def __getattr__(name: str) -> Any: ...
