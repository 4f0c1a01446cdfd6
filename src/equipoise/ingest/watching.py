"""A live log into an archive: what is new is read, kept and learnt from, step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from equipoise.archive.archive import Archive
from equipoise.archive.known import Updated
from equipoise.ingest.dating import Dating
from equipoise.ingest.following import BREAK, Following, LogPosition
from equipoise.ingest.ingesting import AUTO, Ingest, Tally, plain, recognise
from equipoise.ingest.mutators import Mutators
from equipoise.logs.guessing import HEAD
from equipoise.logs.reading import Reader
from equipoise.registry import GAMES, resolve


class Watch:
    """Follows one log.

    Parameters
    ----------
    archive : Archive
        Where matches and the place in the log are kept.
    path : str
        The log; it need not exist yet.
    game : str
        A registered name, or ``"auto"`` to recognise it by its beginning.
    mutators : Mutators, optional
        What counts as a mutator beside the tables, and what does not.
    tap : callable, optional
        Takes every piece of the log as it is read, and :data:`~equipoise.ingest.following.BREAK`.
    """

    def __init__(
        self,
        archive: Archive,
        path: str,
        game: str = AUTO,
        mutators: Mutators | None = None,
        tap: Callable[[bytes], None] | None = None,
    ) -> None:
        if game != AUTO:
            resolve("game", GAMES, game)
        self._archive = archive
        self._tap = tap
        self._log = str(Path(path).absolute())
        kept = archive.place(self._log) or {}
        self._game = kept.get("game", game) if game == AUTO else game
        place = LogPosition(*kept["place"]) if kept and kept["game"] == self._game else LogPosition()
        self._following = Following(path, place)
        self._label = path
        self._reader: Reader | None = None
        #: Bytes from the beginning that may belong to the game; how many bytes and lines were before them.
        self._head = b""
        self._skipped = self._skipped_lines = 0
        self._first_line = 1
        self._place: LogPosition | None = None
        self._ingest = Ingest(archive, mutators=mutators)
        self._ingest.dating = Dating(0.0, *kept.get("dating", ()))

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._following.close()

    def step(self) -> tuple[Tally, Updated | None]:
        """Read what is new; return what came of it, and what was learnt where there were matches."""
        ingest = self._ingest
        ingest.tally = Tally()
        for piece in self._following.poll():
            if self._tap is not None:
                self._tap(piece)
            if piece == BREAK:
                self._reader, self._head = None, b""
                self._skipped = self._skipped_lines = 0
            else:
                ingest.dating.date = max(ingest.dating.date, self._following.date)
                self._read(piece)
        ingest.keep()
        if self._reader is not None:
            self._keep_place(self._reader)
        learnt = self._archive.update_ratings() if ingest.tally.matches else None
        return ingest.tally, learnt

    def news(self) -> list[str]:
        """Return what there is to say about the log since it was last asked for."""
        news, self._following.news = self._following.news, []
        return news

    def plain(self) -> dict[str, object]:
        """Return what came of the last step as plain data."""
        return {"log": self._label, **plain(self._ingest.tally), "revision": self._archive.revision()}

    def _read(self, piece: bytes) -> None:
        """Take bytes; until the game is known they are kept."""
        if self._reader is None:
            self._head += piece
            if not self._recognise():
                return
            piece, self._head = self._head, b""
        assert self._reader is not None  # noqa: S101  # for the type checker
        self._ingest.take(self._reader.read(piece))

    def _recognise(self) -> bool:
        guess = recognise(self._head, self._game)
        if guess is None:
            if len(self._head) >= HEAD:
                self._following.news.append(f"{self._label}: its game is not known yet; --game can say it")
                self._skipped += len(self._head) - HEAD // 2
                self._skipped_lines += self._head[: -HEAD // 2].count(b"\n")
                self._head = self._head[-HEAD // 2 :]
            return False
        if self._game == AUTO:
            self._following.news.append(f"{self._label}: {guess.name} ({guess.because})")
        self._game = guess.name
        self._first_line = 1 + self._following.lines + self._skipped_lines
        self._reader = self._ingest.begin(guess, self._label, self._first_line)
        return True

    def _keep_place(self, reader: Reader) -> None:
        """Keep the place in the log where it has changed; the matches before it are kept already."""
        lines = self._skipped_lines + reader.settled_line - self._first_line
        place = self._following.place(self._skipped + reader.settled, lines)
        if place is not None and place != self._place:
            dating = self._ingest.dating
            kept = {"game": self._game, "place": place, "dating": (dating.offset, dating.steps)}
            self._archive.keep_place(self._log, kept)
            self._place = place
