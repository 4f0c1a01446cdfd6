"""The laws of archives, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.adapters.stores.archive import open_archive
from equipoise.testing import check_archive

SLOW_FIXTURE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=8, deadline=None, suppress_health_check=SLOW_FIXTURE)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_database_keeps_the_laws(new_url: Callable[[], str], seed: int) -> None:
    """Matches once and as they were, ratings bit for bit those of a rebuild, corrections, forgetting, copies."""
    check_archive(lambda: open_archive(new_url()), np.random.default_rng(seed))
