"""Lobbies with an archive: what people type becomes events that are kept before anything is answered.

Nothing here knows where they type; a chat hands over who typed what, and sends the replies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from equipoise.archive.archive import Archive
from equipoise.archive.rated_players import people_of, rated, weights_of
from equipoise.core.clock import deadline
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.player import Player, is_bot
from equipoise.errors import InputError
from equipoise.identity.merges import renamed
from equipoise.pages.text import pickup as words
from equipoise.pages.text.point_changes import changes_text
from equipoise.play import pickup_events as ev
from equipoise.play.chat_commands import COMMANDS, ChatQuestion, understood
from equipoise.play.night import CHAT, PICKUP
from equipoise.play.pickup import PickupLobbies, PickupLobby
from equipoise.play.pickup_events import ChatPlace, Command, Divide, Event, Keep, Notice, TakeBack
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
        #: Where those who play were last seen, without an account; those who are not in it have one or are
        #: in no game.
        self.places: dict[str, ChatPlace] = {}
        #: From accounts that somebody logged into during a game to who began it.
        self._aliases: dict[str, str] = {}
        known = archive.night_events()
        self._known = len(known)
        for each in known:
            if each["kind"] == PICKUP:
                event = ev.from_plain(each["event"])
                self._note(event, each["nick"])
                self.lobbies.handle(event, each["at"])
            elif each["kind"] == CHAT:
                self._noted(each)
        self._let_go()
        archive.update_ratings()

    def _note(self, event: Event, nick: str) -> None:
        who = getattr(event, "who", "")
        if who and nick:
            self.names[who] = nick

    @property
    def events(self) -> int:
        """How many events are kept."""
        return self._known

    # Who is who

    def seen(self, who: str, now: float, nick: str, sign: str = "") -> None:
        """Keep where somebody was seen who plays: under which nick (none: they left), signed on when."""
        before = self.places.get(who)
        if not self._plays(who) or (who not in self.places and not nick):
            return
        place = ChatPlace(nick, sign or (before.sign if before else ""))
        if place != before:
            self._remember({"kind": CHAT, "at": now, "who": who, "nick": place.nick, "sign": place.sign})

    def go_on(self, account: str, who: str, now: float) -> None:
        """Let an account go on with the game that somebody began before logging in."""
        if account.startswith("~"):  # logged out: nothing but this connection proves who it is
            self._aliases[account] = who
        elif self._aliases.get(account) != who:
            self._remember({"kind": CHAT, "at": now, "who": who, "account": account})

    def player(self, who: str) -> str:
        """Return who somebody is in the game they are in."""
        alias = self._aliases.get(who)
        return alias if alias is not None and self._plays(alias) else who

    def _plays(self, who: str) -> bool:
        waiting = self.lobbies.waiting.values()
        return self.lobbies.game_of(who) is not None or any(who in queue for queue in waiting)

    def _remember(self, plain: dict[str, Any]) -> None:
        self._noted(plain)
        self.archive.add_night_event(plain, None)
        self._known += 1

    def _noted(self, plain: Mapping[str, Any]) -> None:
        who = plain["who"]
        if "account" in plain:
            self._aliases[plain["account"]] = who
        else:
            self.places[who] = ChatPlace(plain["nick"], plain["sign"])
            if plain["nick"]:
                self.names[who] = plain["nick"]

    def _let_go(self) -> None:
        """Keep no place for those whose game is over."""
        for who in [who for who in self.places if not self._plays(who)]:
            del self.places[who]
        for account in [one for one, who in self._aliases.items() if not self._plays(who)]:
            del self._aliases[account]

    def _is(self, text: str, who: str, now: float, adopted: Callable[[str, str], bool]) -> list[ChatReply]:
        """Do what an organiser says: whoever bears a nick is somebody whose place is kept."""
        nick, _, name = text.partition(" ")
        if who not in self._admins:
            msg = "only those in charge can do that"
            raise InputError(msg)
        wanted = name.strip().casefold()
        kept = [
            each for each in self.places
            if wanted in (each.casefold(), each.lstrip("~").casefold(), self.shown(each).casefold())
        ]  # fmt: skip
        if len(kept) != 1:
            there = ", ".join(sorted(map(self.shown, self.places))) or "nobody, as nobody plays"
            msg = f"NAME must be one of {there}, got {name!r:.40}"
            raise InputError(msg)
        if not adopted(nick, kept[0]):
            msg = f"{nick:.40} is not here, or has an account"
            raise InputError(msg)
        before = self.shown(kept[0])
        self.seen(kept[0], now, nick)
        return [ChatReply("", f"{printable(nick)} is {before}")]

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
        self, who: str, nick: str, text: str, now: float, id_of: Callable[[str], str | None],
        adopted: Callable[[str, str], bool] = lambda *_: False,
    ) -> list[ChatReply]:  # fmt: skip
        """Take a line that somebody wrote, and return the answers.

        ``id_of`` tells who bears a nick; ``adopted`` lets whoever bears it be somebody who is away.
        """
        self.names[who] = nick
        word, _, rest = text.lstrip("!").strip().partition(" ")
        try:
            if word.lower() == "is" and rest:
                return self._is(rest, who, now, adopted)
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
        commands, new = self.lobbies.handle(event, now), list[str]()
        refused = len(commands) == 1 and isinstance(commands[0], Notice) and commands[0].kind == "refused"
        game = next((each.game for each in commands if isinstance(each, Keep | TakeBack)), None)
        before = {} if game is None else self._table(game)
        if not refused and (commands or not isinstance(event, ev.Tick)):
            new = self._keep(event, now, nick, commands)
        self._let_go()
        answers = self._carried(commands, now)
        if new:
            answers.append(ChatReply("", printable(f"new: {', '.join(new)}")))
        return answers if game is None else [*answers, *self._changed(game, before)]

    def _table(self, game: str) -> dict[str, float]:
        """Return the weights of all who have played the ruleset of a game, and of its players."""
        known, standing = self.lobbies.over[game], self.archive.standing()
        played = {player for player, ruleset in standing.games if ruleset == known.lobby.ruleset}
        playing = self._known_as(chain(*known.teams), math.inf).values()
        everyone = dict.fromkeys([*playing, *sorted(played)])
        return weights_of(standing, everyone, known.lobby.ruleset, self.archive.merged())

    def _changed(self, game: str, before: Mapping[str, float]) -> list[ChatReply]:
        """Return what a result, or taking it back, has changed."""
        known, after = self.lobbies.over[game], self._table(game)
        both = {player: before.get(player, weight) for player, weight in after.items()}
        playing = self._known_as(chain(*known.teams), math.inf)
        nick_of = {counted: nick for nick, counted in playing.items()}
        changes = point_changes(playing.values(), both, after)
        line = changes_text(changes, lambda who: self.shown(nick_of.get(who, who)))
        return [ChatReply("", f"[{known.lobby.name}] {line}")]

    def tick(self, now: float) -> list[ChatReply]:
        """Note that time has passed."""
        found: list[ChatReply] = []
        while self.lobbies.deadline() <= now:
            found += self.take(ev.Tick(), now)
        return found

    def _keep(self, event: Event, now: float, nick: str, commands: Sequence[Command]) -> list[str]:
        """Keep an event with what it does; return the names of people whom the archive did not know."""
        match = next((self._match(each, now) for each in commands if isinstance(each, Keep)), None)
        before = set() if match is None else {player for player, _ in self.archive.standing().games}
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
        return [] if match is None else [name for player, name in match.names if player not in before]

    def _match(self, keep: Keep, now: float) -> Match:
        """Return a result as an archive keeps it: after those before it, of the people it knows."""
        at = max(now, self.archive.last_ended())
        parties = [duo for duo in keep.parties if any(set(duo) <= set(team) for team in keep.teams)]
        ruleset = self.lobbies.lobbies[keep.lobby].ruleset
        contest = Contest(ruleset, keep.teams, keep.ranks, at=at, parties=parties)
        names = tuple((player, self.shown(player)) for team in keep.teams for player in team)
        match = Match((contest,), ended=at, id=keep.game, names=names, map=keep.map, picks=keep.picks)
        return renamed(match, self._known_as(chain(*keep.teams), now))

    def _known_as(self, players: Iterable[str], now: float) -> dict[str, str]:
        """Return the id that each player has in the archive: their own, or that of whoever bears the name.

        Who took the nick of another one, or bears the name of several, is nobody known.
        """
        lookup = people_of(self.archive.standing(), self.archive.merged(), now)
        found: dict[str, str] = {}
        taken: set[str] = set()
        for player in players:
            one = player
            for name in (player, player.removeprefix("~")):
                try:
                    known = None if name.endswith("'") else lookup.id_of(name)
                except InputError:
                    known = None
                if known is not None and not is_bot(known) and known not in taken:
                    one = known
                    break
            found[player] = one
            taken.add(one)
        return found

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
        known = self._known_as(players, math.inf)
        here = rated(self.archive.standing(), known.values(), ruleset, self.archive.merged())
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
        known = self._known_as(players, math.inf)
        weights = weights_of(self.archive.standing(), known.values(), ruleset, self.archive.merged())
        return {player: weights[counted] for player, counted in known.items()}

    def _rank(self, question: ChatQuestion) -> str:
        """Return the place of somebody among all who have played."""
        wanted = question.argument.casefold()
        who = next(
            (player for player, name in self.names.items() if wanted in (name.casefold(), player.casefold())),
            question.who if not wanted else None,
        )
        standing = self.archive.standing()
        played = {player for player, _ in standing.games}
        shown = "" if who is None else self.shown(who)
        who = None if who is None else self._known_as([who], math.inf)[who]
        if who is None or who not in played:
            return f"{question.argument or self.shown(question.who):.40} has no games that count"
        weights = self._weights(played)
        mine = weights[who]
        place = 1 + sum(weight > mine for weight in weights.values())
        return f"{shown} is number {place} of {len(played)} with {points(mine)} points"
