"""Parties that gather on the page of a queue, by a short code: no I/O, ``now`` an argument.

A party lives in the memory of the server that was asked; a member has a token that says so, with which a
server knows the party again after a restart.  What has entered the queue is a ticket like any other.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

#: Letters of a code: no two that look alike.
LETTERS = "ACDEFHJKLMNPQRTUVWXY3479"

#: How many letters a code has.
LENGTH = 5

#: Seconds after which a member that is not heard of is out, and parties that are kept.
SILENT, MOST = 600.0, 10_000


@dataclass(slots=True)
class _Party:
    leader: str
    heard: dict[str, float] = field(default_factory=dict)
    ticket: str = ""


class QueueParties:
    """The parties that gather for one queue.

    Parameters
    ----------
    key : bytes
        What tokens are signed with.

    Examples
    --------
    >>> parties = QueueParties(b"a key")
    >>> code, token = parties.begin("ann", 0.0)
    >>> other = parties.join(code.lower(), "bob", 3, 1.0)
    >>> parties.members(code, 2.0)
    ['ann', 'bob']
    >>> again = QueueParties(b"a key")
    >>> again.heard(code, "bob", other, 3.0), again.heard(code, "ann", token, 4.0), again.leads(code, "ann")
    (True, True, True)
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._parties: dict[str, _Party] = {}

    def begin(self, leader: str, now: float) -> tuple[str, str]:
        """Begin a party; return its code, and the token of who leads it."""
        code = _code()
        while code in self._parties:
            code = _code()
        self._party(code, leader).heard[leader] = now
        return code, self.token(code, leader, leads=True)

    def join(self, code: str, player: str, size: int, now: float) -> str:
        """Let somebody into a party of at most ``size``; return their token.

        Raises
        ------
        LookupError
            If there is no party of this code, it is full, or somebody else is there under this name; the
            message is ``missing``, ``full`` or ``taken``.
        """
        party = self._known(code)
        here = self.members(code, now)
        if party is None or player in here or len(here) >= size:
            why = "missing" if party is None else "taken" if player in here else "full"
            raise LookupError(why)
        party.heard[player] = now
        return self.token(code, player, leads=False)

    def heard(self, code: str, player: str, token: str, now: float) -> bool:
        """Note that a member is there; return False where the token is not theirs."""
        given = token.encode("utf-8", "replace")
        leads, follows = (
            hmac.compare_digest(self.token(code, player, leads=how).encode(), given) for how in (True, False)
        )
        if not leads and not follows:
            return False
        party = self._party(written(code), player if leads else "")
        party.leader = player if leads else party.leader
        party.heard[player] = now
        return True

    def leave(self, code: str, player: str) -> None:
        """Let a member go; with who leads it the party is over."""
        party = self._known(code)
        if party is None:
            return
        party.heard.pop(player, None)
        if party.leader == player or not party.heard:
            del self._parties[written(code)]

    def clear(self) -> None:
        """Know no party any longer; those whose members are heard of come back, as after a restart.

        Examples
        --------
        >>> parties = QueueParties(b"a key")
        >>> code, token = parties.begin("ann", 0.0)
        >>> parties.clear()
        >>> parties.members(code, 1.0), parties.heard(code, "ann", token, 2.0), parties.members(code, 2.0)
        ([], True, ['ann'])
        """
        self._parties.clear()

    def members(self, code: str, now: float) -> list[str]:
        """Return who is there, the leader first."""
        party = self._known(code)
        if party is None:
            return []
        party.heard = {who: at for who, at in party.heard.items() if now - at <= SILENT}
        return sorted(party.heard, key=lambda who: who != party.leader)

    def leads(self, code: str, player: str) -> bool:
        """Tell whether somebody leads a party."""
        party = self._known(code)
        return party is not None and party.leader == player

    def ticket(self, code: str) -> str:
        """Return the ticket with which a party has entered; empty where it has not."""
        party = self._known(code)
        return "" if party is None else party.ticket

    def enters(self, code: str, ticket: str) -> None:
        """Note with which ticket a party has entered."""
        party = self._known(code)
        if party is not None:
            party.ticket = ticket

    def token(self, code: str, player: str, *, leads: bool) -> str:
        """Return what says that somebody is in a party, and whether they lead it."""
        what = b"\0".join((b"party", written(code).encode(), str(leads).encode(), player.encode()))
        return hmac.digest(self._key, what, hashlib.sha256).hex()[:32]

    def _known(self, code: str) -> _Party | None:
        return self._parties.get(written(code))

    def _party(self, code: str, leader: str) -> _Party:
        while code not in self._parties and len(self._parties) >= MOST:
            del self._parties[next(iter(self._parties))]
        return self._parties.setdefault(code, _Party(leader))


def _code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def written(code: str) -> str:
    """Return a code as it is kept: capitals, without spaces.

    Examples
    --------
    >>> written(" k3 7qa")
    'K37QA'
    """
    return "".join(code.split()).upper()
