"""Targets of custom calls: registering them, and finding the one that a call names."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from popir import registry
from popir._device import xla as device
from popir.errors import OperatorAttributeError, UnknownOperatorError, did_you_mean
from popir.foreign.xla import libraries
from popir.typed import typed

PLATFORMS = ("Host", "CUDA", "ROCM")
_STAGES = ("instantiate", "prepare", "initialize", "execute")
_kept: list[Any] = []
"""What was registered from Python: callbacks of ctypes must not go while they can be called."""


def platform_of(who: str, platform: str) -> str:
    """The platform that a user has given, as XLA spells it; jax's names are known too.

    Raises OperatorAttributeError, naming `who`, for an unknown one.
    """
    aliases = {"cpu": "Host", "gpu": "CUDA"} | {each.lower(): each for each in PLATFORMS}
    if platform.lower() not in aliases:
        raise OperatorAttributeError(
            f"{who}: the platform {platform!r} is not known; the platforms are "
            f"{', '.join(PLATFORMS)}.{did_you_mean(platform, PLATFORMS)}"
        )
    return aliases[platform.lower()]


@typed
def register_custom_call_target(
    name: str, target: Any, platform: str = "Host", typed: bool = False
) -> None:
    """Registers a function of this process as the target of custom calls.

    Args:
        name: the name that custom calls use.
        target: the function: a function of ctypes, the PyCapsule that Python modules for JAX give,
            or an address. With `typed`, it may be a dict of these for the stages "instantiate",
            "prepare", "initialize" and "execute".
        platform: "Host", or "CUDA" or "ROCM" for a function that queues work on a stream.
        typed: whether it is a handler of XLA's typed FFI, for API version 4.

    Raises DuplicateOperatorError if another function has that name, OperatorAttributeError for an
    unknown platform or what is no function.
    """
    who = f"The custom call target '{name}'"
    platform = platform_of(who, platform)
    if not name:
        raise OperatorAttributeError("A custom call target needs a name.")
    if name.startswith("$"):
        raise OperatorAttributeError(
            f"{who}: names that begin with '$' are reserved, and no custom call can have them."
        )
    addresses = [0, 0, 0, 0]
    if isinstance(target, Mapping):
        stages: Mapping[Any, Any] = target
        unknown = [stage for stage in stages if stage not in _STAGES]
        if unknown or "execute" not in stages or not typed:
            raise OperatorAttributeError(
                f"{who}: a dict of handlers has the stages {', '.join(_STAGES)}, of which "
                f"'execute' must be there, and is for typed=True; given was {sorted(stages)}."
            )
        addresses = [_address(who, stages[s]) if s in stages else 0 for s in _STAGES]
    else:
        addresses[-1] = _address(who, target)
    with registry.lock.rlock:
        if typed:
            instantiate, prepare, initialize, execute = addresses
            device.registerHandlers(name, platform, instantiate, prepare, initialize, execute, "")
        else:
            device.registerFunction(name, platform, addresses[-1], "")
        _kept.append(target)
        sync()


@typed
def register_custom_call_type(name: str, type: Any) -> None:
    """Registers the type of a state that typed handlers keep, as `jax.ffi.register_ffi_type` does.

    `type` is a dict with "type_id" and "type_info", each a PyCapsule or an address, as Python
    modules for JAX give it. Libraries that use XLA_FFI_REGISTER_TYPE need no call. Raises
    OperatorAttributeError for anything else.
    """
    who = f"The type '{name}' of custom calls"
    if not isinstance(type, Mapping) or set(type) != {"type_id", "type_info"}:  # pyright: ignore
        raise OperatorAttributeError(
            f"{who} is {type!r}; expected is a dict with 'type_id' and 'type_info'."
        )
    given: Mapping[str, Any] = type
    device.registerType(name, *(_address(who, given[key]) for key in ("type_id", "type_info")))
    _kept.append(given)


def _address(who: str, target: Any) -> int:
    """The address of a function."""
    api = ctypes.pythonapi
    if type(target).__name__ == "PyCapsule":
        api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = (
            [ctypes.py_object],
            ctypes.c_char_p,
        )
        api.PyCapsule_GetPointer.argtypes, api.PyCapsule_GetPointer.restype = (
            [ctypes.py_object, ctypes.c_char_p],
            ctypes.c_void_p,
        )
        if address := api.PyCapsule_GetPointer(target, api.PyCapsule_GetName(target)):
            return address
    if isinstance(target, ctypes._CFuncPtr):  # pyright: ignore
        if address := ctypes.cast(target, ctypes.c_void_p).value:
            return address
        raise OperatorAttributeError(f"{who} is a null pointer; expected is a function.")
    if isinstance(target, int) and not isinstance(target, bool) and 0 < target < 1 << 64:
        return target
    raise OperatorAttributeError(
        f"{who} is {target!r}; expected is a function of ctypes, a PyCapsule or an address."
    )


def sync() -> None:
    """Raises DuplicateOperatorError or LibraryLoadError, once, for registrations that were
    refused.
    """
    libraries.require_none(device.takeFaults())


def find(who: str, name: str, platform: str, library: str, version: int) -> Any:
    """The target with that name: one that is registered, or else one that the library registers,
    or its symbol of that name.

    Raises UnknownOperatorError, naming `who`, if there is none; LibraryLoadError if the library is
    not loaded.
    """
    sync()
    found = device.find(name, platform)
    if found is None and library:
        address, library = libraries.symbol(who, library, name)
        found = device.find(name, platform)
        if found is None and address:
            if version == 4:
                device.registerHandlers(name, platform, 0, 0, 0, address, library)
            else:
                device.registerFunction(name, platform, address, library)
            found = device.find(name, platform)
        sync()
    if found is not None:
        return found
    elsewhere = [t.platform for t in device.targets() if t.name == name]
    near = did_you_mean(name, [t.name for t in device.targets()])
    where = f" It is registered for {', '.join(elsewhere)}." if elsewhere else near
    lacks = f" The library '{library}' has no such target or symbol." if library else ""
    raise UnknownOperatorError(
        f"{who}: no registered implementation for custom call to '{name}' for {platform}.{where}"
        f"{lacks} Load the library that registers it (popir.load_op_library), register it by "
        "popir.custom_ops.register_custom_call_target, or name its library."
    )


def library_of(name: str, platform: str) -> str | None:
    """The library that has registered a target; "" if Python has, None if there is none."""
    found = device.find(name, platform)
    return None if found is None else found.library
