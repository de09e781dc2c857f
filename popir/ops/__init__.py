"""The built-in operators, a folder for each family; importing this registers them."""

import importlib
import pkgutil

from popir.collector import run_seldom

with run_seldom():  # Classes are all cycles, and stay.
    for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(_module.name)
