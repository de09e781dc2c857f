"""Fixtures that several areas share."""

import pytest

from tests.packages import sanitized_environment


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables for a Python whose popir is built with AddressSanitizer."""
    return sanitized_environment(tmp_path_factory.mktemp("sanitized"))
