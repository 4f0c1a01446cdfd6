"""What a queue promises: a frozen value, and its form in files, both from one table of fields.

A field says how it is read, which numbers it may hold, and what it means; the file form, the schema and the
checks are read off the fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.core.fields import (
    COUNTS,
    NAME,
    NUMBER,
    NUMBERS,
    WHOLE,
    FieldInfo,
    Range,
    ask,
    optional,
    table_of,
)
from equipoise.core.plain_data import fail, is_plain, names_of, object_of
from equipoise.errors import InputError, meant

#: Players of a team, and teams of a match, at most: what the search keeps as bits of one number.
LARGEST_TEAM, MOST_TEAMS = 50, 60

#: Seats of a match at most, and roles of a team: sets of roles are counted one by one.
MOST_SEATS, MOST_ROLES = 200, 8

#: The number that stands for no limit: a day.
LONGEST_WAIT = 86_400.0

#: The logistic link's slope is looked up there; a chance this far from even is no longer a match.
LARGEST_IMBALANCE = 0.49


#: Names; how many of each of some names; and numbers in order.
_NAMES = NAME._replace(
    read=names_of,
    schema={"type": "array", "items": {"type": "string"}},
    freeze=lambda given, _: tuple(given),
)
_COUNTS = COUNTS._replace(
    schema={"type": "object", "additionalProperties": {"type": "integer"}},
    freeze=lambda given, _: tuple(given.items() if isinstance(given, Mapping) else given),
)
_NUMBERS = NUMBERS._replace(freeze=lambda given, _: tuple(map(float, given)))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePolicy:
    """How even a match must be, and how that gives way to waiting.

    Ratings, ``middle``, ``deviation``, ``beta`` and ``tolerance`` are in one unit, any; waits in seconds.
    Each field is described where it is defined, and in words by :func:`~equipoise.queueing.policy_in_words`.

    Raises
    ------
    InputError
        If a field is out of range, or fields contradict one another.

    Examples
    --------
    >>> QueuePolicy(team_size=1).seats
    2
    >>> QueuePolicy.from_dict({"team_size": 0})
    Traceback (most recent call last):
    equipoise.errors.InputError: policy: team_size must be from 1 to 50, got 0
    """

    teams: int = ask(2, WHOLE, "Teams of a match.", limits=Range(2, MOST_TEAMS))
    team_size: int = ask(5, WHOLE, "Players of a team.", limits=Range(1, LARGEST_TEAM))
    roles: tuple[tuple[str, int], ...] = ask(
        (), _COUNTS, "How many of each role a team has; none: nobody is asked for a role.",
    )  # fmt: skip
    maps: tuple[str, ...] = ask((), _NAMES, "The maps there are; a ticket may veto some.")
    beta: float = ask(200.0, NUMBER, "Noise of one player's performance.", limits=Range(1e-9, 1e9))
    middle: float = ask(1500.0, NUMBER, "The mean rating of the players.", limits=Range(-1e9, 1e9))
    deviation: float = ask(250.0, NUMBER, "The standard deviation of their ratings.", limits=Range(1e-9, 1e9))
    tolerance: float = ask(
        80.0, NUMBER, "How far apart ratings in a match may be at first.", limits=Range(0, 1e9),
    )  # fmt: skip
    tolerance_growth: float = ask(24.5, NUMBER, "How much farther with each second.", limits=Range(0, 1e9))
    tails: float = ask(
        0.5, NUMBER, "How much faster for the few: 1 doubles it for those two deviations from the middle.",
        limits=Range(0, 100),
    )  # fmt: skip
    imbalance: float = ask(
        0.0115, NUMBER, "How far the chance of the best split may be from even at first.",
        limits=Range(0, LARGEST_IMBALANCE),
    )  # fmt: skip
    imbalance_growth: float = ask(0.0022, NUMBER, "How much farther with each second.", limits=Range(0, 1))
    most_imbalance: float = ask(
        0.2, NUMBER, "How far from even the chance may ever be.", limits=Range(0, LARGEST_IMBALANCE),
    )  # fmt: skip
    longest_wait: float = ask(
        300.0, NUMBER, "Seconds after which tolerances give way, so that nobody starves.",
        limits=Range(0, LONGEST_WAIT),
    )  # fmt: skip
    latency: float = ask(80.0, NUMBER, "The milliseconds to a region that do at first.", limits=Range(0, 1e4))
    latency_growth: float = ask(1.0, NUMBER, "How many more with each second.", limits=Range(0, 1e4))
    most_latency: float = ask(150.0, NUMBER, "The milliseconds to a region at most.", limits=Range(0, 1e4))
    party_gap: int | None = ask(
        None, optional(WHOLE), "By how many players the largest parties of two teams may differ; none: any.",
        limits=Range(0, LARGEST_TEAM),
    )  # fmt: skip
    provisional: float | None = ask(
        None, optional(NUMBER),
        "The uncertainty of a rating above which a player meets only others like that; none: no limit.",
        limits=Range(0, 1e9),
    )  # fmt: skip
    accept_within: float = ask(20.0, NUMBER, "Seconds to accept a match.", limits=Range(1, LONGEST_WAIT))
    penalties: tuple[float, ...] = ask(
        (0.0, 60.0, 300.0, 900.0), _NUMBERS,
        "Seconds without the queue after the first, second ... match not accepted; the last for all others.",
    )  # fmt: skip
    forgiven_after: float = ask(
        3600.0, NUMBER, "Seconds after which a match not accepted is forgotten.",
        limits=Range(0, LONGEST_WAIT),
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, info in _FIELDS.items():
            value = getattr(self, name)
            info.check(value)
            object.__setattr__(self, name, info.kind.freeze(value, name))
        self._check_together()

    def _check_together(self) -> None:
        """Refuse fields that contradict one another."""
        if self.seats > MOST_SEATS:
            msg = f"must give a match of at most {MOST_SEATS} players, got {self.teams} x {self.team_size}"
            raise InputError(msg, "team_size")
        if self.imbalance > self.most_imbalance:
            msg = f"must be at most most_imbalance, {self.most_imbalance:g}, got {self.imbalance:g}"
            raise InputError(msg, "imbalance")
        if self.latency > self.most_latency:
            msg = f"must be at most most_latency, {self.most_latency:g}, got {self.latency:g}"
            raise InputError(msg, "latency")
        if len(self.roles) > MOST_ROLES:
            msg = f"must be at most {MOST_ROLES}, got {len(self.roles)}"
            raise InputError(msg, "roles")
        if any(count < 1 for _, count in self.roles):
            msg = "must have at least 1 player each"
            raise InputError(msg, "roles")
        if self.roles and sum(count for _, count in self.roles) != self.team_size:
            total = sum(count for _, count in self.roles)
            msg = f"must have as many players as a team, {self.team_size}, got {total}"
            raise InputError(msg, "roles")
        if len(set(self.maps)) < len(self.maps) or len(self.maps) > MOST_TEAMS:
            msg = f"must be at most {MOST_TEAMS} names that differ"
            raise InputError(msg, "maps")
        known = all(0.0 <= seconds <= LONGEST_WAIT for seconds in self.penalties)
        if not self.penalties or not known or list(self.penalties) != sorted(self.penalties):
            msg = f"must be one or more numbers from 0 to {LONGEST_WAIT:g} that do not fall"
            raise InputError(msg, "penalties")

    @property
    def seats(self) -> int:
        """Players of a match."""
        return self.teams * self.team_size

    @classmethod
    def from_dict(cls, data: Any, where: str = "policy") -> QueuePolicy:
        """Return the policy that plain data holds, such as JSON and TOML.

        Raises
        ------
        InputError
            If a field is unknown or does not hold what it should; the message begins with ``where``.
        """
        asked, values = _FIELDS, {}
        for name, value in object_of(data, where).items():
            if name not in asked:
                fail(
                    where,
                    f"there is no field {name!r}{meant(str(name), asked)}; the fields are {', '.join(asked)}",
                )
            values[name] = asked[name].kind.read(value, f"{where}: {name}")
        try:
            return cls(**values)
        except InputError as error:
            fail(where, str(error))

    @classmethod
    def asked(cls, data: Any, where: str = "policy") -> QueuePolicy:
        """Return the policy that somebody wrote: of :meth:`from_dict`, with names that say something.

        Raises
        ------
        InputError
            As :meth:`from_dict`, and if roles or maps are given but none is named, or one by nothing.

        Examples
        --------
        >>> QueuePolicy.asked({"maps": []})
        Traceback (most recent call last):
        equipoise.errors.InputError: policy: maps must name at least 1; leave it out where there are none
        """
        policy = cls.from_dict(data, where)
        for field, names in (("roles", [name for name, _ in policy.roles]), ("maps", policy.maps)):
            if field in data and not names:
                fail(where, f"{field} must name at least 1; leave it out where there are none")
            if blank := [name for name in names if not is_plain(name)]:
                fail(where, f"{field} must have names with something to see, got {blank[0]!r}")
        return policy

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain data: what differs from the default."""
        values = {name: (info, getattr(self, name)) for name, info in _FIELDS.items()}
        return {
            name: info.kind.write(value, name)
            for name, (info, value) in values.items()
            if value != info.default
        }

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON schema of the file form."""
        properties = {name: info.json_schema for name, info in _FIELDS.items()}
        return {"type": "object", "additionalProperties": False, "properties": properties}


#: The fields by name.
_FIELDS: Mapping[str, FieldInfo] = table_of(QueuePolicy)
