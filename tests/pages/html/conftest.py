"""What the tests of pages share: axe-core, installed once."""

from __future__ import annotations

import pytest
from tests.pages.html.axe import source


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the source of axe-core."""
    return source(tmp_path_factory.mktemp("axe"))
