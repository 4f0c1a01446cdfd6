"""What goes in and what comes back: lobbies asked for, and lobbies filled with teams."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from equipoise.core.player import LARGEST_WEIGHT, Player, as_floats
from equipoise.errors import InputError
from equipoise.teams.solution import Status


@dataclass(frozen=True, slots=True)
class Lobby:
    """A lobby to be filled with teams.

    Parameters
    ----------
    name : str
        What tells this lobby from all others.
    target : float or None
        The total (or, if so asked, the mean) that each of its teams should have, in roster units; None
        leaves it to be chosen.
    min_teams : int
        Fewest teams.
    max_teams : int or None
        Most teams; None is any number.

    Raises
    ------
    InputError
        If the name is empty or a number is out of range.
    """

    name: str
    target: float | None = None
    min_teams: int = 0
    max_teams: int | None = None

    def __post_init__(self) -> None:
        if not self.name:
            msg = "name must not be empty"
            raise InputError(msg)
        as_floats(self, "target")
        if self.target is not None and not -LARGEST_WEIGHT <= self.target <= LARGEST_WEIGHT:
            msg = f"target of lobby {self.name!r} must be from -1e15 to 1e15, got {self.target:g}"
            raise InputError(msg)
        if self.min_teams < 0:
            msg = f"min_teams of lobby {self.name!r} must be at least 0, got {self.min_teams}"
            raise InputError(msg)
        if self.max_teams is not None and self.max_teams < self.min_teams:
            msg = (
                f"max_teams of lobby {self.name!r} must be at least its min_teams, {self.min_teams}, "
                f"got {self.max_teams}"
            )
            raise InputError(msg)


@dataclass(frozen=True, slots=True)
class FilledLobby:
    """A lobby with its teams.

    Parameters
    ----------
    name : str
        The lobby's name.
    target : float
        The target of each team, as given or chosen.
    teams : tuple of tuples of Player
        The teams, strongest total first, each with its strongest player first.
    totals : tuple of float
        Each team's total skill; its mean where the targets are for means.
    """

    name: str
    target: float
    teams: tuple[tuple[Player, ...], ...]
    totals: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LobbyRule:
    """One rule of a set that contradicts.

    Parameters
    ----------
    what : str
        The rule, in words.
    relax : str
        What giving it up would mean, in words.
    """

    what: str
    relax: str


class FilledLobbyData(TypedDict):
    """A lobby with its teams, by ids."""

    name: str
    target: float
    teams: list[list[str]]
    totals: list[float]


class RuleData(TypedDict):
    """A rule that contradicts others, and what giving it up would mean, in words."""

    rule: str
    relax: str


class PlanData(TypedDict):
    """A plan in plain lists and numbers."""

    status: str
    deviation: str
    value: float | None
    bound: float | None
    gap: float | None
    solver: str
    lobbies: list[FilledLobbyData]
    waiting: list[str]
    default_weight: float | None
    unrated: int
    shut_out: NotRequired[list[str]]
    conflict: NotRequired[list[RuleData]]
    advice: NotRequired[str]
    reason: NotRequired[str]


@dataclass(frozen=True, slots=True)
class LobbyPlan:
    """Who plays with whom and where, and what was proven of it.

    Parameters
    ----------
    status : Status
        Whether the plan is proven best.
    deviation : str
        ``"squared"`` or ``"absolute"``.
    solver : str
        The solver's name.
    lobbies : tuple of FilledLobby
        In the order they were given; empty where infeasible.
    waiting : tuple of Player
        Who has no team, in the order they were given.
    shut_out : tuple of str
        The ids of those of them who may be in no lobby that is open, or whose party may not.
    value, bound : float or None
        The sum of the teams' deviations, and what no plan can be below.
    conflict : tuple of LobbyRule
        Where infeasible, rules that contradict, none of which could be left out.
    advice : str
        Where infeasible, what to relax so that nothing contradicts, in words.
    parties : tuple of tuples of str
        The ids of those who had to stay together.
    barred : mapping from str to tuple of str
        The names of the lobbies that a player, by id, may not be in.
    default_weight : float or None
        What players without a weight were given; None where all had one.
    unrated : int
        How many players those were.
    """

    status: Status
    deviation: str
    solver: str
    lobbies: tuple[FilledLobby, ...] = ()
    waiting: tuple[Player, ...] = ()
    value: float | None = None
    bound: float | None = None
    conflict: tuple[LobbyRule, ...] = field(default=())
    advice: str = ""
    parties: tuple[tuple[str, ...], ...] = ()
    barred: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    default_weight: float | None = None
    unrated: int = 0
    shut_out: tuple[str, ...] = ()

    @property
    def gap(self) -> float | None:
        """The value less the bound: 0 where optimal, None where infeasible."""
        if self.value is None or self.bound is None:
            return None
        return max(self.value - self.bound, 0.0)

    @property
    def relative_gap(self) -> float | None:
        """The gap as a share of the value: 0 where optimal, None where infeasible."""
        if self.value is None or self.gap is None:
            return None
        return self.gap / self.value if self.value > 0.0 else 0.0

    @property
    def excess(self) -> float | None:
        """How far a team is from the bound in the root mean square (or mean, if absolute), roster units."""
        teams = sum(len(lobby.teams) for lobby in self.lobbies)
        if self.gap is None or not teams:
            return None
        return math.sqrt(self.gap / teams) if self.deviation == "squared" else self.gap / teams

    @property
    def reason(self) -> str:
        """Why nothing is feasible and what to relax, in words; empty where something is."""
        if not self.conflict:
            return ""
        rules = "; ".join(rule.what for rule in self.conflict)
        return f"these rules contradict each other: {rules}. To relax: {self.advice}"

    def as_dict(self) -> PlanData:
        """Return the plan in plain lists and numbers, as ``equipoise lobbies --json`` prints it."""
        plain: PlanData = {
            "status": str(self.status),
            "deviation": self.deviation,
            "value": self.value,
            "bound": self.bound,
            "gap": self.gap,
            "solver": self.solver,
            "lobbies": [
                {
                    "name": lobby.name,
                    "target": lobby.target,
                    "teams": [[player.id for player in team] for team in lobby.teams],
                    "totals": list(lobby.totals),
                }
                for lobby in self.lobbies
            ],
            "waiting": [player.id for player in self.waiting],
            "default_weight": self.default_weight,
            "unrated": self.unrated,
        }
        if self.shut_out:
            plain["shut_out"] = list(self.shut_out)
        if self.conflict:
            plain["conflict"] = [{"rule": d.what, "relax": d.relax} for d in self.conflict]
            plain["advice"] = self.advice
            plain["reason"] = self.reason
        return plain
