"""The keywords of ``balance`` with their types, for editors and type checkers.

Made by scripts/generated.py from :class:`equipoise.teams.request_fields.RequestFields`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from equipoise.core.player import Bots
from equipoise.core.stopping import Stop
from equipoise.teams.problem.linear_rules import Rule
from equipoise.teams.problem.preferences import Preference
from equipoise.teams.request_fields import Judge


class Keywords(TypedDict, total=False):
    """The keywords of ``balance``; the fields of a request say what they mean."""

    teams: int
    sizes: int | Sequence[int] | None
    min_size: int | None
    max_size: int | None
    max_difference: int | None
    bots: Bots | bool | None
    parties: Iterable[Sequence[str]]
    apart: Iterable[Sequence[str]]
    names: tuple[str, ...]
    fixed: Mapping[str, int | str] | Iterable[tuple[str, int | str]] | None
    preferences: Iterable[Preference]
    side_price: float
    stay: float
    moves: int | None
    roles: Mapping[str, int] | Iterable[tuple[str, int]] | None
    rules: Iterable[Rule]
    objective: Any
    tolerances: Sequence[float] | None
    solver: str | Callable[..., Any]
    rerank: str | Judge | None
    keep: int
    spacing: int
    default: float | None
    beta: float | None
    zero: float | None
    body: float | None
    side_chance: float
    draws: float | None
    tolerance: float | None
    side_weight: float
    seed: int
    effort: float
    further: Mapping[str, Any]
    stop: Stop
