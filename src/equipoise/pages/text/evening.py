"""What lobbies say, in words short enough for a line of a chat."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.core.plain_data import printable
from equipoise.pages.text.teams import sizes_text, whole_chances
from equipoise.play.evening_events import COLOURS, LATER, MAYBE
from equipoise.ratings.point_changes import points

if TYPE_CHECKING:
    from equipoise.play.evening import Evening
    from equipoise.play.evening_events import Notice
    from equipoise.play.evening_state import EveningGame

#: From the id of a player to what is shown.
Shown = Callable[[str], str]


def called(team: int) -> str:
    """Return what a team, from 0, is called."""
    return COLOURS[team] if team < len(COLOURS) else f"team {team + 1}"


def short(lobby: str) -> str:
    """Return the name of a lobby without that of its channel.

    Examples
    --------
    >>> short("#pug/duel"), short("duel")
    ('duel', 'duel')
    """
    return lobby.rpartition("/")[2]


def line_of(notice: Notice, shown: Shown) -> str:
    """Return a notice as a line; empty for one that has no words."""
    words = _WORDS.get(notice.kind, "")
    where = f"[{short(notice.lobby)}] " if notice.lobby and words else ""
    return printable(where + words.format_map(_facts(notice.facts, shown)))


def _facts(raw: Mapping[str, Any], shown: Shown) -> dict[str, str]:
    """Return facts in words, and what follows from several of them."""
    facts = {name: _fact(value, name, shown) for name, value in raw.items()}
    if "teams" in raw:
        facts["line_up"] = teams_text(raw["teams"], shown)
    if "chances" in raw:
        facts["odds"] = _odds(raw["chances"], raw.get("teams", ()))
    if "ranks" in raw:
        facts["result"] = result_text(raw["ranks"])
    if "maps" in raw:
        facts["choices"], facts["side"] = " | ".join(raw["maps"]), names_of(raw["team"], shown)
    facts["where"] = f" on {raw['map']}" if raw.get("map") else ""
    return facts


def _fact(value: Any, name: str, shown: Shown) -> str:
    """Return a fact in words."""
    if name in ("who", "other", "instead", "captain"):
        return shown(value)
    if isinstance(value, tuple) and name in ("players", "left", "waiting", "gone", "who_all"):
        return names_of(value, shown) or "nobody"
    return f"{value:.0f} s" if name == "seconds" else str(value)


def names_of(players: Iterable[str], shown: Shown) -> str:
    """Return people as a text."""
    return ", ".join(map(shown, players))


def teams_text(teams: Sequence[Sequence[str]], shown: Shown) -> str:
    """Return teams in one line."""
    return " | ".join(f"{called(n)}: {names_of(team, shown)}" for n, team in enumerate(teams))


def _odds(chances: Sequence[float], teams: Sequence[Sequence[str]]) -> str:
    """Return how even a game is, and which team has more players."""
    best = max(range(len(chances)), key=lambda n: chances[n])
    even = chances[best] - 1.0 / len(chances) < 0.005
    text = "an even game" if even else f"{called(best)} wins {whole_chances(chances)[best]} %"
    larger = sizes_text(list(map(len, teams)), list(map(called, range(len(teams)))))
    return f"{text}; {larger}" if larger else text


def result_text(ranks: Sequence[float]) -> str:
    """Return how a game ended."""
    best = [n for n, rank in enumerate(ranks) if rank == min(ranks)]
    return f"{called(best[0])} won" if len(best) == 1 else "a draw"


_WORDS: Mapping[str, str] = {
    "refused": "{why}",
    "added": "{who} is in: {waiting} of {seats}",
    "left": "{who} is out: {waiting} left",
    "duo": "{who} and {other} play together from now on",
    "asked": "{who} wants to play with {other}: !duo {who} to agree",
    "alone": "you play alone",
    "preference": "noted: {preference} {other}",
    "ready?": "{players}: type !ready within {seconds}",
    "late": "{who} is late and has {seconds} more",
    "more time": "waiting {seconds} more for {left}",
    "called off": "the game is called off; gone: {gone}; waiting: {waiting}",
    "no teams": "no teams keep all the rules; add again when others are here",
    "teams": "{line_up} ({odds}): !yes, !no or !captains within {seconds}",
    "no others": "no other teams lie within {price} of win probability, the price of meeting again",
    "no captains": "these cannot be captains; vote again",
    "pick": "{line_up}; {captain} picks one of {left}: !pick NAME",
    "veto": "{side} strike a map: !veto {choices}",
    "play": "play: {line_up}{where}; then !report won, lost, draw or 3 1",
    "wanted": "{who} needs a substitute: !sub {who}",
    "substituted": "{who} plays for {instead}",
    "reported": "{who} reports: {result}; the other side: !confirm, or !report otherwise within {seconds}",
    "disputed": "the sides report different results; report again, or ask those in charge",
    "over": "{result}; it counts ({game})",
    "take back?": "{who} wants {game} taken back; the other side: !undo",
    "taken back": "{game} no longer counts",
    "cancelled": "{game} is called off",
    "attending": "{who_all}: {state}; here: {waiting}",
    "roles": "noted",
    "voted": "{who} votes for {choice}",
    "ballot": "vote for a map: !vote {choices}",
    "swapped": "{who} and {other} change places: {line_up}",
    "locked": "locked: {players}",
    "known": "that was reported already; nothing has changed",
    "undone": "taken back: {step}",
    "redone": "taken again: {step}",
    "begun": "the game begins: {line_up}",
    "counts again": "{game} counts again",
    "captain left": "the captains' draft is over, as {captain} left",
    "draft over": "the captains' draft is over: the rules leave no teams to pick",
}  # fmt: skip


def status_lines(evening: Evening, shown: Shown, names: Collection[str]) -> list[str]:
    """Return who waits or is there in these lobbies, and which games there are."""
    lines = []
    for name in names:
        room = evening.rooms[name]
        queue = room.setup.here
        seats = "here" if room.lobby.called else f"of {room.lobby.seats}"
        states = [
            f"{state}: {names_of(them, shown)}"
            for state in (MAYBE, LATER) if (them := [p for p, each in room.states.items() if each == state])
        ]  # fmt: skip
        text = f"{short(name)}: {len(queue)} {seats}" + (f": {names_of(queue, shown)}" if queue else "")
        lines.append("; ".join([text, *states]))
    lines += [
        f"{game.id}: waiting for {game.waits_for(shown)}"
        for game in evening.games.values() if game.lobby.name in names
    ]  # fmt: skip
    return list(map(printable, lines))


def teams_lines(evening: Evening, shown: Shown, names: Collection[str]) -> list[str]:
    """Return the teams of the games there are in these lobbies."""
    lines = [
        f"{game.id}: {teams_text(game.teams, shown)} ({now_text(game, shown)})"
        for game in evening.games.values() if game.teams and game.lobby.name in names
    ]  # fmt: skip
    return list(map(printable, lines)) or ["no game is being played"]


def now_text(game: EveningGame, shown: Shown) -> str:
    """Return how even teams are, or what goes on while they are not whole."""
    return _odds(game.chances, game.teams) if game.is_whole else f"waiting for {game.waits_for(shown)}"


def game_meant(evening: Evening, who: str) -> EveningGame | None:
    """Return the game that somebody asks about: their own, or else the last one; None before the first."""
    return evening.game_of(who) or next(reversed([*evening.over.values(), *evening.games.values()]), None)


def why_lines(evening: Evening, who: str, shown: Shown, weights: Mapping[str, float]) -> list[str]:
    """Return why teams are as they are: chances and the sums of what everyone weighs."""
    game = game_meant(evening, who)
    if game is None or not game.teams:
        return ["there are no teams yet"]
    if game.picks:
        return [
            "captains picked these teams: " + ", ".join(shown(player) for _, player in game.picks if player)
        ]
    sums = [points(sum(weights.get(player, 0.0) for player in team)) for team in game.teams]
    each = " | ".join(
        f"{called(n)} {chance} %, {total} points"
        for n, (chance, total) in enumerate(zip(whole_chances(game.chances), sums, strict=True))
    )
    seen = len(game.seen)
    return [f"by the ratings {each}" + (f"; teams number {seen} that were proposed" if seen > 1 else "")]
