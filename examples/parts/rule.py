"""A custom rule in one file: every team has as many captains, or one more where they cannot be shared out.

Where its package is installed, ``equipoise balance examples/roster.txt --captains Ginkgo,Cedar`` knows it,
and so do request files, HTTP, receipts, explanations and late joiners.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise import Player, Rule
from equipoise.extending import LATE, NAMES, AddedRule, Constraint, FieldInfo


@dataclass(frozen=True)
class Captains(AddedRule):
    """Some players, by id or name, are captains."""

    #: The name of the field is the one that the package registers.
    field = FieldInfo(
        NAMES, "Captains: every team has as many of them.", section="Rules", kept_by=(LATE,)
    )  # fmt: skip

    @staticmethod
    def rows(value: tuple[str, ...], players: Sequence[Player], n_teams: int) -> Iterable[Rule]:
        """Return the sum of captains in each team, and its limits."""
        least, more = divmod(len(value), n_teams)
        return [Rule("captains", dict.fromkeys(value, 1.0), least, least + bool(more))] if value else []

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        """Return what is asked for, as explanations put it."""
        return "having as many captains in every team"
