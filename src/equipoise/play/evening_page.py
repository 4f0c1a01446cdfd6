"""What the page of an evening knows beside the evening: its links, who sits at which device, taps that came.

Who is there, teams, drafts, results and what is taken back are the evening's (:mod:`equipoise.play.evening`),
whichever door they came through.  This is a fold over the page's own records, without I/O.  A record stands
for a tap; a tap that was taken is known by its id from then on, in any process, so that it counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from equipoise.errors import InputError

#: Who may be there, how long a name may be, and how many names that nobody bore a guest's device may bring.
MOST_PEOPLE, LONGEST_NAME, MOST_NEW = 200, 40, 3

#: Whom a tap is by.
ORGANISER, GUEST = "organiser", "guest"

#: What guests may do; all else is the organiser's.
FOR_GUESTS = frozenset({"claim", "status", "allow", "deny", "pick", "undo", "vote", "veto", "link"})


class EveningPage:
    """The page of one evening.

    Attributes
    ----------
    title : str
        What the evening is called.
    starts, expires, since : float
        When it begins, until when its links hold, and from when on games are this evening's; seconds since
        1970, 0 where unknown.
    keys : mapping
        Whose each link and code is, by its hash: ``organiser``, ``guests`` or ``code``.
    seats, asked : mapping
        The device that answers for somebody, and one that asks to, by the id of the player.
    came : mapping
        The device whose taking of a name let somebody in, as long as nobody else has let them in or out.
    until : mapping
        Until when somebody will know, as they wrote it.
    taps : mapping
        What was in each tap that was taken, as a hash, by its id; empty where that is not known.
    stepped : list of list of str
        The teams that somebody stepped to last, of those a search found.
    ended : bool
        Whether the organiser has ended it.
    """

    def __init__(self) -> None:
        self.title, self.starts, self.expires, self.since = "", 0.0, 0.0, 0.0
        self.keys: dict[str, str] = {}
        self.seats: dict[str, str] = {}
        self.asked: dict[str, str] = {}
        self.came: dict[str, str] = {}
        self.until: dict[str, str] = {}
        self.taps: dict[str, str] = {}
        self.stepped: Sequence[Sequence[str]] = ()
        self.ended = False
        self._brought: dict[str, int] = {}

    def take(self, record: Mapping[str, Any]) -> None:
        """Take in a record of the page."""
        kind, who = record["type"], record.get("who", "")
        self.taps[record["id"]] = record.get("body", "")
        if kind == "open":
            self.title, self.starts, self.expires = record["title"], record["starts"], record["expires"]
            self.keys, self.since, self.ended = dict(record["keys"]), record["since"], False
        elif kind == "keys":
            self.keys = dict(record["keys"]) if record["only"] else {**self.keys, **record["keys"]}
            self.expires = record.get("expires", self.expires)
        elif kind == "claim":
            self._claim(who, record)
        elif kind == "allow":
            self._sit(who, self.asked.pop(who, ""))
        elif kind == "deny":
            self.asked.pop(who, None)
        elif kind == "status":
            self.came.pop(who, None)
            self.until[who] = record.get("until", "")
        elif kind == "link":
            self._sit(who, record["device"] if record["by"] != ORGANISER else "")
        elif kind == "next":
            self.stepped = record.get("teams", ())
        elif kind == "end":
            self.ended = True

    def let_be_one(self, one: Callable[[str], str]) -> None:
        """Let seats be those of people under the ids that count; a seat of such an id goes first."""

        def known(seats: Mapping[str, str]) -> dict[str, str]:
            own = {player: each for player, each in seats.items() if one(player) == player}
            return {**{one(player): each for player, each in seats.items()}, **own}

        self.seats, self.asked = known(self.seats), known(self.asked)
        self.came, self.until = known(self.came), known(self.until)
        self.stepped = [list(map(one, team)) for team in self.stepped]

    def _claim(self, who: str, record: Mapping[str, Any]) -> None:
        device = record["device"]
        if record.get("asks"):
            self.asked[who] = device
            return
        self.until.pop(who, None)
        self.came.pop(who, None)
        self.came = {player: each for player, each in self.came.items() if each != device}
        if record.get("came"):
            self.came[who] = device
        if record.get("new"):
            self._brought[device] = self._brought.get(device, 0) + 1
        self._sit(who, device)

    def _sit(self, who: str, device: str) -> None:
        """Let a device answer for somebody, and for nobody else."""
        if not device:
            return
        self.seats = {player: each for player, each in self.seats.items() if each != device}
        self.asked = {player: each for player, each in self.asked.items() if each != device}
        self.seats[who] = device

    def seated(self, device: str) -> str:
        """Return whom a device answers for, empty for nobody."""
        return next((who for who, each in self.seats.items() if device and each == device), "")

    # What is refused, with texts for people

    def check(self, kind: str, by: str) -> None:
        """Refuse a tap that is not for who taps.

        Raises
        ------
        InputError
            With the reason.
        """
        if by != ORGANISER and kind not in FOR_GUESTS:
            msg = "only the organiser can do that"
            raise InputError(msg)
        if self.ended:
            msg = "this evening is over"
            raise InputError(msg)

    def check_answers(self, who: str, name: str, by: str, device: str) -> None:
        """Refuse a tap for somebody whom another device answers for; the organiser answers for all."""
        if by != ORGANISER and (not device or self.seats.get(who) != device):
            msg = f"{name} is on another phone"
            raise InputError(msg)

    def check_newcomer(self, device: str, by: str) -> None:
        """Refuse one more name that nobody bore, from a guest's device that brought enough of them."""
        if by != ORGANISER and self._brought.get(device, 0) >= MOST_NEW:
            msg = "this phone has brought enough new names; ask the organiser"
            raise InputError(msg)
