from collections.abc import Iterator

import pytest

from popir import registry
from tests.onnxio import ops


@pytest.fixture(autouse=True)
def own_operators() -> Iterator[None]:
    """A few operators with known classes, whatever popir registers itself."""
    with registry.scoped():
        ops.register()
        yield
