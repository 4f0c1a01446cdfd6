"""The table of what can be asked of :func:`equipoise.lobbies.fill.fill`, besides players and lobbies.

The checks of single values, the options of the command line and the body over HTTP follow from it
(:mod:`equipoise.core.fields`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.core.fields import (
    FLAG,
    GROUPS,
    NAME,
    NUMBER,
    WHOLE,
    FieldInfo,
    Range,
    ask,
    one_of,
    optional,
    table_of,
)
from equipoise.core.player import LARGEST_WEIGHT, MOST_PLAYERS
from equipoise.core.registry import LOBBY_SOLVERS

#: The deviations there are.
DEVIATIONS = ("squared", "absolute")

_WEIGHT = Range(-LARGEST_WEIGHT, LARGEST_WEIGHT)


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class FillFields:
    """What can be asked; :func:`equipoise.lobbies.fill.fill` says what each field means."""

    team_size: int = ask(2, WHOLE, "Players per team.", limits=Range(1, MOST_PLAYERS), note="[default: 2]")
    min_size: int | None = ask(
        None, optional(WHOLE), "Fewest players a team may have, so that nobody has to wait.",
        limits=Range(1, MOST_PLAYERS), note="[default: the team size]",
    )  # fmt: skip
    deviation: str = ask(
        "squared", one_of(*DEVIATIONS), f"How distance from the target counts: {', '.join(DEVIATIONS)}.",
        note="[default: squared]",
    )  # fmt: skip
    per_player: bool = ask(False, FLAG, "Targets are for a team's mean, not for its total.")
    zero: float | None = ask(
        None, optional(NUMBER), "What an empty seat of a smaller team counts as.",
        schema={"minimum": -LARGEST_WEIGHT, "maximum": LARGEST_WEIGHT}, metavar="WEIGHT",
    )  # fmt: skip
    body: float | None = ask(
        None, optional(NUMBER), "How far below the mean that is, in standard deviations.",
        schema={"minimum": 0, "maximum": LARGEST_WEIGHT}, metavar="SPREADS", note="[default: 1]",
    )  # fmt: skip
    parties: tuple[tuple[str, ...], ...] = ask((), GROUPS, "Players who stay together.", flag="")
    caution: float = ask(
        0.0, NUMBER, "Take K sigmas off each skill.", limits=Range(0.0, LARGEST_WEIGHT), metavar="K",
        note="[default: 0]",
    )  # fmt: skip
    default: float | None = ask(
        None, optional(NUMBER), "The skill of players without one.", limits=_WEIGHT, flag="--default-weight",
        metavar="WEIGHT", note="[default: the mean of the others]",
    )  # fmt: skip
    all_play: bool = ask(False, FLAG, "Nobody may wait: rather no plan than one that leaves somebody out.")
    solver: Any = ask(
        "auto", NAME, f"How to search: {', '.join(('auto', *LOBBY_SOLVERS))}.", note="[default: auto]",
    )  # fmt: skip


#: The fields by name.
FILL_FIELDS: Mapping[str, FieldInfo] = table_of(FillFields)
