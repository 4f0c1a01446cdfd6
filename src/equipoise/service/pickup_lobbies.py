"""Lobbies with an archive: what people type becomes events that are kept before anything is answered.

Nothing here knows where they type; a chat hands over who typed what, and sends the replies.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from equipoise.archive.archive import Archive
from equipoise.archive.rated_players import people_of, weights_of
from equipoise.core.match import Ruleset
from equipoise.core.plain_data import printable
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.pages.text import evening as words
from equipoise.pages.text.point_changes import changes_text
from equipoise.play import evening_events as ev
from equipoise.play.chat_commands import CALLED, COMMANDS, ChatQuestion, Speaking, understood
from equipoise.play.evening import EVENING, Evening
from equipoise.play.evening_events import ChatPlace, Command, EveningLobby, Event, Notice
from equipoise.play.evening_records import CHAT, TAKEN, record_of
from equipoise.play.proposals import MEETING
from equipoise.ratings.point_changes import points
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.link_codes import redeem

#: Seconds for a search: people wait for it, and teams of five take a hundredth of it.
SECONDS = 2.0

#: Hexadecimal digits of what an organiser says on a new connection: guesses are slowed down by the chat.
CODE = 12


@dataclass(frozen=True, slots=True)
class ChatReply:
    """Something to say: to somebody by id, or where nobody is named to everyone in a channel, or in all."""

    to: str
    text: str
    channel: str = ""


class Pickups:
    """Lobbies whose events are kept in an archive.

    Parameters
    ----------
    archive : Archive
        Where they are kept; what it has of earlier times goes on.
    lobbies : sequence of EveningLobby
        What people may gather for.
    apart : iterable of (str, str)
        Who never plays in one team.
    admins : iterable of str
        The ids of those in charge.
    vary : float
        The price of meeting again, in win probability: of two people in one team, and of whole teams.
    """

    def __init__(
        self, archive: Archive, lobbies: Sequence[EveningLobby], *, apart: Iterable[tuple[str, str]] = (),
        admins: Iterable[str] = (), vary: float = MEETING,
    ) -> None:  # fmt: skip
        self.archive = archive
        self.kept = KeptEvening(archive, lobbies, apart=apart, vary=vary, seconds=SECONDS)
        #: Those in charge, as they are compared: accounts, or nicks where a server has none.
        self.admins = frozenset(each.lower() for each in admins)
        self._own = [lobby.name for lobby in lobbies]
        #: Where those who play, and those in charge, were last seen, without an account; those who are not in
        #: it have one, or are neither.
        self.places: dict[str, ChatPlace] = {}
        #: From accounts that somebody logged into during a game to who began it.
        self._aliases: dict[str, str] = {}
        #: Where teams are called for: from people of the chat to whom they are there.
        self._persons: dict[str, str] = {}
        #: When something was last heard of whom, and of anybody.
        self._heard: dict[str, float] = {}
        self._now = -math.inf
        for record in archive.night_events():
            self._noted(record)
        self._now = max(self._now, time.time())
        self._let_go()
        playing = [each for game in self.evening.games.values() for each in game.players]
        for each in chain(playing, *self.evening.waiting.values()):
            if each.startswith("~") and each not in self.places:  # of before places were kept with events
                self.places[each] = ChatPlace("", "")
        self.kept.settle()

    @property
    def evening(self) -> Evening:
        """What goes on."""
        return self.kept.evening

    @property
    def names(self) -> dict[str, str]:
        """How everyone was last called."""
        return self.kept.names

    @property
    def events(self) -> int:
        """How many events are kept."""
        return self.kept.known

    # Who is who

    def seen(self, who: str, now: float, nick: str, sign: str | None = "") -> None:
        """Keep where somebody was seen who plays: under which nick (none: they left), signed on when.

        An account (``sign`` is None) needs no place.
        """
        before = self.places.get(who)
        if not (self._plays(who) or who in self.admins) or (before is None and (sign is None or not nick)):
            return
        if not (self._plays(who) or before or sign):
            return  # nothing would ever tell that an organiser is the same one
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

    def is_playing(self, who: str) -> bool:
        """Tell whether somebody of the chat is in a game, or there where teams are called for."""
        return who in self._persons or self.evening.game_of(who) is not None

    def _plays(self, who: str) -> bool:
        """Tell whether a place is kept for somebody: in a game or lobby, or where teams are called for."""
        player = self.evening.one(self._persons.get(who, who))
        game = self.evening.game_of(player)
        if self.evening.waits(player) or (game is not None and not game.lobby.called):
            return True
        here = any(player in queue for queue in self.evening.waiting.values())
        return (here or game is not None) and self._now - self._heard.get(who, -math.inf) <= EVENING

    def _bearer(self, player: str) -> str:
        """Return who of the chat somebody is where teams are called for, empty where that is nobody yet."""
        one = self.evening.one
        return next((who for who, each in self._persons.items() if one(each) == one(player)), "")

    def _in_chat(self, player: str) -> list[str]:
        """Return who of the chat somebody is, for messages to them."""
        ids = self.evening.ids_of(player)
        return [each for each in ids if each in self._heard or each in self.places] or [player]

    def _remember(self, plain: dict[str, Any]) -> None:
        self._noted(plain)
        self.kept.remember(plain)

    def _noted(self, plain: Mapping[str, Any]) -> None:
        """Note what a record says of who is who."""
        if plain["kind"] not in (CHAT, TAKEN):
            return
        who = plain.get("chat") or plain.get("who") or plain["event"].get("who", "")
        self._now = max(self._now, plain["at"])
        self._heard[who] = self._now
        if plain.get("chat"):
            self._persons = {each: one for each, one in self._persons.items() if one != plain["event"]["who"]}
            self._persons[who] = plain["event"]["who"]
        if "account" in plain:
            self._aliases[plain["account"]] = who
        elif "sign" in plain:
            self.places[who] = ChatPlace(plain["nick"], plain["sign"])
            if plain["nick"]:
                self.names[who] = plain["nick"]

    def _let_go(self) -> None:
        """Keep no place for those whose game is over."""
        for who in [who for who in self.places if not (self._plays(who) or who in self.admins)]:
            del self.places[who]
        for account in [one for one, who in self._aliases.items() if not self._plays(who)]:
            del self._aliases[account]
        for who in [who for who in self._persons if not self._plays(who)]:
            del self._persons[who]

    def _is(
        self, text: str, who: str, now: float, adopted: Callable[[str, str], str | None]
    ) -> list[ChatReply]:
        """Do what an organiser says: whoever bears a nick is somebody whose place is kept."""
        nick, _, name = text.partition(" ")
        if who not in self.admins:
            msg = "only those in charge can do that"
            raise InputError(msg)
        kept = self._kept_as(name.strip())
        if len(kept) != 1:
            there = ", ".join(sorted(map(self.written, self.places))) or "nobody, as nobody plays"
            msg = f"NAME must be one of {there}, got {name!r:.40}"
            raise InputError(msg)
        before, sign = self.written(kept[0]), adopted(nick, kept[0])
        if sign is None:
            msg = f"{nick:.40} is not here, or has an account"
            raise InputError(msg)
        self._remember({"kind": CHAT, "at": now, "who": kept[0], "nick": nick, "sign": sign})
        return [ChatReply("", f"{printable(nick)} is {before}")]

    def code(self, admin: str) -> str:
        """Return what an organiser says to us alone where a server has no accounts, on a new connection."""
        return hmac.digest(self.archive.salt, f"organiser {admin}".encode(), hashlib.sha256).hex()[:CODE]

    def _organises(
        self, code: str, who: str, nick: str, now: float, adopted: Callable[[str, str], str | None],
        channel: str,
    ) -> list[ChatReply]:  # fmt: skip
        """Let whoever has the code of an organiser be that one: a nick proves nothing once it was free."""
        if who.startswith("~"):
            msg = "log in: this server has accounts, and those in charge are known by them"
            raise InputError(msg)
        if channel:
            msg = "say that to me alone"
            raise InputError(msg)
        admin = next(
            (one for one in self.admins if hmac.compare_digest(self.code(one), code.strip().lower())), None
        )
        sign = None if admin is None else adopted(nick, admin)
        if admin is None or sign is None:
            msg = "that is not the code of an organiser"
            raise InputError(msg)
        self._remember({"kind": CHAT, "at": now, "who": admin, "nick": nick, "sign": sign})
        return [ChatReply(admin, f"you are {printable(admin)}, and in charge")]

    def _kept_as(self, name: str) -> list[str]:
        """Return those whose place is kept and who are meant by a name: an id before the names of others."""
        wanted = name.casefold()
        ways: tuple[Callable[[str], str], ...] = (
            lambda each: each, lambda each: each.removeprefix("~"), self.shown,
            lambda each: self.kept.shown(self._persons.get(each, each)),
        )  # fmt: skip
        found = ([each for each in self.places if way(each).casefold() == wanted] for way in ways)
        return next(filter(None, found), [])

    def written(self, who: str) -> str:
        """Return a name under which somebody whose place is kept is told from all others."""
        return next((name for name in (self.shown(who), who) if self._kept_as(name) == [who]), who)

    def shown(self, player: str) -> str:
        """Return the name of somebody."""
        return self.kept.shown(player)

    def start(self, now: float) -> list[ChatReply]:
        """Ask again what was not answered before the last end."""
        return self._typed(self.kept.start(now))

    def hear(
        self, who: str, nick: str, text: str, now: float, id_of: Callable[[str], str | None],
        adopted: Callable[[str, str], str | None] = lambda *_: None, sign: str | None = None,
        channel: str = "",
    ) -> list[ChatReply]:  # fmt: skip
        """Take a line that somebody wrote, and return the answers.

        ``id_of`` tells who bears a nick; ``adopted`` lets whoever bears it be somebody who is away, and
        returns when they signed on.  ``sign`` is when the one who writes did, empty where unknown; None where
        an account proves who they are.  ``channel`` is where it was written, empty for to us alone.
        """
        self.names[who] = nick
        self._now = max(self._now, now)
        self._let_go()
        self.kept.catch_up()
        word, _, rest = text.lstrip("!").strip().partition(" ")
        try:
            if word.lower() == "is" and rest:
                return self._is(rest, who, now, adopted)
            if word.lower() == "organiser":
                return self._organises(rest, who, nick, now, adopted, channel)
            if word.lower() == "link" and rest:
                return [self._linked(rest, who, now)]
            own = self._own_of(channel)
            meant = understood(text, self._speaking(who, nick, now, id_of, own), self.evening)
            if isinstance(meant, ChatQuestion):
                alone = who if meant.about == "help" else ""
                return [ChatReply(alone, line, channel) for line in self._answered(meant, own)]
            answers = self.take(meant, now, nick, sign, who)
            if isinstance(meant, ev.Add) and self._plays(who) and (question := self.kept.question(who, now)):
                text = f"{question}: you count as somebody new unless you take a name that is yours alone"
                answers.append(ChatReply(who, printable(text)))
            return answers
        except InputError as error:
            return [ChatReply(who, printable(str(error)))]

    def _linked(self, code: str, who: str, now: float) -> ChatReply:
        """Let whoever asked for a code elsewhere be the one who types it here."""
        if who.startswith("~"):
            msg = "log in first: without an account nothing proves that this nick is yours"
            raise InputError(msg)
        redeem(self.archive, code, self.kept.known_as([who], now)[who], now)
        return ChatReply(who, "you are one person there and here from now on")

    def _own_of(self, channel: str) -> list[str]:
        """Return the lobbies of a channel, all of them for what is written to us alone."""
        lobbies = self.evening.lobbies
        return [name for name in self._own if not channel or lobbies[name].channel in ("", channel)]

    def _speaking(
        self, who: str, nick: str, now: float, id_of: Callable[[str], str | None], own: Sequence[str]
    ) -> Speaking:
        """Return who speaks, and what they may."""
        admin = who in self.admins

        def people() -> RosterLookup:
            rooms = [self.evening.rooms[name] for name in own]
            spelled = next((room.spelled for room in rooms if room.lobby.called), {})
            return people_of(self.archive.standing(), self.archive.merged(), now, spelled)

        def written(typed: str, player: str) -> str:
            known = people()
            return known.written(typed, player) if player in known.ids else typed * (typed == player)

        def person(name: str) -> str | None:
            bearer = who if not name else id_of(name)
            if bearer in self._persons:
                return self._persons[bearer]
            for each in (name or nick, *([bearer] if bearer else [])):
                known = people().id_of(each)
                if known is not None and (name or self._bearer(known) in ("", who)):
                    return known  # nobody acts as somebody that another one is
            return bearer

        return Speaking(who, id_of, admin, own, person, admin or not self.admins, written)

    def take(
        self, event: Event, now: float, nick: str = "", sign: str | None = None, who: str = ""
    ) -> list[ChatReply]:
        """Take an event: keep it with what it does, and return what there is to say.

        ``nick`` and ``sign`` are of ``who`` of the chat acts, in the same transaction.

        Raises
        ------
        InputError
            If the archive cannot keep it.
        """
        room = self.evening.rooms.get(getattr(event, "lobby", ""))
        acts = self.evening.one(getattr(event, "who", ""))
        chat = who if acts and (acts != who or (room is not None and room.lobby.called)) else ""
        done = self.kept.take(event, now, nick, sign=sign, chat=chat)
        if who and not done.refused:
            self._noted(record_of(event, now, nick, sign, chat))
        self._let_go()
        answers = self._typed(done.commands)
        game = self.evening.over.get(done.game) or self.evening.games.get(done.game)
        if game is not None:
            lobby = game.lobby
            if done.new:
                answers.append(ChatReply("", printable(f"new: {', '.join(done.new)}"), lobby.channel))
            line = changes_text(done.changes, self.shown)
            answers.append(ChatReply("", f"[{words.short(lobby.name)}] {line}", lobby.channel))
        return answers

    def _others(self) -> list[ChatReply]:
        """Return what there is to say of what other doors have done in the lobbies of this chat."""
        mine = [each for each in self.kept.follow() if each.lobby in self._own]
        if mine:
            self._let_go()
        merged: list[Notice] = []
        for each in mine:
            last = merged[-1] if merged else None
            alike = last is not None and each.kind == last.kind == "attending" and each.lobby == last.lobby
            if last is not None and alike and each.facts["state"] == last.facts["state"]:
                everyone = (*last.facts["who_all"], *each.facts["who_all"])
                merged[-1] = replace(each, facts={**each.facts, "who_all": tuple(dict.fromkeys(everyone))})
            else:
                merged.append(each)
        return self._typed(merged)

    def _typed(self, commands: Iterable[Command]) -> list[ChatReply]:
        """Return what there is to say."""
        found: list[ChatReply] = []
        for command in commands:
            if not isinstance(command, Notice):
                continue
            room = self.evening.rooms.get(command.lobby)
            where = "" if room is None else room.lobby.channel
            if command.kind == "changed":
                text = changes_text(command.facts["rows"], self.shown)
                found.append(ChatReply("", printable(f"[{words.short(command.lobby)}] {text}"), where))
            elif line := words.line_of(command, self.shown):
                everyone = [chat for to in command.to for chat in self._in_chat(to)] or [""]
                found += [ChatReply(to, line, where) for to in everyone]
        return found

    def tick(self, now: float) -> list[ChatReply]:
        """Note that time has passed, and what other doors have done."""
        found = self._others()
        while self.evening.deadline() <= now:
            found += self.take(ev.Tick(), now)
        return found

    # Questions

    def _answered(self, question: ChatQuestion, own: Sequence[str]) -> list[str]:
        if question.about == "status":
            return words.status_lines(self.evening, self.shown, own)
        if question.about == "teams":
            return words.teams_lines(self.evening, self.shown, own)
        if question.about == "rank":
            return [printable(self._rank(question))]
        if question.about == "why":
            game = words.game_meant(self.evening, question.who)
            weights = {} if game is None else self._weights(chain(*game.teams), game.lobby.ruleset)
            return words.why_lines(self.evening, question.who, self.shown, weights)
        called = any(self.evening.lobbies[name].called for name in own)
        known = {**COMMANDS, **CALLED} if called else COMMANDS
        return [" ".join(f"!{name} {what}".strip() for name, what in known.items())]

    def _weights(self, players: Iterable[str], ruleset: Ruleset | None = None) -> dict[str, float]:
        """Return what players weigh in a ruleset, or over all."""
        known = self.kept.known_as(players, time.time())
        weights = weights_of(self.archive.standing(), known.values(), ruleset, self.archive.merged())
        return {player: weights[counted] for player, counted in known.items()}

    def _meant(self, name: str) -> str | None:
        """Return the id of whoever bears a name in the archive; one of several is a question."""
        return people_of(self.archive.standing(), self.archive.merged(), time.time()).id_of(name)

    def _rank(self, question: ChatQuestion) -> str:
        """Return the place of somebody among all who have played."""
        wanted = question.argument.casefold()
        who = next(
            (player for player, name in self.names.items() if wanted in (name.casefold(), player.casefold())),
            self._meant(question.argument) if wanted else question.who,
        )
        standing = self.archive.standing()
        played = {player for player, _ in standing.games}
        shown = "" if who is None else self.shown(who)
        who = None if who is None else self.kept.known_as([who], time.time())[who]
        if who is None or who not in played:
            return f"{question.argument or self.shown(question.who):.40} has no games that count"
        weights = self._weights(played)
        mine = weights[who]
        place = 1 + sum(weight > mine for weight in weights.values())
        return f"{shown} is number {place} of {len(played)} with {points(mine)} points"
