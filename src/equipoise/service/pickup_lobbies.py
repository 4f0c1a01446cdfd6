"""Lobbies with an archive: what people type becomes events that are kept before anything is answered.

Nothing here knows where they type; a chat hands over who typed what, and sends the replies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from equipoise.archive.archive import Archive
from equipoise.archive.rated_players import rated, weights_of
from equipoise.core.clock import deadline
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.pages.text import pickup as words
from equipoise.pages.text.point_changes import changes_text
from equipoise.play import pickup_events as ev
from equipoise.play.chat_commands import COMMANDS, ChatQuestion, understood
from equipoise.play.night import PICKUP
from equipoise.play.pickup import PickupLobbies, PickupLobby
from equipoise.play.pickup_events import Command, Divide, Event, Keep, Notice, TakeBack
from equipoise.play.proposals import MEETING, arrange
from equipoise.ratings.point_changes import point_changes, points

#: Seconds for a search: people wait for it, and teams of five take a hundredth of it.
SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """Something to say: to somebody by id, or to everyone where nobody is named."""

    to: str
    text: str


class Pickups:
    """Lobbies whose events are kept in an archive.

    Parameters
    ----------
    archive : Archive
        Where they are kept; what it has of earlier times goes on.
    lobbies : sequence of PickupLobby
        What people may gather for.
    apart : iterable of (str, str)
        Who never plays in one team.
    admins : iterable of str
        The ids of those in charge.
    vary : float
        The price of meeting again, in win probability: of two people in one team, and of whole teams.
    """

    def __init__(
        self, archive: Archive, lobbies: Sequence[PickupLobby], *, apart: Iterable[tuple[str, str]] = (),
        admins: Iterable[str] = (), vary: float = MEETING,
    ) -> None:  # fmt: skip
        self.archive, self.lobbies = archive, PickupLobbies(lobbies, apart)
        self._admins, self._vary = frozenset(admins), vary
        #: How everyone was last called.
        self.names: dict[str, str] = {}
        known = archive.night_events()
        self._known = len(known)
        for each in known:
            if each["kind"] == PICKUP:
                event = ev.from_plain(each["event"])
                self._note(event, each["nick"])
                self.lobbies.handle(event, each["at"])
        archive.update_ratings()

    def _note(self, event: Event, nick: str) -> None:
        who = getattr(event, "who", "")
        if who and nick:
            self.names[who] = nick

    def shown(self, player: str) -> str:
        """Return the name of somebody."""
        return printable(self.names.get(player, player.lstrip("~")))

    def start(self, now: float) -> list[ChatReply]:
        """Ask again what was not answered before the last end."""
        found: list[ChatReply] = []
        for command in self.lobbies.pending():
            found += self._carried([command], now)
        return found

    def hear(
        self, who: str, nick: str, text: str, now: float, id_of: Callable[[str], str | None]
    ) -> list[ChatReply]:
        """Take a line that somebody wrote, and return the answers."""
        self.names[who] = nick
        try:
            meant = understood(text, who, self.lobbies, id_of, admin=who in self._admins)
            if isinstance(meant, ChatQuestion):
                return [
                    ChatReply(who if meant.about == "help" else "", line) for line in self._answered(meant)
                ]
            return self.take(meant, now, nick)
        except InputError as error:
            return [ChatReply(who, printable(str(error)))]

    def take(self, event: Event, now: float, nick: str = "") -> list[ChatReply]:
        """Take an event: keep it with what it does, and return what there is to say.

        Raises
        ------
        InputError
            If the archive cannot keep it.
        """
        commands = self.lobbies.handle(event, now)
        refused = len(commands) == 1 and isinstance(commands[0], Notice) and commands[0].kind == "refused"
        game = next((each.game for each in commands if isinstance(each, Keep | TakeBack)), None)
        before = {} if game is None else self._table(game)
        if not refused and (commands or not isinstance(event, ev.Tick)):
            self._keep(event, now, nick, commands)
        return self._carried(commands, now) + ([] if game is None else self._changed(game, before))

    def _table(self, game: str) -> dict[str, float]:
        """Return the weights of all who have played the ruleset of a game, and of its players."""
        known = self.lobbies.over[game]
        played = {
            player for player, ruleset in self.archive.standing().games if ruleset == known.lobby.ruleset
        }
        return self._weights(dict.fromkeys([*chain(*known.teams), *sorted(played)]), known.lobby.ruleset)

    def _changed(self, game: str, before: Mapping[str, float]) -> list[ChatReply]:
        """Return what a result, or taking it back, has changed."""
        known, after = self.lobbies.over[game], self._table(game)
        both = {player: before.get(player, weight) for player, weight in after.items()}
        line = changes_text(point_changes(chain(*known.teams), both, after), self.shown)
        return [ChatReply("", f"[{known.lobby.name}] {line}")]

    def tick(self, now: float) -> list[ChatReply]:
        """Note that time has passed."""
        found: list[ChatReply] = []
        while self.lobbies.deadline() <= now:
            found += self.take(ev.Tick(), now)
        return found

    def _keep(self, event: Event, now: float, nick: str, commands: Sequence[Command]) -> None:
        match = next((self._match(each, now) for each in commands if isinstance(each, Keep)), None)
        undone = next((each.game for each in commands if isinstance(each, TakeBack)), None)
        plain = {"kind": PICKUP, "at": now, "nick": nick, "event": ev.as_plain(event)}
        try:
            self.archive.add_night_event(plain, self._known, match, undone)
        except InputError:  # a night was reported beside us, which changes nothing here
            self._known = len(self.archive.night_events())
            self.archive.add_night_event(plain, self._known, match, undone)
        self._known += 1
        if match is not None or undone is not None:
            self.archive.update_ratings()

    def _match(self, keep: Keep, now: float) -> Match:
        """Return a result as an archive keeps it: after those before it."""
        at = max(now, self.archive.last_ended())
        parties = [duo for duo in keep.parties if any(set(duo) <= set(team) for team in keep.teams)]
        ruleset = self.lobbies.lobbies[keep.lobby].ruleset
        contest = Contest(ruleset, keep.teams, keep.ranks, at=at, parties=parties)
        names = tuple((player, self.shown(player)) for team in keep.teams for player in team)
        return Match((contest,), ended=at, id=keep.game, names=names, map=keep.map, picks=keep.picks)

    def _carried(self, commands: Sequence[Command], now: float) -> list[ChatReply]:
        """Carry commands out, and return what there is to say."""
        found: list[ChatReply] = []
        for command in commands:
            if isinstance(command, Notice):
                line = words.line_of(command, self.shown)
                found += [ChatReply(to, line) for to in command.to or ("",)] if line else []
            elif isinstance(command, Divide):
                found += self.take(self._divided(command), now)
        return found

    def _divided(self, command: Divide) -> ev.Divided:
        """Return the answer to a question for teams."""
        game = self.lobbies.games[command.game]

        def known(players: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
            return self._rated(players, game.lobby.ruleset)

        try:
            found = arrange(
                self.lobbies.played(), command.setup, known, command.game,
                seen=command.seen, vary=self._vary, stop=deadline(SECONDS),
            ).proposal  # fmt: skip
        except InputError:
            return ev.Divided(command.game, ())
        return ev.Divided(command.game, found.teams, found.chances, self._vary)

    def _rated(self, players: Sequence[str], ruleset: Ruleset) -> tuple[list[Player], dict[str, float]]:
        here = rated(self.archive.standing(), players, ruleset, self.archive.merged())
        given = [
            replace(player, id=each, name=each, bot=False)
            for each, player in zip(players, here.players, strict=True)
        ]
        return given, here.units

    # Questions

    def _answered(self, question: ChatQuestion) -> list[str]:
        if question.about == "status":
            return words.status_lines(self.lobbies, self.shown)
        if question.about == "teams":
            return words.teams_lines(self.lobbies, self.shown)
        if question.about == "rank":
            return [printable(self._rank(question))]
        if question.about == "why":
            game = words.game_meant(self.lobbies, question.who)
            weights = {} if game is None else self._weights(chain(*game.teams), game.lobby.ruleset)
            return words.why_lines(self.lobbies, question.who, self.shown, weights)
        return [" ".join(f"!{name} {what}".strip() for name, what in COMMANDS.items())]

    def _weights(self, players: Iterable[str], ruleset: Ruleset | None = None) -> dict[str, float]:
        """Return what players weigh in a ruleset, or over all."""
        return weights_of(self.archive.standing(), players, ruleset, self.archive.merged())

    def _rank(self, question: ChatQuestion) -> str:
        """Return the place of somebody among all who have played."""
        wanted = question.argument.casefold()
        who = next(
            (player for player, name in self.names.items() if wanted in (name.casefold(), player.casefold())),
            question.who if not wanted else None,
        )
        standing = self.archive.standing()
        played = {player for player, _ in standing.games}
        if who is None or who not in played:
            return f"{question.argument or self.shown(question.who):.40} has no games that count"
        weights = self._weights(played)
        mine = weights[who]
        place = 1 + sum(weight > mine for weight in weights.values())
        return f"{self.shown(who)} is number {place} of {len(played)} with {points(mine)} points"
