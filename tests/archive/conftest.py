"""The databases that the laws of archives are held against."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.servers import postgresql


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Give the address of a PostgreSQL server, or skip."""
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Return what gives the address of a new, empty database each time."""
    numbers = itertools.count()
    if request.param == "sqlite":
        return lambda: f"sqlite:///{tmp_path / f'{next(numbers)}.db'}"
    url = request.getfixturevalue("server")
    return lambda: new_schema(url)


def new_schema(server: str) -> str:
    """Make a schema in the database of a server and return the address that leads into it."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        name = f"archive_{uuid.uuid4().hex}"
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}?options=-csearch_path%3D{name}"
