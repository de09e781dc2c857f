"""Packages that are installed only by an extra of popir, such as `popir[images]`: `imported`."""

from __future__ import annotations

import importlib
from typing import Any

from popir.errors import MissingPackageError


def imported(module: str, who: str, why: str, extra: str) -> Any:
    """The module of a package that is no dependency.

    Args:
        module: its full name.
        who: what needs it, for the message.
        why: what it does there, such as "pictures are decoded by Pillow".
        extra: the extra of popir that installs it.

    Raises MissingPackageError, which says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"{who}: {why}, which is not installed: pip install 'popir[{extra}]'."
        ) from error
