"""The tree of exceptions, and near misses."""

import pytest

import popir
from popir import errors

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, BaseException)
    and kind.__module__ == "popir.errors"
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_a_popir_error_and_documented(kind: type) -> None:
    assert issubclass(kind, errors.PopirError)
    assert issubclass(kind, RuntimeError)
    assert kind.__doc__


def test_popart_s_tree() -> None:
    tree = {
        "popart_internal_exception": "popart_exception",
        "popart_runtime_error": "popart_exception",
        "OutOfMemoryException": "popart_exception",
        "poplar_runtime_error": "poplar_exception",
        "poplar_application_runtime_error": "poplar_runtime_error",
        "poplar_system_runtime_error": "poplar_runtime_error",
        "poplar_recoverable_runtime_error": "poplar_system_runtime_error",
        "poplar_unrecoverable_runtime_error": "poplar_system_runtime_error",
        "poplar_unknown_runtime_error": "poplar_system_runtime_error",
    }
    for name, base in tree.items():
        assert getattr(popir, name).__bases__ == (getattr(popir, base),)


def test_what_brings_a_device_back() -> None:
    error = popir.poplar_recoverable_runtime_error("no answer")
    assert error.recoveryAction is popir.RecoveryAction.IPU_RESET
    names = ["IPU_RESET", "LINK_RESET", "PARTITION_RESET", "FULL_RESET"]
    assert [each.name for each in popir.RecoveryAction] == names


def test_near_misses() -> None:
    known = ["LeakyRelu", "Relu", "Conv", "relu6"]
    assert errors.near_misses("leakyrelu", known) == ["LeakyRelu", "Relu"]
    assert errors.did_you_mean("Rleu", known) == " Did you mean 'Relu' or 'relu6'?"
    assert errors.did_you_mean("Softmax", known) == ""
