"""What programs for PopART expect of a process of C++: the type of indices, models as bytes,
and what an error says of the device.
"""

from tests.cpp_sessions.conftest import Program


def test_indices_models_and_recovery(program: Program) -> None:
    """Indices are INT32 without being asked for; a model that is none is not parsed."""
    assert program("indices").splitlines() == [
        "10",
        "ArgMin least",
        "INT32 [1 2]",
        "1 1",
        "a link: LINK_RESET",
        "of old: FULL_RESET, no foo: undefined symbol: foo, a/profile",
        "EXPONENT ADD CLAMP OpType(1000)",
        "recoverable_runtime_error link_error graph_memory_allocation_error "
        "poplar_error unknown_runtime_error index_error",
    ]
