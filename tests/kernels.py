"""What tests of compiled kernels need."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

#: On a test that compiles; asking whether numba is there does not load it.
needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
