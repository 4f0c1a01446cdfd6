"""What an archive answers: what was recorded, what was learnt, and what is known of everyone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from equipoise.archive.known import PLAYED, Known
from equipoise.matches import Ruleset
from equipoise.ratings.model import RatingModel, State


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many matches were new, and how many the archive had already."""

    new: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class Updated:
    """How many matches were learnt from, and why from the beginning (empty where only from the new ones)."""

    matches: int
    rebuilt: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of everyone at one revision.

    Parameters
    ----------
    model : RatingModel
        What the ratings were learnt by.
    state : State
        Everything its next update needs.
    revision : int
        The archive's revision.
    current : bool
        Whether every match of the archive is in the state.
    known : Known
        Names, games and bots.
    names : mapping of str to str
        From each id to the name last seen.
    last_bots : mapping of str to str
        From a bot's name to its id at the level it was last seen with.
    rulesets : sequence of Ruleset
        Those that were played, in order of first appearance.
    """

    model: RatingModel
    state: State
    revision: int
    current: bool
    known: Known
    names: Mapping[str, str]
    last_bots: Mapping[str, str]
    rulesets: tuple[Ruleset, ...]

    @property
    def games(self) -> dict[tuple[str, Ruleset], int]:
        """From each player and ruleset to the number of matches."""
        return {key: int(numbers[PLAYED]) for key, numbers in self.known.games.items()}
