"""Evenings on Discord without Discord: what somebody presses or types becomes an event, and messages follow.

Nothing here talks to anybody.  The same evenings stand behind every door (:class:`KeptEvening`); a channel
shows those of its own lobbies, and a button or command does nothing outside of these, whoever sends it.
People are who Discord says they are, by their number; a name is only shown.

What is sent follows from what is kept (:meth:`DiscordRooms.wanted`): after any end the messages that there
should be are worked out again, and the difference to those that were sent is sent.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from equipoise.archive.archive import open_archive
from equipoise.archive.database import OtherWriterError
from equipoise.archive.rated_players import weights_of
from equipoise.core.match import Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.player import is_bot
from equipoise.core.rulesets import ruleset_from
from equipoise.errors import InputError
from equipoise.identity.merges import ANONYMOUS
from equipoise.identity.short_ids import meant_by
from equipoise.pages.text import discord as cards
from equipoise.pages.text import evening as words
from equipoise.pages.text.discord import DiscordMessage, mark
from equipoise.pages.text.night import BEST, proof_line
from equipoise.pages.text.point_changes import changes_text
from equipoise.play import evening_events as ev
from equipoise.play.chat_commands import COMMANDS, Speaking, understood
from equipoise.play.evening import one_of
from equipoise.play.evening_events import EveningLobby, Event, Setup
from equipoise.play.evening_records import DISCORD, TONIGHT, Record
from equipoise.play.evening_state import EveningGame, Phase
from equipoise.play.lobby_forms import lobby_of
from equipoise.play.proposals import MEETING, count_splits
from equipoise.ratings.display_scale import Scale, scale_of
from equipoise.ratings.point_changes import POINTS, points
from equipoise.service import link_codes
from equipoise.service.chat import discord_commands as forms
from equipoise.service.chat.discord_presses import (
    CHANNEL,
    IS_PERSON,
    PERSON,
    DiscordAnswer,
    PlayingTeams,
    Pressed,
    Sent,
)
from equipoise.service.forgetting import check_no_game, forget_in
from equipoise.service.kept_evening import KeptEvening, StepTaken
from equipoise.service.tonight import LONGEST_SLUG, hashed, is_going_on, opened_evening, renewed_links

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.play.evening import Evening

#: Seconds for a search: Discord shows that we think, and other presses wait.
SECONDS = 2.0

#: Games that are over whose buttons do something, and seconds after which no message follows what happens.
RECENT, FOLLOWED = 60, 12 * 3600.0

#: Rows of a leaderboard, of them with a curve in its picture, and values that a completion offers at most.
LEADERS, DRAWN, OFFERED = 15, 5, 25

#: Words about the game somebody is in, which may be in another channel.
OF_A_GAME = frozenset((
    "ready", "late", "yes", "no", "captains", "vote", "pick", "veto", "report", "confirm", "leave", "undo",
))  # fmt: skip

#: Words that change a lobby where teams are called for: of those who are there, or in charge.
OF_THOSE_HERE = frozenset((
    "divide", "undo", "swap", "lock", "unlock", "captains", "maps", "roles", "plays", "sub", "pick", "veto",
    "won", "draw", "score", "report",
))  # fmt: skip

#: Those who act for somebody else with these have to be in charge.
FOR_OTHERS = frozenset(("in", "out", "maybe"))

#: Signs of a name that can stand in a link; how long the links to pages hold, and when they are made again.
SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
HOURS, RENEWED = 7 * 24.0, 3 * 86400.0

#: What is answered while another program writes to the archive.
BUSY = "The archive is busy: another program is writing to it.  Nothing was done; try again in a moment."

#: What stands before a reason: the field of a request that is at fault, which nobody has typed here.
FIELD = re.compile(r"^(?:players|teams|lobby|undo|redo|forget|captains|game|name|merge|report|store): ")

_COMMAND = re.compile(r"!(?=[a-z])")
_ID = re.compile(r"'?(discord:\d{1,20})'?")
_MENTION = re.compile(r"<@!?(\d{1,20})>")


def in_channel(lobby: EveningLobby, channel: str) -> EveningLobby:
    """Return a lobby as one of a channel; where teams are called for, its name can stand in a link."""
    linked = f"{lobby.name.lower()}-{channel}"
    can_be = lobby.called and len(linked) <= LONGEST_SLUG and set(linked) <= SLUG
    return replace(lobby, name=linked if can_be else f"{channel}/{lobby.name}", channel=CHANNEL + channel)


class KeptMessages(KeptEvening):
    """An evening that knows what was sent to Discord, and which presses were taken."""

    def load(self) -> None:
        """Let the evening be what the archive has of it by now."""
        self.sent: dict[str, Sent] = {}
        self.proofs: dict[str, str] = {}
        self.presses: set[str] = set()
        #: The keys that open the page of each evening, by their hashes.
        self.keys: dict[str, frozenset[str]] = {}
        super().load()

    def read(self, record: Record) -> None:
        """Take in a record."""
        if record["kind"] == TONIGHT and "keys" in record:
            name, known = record["evening"], frozenset(record["keys"])
            lasting = frozenset[str]() if record.get("only", True) else self.keys.get(name, frozenset[str]())
            self.keys[name] = lasting | known
        if record["kind"] != DISCORD:
            return
        ref = record.get("ref", "")
        if "press" in record:
            self.presses.add(record["press"])
        elif "proof" in record:
            self.proofs[ref] = record["proof"]
        elif "message" in record:
            self.sent[ref] = Sent(record["channel"], record["message"], tuple(record.get("rooms", ())),
                                  {who.removeprefix(PERSON): where for who, where in record.get("came", ())},
                                  record["at"])  # fmt: skip


class DiscordRooms:
    """Lobbies in channels of Discord that share a ladder.

    Parameters
    ----------
    archive : Archive
        Where everything is kept; what it has of earlier times goes on.
    lobbies : sequence of EveningLobby
        What people may gather for, each in its channel (:func:`in_channel`); more may open later.
    apart : iterable of (str, str)
        Who never plays in one team.
    admins : iterable of str
        The numbers of those in charge, besides who may manage the server.
    vary : float
        The price of meeting again, in win probability.
    web : str
        Where the same evenings are in a browser, as ``https://games.example``; empty where they are not.
    ready : float
        Seconds in which those have to be ready who are asked, in lobbies that are opened by a command.
    """

    def __init__(
        self, archive: Archive, lobbies: Sequence[EveningLobby] = (), *,
        apart: Iterable[tuple[str, str]] = (), admins: Iterable[str] = (), vary: float = MEETING,
        web: str = "", ready: float = ev.READY,
    ) -> None:  # fmt: skip
        self.archive, self._web, self._ready = archive, web, ready
        #: All ladders of the same bot, as who is forgotten is forgotten in each.
        self.everywhere: Callable[[], Sequence[DiscordRooms]] = lambda: [self]
        #: The archive's address, for what is read beside the evening; empty where there is none.
        self.url = ""
        self._admins = frozenset(PERSON + each for each in admins)
        self.kept = KeptMessages(archive, lobbies, apart=apart, vary=vary, seconds=SECONDS)
        self._closed: dict[str, str] = {}
        #: The link to each evening in the browser, with the hash of its key and when it was made.
        self._links: dict[str, tuple[str, str, float]] = {}
        #: How many records were known when it was last asked whether anything happened.
        self._looked = 0
        #: What those are called who have pressed last, and whom they named.
        self._asking: Mapping[str, str] = {}
        self.kept.settle()

    @property
    def sent(self) -> dict[str, Sent]:
        """What was sent, by what it shows."""
        return self.kept.sent

    def _remember(self, **record: Any) -> None:
        self.kept.remember({"kind": DISCORD, "at": time.time(), **record})

    def note_sent(self, ref: str, sent: Sent) -> None:
        """Keep that something was sent."""
        came = [
            [PERSON + user, where] for user, where in sent.came.items()
        ]  # ids, so that they are forgotten
        self._remember(ref=ref, channel=sent.channel, message=sent.message, rooms=list(sent.rooms), came=came)

    @property
    def evening(self) -> Evening:
        """What goes on."""
        return self.kept.evening

    def shown(self, player: str) -> str:
        """Return the name of somebody, as it is: not safe to be sent."""
        name = cards.visible(self.kept.called(player))
        if name.startswith(ANONYMOUS):
            return "somebody"
        return self._asking.get(player, "somebody") if name.startswith(PERSON) else name

    def on_discord(self, player: str) -> list[str]:
        """Return the ids that somebody has on Discord."""
        return [each for each in self.evening.ids_of(player) if IS_PERSON.fullmatch(each)]

    def told_apart(self, players: Iterable[str]) -> Callable[[str], str]:
        """Return what gives the names of people, with the end of the id where several bear one name."""
        people = dict.fromkeys(players)
        return self._apart_by_end({player: self.shown(player) for player in people})

    def _apart_by_end(self, names: Mapping[str, str]) -> Callable[[str], str]:
        bear = Counter(name.casefold() for name in names.values())

        def shown(player: str) -> str:
            name = names.get(player) or self.shown(player)
            several = bear[name.casefold()] > 1
            end = next(iter(self.on_discord(player)), player)[-4:]
            return f"{cards.cut(name, cards.LONGEST_NAME - 7)} ({end})" if several else name

        return shown

    # Channels

    def here(self, channel: str) -> list[str]:
        """Return the names of the lobbies of a channel."""
        return [name for name, lobby in self.evening.lobbies.items() if lobby.channel == CHANNEL + channel]

    def channels(self) -> list[str]:
        """Return the channels that have lobbies."""
        given = [lobby.channel for lobby in self.evening.lobbies.values()]
        return list(dict.fromkeys(each.removeprefix(CHANNEL) for each in given if each.startswith(CHANNEL)))

    # What is done

    def start(self, now: float) -> None:
        """Answer what was not answered before the last end."""
        self.kept.start(now)
        self._open_pages(now)

    def _open_pages(self, now: float) -> None:
        """Let every evening have its page, and a link to it that holds."""
        if not self._web:
            return
        for name, lobby in list(self.evening.lobbies.items()):
            mine = lobby.called and lobby.channel.startswith(CHANNEL) and set(name) <= SLUG
            if not mine or (self.link(name) and now - self._links[name][2] < RENEWED):
                continue
            if is_going_on(self.archive, name):
                links = renewed_links(self.archive, name, hours=HOURS, revoke=False)
            else:
                self.kept.take(ev.Open(lobby), now)  # the page is of this lobby, with its channel
                links = opened_evening(self.archive, name, self._short_of(name), hours=HOURS)
            self._links[name] = links.guests_link(self._web), hashed(links.guests), now
            self.kept.follow()

    def link(self, lobby: str) -> str:
        """Return the link to a lobby's evening in the browser; empty where it is in none, or was revoked."""
        link, key, _ = self._links.get(lobby, ("", "", 0.0))
        return link if key in self.kept.keys.get(lobby, ()) else ""

    def tick(self, now: float) -> bool:
        """Note that time has passed, and take in what other processes did.

        Tell whether anything happened since the last time, in whichever channel of the ladder.
        """
        self.kept.follow()
        self._open_pages(now)
        while self.evening.deadline() <= now:
            self._take(ev.Tick(), now)
        before, self._looked = self._looked, self.kept.known
        return before != self._looked

    def press(self, pressed: Pressed, now: float) -> DiscordAnswer:
        """Do what somebody wants, and return what to tell them."""
        self._asking = {**pressed.names, pressed.who: pressed.name}
        try:
            if pressed.button:
                return self._button(pressed, now)
            return self._command(pressed, now)
        except OtherWriterError:
            return DiscordAnswer(BUSY)
        except InputError as error:
            return DiscordAnswer(self._reason(error))

    def _reason(self, error: InputError) -> str:
        """Return why something was not done, as a sentence of its own."""
        return self._shown(FIELD.sub("", str(error)))

    def _shown(self, text: str) -> str:
        """Return a sentence of a chat as it stands on Discord: with names, slashes, and no mention."""
        lobbies = sorted(self.evening.lobbies, key=len, reverse=True)
        for name in lobbies:
            whole = rf"(?<![\w/-]){re.escape(name)}(?![\w/-])"  # no part of the id of a game
            text = re.sub(whole, self._short_of(name).replace("\\", r"\\"), text)
        named = _ID.sub(lambda found: cards.safe(self.shown(found[1])), text)
        return cards.quoted(_COMMAND.sub("/", named))

    def _command(self, pressed: Pressed, now: float) -> DiscordAnswer:
        name, given = pressed.command, dict(pressed.given)
        if name not in forms.SLASH:
            raise InputError(one_of("command", name, forms.SLASH))
        if name == "help":
            return DiscordAnswer(cards.help_text({each: one.about for each, one in forms.SLASH.items()}))
        if name == "lobby":
            return self._open(pressed, now)
        if name in ("link", "forget"):
            return self._link(pressed, now) if name == "link" else self._ask_to_forget(pressed)
        if name in ("me", "rank", "leaderboard"):
            return self._table(pressed)
        here = self._lobbies_here(pressed)
        if name == "status":
            lines = words.status_lines(self.evening, self._safe, here)
            return DiscordAnswer(cards.cut("\n".join(self._short(lines, here)), cards.MOST_TEXT))
        if name in ("teams", "why"):
            return self._explained(name, pressed, here)
        if name == "browser":
            self.kept.follow()
            self._open_pages(now)
            links = [(self._short_of(name), self.link(name)) for name in here if self.link(name)]
            if not links:
                msg = "no evening of this channel is in a browser: whoever runs the bot says where, by --web"
                raise InputError(msg)
            buttons = tuple(cards.Button(cards.cut(name, 60), url=url) for name, url in links)
            return DiscordAnswer(message=DiscordMessage("The same evening in the browser", buttons=buttons))
        if name == "out" and not given and len(here) > 1:
            return self._out_of_all(pressed, here, now)
        return self._words(self._attending(pressed, name, given, here), pressed, here, now)

    def _out_of_all(self, pressed: Pressed, here: Sequence[str], now: float) -> DiscordAnswer:
        """Take somebody out of all lobbies of a channel, one step each."""
        who, answers = self.evening.one(pressed.who), list[str]()
        game = self.evening.game_of(who)
        for name in here:
            room, is_called = self.evening.rooms[name], self.evening.lobbies[name].called
            is_there = (
                who in room.setup.here or who in room.states or who in self.evening.waiting.get(name, ())
            )
            if is_there or (game is not None and game.lobby.name == name):
                step = replace(pressed, id=f"{pressed.id}{f':{len(answers)}' * bool(answers)}")
                words = "out" if is_called else f"leave {self._short_of(name)}"
                answers.append(self._words(words, step, [name], now).text)
        return DiscordAnswer("\n".join(filter(None, answers)) or "You are in none of them.")

    def _safe(self, player: str) -> str:
        return cards.safe(self.shown(player))

    def _safely(self, players: Iterable[str]) -> Callable[[str], str]:
        """Return what gives the names of people as they can be sent, told apart."""
        shown = self.told_apart(players)
        return lambda player: cards.safe(shown(player))

    def _short(self, lines: Iterable[str], here: Iterable[str]) -> Iterator[str]:
        for line in lines:
            for name in here:
                written = words.short(name)
                if line.startswith(f"{written}:"):
                    yield cards.safe(self._short_of(name)) + line[len(written) :]

    def _short_of(self, name: str) -> str:
        """Return what a lobby is called in its channel."""
        return cards.short(self.evening.lobbies[name])

    def _lobbies_here(self, pressed: Pressed) -> list[str]:
        here = self.here(pressed.channel)
        if not here:
            msg = "there is no lobby in this channel; whoever may manage the server opens one: /lobby"
            raise InputError(msg)
        return here

    def _attending(self, pressed: Pressed, name: str, given: dict[str, str], here: list[str]) -> str:
        """Return the words of a command: who is in a lobby that fills up is added to it."""
        if name not in FOR_OTHERS:
            return forms.words_of(name, given)
        player = given.get("player", "")
        if player and not self._in_charge(pressed):
            msg = "only those in charge say that of others"
            raise InputError(msg)
        lobby = self._meant_lobby(given.get("lobby", ""), here, whole=name == "out")
        if lobby and self.evening.lobbies[lobby].called:
            return f"{name} {player}".strip()
        if player:
            msg = "here everybody says that for themselves"
            raise InputError(msg)
        word = {"in": "add", "out": "leave"}.get(name, name)
        return f"{word} {self._short_of(lobby) if lobby else ''}".strip()

    def _meant_lobby(self, typed: str, here: list[str], *, whole: bool = False) -> str:
        """Return which lobby of a channel is meant; none where all may be."""
        found = [name for name in here if typed in (name, self._short_of(name))]
        if typed and not found:
            raise InputError(one_of("lobby", typed, map(self._short_of, here)))
        if found or len(here) == 1:
            return (found or here)[0]
        called = [name for name in here if self.evening.lobbies[name].called]
        if whole:
            return ""
        if len(called) == 1:
            return called[0]
        raise InputError(one_of("lobby", typed, map(self._short_of, here)))

    def _in_charge(self, pressed: Pressed) -> bool:
        return pressed.manages or pressed.who in self._admins

    # Buttons

    def _button(self, pressed: Pressed, now: float) -> DiscordAnswer:
        action, ref = cards.button_of(pressed.button)
        what, _, detail = action.partition("-")
        if what == "forget" and ref == mark(pressed.who):
            return self._forget(pressed)
        here = self.here(pressed.channel)
        lobby = next((name for name in here if mark(name) == ref), "")
        if lobby:
            return self._lobby_button(what, lobby, pressed, now)
        games = {**dict(islice(reversed(self.evening.over.items()), RECENT)), **self.evening.games}
        game = next((each for each in games.values() if mark(each.id) == ref), None)
        if game is None or game.lobby.name not in here:
            msg = "this button is of a game that is over, or not of this channel"
            raise InputError(msg)
        return self._game_button(what, detail, game, pressed, now)

    def _lobby_button(self, what: str, lobby: str, pressed: Pressed, now: float) -> DiscordAnswer:
        short = self._short_of(lobby)
        called = self.evening.lobbies[lobby].called
        known = {"in": "in" if called else f"add {short}", "out": "out" if called else f"leave {short}",
                 "maybe": "maybe", "divide": "divide"}  # fmt: skip
        if what not in known or (what in ("maybe", "divide") and not called):
            msg = "this button is not of this lobby"
            raise InputError(msg)
        return self._words(known[what], pressed, [lobby], now)

    def _game_button(
        self, what: str, detail: str, game: EveningGame, pressed: Pressed, now: float
    ) -> DiscordAnswer:
        lobby, mine = game.lobby.name, self.evening.game_of(pressed.who)
        if game.lobby.called:
            if self.evening.current(lobby) is not game:
                msg = "there are other teams by now"
                raise InputError(msg)
        elif what != "sub" and mine is not game:
            msg = "you do not play in this game" if game.phase is not Phase.OVER else "this game is over"
            raise InputError(msg)
        if what in ("yes", "no", "captains") and detail not in ("", str(len(game.seen))):
            msg = "there are other teams by now; look again"
            raise InputError(msg)
        if what == "undo" and detail != str(len(self.evening.steps(lobby))):
            msg = "that was taken back already, or something came after it"
            raise InputError(msg)
        return self._words(
            self._words_of_button(what, detail, game, pressed.given.get("score", "")), pressed, [lobby], now
        )

    def _words_of_button(self, what: str, detail: str, game: EveningGame, score: str) -> str:
        called = game.lobby.called
        if what == "pick":
            return f"pick {forms.token(self._marked(detail, game.unpicked))}"
        if what in ("veto", "map"):
            maps = game.maps if what == "veto" else game.lobby.maps
            return f"{'veto' if what == 'veto' else 'vote'} {self._marked(detail, maps)}"
        if what == "won" and called:
            return f"won {int(detail) + 1}" if detail.isdecimal() else "won"
        if what == "score":
            return f"{'score' if called else 'report'} {score}"
        if what == "sub":
            return f"sub {forms.token(min(game.wanted))}" if game.wanted else "sub"
        plain = {"ready": "ready", "late": "late", "yes": "yes", "no": "no", "captains": "captains",
                 "out": "leave", "won": "report won", "lost": "report lost", "confirm": "confirm",
                 "draw": "draw" if called else "report draw", "undo": "undo"}  # fmt: skip
        if what not in plain:
            msg = "there is no such button"
            raise InputError(msg)
        return plain[what]

    @staticmethod
    def _marked(marked: str, among: Iterable[str]) -> str:
        found = next((each for each in among if mark(each) == marked), None)
        if found is None:
            msg = "that is taken by now; look again"
            raise InputError(msg)
        return found

    # Events

    def _words(self, text: str, pressed: Pressed, here: list[str], now: float) -> DiscordAnswer:
        """Do what words of a chat mean, in these lobbies."""
        self.kept.catch_up()  # who is one with whom is known before anybody is looked for
        who, admin = self.evening.one(pressed.who), self._in_charge(pressed)
        word = text.partition(" ")[0]
        game = self.evening.game_of(who)
        if word in OF_A_GAME and game is not None and game.lobby.name not in here and not game.lobby.called:
            where = game.lobby.channel.removeprefix(CHANNEL)
            msg = f"your game is in <#{where}>" if where.isdecimal() else "your game is elsewhere"
            raise InputError(msg)
        called = next((name for name in here if self.evening.lobbies[name].called), "")
        elsewhere = game is not None and not game.lobby.called and word in COMMANDS
        if called and word in OF_THOSE_HERE and not (admin or elsewhere or self._is_in(who, called)):
            msg = "only those who are in do that, or those in charge"
            raise InputError(msg)
        runs = admin or not self._admins
        speaking = Speaking(
            who, lambda name: self._id_of(name, here), admin, here,
            lambda name: self._id_of(name, here) if name else who, runs,
        )  # fmt: skip
        meant = understood(f"!{text}", speaking, self.evening)
        if not isinstance(meant, Event):
            msg = f"there is no /{word}"
            raise InputError(msg)
        event = self._spelled(self._kept_within(meant, pressed, here), pressed)
        done = self._take(event, now, pressed.name, pressed.id)
        if done.refused:
            return DiscordAnswer(self._reason(InputError(done.refused)))
        lines = [words.line_of(each, self._safe) for each in done.notices()]
        lines = [line.partition("] ")[2] if line.startswith("[") else line for line in lines]
        return DiscordAnswer(
            "" if pressed.button else cards.cut(self._shown("\n".join(filter(None, lines))), cards.MOST_TEXT)
        )

    def _is_in(self, who: str, lobby: str) -> bool:
        """Tell whether somebody is in a lobby where teams are called for, or in the game in view."""
        game = self.evening.current(lobby)
        players = () if game is None else (*game.players, *game.out)
        return who in self.evening.rooms[lobby].setup.here or who in players

    def _id_of(self, text: str, here: Iterable[str]) -> str | None:
        """Return who is meant by an id, a mention, or a name that one alone has here."""
        known = dict.fromkeys(self.people(here))
        plain, mention = unquote(text.strip()), _MENTION.fullmatch(text.strip())
        if mention:
            return PERSON + mention[1]
        if plain in known or IS_PERSON.fullmatch(plain):
            return plain
        bear = [player for player in known if self.shown(player).casefold() == plain.casefold()]
        if len(bear) > 1:
            msg = f"{plain:.40} is the name of several here: choose from the list"
            raise InputError(msg)
        return bear[0] if bear else None

    def people(self, here: Iterable[str]) -> Iterator[str]:
        """Go through those who are in lobbies, or in games of these."""
        for name in here:
            room = self.evening.rooms[name]
            yield from chain(room.setup.here, room.states)
            for game in self.evening.games.values():
                if game.lobby.name == name:
                    yield from chain(game.players, game.out)

    def _kept_within(self, event: Event, pressed: Pressed, here: Sequence[str]) -> Event:
        """Return an event that changes nothing outside of the lobbies of a channel."""
        everything = self.evening.over | self.evening.games
        if isinstance(event, ev.Undo) and event.admin and not event.game and not event.lobby:
            mine = self.evening.game_of(event.who)
            if mine is None:
                last = [
                    each.id for each in self.evening.over.values() if each.counted and each.lobby.name in here
                ]
                if not last:
                    msg = "no game of this channel counts"
                    raise InputError(msg)
                event = replace(event, game=last[-1])
        if isinstance(event, ev.Undo | ev.Correct | ev.Cancel) and event.game:
            found = everything.get(meant_by(event.game, everything))
            if found is None or found.lobby.name not in here:
                msg = f"game: there is no {event.game!r:.60} in this channel"
                raise InputError(msg)
        if isinstance(event, ev.Remove):
            game, waits = self.evening.game_of(event.player), self.evening.waits(event.player)
            inside = {*waits, *([game.lobby.name] if game is not None else [])}
            if not inside <= set(here):
                msg = "they are in a lobby of another channel"
                raise InputError(msg)
        if isinstance(event, ev.Fill) and not event.instead:
            wanted = [
                old
                for game in self.evening.games.values()
                if game.lobby.name in here
                for old in sorted(game.wanted)
            ]
            if not wanted:
                msg = "nobody here asks for a substitute"
                raise InputError(msg)
            event = replace(event, instead=wanted[0])
        del pressed
        return event

    def _spelled(self, event: Event, pressed: Pressed) -> Event:
        """Return an event with how those are written who come by it."""
        if isinstance(event, ev.Attend | ev.Substitute):
            coming = event.players if isinstance(event, ev.Attend) else (event.player,)
            names = {**pressed.names, pressed.who: pressed.name}
            spelled = {player: names[player] for player in coming if player in names}
            rest = {player: name for player, name in event.spelled.items() if not IS_PERSON.fullmatch(player)}
            return replace(event, spelled={**rest, **spelled})
        return event

    def _take(self, event: Event, now: float, nick: str = "", pressed: str = "") -> StepTaken:
        """Take an event, and note what messages say of it."""
        before = self.kept.arranged
        beside = [{"kind": DISCORD, "at": now, "press": pressed}] if pressed else []
        done = self.kept.take(event, now, nick, beside=beside, unless=lambda: pressed in self.kept.presses)
        arranged = self.kept.arranged
        if arranged is not None and arranged is not before and (proof := proof_line(arranged)):
            self._remember(ref=arranged.proposal.id, proof=proof)
        for notice in done.notices():
            if notice.kind in ("called off", "no teams", "cancelled"):
                line = words.line_of(notice, self._safe).partition("] ")[2]
                self._closed[str(notice.facts.get("game", ""))] = self._shown(line)
        return done

    def _open(self, pressed: Pressed, now: float) -> DiscordAnswer:
        if not pressed.manages and pressed.who not in self._admins:
            msg = "only who may manage the server opens lobbies"
            raise InputError(msg)
        given = pressed.given
        maps = [each for each in re.split(r"[,\s]+", given.get("maps", "")) if each]
        how = given.get("how", "turn")
        form = f"{given.get('name', '')}={given.get('form', '')}" + (f":{','.join(maps)}" if maps else "")
        lobby = lobby_of(form + (f":{how}" if maps and how != "turn" else ""), self._ready, "lobby")
        if "/" in lobby.name or len(lobby.name) > cards.LONGEST_NAME:
            msg = f"name must have no / and {cards.LONGEST_NAME} letters at most, got {lobby.name!r:.60}"
            raise InputError(msg)
        if given.get("ruleset"):
            lobby = replace(lobby, ruleset=ruleset_from(given["ruleset"]))
        opened = in_channel(lobby, pressed.channel)
        if opened.name in self.evening.rooms and any(
            game.lobby.name == opened.name for game in self.evening.games.values()
        ):
            msg = "a game of this lobby goes on; change it after that"
            raise InputError(msg)
        self._take(ev.Open(opened), now, "", pressed.id)
        self._open_pages(now)
        return DiscordAnswer(f"{cards.safe(lobby.name)} is open here.")

    # Who is who

    def _link(self, pressed: Pressed, now: float) -> DiscordAnswer:
        given, who = pressed.given, pressed.who
        if given.get("id"):
            if not self._in_charge(pressed):
                msg = "only those in charge link the id of a game; /link alone gives you a code"
                raise InputError(msg)
            who = given.get("player", who)
            if given["id"].startswith(PERSON):
                msg = "id must be that of a game, not of somebody on Discord"
                raise InputError(msg)
            link_codes.link(self.archive, who, given["id"])
            return DiscordAnswer(f"{self._safe(who)} is {cards.safe(given['id'])} from now on.")
        code = link_codes.new_code(self.archive, who, now)
        self.kept.follow()
        text = (
            f"Your code is **{code}**, for a quarter of an hour. Type `!link {code}` in the chat of the game "
            "or in another chat of this group, or give it on the page of an evening, under Code from a chat: "
            "whoever does is you from then on."
        )
        return DiscordAnswer(text)

    @staticmethod
    def _ask_to_forget(pressed: Pressed) -> DiscordAnswer:
        button = cards.Button("Forget me", cards.button_id("forget", pressed.who), "danger")
        text = (
            "Your ids and names are written out of every game, for good. Your games stay, under a stand-in."
        )
        return DiscordAnswer(message=DiscordMessage("Shall you be forgotten?", text, buttons=(button,)))

    def _forget(self, pressed: Pressed) -> DiscordAnswer:
        who, ladders = pressed.who, self.everywhere()
        for each in ladders:
            check_no_game(each.kept, who)
        known = [each for each in ladders if each.knows(who)]
        for each in known:
            forget_in(each.kept, who)
        return DiscordAnswer("You are forgotten." if known else "Nothing is kept of you.")

    def knows(self, who: str) -> bool:
        """Tell whether anything is kept of somebody."""
        archive = self.archive
        played = {player for player, _ in archive.standing().games}
        return who in played or who in archive.merged() or repr(who) in repr(archive.night_events())

    # Questions

    def _explained(self, name: str, pressed: Pressed, here: Sequence[str]) -> DiscordAnswer:
        games = [game for game in self.evening.games.values() if game.lobby.name in here and game.teams]
        recent = islice(reversed(self.evening.over.values()), RECENT)
        if name == "teams":
            lines = [
                f"{cards.safe(cards.short(game.lobby))}: {words.teams_text(game.teams, self._safe)} "
                f"({words.now_text(game, self._safe)})" for game in games
            ]  # fmt: skip
            return DiscordAnswer(cards.cut("\n".join(lines), cards.MOST_TEXT) or "No game is being played.")
        who = self.evening.one(pressed.who)
        mine = [game for game in games if who in game.players]
        last = [game for game in recent if game.lobby.name in here and game.teams]
        found = next(iter([*mine, *games, *last]), None)
        if found is None:
            return DiscordAnswer("There are no teams yet.")
        if found.picks:
            return DiscordAnswer(self._shown("\n".join(words.why_lines(self.evening, who, self._safe, {}))))
        text = f"Chances {cards.chances_line(found.chances)}"
        if found.phase is not Phase.OVER:
            weights = self._weights(chain(*found.teams), found.lobby.ruleset)
            sums = [round(10.0 * sum(weights[player] for player in team)) for team in found.teams]
            text += f", points {' : '.join(map(str, sums))}"
        return DiscordAnswer(f"{text}. {self._proof(found)}".strip())

    def _weights(self, players: Iterable[str], ruleset: Ruleset | None = None) -> dict[str, float]:
        known = self.kept.known_as(players, time.time())
        weights = weights_of(self.archive.standing(), known.values(), ruleset, self.archive.merged())
        return {player: weights[counted] for player, counted in known.items()}

    def _table(self, pressed: Pressed) -> DiscordAnswer:
        """Return the leaderboard, or the page of somebody."""
        standing, merged = self.archive.standing(), self.archive.merged()
        games: dict[str, int] = {}
        for (player, _), number in standing.games.items():
            if not is_bot(player):
                games[player] = games.get(player, 0) + number
        weights = weights_of(standing, games, None, merged)
        order = sorted(games, key=lambda player: (-weights[player], player))
        called = self._apart_by_end({
            player: self.kept.names.get(self.evening.one(player))
            or ("somebody" if player.startswith(ANONYMOUS) else standing.names.get(player, player))
            for player in order
        })  # fmt: skip

        def shown(player: str) -> str:
            return cards.safe(called(player))

        if pressed.command == "leaderboard":
            rows = [(n, player, points(weights[player]), games[player])
                    for n, player in enumerate(order[:LEADERS], start=1)]  # fmt: skip
            return DiscordAnswer(
                message=cards.leaderboard_message(rows, shown, "Leaderboard"), curves=tuple(order[:DRAWN])
            )
        who = pressed.given.get("player", pressed.who)
        root = merged.get(who, who)
        if root not in games:
            return DiscordAnswer(f"{self._safe(who)} has no games that count yet.")
        place = f"number {order.index(root) + 1} of {len(order)}"
        text = f"{points(weights[root])} points, {place}, {games[root]} game{'s' * (games[root] != 1)}"
        return DiscordAnswer(message=DiscordMessage(shown(root), text, colour=cards.RULE), curves=(root,))

    def curves(self, players: Iterable[str]) -> str:
        """Return the picture of what was known of some over time; none before the first game."""
        from equipoise.pages.pictures.rating_curves import curves_svg

        if not self.url:
            return ""
        drawn: dict[str, list[tuple[float, float, float]]] = {}
        with open_archive(self.url, create=False) as archive:
            standing = archive.standing()
            names, scales = standing.names, dict[Ruleset, Scale]()
            for player in players:
                name = printable(self.kept.names.get(player) or names.get(player, player))
                name = f"{name} ({len(drawn) + 1})" if name in drawn else name
                drawn[name] = []
                for each in archive.history(player):
                    ruleset, (mu, sigma) = each.match.ruleset, (each.rating.mu, each.rating.sigma)
                    scale = scales.get(ruleset) or scale_of(standing.model, standing.state, ruleset)
                    scales[ruleset] = scale
                    low, high = (POINTS * scale.shown(mu + sign * sigma) for sign in (-1.0, 1.0))
                    drawn[name].append((each.match.ended or 0.0, POINTS * each.weight, (high - low) / 2.0))
        drawn = {name: curve for name, curve in drawn.items() if curve}
        return curves_svg(drawn, ", ".join(drawn), points=True) if drawn else ""

    def completed(self, pressed: Pressed, option: str, typed: str) -> list[tuple[str, str]]:
        """Return what an option may be: what is shown, and the value."""
        kind = next((each.kind for each in forms.SLASH[pressed.command].options if each.name == option), "")
        here = self.here(pressed.channel)
        rooms = [self.evening.rooms[name] for name in here]
        games = [game for game in self.evening.games.values() if game.lobby.name in here]
        found: list[tuple[str, str]] = []
        if kind == forms.PRESENT:
            people = dict.fromkeys(self.people(here))
            if pressed.command == "pick":
                people = dict.fromkeys(
                    chain(*(game.unpicked for game in games if game.phase is Phase.DRAFTING))
                )
            shown = self.told_apart(people)
            found = [(shown(player), forms.token(player)) for player in people]
        elif kind == forms.LOBBY:
            found = [(self._short_of(name),) * 2 for name in here]
        elif kind in (forms.MAP, forms.VOTE):
            maps = [*chain(*(game.maps or game.lobby.maps for game in games))]
            choices = ["yes", "no", "captains"] if kind == forms.VOTE else []
            found = [(each, each) for each in dict.fromkeys([*choices, *maps])]
        elif kind == forms.RESULT:
            found = [(each, each) for each in ("won", "lost", "draw")]
        elif kind == forms.TEAM:
            found = [
                (each, each) for room in rooms for each in map(room.setup.called, range(room.setup.teams))
            ]
        elif kind == forms.GAME:
            recent = islice(reversed(self.evening.over.values()), RECENT)
            known = [*games, *(game for game in recent if game.lobby.name in here)]
            found = [(game.id, game.id) for game in known]
        wanted = typed.casefold()
        fitting = [(cards.cut(printable(shown), 100) or "?", value) for shown, value in found
                   if wanted in shown.casefold() and len(value) <= 100]  # fmt: skip
        return fitting[:OFFERED]

    # What is to be seen

    def ref_of(self, game: EveningGame) -> str:
        """Return what the message of a game is known by: where teams are called for, by the round."""
        if not game.lobby.called:
            return game.id
        ended = self.evening.rooms[game.lobby.name].ended
        number = ended.index(game.id) if game.id in ended else len(ended)
        return f"{game.lobby.name}#{number + 1}"

    def games(self, channel: str, now: float) -> dict[str, EveningGame]:
        """Return the games of a channel that are shown, by what their messages are known by."""
        here = set(self.here(channel))
        recent = [
            game for game in reversed(self.evening.over.values())
            if game.lobby.name in here and now - (game.ended or now) < FOLLOWED
        ]  # fmt: skip
        running = [game for game in self.evening.games.values() if game.lobby.name in here]
        current = [game for name in here if (game := self.evening.current(name)) is not None]
        return {self.ref_of(game): game for game in (*reversed(recent), *current, *running)}

    def playing(self, channel: str, now: float) -> dict[str, PlayingTeams]:
        """Return the teams that are playing now, by what the messages of their games are known by."""
        found = {}
        for ref, game in self.games(channel, now).items():
            if game.phase in (Phase.PLAYING, Phase.DISPUTED):
                called = self.evening.rooms[game.lobby.name].setup.called
                names = [cards.room_name(game.lobby, called(n), ref) for n in range(len(game.teams))]
                teams = tuple(tuple(chain(*map(self.on_discord, team))) for team in game.teams)
                found[ref] = PlayingTeams(teams, tuple(names))
        return found

    def _proof(self, game: EveningGame) -> str:
        """Return what is proven of teams, and why they are as they are."""
        proof, asked = self.kept.proofs.get(game.id, ""), game.asked
        if game.picks:
            return "The captains picked these teams."
        if proof != BEST or len(game.teams) != 2 or (asked is not None and asked.now is not None):
            return proof
        setup = asked.setup if asked is not None else Setup(duos=game.duos, apart=tuple(self.evening.apart))
        playing = set(chain(*game.teams))
        if any(playing.issuperset(pair) for pair in setup.apart) or setup.fixed or setup.roles:
            return proof  # what rules leave of the splits is not counted
        parties = [[each for each in duo if each in playing] for duo in setup.duos]
        together = [party for party in parties if len(party) > 1]
        count = count_splits(len(playing), together)
        kept = ", ".join(" and ".join(map(self._safe, party)) for party in together[:3])
        keeping = f" that keep {kept} together" if 0 < len(together) <= 3 else ""
        return proof if count < 2 or len(together) > 3 else f"Proven best of the {count:,} splits{keeping}."

    def wanted(self, channel: str, now: float) -> dict[str, DiscordMessage]:
        """Return the messages that a channel should have, by what they show."""
        found: dict[str, DiscordMessage] = {}
        for name in self.here(channel):
            room = self.evening.rooms[name]
            shown = self.told_apart([*room.setup.here, *room.states])
            found[name] = cards.lobby_message(room, shown, web=self.link(name))
        for ref, game in self.games(channel, now).items():
            setup = self.evening.rooms[game.lobby.name].setup
            changes, _ = self.kept.changed.get(game.id, ((), 0)) if game.counted else ((), 0)
            teams = [setup.called(n).capitalize() for n in range(setup.teams)]
            everyone = [*game.players, *game.out]
            message = cards.game_message(
                game, teams.__getitem__, self.told_apart(everyone),
                proof=self._proof(game), result=changes_text(changes, self._safely(everyone)),
                web=self.link(game.lobby.name), steps=len(self.evening.steps(game.lobby.name)),
            )  # fmt: skip
            found[ref] = replace(message, pings=tuple(chain(*map(self.on_discord, message.pings))))
        for ref, sent in self.sent.items():
            if sent.channel == channel and ref not in found and sent.message and now - sent.at < FOLLOWED:
                text = self._closed.get(ref, "")
                found[ref] = DiscordMessage(cards.CLOSED, text, colour=cards.RULE)
        return found
