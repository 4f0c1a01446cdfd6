"""The worker that reads the archive for HTTP: matches, and players' histories."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

import msgspec

from equipoise.archive.archive import Archive, open_archive


class Read(NamedTuple):
    """What was read, as JSON, and the revision it is of; no body where there is no such thing."""

    body: bytes | None
    revision: int


class Reading:
    """Reads an archive that exists; its writers are not waited for.

    Parameters
    ----------
    url : str
        The archive.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self, question: tuple[str, Any] | None) -> Generator[None, None, Any]:
        """Answer what a method has a name for, as ``matches``; of None only that this process is ready."""
        yield from ()
        if question is None:
            return None
        kind, asked = question
        with open_archive(self._url, create=False) as archive:
            revision = archive.revision()
            plain = getattr(self, f"_{kind}")(archive, asked)
        return Read(None if plain is None else msgspec.json.encode(plain), revision)

    @staticmethod
    def _matches(archive: Archive, asked: tuple[tuple[float, str] | None, int]) -> Any:
        before, limit = asked
        found = archive.listed(before, limit + 1)
        last = found[limit - 1].match if len(found) > limit else None
        return {
            "matches": [each.as_dict() for each in found[:limit]],
            "next": None if last is None else [last.ended or 0.0, last.id],
        }

    @staticmethod
    def _match(archive: Archive, asked: str) -> Any:
        found = archive.listed_match(asked)
        return None if found is None else found.as_dict()

    @staticmethod
    def _history(archive: Archive, asked: tuple[str, bool]) -> Any:
        player, why = asked
        games = [each.as_dict() for each in archive.history(player, why=why)]
        return {"id": player, "games": games} if games else None

    @staticmethod
    def _sessions(archive: Archive, asked: None) -> Any:
        del asked
        return archive.sessions()

    @staticmethod
    def _news(archive: Archive, asked: tuple[int, int]) -> Any:
        revision, limit = asked
        return [each.as_dict() for each in archive.news(revision, limit)]
