"""A small share of the faults of ``python -m benchmarks cluster_faults``, judged as there."""

from __future__ import annotations

import pytest
from benchmarks.service.cluster_faults import measure
from tests.servers import postgresql_programs


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_when_servers_and_the_database_are_killed() -> None:
    """Two workers are killed, one is frozen, and PostgreSQL is killed once, under load."""
    pytest.importorskip("psycopg", reason="psycopg, which talks to PostgreSQL, is not installed")
    if postgresql_programs() is None:
        pytest.skip("PostgreSQL is not installed: scripts/install-test-servers installs it")
    found = measure({"kills": 2, "freezes": 1, "database": 1, "partitions": 1}, seed=2)
    assert {"kills": 2, "freezes": 1, "database": 1}.items() <= found["times"].items()
    assert 0 < found["acknowledged"] <= found["tickets"]
