"""Evenings as an archive keeps them: records, which are only ever added, and the events they stand for.

A record is an event with when it was taken, and what the one who acts was called there; in a chat also when
their connection began (``sign``) and who they are there (``chat``), so that a crash never parts what somebody
did from who it was.  Beside these stand what changes nothing of an evening: the ledger of running games
(``live``), where people of a chat were seen (``chat``), links, seats and taps of a page (``tonight``, read by
:mod:`equipoise.play.evening_page`), where those of a game stood before its result (``before``, kept with it)
and what that changed (``changed``, once it is learnt), and that people were forgotten in the records before
(``rewritten``).
Records of nights and lobbies from before both were one are read as the events they are today.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from equipoise.errors import InputError
from equipoise.play import evening_events as ev
from equipoise.play.evening_events import Event, Proposal, Setup, with_other_ids
from equipoise.play.event_codec import from_plain

#: Kinds of records.
TAKEN, GUESSES, LIVE, CHAT, TONIGHT = "evening", "guesses", "live", "chat", "tonight"
COUNTED, REWRITTEN, MERGED = "counted", "rewritten", "merged"

#: Where those of a game stood before its result, kept with it, and what that changed, once it is learnt.
BEFORE, CHANGED = "before", "changed"

#: What Discord shows: messages that were sent, what is proven of teams, presses, and codes that link ids.
DISCORD = "discord"

#: Those that no event follows from.
BESIDE = (LIVE, CHAT, TONIGHT, BEFORE, CHANGED, REWRITTEN, DISCORD)

#: Kinds of earlier records: of lobbies, and of nights.
PICKUP = "pickup"
WEIGHTS, TEAMS, RESULT, UNDO = "weights", "teams", "result", "undo"
OF_NIGHTS = (WEIGHTS, TEAMS, RESULT, UNDO)

#: The lobby of a night at a terminal.
NIGHT = "night"

#: One record as plain data.
Record = Mapping[str, Any]


class Taken(NamedTuple):
    """An event that was taken."""

    event: Event
    at: float
    nick: str = ""


def record_of(
    event: Event, at: float, nick: str = "", sign: str | None = None, chat: str = ""
) -> dict[str, Any]:
    """Return the record of an event.

    Parameters
    ----------
    event : Event
        What happened.
    at : float
        When, seconds since 1970.
    nick : str
        What the one who acts is called there.
    sign : str, optional
        When the connection of the one who acts began, empty where unknown; None where an account proves who
        it is, or nobody has to.
    chat : str
        Who acts, in a chat, as somebody that is known by another id.

    Examples
    --------
    >>> record_of(ev.Ready("ann"), 5.0)["event"]
    {'type': 'ready', 'who': 'ann'}
    """
    where = {"sign": sign, "chat": chat or None}
    known = {name: value for name, value in where.items() if value is not None}
    return {"kind": TAKEN, "at": at, "nick": nick, "event": ev.as_plain(event), **known}


def taken(records: Iterable[Record]) -> Iterator[Taken]:
    """Go through the events of records, in order.

    Raises
    ------
    InputError
        If a record cannot be read.
    """
    reading = _Reading()
    for record in records:
        try:
            yield from reading.events(record)
        except (KeyError, TypeError, ValueError) as error:
            msg = f"night: an event cannot be read: {error}"
            raise InputError(msg) from error
    yield from reading.rest()


class _Reading:
    """Reads records; weights of earlier ones wait for the teams of the same step."""

    def __init__(self) -> None:
        self._weights: Record | None = None
        self._at = -math.inf
        self._opened = False

    def events(self, record: Record) -> Iterator[Taken]:
        """Go through the events of one record."""
        kind = record["kind"]
        if kind in BESIDE:
            return
        if kind in (TAKEN, PICKUP):
            self._at = record["at"]
            yield from self.rest()
            yield Taken(ev.from_plain(record["event"]), record["at"], record["nick"])
        elif kind == GUESSES:
            yield from self.rest()
            yield Taken(ev.Reweighed(), self._at)
        elif kind == COUNTED:
            yield from self.rest()
            yield Taken(ev.Counted(record["match"], record["counts"]), self._at)
        elif kind == MERGED:
            yield from self.rest()
            yield Taken(ev.SamePerson(record["player"], record["into"], record["back"]), self._at)
        elif kind in OF_NIGHTS:
            if not self._opened:
                self._opened = True
                yield Taken(ev.Open(ev.night_lobby(NIGHT)), self._at)
            yield from self._of_night(record)
        else:
            msg = f"{kind!r} is no record"
            raise ValueError(msg)

    def _of_night(self, record: Record) -> Iterator[Taken]:
        if record["kind"] == WEIGHTS:
            yield from self.rest()
            self._weights = record
            return
        weights = self._weights
        if record["kind"] == TEAMS and weights is not None and weights["step"] == record["step"]:
            self._weights = None
        else:
            weights = None
            yield from self.rest()
        if record["kind"] == TEAMS:
            yield Taken(self._gather(record, weights), self._at)
        elif record["kind"] == RESULT:
            self._at = max(self._at, record["at"])
            ranks, scores = tuple(record["ranks"]), tuple(record["scores"])
            yield Taken(ev.Report("", ranks, scores, NIGHT, record["match"], record["at"]), self._at)
        else:
            yield Taken(ev.Undo("", lobby=NIGHT), self._at)

    @staticmethod
    def _gather(record: Record, weights: Record | None) -> ev.Gather:
        proposals = [] if record["proposal"] is None else [record["proposal"], *record["plan"]]
        return ev.Gather(
            NIGHT, from_plain(Setup, record["setup"], "setup"),
            {**(weights["spelled"] if weights else {}), **record["spelled"]},
            weights["weights"] if weights else {}, record["fresh"], ask=False,
            rounds=tuple(from_plain(Proposal, each, "proposal") for each in proposals),
        )  # fmt: skip

    def rest(self) -> Iterator[Taken]:
        """Go through the weights that no teams came with: their step was cut off."""
        weights, self._weights = self._weights, None
        if weights is not None:
            event = ev.Attend(NIGHT, (), spelled=weights["spelled"], weights=weights["weights"])
            yield Taken(event, self._at)


def weighs(record: Record) -> bool:
    """Tell whether a record gives starting weights."""
    return bool(record.get("weights") or record.get("event", {}).get("weights"))


def spellings(record: Record) -> Mapping[str, str]:
    """Return how a record writes people, by id."""
    found: Mapping[str, str] = record.get("spelled") or record.get("event", {}).get("spelled") or {}
    return found


def namings(record: Record) -> Iterator[tuple[str, str]]:
    """Go through the ids that a record has a name for, with the name.

    Examples
    --------
    >>> sorted(namings(record_of(ev.Attend("tonight", ("a1",), spelled={"a1": "Ann"}, who="a1"), 5.0, "Ann")))
    [('a1', 'Ann'), ('a1', 'Ann')]
    """
    yield from spellings(record).items()
    who = record.get("who") or record.get("event", {}).get("who", "")
    for name in (record.get("nick"), record.get("name")):
        if who and name:
            yield str(who), str(name)


def renamed_record(record: Record, names: Mapping[str, str]) -> dict[str, Any]:
    """Return a record with other ids for some players, and without any name of theirs.

    Examples
    --------
    >>> old = {"kind": "weights", "step": "1", "weights": {"ann": 5.0}, "spelled": {"ann": "Ann"}}
    >>> renamed_record(old, {"ann": "x"})
    {'kind': 'weights', 'step': '1', 'weights': {'x': 5.0}, 'spelled': {'x': 'x'}}
    >>> said = record_of(ev.Vote("q:1", "yes"), 5.0, "Ann", "1000", "~ann")
    >>> {name: each for name, each in renamed_record(said, {"q:1": "x"}).items() if name != "event"}
    {'kind': 'evening', 'at': 5.0, 'nick': '', 'sign': '', 'chat': 'x'}
    """
    if record["kind"] in (TONIGHT, BEFORE, CHANGED, DISCORD, MERGED):
        return {name: values_renamed(value, names) for name, value in record.items()}
    if record["kind"] == CHAT:
        if not names.keys() & {record["who"], record.get("account")}:
            return dict(record)
        who = {name: names.get(record[name], record[name]) for name in ("who", "account") if name in record}
        rest = {} if "account" in record else {"nick": "", "sign": ""}
        return {"kind": CHAT, "at": record["at"], **who, **rest}
    plain = with_other_ids(record, names)
    if record["kind"] in (PICKUP, TAKEN):
        chat = record.get("chat", "")
        gone = next((each for each in (record["event"].get("who", ""), chat) if each in names), None)
        for name, instead in (("nick", ""), ("sign", ""), ("chat", names.get(gone or "", ""))):
            if gone is not None and name in plain:
                plain[name] = instead
    return plain


def values_renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return plain data with other ids for some players wherever these stand, and without any name of theirs.

    Examples
    --------
    >>> values_renamed({"type": "claim", "who": "ann", "name": "Ann"}, {"ann": "x"})
    {'type': 'claim', 'who': 'x', 'name': 'x'}
    """
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        found = {names.get(key, key): values_renamed(each, names) for key, each in value.items()}
        who = value.get("who", value.get("id"))
        if isinstance(who, str) and "name" in found:  # a name is whose the id is
            found["name"] = names.get(who, value["name"])
        return found
    return [values_renamed(each, names) for each in value] if isinstance(value, list | tuple) else value
