"""What a queue promises: a frozen value, and its form in files, both from one table of fields.

A field says how it is read, which numbers it may hold, and what it means; the file form, the schema and the
checks are read off the fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from equipoise.core.plain_data import fail, list_of, names_of, object_of, real_of, whole_of
from equipoise.errors import InputError, meant

T = TypeVar("T")

#: What a field holds, as data: a value and the place that messages name.
Reader = Callable[[Any, str], Any]

#: Players of a team, and teams of a match, at most: what the search keeps as bits of one number.
LARGEST_TEAM, MOST_TEAMS = 50, 60

#: Seats of a match at most, and roles of a team: sets of roles are counted one by one.
MOST_SEATS, MOST_ROLES = 200, 8

#: The number that stands for no limit: a day.
LONGEST_WAIT = 86_400.0

#: The logistic link's slope is looked up there; a chance this far from even is no longer a match.
LARGEST_IMBALANCE = 0.49


@dataclass(frozen=True, slots=True)
class PolicyField:
    """What is known of a field besides its type: how it is read, its range, and what it means."""

    read: Reader
    schema: Mapping[str, Any]
    help: str
    least: float
    most: float


def ask(
    default: T,
    read: Reader,
    schema: Mapping[str, Any],
    help: str,  # noqa: A002  # as the request's table has it
    least: float = -math.inf,
    most: float = math.inf,
) -> T:
    """Return a field of a policy with all that is known of it."""
    return field(default=default, metadata={"asked": PolicyField(read, schema, help, least, most)})


def _optional(read: Reader) -> Reader:
    return lambda value, at: None if value is None else read(value, at)


def _counts(value: Any, at: str) -> tuple[tuple[str, int], ...]:
    return tuple(
        (str(name), whole_of(count, f"{at}: {name}")) for name, count in object_of(value, at).items()
    )


def _seconds(value: Any, at: str) -> tuple[float, ...]:
    return tuple(real_of(each, at) for each in list_of(value, at, "seconds"))


_WHOLE = {"type": "integer"}
_NUMBER = {"type": "number"}
_WHOLE_OR_NONE = {"type": ["integer", "null"]}
_NUMBER_OR_NONE = {"type": ["number", "null"]}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_COUNTS = {"type": "object", "additionalProperties": {"type": "integer"}}


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

    teams: int = ask(2, whole_of, _WHOLE, "Teams of a match.", 2, MOST_TEAMS)
    team_size: int = ask(5, whole_of, _WHOLE, "Players of a team.", 1, LARGEST_TEAM)
    roles: tuple[tuple[str, int], ...] = ask(
        (), _counts, _COUNTS, "How many of each role a team has; none: nobody is asked for a role."
    )
    maps: tuple[str, ...] = ask((), names_of, _TEXTS, "The maps there are; a ticket may veto some.")
    beta: float = ask(200.0, real_of, _NUMBER, "Noise of one player's performance.", 1e-9, 1e9)
    middle: float = ask(1500.0, real_of, _NUMBER, "The mean rating of the players.", -1e9, 1e9)
    deviation: float = ask(250.0, real_of, _NUMBER, "The standard deviation of their ratings.", 1e-9, 1e9)
    tolerance: float = ask(
        48.0, real_of, _NUMBER, "How far apart ratings in a match may be at first.", 0, 1e9
    )
    tolerance_growth: float = ask(27.0, real_of, _NUMBER, "How much farther with each second.", 0, 1e9)
    tails: float = ask(
        0.5, real_of, _NUMBER,
        "How much faster for the few: 1 doubles it for those two deviations from the middle.", 0, 100,
    )  # fmt: skip
    imbalance: float = ask(
        0.012, real_of, _NUMBER, "How far the chance of the best split may be from even at first.",
        0, LARGEST_IMBALANCE,
    )  # fmt: skip
    imbalance_growth: float = ask(0.0021, real_of, _NUMBER, "How much farther with each second.", 0, 1)
    most_imbalance: float = ask(
        0.2, real_of, _NUMBER, "How far from even the chance may ever be.", 0, LARGEST_IMBALANCE
    )
    longest_wait: float = ask(
        300.0, real_of, _NUMBER, "Seconds after which tolerances give way, so that nobody starves.",
        0, LONGEST_WAIT,
    )  # fmt: skip
    latency: float = ask(80.0, real_of, _NUMBER, "The milliseconds to a region that do at first.", 0, 1e4)
    latency_growth: float = ask(1.0, real_of, _NUMBER, "How many more with each second.", 0, 1e4)
    most_latency: float = ask(150.0, real_of, _NUMBER, "The milliseconds to a region at most.", 0, 1e4)
    party_gap: int | None = ask(
        None, _optional(whole_of), _WHOLE_OR_NONE,
        "By how many players the largest parties of two teams may differ; none: any.", 0, LARGEST_TEAM,
    )  # fmt: skip
    provisional: float | None = ask(
        None, _optional(real_of), _NUMBER_OR_NONE,
        "The uncertainty of a rating above which a player meets only others like that; none: no limit.",
        0, 1e9,
    )  # fmt: skip
    accept_within: float = ask(20.0, real_of, _NUMBER, "Seconds to accept a match.", 1, LONGEST_WAIT)
    penalties: tuple[float, ...] = ask(
        (0.0, 60.0, 300.0, 900.0), _seconds, _NUMBERS,
        "Seconds without the queue after the first, second ... match not accepted; the last for all others.",
    )  # fmt: skip
    forgiven_after: float = ask(
        3600.0, real_of, _NUMBER, "Seconds after which a match not accepted is forgotten.", 0, LONGEST_WAIT
    )

    def __post_init__(self) -> None:
        for each in _asked_fields():
            check_range(each.name, getattr(self, each.name), each.metadata["asked"])
        if isinstance(self.roles, Mapping):
            object.__setattr__(self, "roles", tuple(self.roles.items()))
        object.__setattr__(self, "maps", tuple(self.maps))
        object.__setattr__(self, "penalties", tuple(map(float, self.penalties)))
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
        asked = {each.name: each.metadata["asked"] for each in _asked_fields()}
        values = {}
        for name, value in object_of(data, where).items():
            if name not in asked:
                fail(
                    where,
                    f"there is no field {name!r}{meant(str(name), asked)}; the fields are {', '.join(asked)}",
                )
            values[name] = asked[name].read(value, f"{where}: {name}")
        try:
            return cls(**values)
        except InputError as error:
            fail(where, str(error))

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain data: what differs from the default."""
        written: dict[str, Any] = {}
        for each in _asked_fields():
            value = getattr(self, each.name)
            if value != each.default:
                kind = each.metadata["asked"].schema["type"]
                written[each.name] = (
                    dict(value) if kind == "object" else list(value) if kind == "array" else value
                )
        return written

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON schema of the file form."""
        properties = {}
        for each in _asked_fields():
            asked = each.metadata["asked"]
            limits = {"minimum": asked.least, "maximum": asked.most}
            properties[each.name] = {
                **asked.schema,
                "description": asked.help,
                **{name: limit for name, limit in limits.items() if math.isfinite(limit)},
            }
        return {"type": "object", "additionalProperties": False, "properties": properties}


def check_range(name: str, value: Any, asked: PolicyField) -> None:
    """Refuse a number that is out of its field's range, and what is no number."""
    if math.isinf(asked.least) or value is None:
        return
    whole = "integer" in asked.schema["type"]
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        msg = f"must be a {'whole ' if whole else ''}number, got {value!r}"
        raise InputError(msg, name)
    if not asked.least <= value <= asked.most:
        msg = f"must be from {asked.least:g} to {asked.most:g}, got {value:g}"
        raise InputError(msg, name)


def _asked_fields() -> tuple[Field[Any], ...]:
    return fields(QueuePolicy)
