"""``Client``: asks a server of equipoise over HTTP and the weight protocol, with the library's own types.

The standard library alone; docs/how-to/http.md and docs/protocol.md say what is asked.
"""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from equipoise.core.addresses import host_and_port
from equipoise.errors import EquipoiseError, InputError

if TYPE_CHECKING:
    from types import TracebackType

    from equipoise.archive.stored_matches import MatchData
    from equipoise.lobbies.plan import PlanData
    from equipoise.ratings.reports import Predicted, Rated
    from equipoise.service.leaderboard import PlayerCard, PlayerRow, RulesetRow
    from equipoise.teams.solution import SolutionData

#: Seconds to wait for an answer.
SECONDS = 15.0


class ServerError(EquipoiseError):
    """The server refused, or could not be reached.

    Parameters
    ----------
    detail : str
        Why, for people.
    kind : str
        Why, for programs: the end of a problem's type, or the code of the weight protocol.
    status : int
        The status over HTTP; 0 elsewhere.
    pointer : str
        Where in the body something is wrong, as a JSON pointer.
    """

    def __init__(self, detail: str, kind: str = "unreachable", status: int = 0, pointer: str = "") -> None:
        self.detail = detail
        self.kind = kind
        self.status = status
        self.pointer = pointer
        super().__init__(detail)


class Client:
    """A server of equipoise; connections are made when first needed.

    Parameters
    ----------
    http : str, optional
        Where HTTP is answered: ``http://HOST:PORT``.
    weights : str, optional
        Where the weight protocol is: ``HOST:PORT``.
    token : str, optional
        For what needs one, over both.
    seconds : float
        How long to wait for an answer.

    Examples
    --------
    >>> client = Client(http="http://127.0.0.1:8080", weights="127.0.0.1:7790")
    >>> client.balance({"players": {"Ann": 9, "Bob": 7}})["status"]  # doctest: +SKIP
    'optimal'
    """

    def __init__(self, http: str = "", weights: str = "", token: str = "", seconds: float = SECONDS) -> None:
        self._http = _address(http)
        self._weights = weights
        self._token = token
        self._seconds = seconds
        self._connection: http_client | None = None
        self._lines: socket.SocketIO | None = None
        self._setting: tuple[str, ...] = ()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; the next question makes new ones."""
        if self._connection is not None:
            self._connection.close()
        if self._lines is not None:
            self._lines.close()
        self._connection = self._lines = None

    # Questions that need no archive

    def balance(self, request: Mapping[str, Any], time_limit: float | None = None) -> SolutionData:
        """Divide players: a request as plain data, or ``{"text": ...}``."""
        return cast("SolutionData", self._question("balance", request, time_limit))

    def explain(self, request: Mapping[str, Any], time_limit: float | None = None) -> dict[str, Any]:
        """Divide players, and say why the split is as it is."""
        return cast("dict[str, Any]", self._question("explain", request, time_limit))

    def late(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Choose the team for someone who joins a running game."""
        return cast("dict[str, Any]", self._question("late", request))

    def lobbies(self, asked: Mapping[str, Any], time_limit: float | None = None) -> PlanData:
        """Put players into teams, and teams into lobbies."""
        return cast("PlanData", self._question("lobbies", asked, time_limit))

    def rate(self, matches: Sequence[Mapping[str, Any]], **settings: Any) -> Rated:
        """Learn ratings from matches."""
        return cast("Rated", self._question("rate", {"matches": list(matches), **settings}))

    def predict(
        self, matches: Sequence[Mapping[str, Any]], teams: Sequence[Any], **settings: Any
    ) -> Predicted:
        """Say who would win, from matches."""
        body = {"matches": list(matches), "teams": list(teams), **settings}
        return cast("Predicted", self._question("predict", body))

    def _question(self, kind: str, body: Mapping[str, Any], time_limit: float | None = None) -> Any:
        query = {} if time_limit is None else {"time_limit": time_limit}
        return self.ask("POST", f"/v1/{kind}", body, query)

    # What the archive knows

    def players(self, ruleset: str = "general", q: str = "") -> Iterator[PlayerRow]:
        """Go through players with their ratings, page by page."""
        return self._pages("/v1/players", "players", {"ruleset": ruleset, "q": q})

    def player(self, player: str) -> PlayerCard:
        """Return a player's ratings."""
        return cast("PlayerCard", self.ask("GET", f"/v1/players/{quote(player, safe='')}"))

    def history(self, player: str, *, why: bool = False) -> list[dict[str, Any]]:
        """Return a player's games, the earliest first, with the rating after each."""
        query = {"why": "true"} if why else {}
        path = f"/v1/players/{quote(player, safe='')}/history"
        return cast("list[dict[str, Any]]", self.ask("GET", path, query=query)["games"])

    def rulesets(self) -> list[RulesetRow]:
        """Return the rulesets that were played."""
        return cast("list[RulesetRow]", self.ask("GET", "/v1/rulesets")["rulesets"])

    def leaderboard(self, ruleset: str = "general", limit: int = 100, min_games: int = 0) -> list[PlayerRow]:
        """Return the strongest in a ruleset, best first."""
        path = f"/v1/leaderboards/{quote(ruleset, safe='')}"
        found = self.ask("GET", path, query={"limit": limit, "min_games": min_games})
        return cast("list[PlayerRow]", found["players"])

    def matches(self) -> Iterator[MatchData]:
        """Go through matches, the newest first, page by page."""
        return self._pages("/v1/matches", "matches", {})

    def match(self, match: str) -> MatchData:
        """Return a match."""
        return cast("MatchData", self.ask("GET", f"/v1/matches/{quote(match, safe='')}"))

    def _pages(self, path: str, field: str, query: Mapping[str, Any]) -> Iterator[Any]:
        cursor: str | None = ""
        while cursor is not None:
            page = self.ask("GET", path, query={**query, "cursor": cursor})
            yield from page[field]
            cursor = page["next"]

    # Results and what follows

    def report(self, match: Mapping[str, Any], key: str = "") -> bool:
        """Report a match that has ended, as match files have it; return whether it was new.

        Raises
        ------
        ServerError
            With the kind ``conflict`` where another match is kept under its id.
        """
        _check([key], "key")
        headers = {"Idempotency-Key": key} if key else {}
        return bool(self.ask("POST", "/v1/results", match, headers=headers)["new"])

    def undo(self, match: str, *, back: bool = False) -> None:
        """Let a match not count, or count again."""
        self.ask("POST", f"/v1/matches/{quote(match, safe='')}/undo", {"back": back})

    def events(self, last: int | None = None) -> Iterator[tuple[str, dict[str, Any], int | None]]:
        """Go through what happens from now on, or from a revision on: kind, content and revision.

        It ends when the server does; ask again with the last revision, and nothing is lost.
        """
        headers = self._headers() | ({} if last is None else {"Last-Event-ID": str(last)})
        with closing(self._connect(None)) as connection:
            connection.request("GET", "/v1/events", headers=headers)
            answer = connection.getresponse()
            if answer.status != http.client.OK:
                raise _problem(answer.status, answer.read())
            fields: dict[str, str] = {}
            for line in answer:
                name, _, value = line.decode().rstrip("\r\n").partition(": ")
                if name:
                    fields[name] = value
                elif "data" in fields:
                    revision = int(fields["id"]) if "id" in fields else None
                    yield fields["event"], json.loads(fields["data"]), revision
                    fields = {}
                else:
                    fields = {}

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send any request over HTTP; return the answer as plain data.

        Raises
        ------
        ServerError
            If it is refused, or the server cannot be reached.
        """
        data = None if body is None else json.dumps(body).encode()
        where = f"{path}?{urlencode(query)}" if query else path
        given = self._headers() | dict(headers or {})
        for attempt in (1, 2):
            fresh = self._connection is None
            connection = self._connection = self._connection or self._connect(self._seconds)
            try:
                connection.request(method, where, data, given)
                answer = connection.getresponse()
                content = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self._connection = None
                connection.close()
                # A connection that was kept may have been closed meanwhile; what is asked twice is kept once.
                if fresh or attempt == 2:
                    msg = f"{self._http.netloc} does not answer: {error}"
                    raise ServerError(msg) from error
        if answer.status >= http.client.BAD_REQUEST:
            raise _problem(answer.status, content)
        return json.loads(content)

    def _connect(self, seconds: float | None) -> http_client:
        if not self._http.hostname:
            msg = "is missing; give the address of HTTP"
            raise InputError(msg, "http")
        secure = self._http.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return kind(self._http.hostname, self._http.port, timeout=seconds)

    def _headers(self) -> dict[str, str]:
        json_type = {"Content-Type": "application/json"}
        return json_type | ({"Authorization": f"Bearer {self._token}"} if self._token else {})

    # The weight protocol

    def setting(self, game_type: str, *mutators: str) -> None:
        """Say what is played: what follows is about it."""
        setting = (f"GAME {game_type}", *(f"MUTATOR {name}" for name in mutators))
        _check(setting)
        self._setting = setting
        for line in self._setting if self._lines is not None else ():
            self._say(line)

    def weight(self, name: str, *, bot: bool = False) -> float | None:
        """Return a weight from 0 to 100, None of a player whom nobody knows."""
        line = f"{'BOT' if bot else 'PLAYER'} {name}"
        answer = self.say(line).removeprefix(line).strip()
        return float(answer) if answer else None

    def mean_bot(self) -> tuple[float, int]:
        """Return the mean weight of all bots, and how many they are."""
        _, weight, count = self.say("MEANBOT").split()
        return float(weight), int(count)

    def teams(self, number: int, players: Sequence[str], bots: Sequence[str] = ()) -> list[list[str]]:
        """Divide players and bots into teams."""
        members = [*(f"PLAYER {name}" for name in players), *(f"BOT {name}" for name in bots)]
        teams: list[list[str]] = [[] for _ in range(number)]
        for seat in self.say(f"TEAMS {number}", *members).split("\t")[1:]:
            team, _, name = seat.split(" ", 2)
            teams[int(team)].append(name)
        return teams

    def join(self, name: str, teams: Sequence[Sequence[str]]) -> int:
        """Return the team, from 0, for someone who comes late."""
        return int(self.say(f"JOIN {name}", *_seats(teams)).rpartition(" ")[2])

    def chances(self, teams: Sequence[Sequence[str]]) -> list[float]:
        """Return each team's chance to win."""
        return [float(each) for each in self.say("WINPROB", *_seats(teams)).split()[1:]]

    def advantage(self, teams: Sequence[Sequence[str]]) -> list[float]:
        """Return the factor on each team's odds that makes the game even."""
        return [float(each) for each in self.say("ADVANTAGE", *_seats(teams)).split()[1:]]

    def result(self, match: str, scores: Sequence[float], teams: Sequence[Sequence[str]]) -> bool:
        """Report a game that has ended now; return whether it was new."""
        self.say(f"AUTH {self._token}")
        answer = self.say(f"RESULT {match}", " ".join(f"{score:g}" for score in scores), *_seats(teams))
        return answer.endswith(" new")

    def say(self, *fields: str) -> str:
        """Send any line of the weight protocol, its fields separated by tabs; return the line of the answer.

        Raises
        ------
        ServerError
            If it is refused, or the server cannot be reached.
        """
        self._say(*fields)
        try:
            answer = str(self._open().readline().decode()).removesuffix("\n")
        except OSError as error:
            answer = ""
            self.close()
            msg = f"{self._weights} does not answer: {error}"
            raise ServerError(msg) from error
        if not answer:
            self.close()
            msg = f"{self._weights} has closed the connection"
            raise ServerError(msg)
        if answer.startswith("ERR "):
            _, kind, detail = answer.split(" ", 2)
            raise ServerError(detail, kind)
        return answer

    def _say(self, *fields: str) -> None:
        _check(fields)
        line = "\t".join(fields)
        try:
            self._open().write(line.encode() + b"\n")
        except OSError as error:
            self.close()
            msg = f"{self._weights} does not answer: {error}"
            raise ServerError(msg) from error

    def _open(self) -> Any:
        """Return the connection of the weight protocol, opened again where there is none."""
        if self._lines is None:
            address = host_and_port(self._weights, "weights", "127.0.0.1:7790")
            with socket.create_connection(address, self._seconds) as connection:
                self._lines = connection.makefile("rwb", buffering=0)
            for line in self._setting:
                self._lines.write(line.encode() + b"\n")
        return self._lines


http_client = http.client.HTTPConnection


def _address(http: str) -> SplitResult:
    """Return an address of HTTP in its parts; an empty one stands for none."""
    try:
        parts = urlsplit(http)
        known = not http or (parts.scheme in ("http", "https") and bool(parts.hostname))
        _ = parts.port  # Read here, as a wrong one is an error only where it is read.
    except ValueError:
        known = False
    if not known:
        msg = f"must be an address such as http://127.0.0.1:8080, got {http!r}"
        raise InputError(msg, "http")
    return parts


def _check(fields: Sequence[str], argument: str = "name") -> None:
    """Refuse what would begin another line or field, or is no text."""
    for sign in "".join(fields):
        if ord(sign) < 32 or ord(sign) == 127 or "\ud800" <= sign <= "\udfff":
            msg = "must have no control characters and no surrogates"
            raise InputError(msg, argument)


def _seats(teams: Sequence[Sequence[str]]) -> list[str]:
    """Return players in their teams as fields; a bot is written ``BOT name``."""
    members = ((n, name) for n, team in enumerate(teams) for name in team)
    return [f"{n} {name if name.startswith('BOT ') else f'PLAYER {name}'}" for n, name in members]


def _problem(status: int, content: bytes) -> ServerError:
    """Return the error that a problem reports."""
    try:
        plain = json.loads(content)
        kind = str(plain["type"]).rpartition(":")[2]
        pointer = plain["errors"][0]["pointer"] if plain.get("errors") else ""
        return ServerError(str(plain["detail"]), kind, status, pointer)
    except (ValueError, LookupError, TypeError):
        return ServerError(f"status {status}", "unknown", status)
