"""A client's side of IRC without I/O: bytes in, what people say out, bytes to send when they may be sent.

Somebody is known by the account the server has of them (IRCv3 ``account-tag``, ``extended-join``,
``account-notify``, WHOX), and where it has none by the first nick since they came, which follows them through
changes of nick.  On a server with accounts, who is not logged in is ``~nick``: nobody can be another's
account by taking a nick.

Those who play (``places``) keep their place while they are away.  What somebody says without an account waits
until the server has reported when they signed on (WHOIS), so that what they do can be kept together with it.
Who bears such a nick when we come into the channel is the player if they signed on then; anybody else, and
whoever takes the nick of one who has left, is somebody else, until an organiser says otherwise.
Where a server has no accounts, organisers keep their place too, from when they are first seen on.

Lines of IRC: bytes to tags, source, command and parameters, and back.

The form is that of RFC 1459, section 2.3.1, with the message tags of IRCv3.  What comes from the other side
is never trusted: any bytes are cut into lines, and a line that is none is left out.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from equipoise.core.plain_data import printable
from equipoise.play.evening_events import ChatPlace

#: The longest line that is sent, without its end (RFC 1459), and the longest that is read: tags may be 8 KiB.
LONGEST_SENT, LONGEST_READ = 510, 8192 + 512

#: What a server may put before a line of ours that it hands on: nick, user and host.
SOURCE = 100

_ESCAPED = {"\\:": ";", "\\s": " ", "\\\\": "\\", "\\r": "", "\\n": ""}


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Parameters
    ----------
    command : str
        In capitals, or three digits.
    params : tuple of str
        What follows.
    source : str
        Who sent it, as ``nick!user@host``; empty where the line does not say.
    tags : mapping from str to str
        Its message tags.
    """

    command: str
    params: tuple[str, ...] = ()
    source: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def nick(self) -> str:
        """Who sent it, without user and host."""
        return self.source.partition("!")[0]


def line_of(raw: bytes) -> Line | None:
    r"""Return the line of bytes without their end, None where they are none.

    Examples
    --------
    >>> line_of(b"@account=ann :Ann!a@h PRIVMSG #pug :!add ctf")
    Line(command='PRIVMSG', params=('#pug', '!add ctf'), source='Ann!a@h', tags={'account': 'ann'})
    """
    text = raw.decode("utf-8", "replace").strip("\r\n")
    tags: dict[str, str] = {}
    if text.startswith("@"):
        given, _, text = text[1:].partition(" ")
        for tag in given.split(";"):
            name, _, value = tag.partition("=")
            tags[name] = _unescaped(value)
    text, source = text.lstrip(" "), ""
    if text.startswith(":"):
        source, _, text = text[1:].partition(" ")
    head, colon, trailing = f" {text}".partition(" :")
    words = head.split()
    if not words or "\x00" in text:
        return None
    params = (*words[1:], trailing) if colon else tuple(words[1:])
    return Line(words[0].upper(), params, source, tags)


def _unescaped(value: str) -> str:
    found, n = "", 0
    while n < len(value):
        pair = value[n : n + 2]
        found += _ESCAPED.get(pair, pair[1:] if pair[0] == "\\" else pair[0])
        n += 2 if pair[0] == "\\" else 1
    return found


def bytes_of(command: str, *params: str) -> bytes:
    r"""Return the bytes of a line: one line, whatever is in its parameters, and no longer than is allowed.

    Examples
    --------
    >>> bytes_of("PRIVMSG", "#pug", "red\r\nQUIT")
    b'PRIVMSG #pug :red QUIT\r\n'
    """
    clean = [printable(" ".join(param.split())) for param in params]
    middle = [param.replace(" ", "").lstrip(":") or "*" for param in clean[:-1]]
    text = " ".join([command, *middle, *(f":{last}" for last in clean[-1:])])
    raw = text.encode("utf-8", "replace")[:LONGEST_SENT]
    return raw.decode("utf-8", "ignore").encode() + b"\r\n"


def fitting(target: str, text: str) -> list[str]:
    """Return a text in pieces that fit into a line each, cut between words where that can be.

    Examples
    --------
    >>> [len(piece) for piece in fitting("#pug", "word " * 150)]
    [394, 354]
    """
    room = LONGEST_SENT - SOURCE - len(f"PRIVMSG {target} :".encode()) + 3
    pieces: list[str] = []
    rest = " ".join(text.split())
    while len(rest.encode()) > room:
        piece = rest.encode()[:room].decode("utf-8", "ignore")
        cut = piece.rfind(" ")
        piece = piece[:cut] if cut > 0 else piece
        pieces.append(piece)
        rest = rest[len(piece) :].lstrip()
    return [*pieces, rest] if rest else pieces


class LineBuffer:
    """Cuts what arrives into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Line]:
        """Return the lines that are complete by now; one that is too long is dropped."""
        *complete, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_READ:
            self._rest = self._rest[:1] + b"\x00" * 2  # the end of a line that is none
        return [
            line for raw in complete if len(raw) <= LONGEST_READ
            if (line := line_of(raw.rstrip(b"\r"))) is not None
        ]  # fmt: skip


#: Lines that may be sent at once, and how many a second from then on: what servers usually let pass.
BURST, RATE = 5.0, 0.8

#: Commands somebody may give at once, and how many a second from then on; more are ignored.
PATIENCE, PATIENT_RATE = 6.0, 0.5

#: Lines that may wait to be sent; older ones are dropped, as nobody would read them.
MOST_WAITING = 200

#: Seconds of silence after which the server is asked whether it is there, and after which it is not.
QUIET, DEAD = 90.0, 180.0

#: Seconds after which joining is tried again, and within which a server says when somebody signed on.
AGAIN, ANSWERED = 20.0, 10.0

WANTED = ("account-notify", "account-tag", "extended-join", "sasl")

_RFC1459 = str.maketrans("[]\\~", "{}|^")


@dataclass(frozen=True, slots=True)
class Spoken:
    """Somebody said something: in a channel, or to us alone."""

    who: str
    nick: str
    text: str
    private: bool
    channel: str = ""


@dataclass(frozen=True, slots=True)
class Gone:
    """Somebody is no longer in any channel of ours."""

    who: str


@dataclass(frozen=True, slots=True)
class Identified:
    """Somebody is somebody else by now: logged in, or out."""

    who: str
    was: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """We are in a channel."""

    channel: str = ""


@dataclass(frozen=True, slots=True)
class NickChanged:
    """Somebody has another nick."""

    who: str
    nick: str


@dataclass(frozen=True, slots=True)
class Signed:
    """When the connection of somebody began is known, as the server writes it."""

    who: str
    nick: str
    sign: str


Happened = Spoken | Gone | Identified | Arrived | NickChanged | Signed


@dataclass(slots=True)
class _Person:
    nick: str
    first: str
    account: str = ""
    tokens: float = PATIENCE
    at: float = 0.0
    warned: bool = False
    #: When they signed on, empty where unknown; what it must be, while it is asked for; since when that is
    #: asked, None while it is not; and what they have said meanwhile.
    sign: str = ""
    asked: bool = False
    expected: str = ""
    since: float | None = None
    held: list[Spoken] = field(default_factory=list)
    #: The channels of ours where they are.
    where: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ChatSession:
    """One connection to a server.

    Parameters
    ----------
    nick, channel : str
        Who we want to be, and where: one channel, or several with commas between them.
    account, password : str
        For logging in (SASL PLAIN); none without a password.
    pace : float
        Lines a second, after a burst of some.
    places : mapping from str to ChatPlace
        From the ids of those who play, without an account, to what is known of them.
    organisers : set of str
        The nicks of those in charge, folded: without accounts it matters which connection is theirs.
    """

    nick: str
    channel: str
    account: str = ""
    password: str = ""
    pace: float = RATE
    places: Mapping[str, ChatPlace] = field(default_factory=dict)
    organisers: Collection[str] = frozenset()
    joined: bool = False
    has_accounts: bool = False
    _lines: LineBuffer = field(default_factory=LineBuffer)
    _people: dict[str, _Person] = field(default_factory=dict)
    _urgent: deque[bytes] = field(default_factory=deque)
    _waiting: deque[bytes] = field(default_factory=deque)
    _offered: set[str] = field(default_factory=set)
    _whox: bool = False
    _ascii: bool = False
    _tokens: float = BURST
    _at: float = 0.0
    _heard: float = 0.0
    _asked: bool = False
    _rejoin: float | None = None

    def start(self, now: float) -> None:
        """Begin: say who we are."""
        self._at = self._heard = now
        for line in (("CAP", "LS", "302"), ("NICK", self.nick), ("USER", "equipoise", "0", "*", "equipoise")):
            self._urgent.append(bytes_of(*line))

    @property
    def channels(self) -> list[str]:
        """The channels where we want to be."""
        return self.channel.split(",")

    # Out

    def say(self, target: str, text: str) -> None:
        """Say something to the channel or to somebody, in as many lines as it needs."""
        for piece in fitting(target, text):
            self._waiting.append(bytes_of("PRIVMSG", target, piece))
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()

    def out(self, now: float) -> bytes:
        """Return what may be sent by now."""
        self._tokens = min(max(BURST, self.pace), self._tokens + self.pace * max(now - self._at, 0.0))
        self._at = max(now, self._at)
        if now - self._heard > QUIET and not self._asked:
            self._asked = True
            self._urgent.append(bytes_of("PING", "equipoise"))
        if self._rejoin is not None and now >= self._rejoin:
            self._rejoin = None
            self._urgent.append(bytes_of("JOIN", self.channel))
        found = b"".join(self._urgent)
        self._tokens -= 0.2 * len(self._urgent)
        self._urgent.clear()
        while self._waiting and self._tokens >= 1.0:
            found += self._waiting.popleft()
            self._tokens -= 1.0
        return found

    def is_dead(self, now: float) -> bool:
        """Tell whether the server has been silent for so long that it is not there."""
        return now - self._heard > DEAD

    def idle(self) -> bool:
        """Tell whether there is nothing left to send."""
        return not self._waiting and not self._urgent

    # In

    def feed(self, data: bytes, now: float) -> list[Happened]:
        """Take what arrived, and return what happened."""
        self._heard, self._asked = now, False
        found: list[Happened] = []
        for line in self._lines.feed(data):
            handler = getattr(self, f"_on_{line.command.lower()}", None) if line.command.isalnum() else None
            if handler is not None and (line.params or line.command in ("QUIT", "AUTHENTICATE")):
                found += handler(line, now)
        return found

    def folded(self, nick: str) -> str:
        """Return a nick as the server compares it."""
        lower = nick.lower()
        return lower if self._ascii else lower.translate(_RFC1459)

    def id_of(self, nick: str) -> str | None:
        """Return who has a nick, None where nobody who is here does."""
        person = self._people.get(self.folded(nick))
        return None if person is None else self._id(person)

    def nick_of(self, who: str) -> str:
        """Return the nick of somebody by now, or what we know of them."""
        found = (person.nick for person in self._people.values() if self._id(person) == who)
        return next(found, who.lstrip("~"))

    def _id(self, person: _Person) -> str:
        if person.account:
            return person.account.lower()
        return f"~{person.first}" if self.has_accounts else person.first

    def adopt(self, nick: str, who: str) -> bool:
        """Let whoever bears a nick be somebody; return whether they are here, without an account.

        Whoever was that one until now is somebody else from here on.
        """
        person = self._people.get(self.folded(nick))
        if person is None or person.account:
            return False
        first = who.removeprefix("~")
        for other in self._people.values():
            if other is not person and other.first == first:
                other.first, other.expected = self._free(self.folded(other.nick)), ""
        person.first, person.expected = first, ""
        if not (person.asked or person.sign):
            self._ask(person, self._heard)
        return True

    def sign_of(self, nick: str) -> str | None:
        """Return when somebody signed on, empty where unknown; None where an account proves who it is."""
        person = self._people.get(self.folded(nick))
        return "" if person is None else None if person.account else person.sign

    def _free(self, first: str) -> str:
        """Return a first nick that nobody else here or with a place has."""
        taken = {person.first for person in self._people.values()}
        taken |= {who.removeprefix("~") for who in self.places}
        while first in taken:  # the one who had the nick first is here under another one, or has left
            first += "'"
        return first

    def is_claimed(self, who: str) -> str:
        """Return for whom somebody might be taken, who bears the nick of one whose place is kept."""
        if who in self.places or who.startswith("~") != self.has_accounts:
            return ""
        nick, first = self.folded(self.nick_of(who)), who.rstrip("'")
        named = (
            each for each, place in self.places.items() if place.nick and self.folded(place.nick) == nick
        )
        return first if first in self.places else next(named, "")

    def _person(self, nick: str) -> _Person:
        key = self.folded(nick)
        if key not in self._people:
            self._people[key] = _Person(nick, self._free(key))
        return self._people[key]

    # Registration

    def _on_ping(self, line: Line, now: float) -> list[Happened]:
        del now
        self._urgent.append(bytes_of("PONG", line.params[-1]))
        return []

    def _on_cap(self, line: Line, now: float) -> list[Happened]:
        del now
        kind = line.params[1].upper() if len(line.params) > 1 else ""
        names = {cap.partition("=")[0] for cap in line.params[-1].split()}
        if kind == "LS":
            self._offered |= names
            if "*" not in line.params[2:-1]:
                wanted = [cap for cap in WANTED if cap in self._offered and (cap != "sasl" or self.password)]
                request = ("CAP", "REQ", " ".join(wanted)) if wanted else ("CAP", "END")
                self._urgent.append(bytes_of(*request))
        elif kind == "ACK":
            self.has_accounts = self.has_accounts or bool(names & {"account-tag", "extended-join"})
            ask = ("AUTHENTICATE", "PLAIN") if "sasl" in names else ("CAP", "END")
            self._urgent.append(bytes_of(*ask))
        elif kind == "NAK":
            self._urgent.append(bytes_of("CAP", "END"))
        return []

    def _on_authenticate(self, line: Line, now: float) -> list[Happened]:
        del line, now
        name = self.account or self.nick
        secret = base64.b64encode(f"{name}\0{name}\0{self.password}".encode()).decode()
        for start in range(0, len(secret) + 1, 400):
            piece = secret[start : start + 400]
            self._urgent.append(f"AUTHENTICATE {piece or '+'}\r\n".encode())
        return []

    def _on_903(self, line: Line, now: float) -> list[Happened]:
        del line, now
        self._urgent.append(bytes_of("CAP", "END"))
        return []

    _on_902 = _on_904 = _on_905 = _on_906 = _on_907 = _on_908 = _on_903

    def _on_433(self, line: Line, now: float) -> list[Happened]:
        del line, now
        self.nick = f"{self.nick}_" if len(self.nick) < 9 else f"{self.nick[:6]}{int(self._at) % 1000:03d}"
        self._urgent.append(bytes_of("NICK", self.nick))
        return []

    _on_432 = _on_436 = _on_433

    def _on_001(self, line: Line, now: float) -> list[Happened]:
        del now
        self.nick = line.params[0]
        return []

    def _on_005(self, line: Line, now: float) -> list[Happened]:
        del now
        self._whox = self._whox or "WHOX" in line.params
        self._ascii = self._ascii or "CASEMAPPING=ascii" in line.params
        return []

    def _on_376(self, line: Line, now: float) -> list[Happened]:
        del line, now
        self._urgent.append(bytes_of("JOIN", self.channel))
        return []

    _on_422 = _on_376

    def _on_471(self, line: Line, now: float) -> list[Happened]:
        del line
        self._rejoin = now + AGAIN
        return []

    _on_403 = _on_437 = _on_473 = _on_474 = _on_475 = _on_477 = _on_471

    # People

    def _on_353(self, line: Line, now: float) -> list[Happened]:
        channel = self.folded(line.params[-2] if len(line.params) > 2 else self.channels[0])
        bearers = {
            self.folded(place.nick): who
            for who, place in self.places.items()
            if place.nick and place.sign and who.startswith("~") == self.has_accounts
        }
        for name in line.params[-1].split():
            nick = name.lstrip("~&@%+").partition("!")[0]
            key = self.folded(nick)
            who = bearers.get(key)
            if who is None or key in self._people:
                self._came(nick, channel, now)
                continue
            self._people[key] = person = _Person(nick, who.removeprefix("~"), where={channel})
            person.expected = self.places[who].sign
            self._ask(person, now)
        return []

    def _came(self, nick: str, channel: str, now: float) -> None:
        """Note that somebody is in a channel."""
        person = self._person(nick)
        person.where.add(channel)
        if not (self.has_accounts or person.asked or person.sign) and person.first in self.organisers:
            self._ask(person, now)

    def _ask(self, person: _Person, now: float) -> None:
        """Ask when somebody signed on: the server they are on, as others may not know."""
        person.asked, person.since = True, now
        self._urgent.append(bytes_of("WHOIS", person.nick, person.nick))

    def _on_317(self, line: Line, now: float) -> list[Happened]:
        del now
        person = self._people.get(self.folded(line.params[1])) if len(line.params) > 3 else None
        if person is None or not line.params[3].isdigit():
            return []
        person.sign = line.params[3]
        if person.expected and person.expected != person.sign:
            person = self._somebody_else(person)
        was, person.expected = self._expected_id(person), ""
        done: list[Happened] = [Identified(self._id(person), was)] if was != self._id(person) else []
        return [*done, Signed(self._id(person), person.nick, person.sign)]

    def _expected_id(self, person: _Person) -> str:
        """Return whose place somebody was given until the server answered, or else who they are."""
        return f"~{person.first}" if person.expected and person.account else self._id(person)

    def _somebody_else(self, person: _Person) -> _Person:
        """Let another connection than the one whose place was kept be somebody else."""
        del self._people[self.folded(person.nick)]
        other = self._person(person.nick)
        other.sign, other.asked, other.since, other.held = person.sign, True, person.since, person.held
        other.account, other.tokens, other.at = person.account, person.tokens, person.at
        other.where = person.where
        return other

    def _on_318(self, line: Line, now: float) -> list[Happened]:
        del now
        person = self._people.get(self.folded(line.params[1])) if len(line.params) > 1 else None
        return [] if person is None else self._released(person)

    _on_401 = _on_402 = _on_318

    def _released(self, person: _Person) -> list[Happened]:
        """Let what somebody wrote meanwhile count, as the server has reported what it knows."""
        if person.expected:  # it does not say when they signed on: nothing tells that it is the same one
            person = self._somebody_else(person)
        held, person.held, person.since = person.held, [], None
        return [replace(each, who=self._id(person), nick=person.nick) for each in held]

    def _on_263(self, line: Line, now: float) -> list[Happened]:
        """Take it that the server answers no question of ours now, or not such ones."""
        if len(line.params) < 2 or line.params[1].upper() != "WHOIS":
            return []
        return self.overdue(now + ANSWERED)

    _on_421 = _on_263

    def overdue(self, now: float) -> list[Happened]:
        """Return what those wrote whose sign-on the server has not reported for too long."""
        waiting = [each for each in self._people.values() if each.since is not None]
        return [
            spoken
            for each in waiting
            if now - (each.since or 0.0) >= ANSWERED
            for spoken in self._released(each)
        ]

    def _on_354(self, line: Line, now: float) -> list[Happened]:
        if len(line.params) < 4 or line.params[1] != "42":
            return []
        return self._account(line.params[2], line.params[3], now)

    def _on_join(self, line: Line, now: float) -> list[Happened]:
        channel = self.folded(line.params[0])
        if self.folded(line.nick) != self.folded(self.nick):
            self._came(line.nick, channel, now)
            return self._account(line.nick, line.params[1], now) if len(line.params) > 2 else []
        self.joined = True
        for person in self._people.values():
            person.where.discard(channel)
        self._people = {key: person for key, person in self._people.items() if person.where}
        if self._whox:
            self._urgent.append(bytes_of("WHO", line.params[0], "%tna,42"))
        return [Arrived(self._ours(line.params[0]) or line.params[0])]

    def _account(self, nick: str, account: str, now: float) -> list[Happened]:
        del now
        person = self._person(nick)
        was = self._id(person)
        person.account = "" if account in ("*", "0") else account
        if person.expected:  # whose place they may have is known once the server has reported
            return []
        return [Identified(self._id(person), was)] if self._id(person) != was else []

    def _on_account(self, line: Line, now: float) -> list[Happened]:
        self.has_accounts = True
        return self._account(line.nick, line.params[0], now)

    def _on_nick(self, line: Line, now: float) -> list[Happened]:
        new = line.params[0]
        if self.folded(line.nick) == self.folded(self.nick):
            self.nick = new
        person = self._people.pop(self.folded(line.nick), None)
        if person is not None:
            person.nick = new
            self._people[self.folded(new)] = person
            if person.since is not None:
                self._ask(person, now)  # the answer is of the nick that was
            return [] if person.expected else [NickChanged(self._id(person), new)]
        return []

    def _gone(self, nick: str, now: float, channel: str = "") -> list[Happened]:
        """Take somebody out of a channel, or of all where none is named."""
        if self.folded(nick) == self.folded(self.nick):
            self.joined, self._rejoin = False, now + AGAIN
            return []
        person = self._people.get(self.folded(nick))
        if person is not None and channel:
            person.where.discard(self.folded(channel))
        if person is None or (channel and person.where):
            return []
        del self._people[self.folded(nick)]
        return [] if person.expected else [Gone(self._id(person))]

    def _on_quit(self, line: Line, now: float) -> list[Happened]:
        return self._gone(line.nick, now)

    def _on_part(self, line: Line, now: float) -> list[Happened]:
        return self._gone(line.nick, now, line.params[0]) if self._ours(line.params[0]) else []

    def _on_kick(self, line: Line, now: float) -> list[Happened]:
        if len(line.params) < 2 or not self._ours(line.params[0]):
            return []
        return self._gone(line.params[1], now, line.params[0])

    def _ours(self, channel: str) -> str:
        """Return which of our channels this is, empty for none."""
        wanted = self.folded(channel)
        return next((each for each in self.channels if self.folded(each) == wanted), "")

    def _on_privmsg(self, line: Line, now: float) -> list[Happened]:
        text = line.params[-1].strip()
        private = self.folded(line.params[0]) == self.folded(self.nick)
        if len(line.params) < 2 or not text.startswith("!") or not (private or self._ours(line.params[0])):
            return []
        known = self._people.get(self.folded(line.nick))
        if known is None or not (private or self.folded(line.params[0]) in known.where):
            return []  # not in the channel: those who may not be there may not play there
        found: list[Happened] = []
        if "account" in line.tags or "account-tag" in self._offered:
            found = self._account(line.nick, line.tags.get("account", "*"), now)
        person = self._person(line.nick)
        person.tokens = min(PATIENCE, person.tokens + PATIENT_RATE * max(now - person.at, 0.0))
        person.at = now
        if person.tokens < 1.0:
            if not person.warned:
                self.say(line.nick, "You are too fast; wait a little.")
            person.warned = True
            return found
        person.tokens -= 1.0
        person.warned = False
        channel = "" if private else self._ours(line.params[0])
        spoken = Spoken(self._id(person), person.nick, text, private, channel)
        if not (person.asked or person.sign or person.account):
            self._ask(person, now)
        if person.since is not None and not (person.account and not person.expected):
            person.held.append(spoken)
            return found
        return [*found, spoken]
