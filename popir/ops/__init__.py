"""The built-in operators, one or a family in each file; importing this registers them."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    try:
        importlib.import_module(f"{__name__}.{_module.name}")
    except ImportError as _error:
        # A device library that is not built in.
        if not any(name in str(_error) for name in ("poplin", "popnn", "ext")):
            raise
