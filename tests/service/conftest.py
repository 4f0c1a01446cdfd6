"""The databases of an archive, for what keeps something in it."""

from tests.archive.conftest import new_url, server

__all__ = ["new_url", "server"]
