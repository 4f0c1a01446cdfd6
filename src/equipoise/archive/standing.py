"""What an archive answers: what was recorded and learnt, and what it knows of everyone.

Besides skill these are names, games, and which bots there were: a pure fold over matches in replay order,
kept as rows of numbers beside the model's state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.core.match import Match, Ruleset
from equipoise.core.player import BOT, is_bot
from equipoise.core.sides import EVEN_SIDES
from equipoise.ratings.model import RatingModel, State
from equipoise.ratings.side_advantage import SideAdvantages

#: Numbers of a name: when it was first and last seen (seconds since 1970), in how many matches, and the
#: ordinal of the last of them.
FIRST, LAST, MATCHES, ORDINAL = 0, 1, 2, 3

#: Numbers of a player in a ruleset: matches, contests, and the ordinal of the last match.
PLAYED, CONTESTS, LAST_PLAYED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Known:
    """What follows from matches besides skill, compared by value.

    Parameters
    ----------
    names : mapping from (player, name) to four numbers
        When the name was first and last seen, in how many matches, and the ordinal of the last one.
    games : mapping from (player, ruleset) to three numbers
        Matches, contests, and the ordinal of the last match.
    counted : one number
        How many matches there are.
    sides : mapping from (ruleset, map) to four numbers
        What it is worth to be the first of two teams, see :mod:`equipoise.ratings.side_advantage`; it follows
        from what was predicted, so that :meth:`after` and :meth:`joined` leave it as it is.
    """

    names: Mapping[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    games: Mapping[tuple[str, Ruleset], tuple[float, ...]] = field(default_factory=dict)
    counted: tuple[float, ...] = (0.0,)
    sides: Mapping[tuple[Ruleset, str], Any] = field(default_factory=dict)

    def after(self, matches: Iterable[Match]) -> Known:
        """Return what is known after matches more, in order."""
        names, games = dict(self.names), dict(self.games)
        ordinal = self.counted[0]
        for match in matches:
            ordinal += 1.0
            ended = match.ended or 0.0
            for entry in dict.fromkeys(match.names):
                first, _, times, _ = names.get(entry, (ended, ended, 0.0, 0.0))
                names[entry] = (first, ended, times + 1.0, ordinal)
            for contest in match.contests:
                for player in (player for team in contest.teams for player, _ in team):
                    played, contests, last = games.get((player, contest.ruleset), (0.0, 0.0, 0.0))
                    games[player, contest.ruleset] = (played + (last < ordinal), contests + 1.0, ordinal)
        return Known(names, games, (ordinal,), self.sides)

    def joined(self, later: Known) -> Known:
        """Return what is known after the matches of another one too, which knew nothing before them.

        It is what :meth:`after` gives for these.
        """
        names, games, before = dict(self.names), dict(self.games), self.counted[0]
        for entry, (first, last, times, ordinal) in later.names.items():
            known = names.get(entry, (first, 0.0, 0.0))
            names[entry] = (known[0], last, known[2] + times, before + ordinal)
        for key, (played, contests, ordinal) in later.games.items():
            there = games.get(key, (0.0, 0.0))
            games[key] = (there[0] + played, there[1] + contests, before + ordinal)
        return Known(names, games, (before + later.counted[0],), self.sides)

    def last_names(self) -> dict[str, str]:
        """Return the name each player was last seen with."""
        last: dict[str, tuple[float, str]] = {}
        for (player, name), numbers in self.names.items():
            if player not in last or numbers[ORDINAL] >= last[player][0]:
                last[player] = (numbers[ORDINAL], name)
        return {player: name for player, (_, name) in last.items()}

    def rulesets(self) -> list[Ruleset]:
        """Return the rulesets that were played, in order of first appearance."""
        return list(dict.fromkeys(ruleset for _, ruleset in self.games))

    def last_bots(self) -> dict[str, str]:
        """Return for each bot's name its id at the level it was last seen with."""
        last: dict[str, tuple[float, str]] = {}
        for (player, _), numbers in self.games.items():
            name = bot_name(player)
            if name and (name not in last or numbers[LAST_PLAYED] >= last[name][0]):
                last[name] = (numbers[LAST_PLAYED], player)
        return {name: player for name, (_, player) in last.items()}


def bot_name(player: str) -> str:
    """Return the name in the id of a bot, empty for anyone else.

    Examples
    --------
    >>> bot_name("bot:Xan:6"), bot_name("bot:Xan"), bot_name("ann")
    ('Xan', 'Xan', '')
    """
    if not is_bot(player):
        return ""
    name, colon, level = player.removeprefix(BOT).rpartition(":")
    return name if colon else level


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of matches that were to be kept.

    Parameters
    ----------
    new, duplicates : int
        How many were kept, and how many the archive had already.
    conflicts : tuple of str
        Ids under which the archive has a different match, which stays as it is.
    shared : tuple of str
        Ids that turned out to be several people's.
    moved : int
        How many known games have another date now.
    others : tuple of str
        Ids of known rows of tables that mean other people now; they stay those of whom they were.
    """

    new: int
    duplicates: int
    conflicts: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    moved: int = 0
    others: tuple[str, ...] = ()


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

    def side_chance(self, ruleset: Ruleset | None = None, at_map: str = "") -> float:
        """Return the chance of the first of two equal teams in a ruleset, on a map where that is named.

        Without a ruleset it is that of the only one that was played, and even where there are several.
        """
        if ruleset is None and len(self.rulesets) == 1:
            ruleset = self.rulesets[0]
        return (
            EVEN_SIDES if ruleset is None else SideAdvantages(dict(self.known.sides)).chance(ruleset, at_map)
        )

    def side_chances(self) -> dict[Ruleset, float]:
        """Return :meth:`side_chance` of each ruleset in which one side is better."""
        found = {ruleset: self.side_chance(ruleset) for ruleset in self.rulesets}
        return {ruleset: chance for ruleset, chance in found.items() if chance != EVEN_SIDES}

    @property
    def games(self) -> dict[tuple[str, Ruleset], int]:
        """From each player and ruleset to the number of matches."""
        return {key: int(numbers[PLAYED]) for key, numbers in self.known.games.items()}
