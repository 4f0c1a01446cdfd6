"""Games of Team Fortress 2 in a log: rounds from ``Round_Start`` to ``Round_Win``, until ``Game_Over``.

The score decides: a round that was won but does not count in it, as one cut short by the clock, is no
contest, and what was done in it stands with the next that counts, or the last.  Where the rounds are not the
score (captures of one long round, halves of a stopwatch game, a log that begins in the middle) the game is
one contest, of its final score.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from equipoise.core.match import Contest, Ruleset, Statistics
from equipoise.games.match_in_progress import PART, Play, with_swapped_past

ROUND_START = b'World triggered "Round_Start"'
TOURNAMENT = b"Tournament mode started"
GAME_OVER = b'World triggered "Game_Over"'
WON = re.compile(rb'World triggered "Round_Win" \(winner "(Red|Blue)"\)')
STALEMATE = b'World triggered "Round_Stalemate"'
SCORE = re.compile(rb'Team "(Red|Blue)" (current|final) score "(\d{1,6})"')
CAPTURED = re.compile(rb'Team "(?:Red|Blue)" triggered "pointcaptured"')
FLAG = b'triggered "flagevent" (event "captured")'

#: A spy who only seemed to die.
FEIGNED = b'(customkill "feign_death")'

#: Teams, in the order of contests.
TEAMS = (b"Red", b"Blue")

#: The part of a round below which somebody hardly played, and above which they were there throughout; who
#: has neither killed nor died in the game so far only stands there.
HARDLY, THROUGHOUT = 0.1, 0.9


class FortressRounds:
    """The rounds of one game, as far as the log has come."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.began = self.running = self.over = False
        self.contests: list[Contest] = []
        self.scores: dict[bytes, int] = {}
        self.final: dict[bytes, int] = {}
        #: The type of the game, where its lines show it.
        self.kind = ""
        self._won: dict[bytes, int] = {}
        self._pending: tuple[bytes, Contest] | None = None
        self._start = 0.0
        self._stays: dict[str, dict[int, float]] = {}
        self._before: dict[str, tuple[int, int]] = {}
        #: When a round had ended last: on which side everyone was, and how long they had been on each.
        self._ended: tuple[dict[str, int], dict[str, dict[int, float]]] = {}, {}

    @property
    def ended(self) -> bool:
        """Whether nothing that comes can change the game."""
        return self.over and len(self.final) == len(TEAMS)

    @property
    def between(self) -> bool:
        """Whether a round is over and the next has not begun: what is done then counts for nothing."""
        return self.began and not self.running

    def take(self, text: bytes, at: float, sides: dict[bytes, int]) -> bool:
        """Take a line about the game; tell whether it was one of these."""
        won, score = WON.match(text), SCORE.match(text)
        if text.startswith(ROUND_START):
            self._look_for_swap(sides)
            self._round_starts()
        elif text.startswith(TOURNAMENT):
            if not self.contests:  # what was before it was played for nothing
                self._game_starts()
        elif won is not None:
            self._look_for_swap(sides)
            self._round_ends(won[1], at, sides)
            self._note_sides()
        elif text.startswith(STALEMATE):
            self._look_for_swap(sides)
            self.running = False
            self._note_sides()
        elif text.startswith(GAME_OVER):
            self._look_for_swap(sides)
            self.over, self.running = True, False
        elif score is not None:
            self._score(score[1], score[2], int(score[3]))
        else:
            return False
        return True

    def _game_starts(self) -> None:
        self.play.again()
        self.began = True
        self.scores.clear()
        self._before = self.play.counts()
        self._round_begins()

    def _round_starts(self) -> None:
        if not self.began:
            self._game_starts()
        else:
            self._round_begins()
        self.running = True

    def _note_sides(self) -> None:
        """Note where everybody is when a round has ended."""
        self._ended = self.play.standing(), self.play.stays()

    def _look_for_swap(self, sides: dict[bytes, int]) -> None:
        """See whether the sides were swapped since a round ended, and let them have the other's past then.

        So what was done and won before is kept by roster, whatever colours it had, also of those who left.
        """
        red, blue = (sides[team] for team in TEAMS)
        before, stays = self._ended
        there = [(before[one], side) for one, side in self.play.standing().items() if one in before]
        if 2 * sum({was, now} == {red, blue} for was, now in there) <= len(there):
            return
        self.play.swap_sides(red, blue, stays)
        self._stays = with_swapped_past(self._stays, red, blue, stays, self.play.standing())
        for counts in (self.scores, self._won):
            counts[TEAMS[0]], counts[TEAMS[1]] = counts.get(TEAMS[1], 0), counts.get(TEAMS[0], 0)
        self._note_sides()

    def _round_begins(self) -> None:
        self._start = self.play.clock
        self._stays = self.play.stays()

    def _round_ends(self, winner: bytes, at: float, sides: dict[bytes, int]) -> None:
        if not self.running:
            return
        self.running = False
        contest = self._contest(sides[winner], at, [sides[team] for team in TEAMS])
        self._pending = None if contest is None else (winner, contest)

    def _contest(self, winner: int, at: float, order: list[int]) -> Contest | None:
        """Return the round that a side has won, of those who played it."""
        length = self.play.clock - self._start
        teams: dict[int, list[tuple[str, float]]] = {side: [] for side in order}
        for identity, stays in self.play.stays().items():
            before = self._stays.get(identity, {})
            time = {side: stays.get(side, 0.0) - before.get(side, 0.0) for side in order}
            side = max(order, key=time.__getitem__)
            share = time[side] / length if length > 0 else 0.0
            person = self.play.people[identity]
            if share >= HARDLY and (person.kills or person.deaths):
                teams[side].append((identity, 1.0 if share >= THROUGHOUT else share))
        if not all(teams.values()):
            return None
        people = [identity for side in order for identity, _ in teams[side]]
        return Contest(
            Ruleset(), [teams[side] for side in order], [float(side != winner) for side in order],
            weight=PART, at=at, statistics=[self.play.since(each, self._before) for each in people],
        )  # fmt: skip

    def _score(self, team: bytes, when: bytes, score: int) -> None:
        if when == b"final":
            if self.over:
                self.final[team] = score
            return
        pending = self._pending
        if pending is not None and pending[0] == team:
            self._pending = None
            if score > self.scores.get(team, 0):
                self.contests.append(pending[1])
                self._won[team] = self._won.get(team, 0) + 1
                self._before = self.play.counts()
        self.scores[team] = score

    def found(self, sides: dict[bytes, int], at: float) -> list[Contest]:
        """Return the contests of a game that has ended: its rounds, or else its result."""
        if len(self.contests) > 1 and all(self._won.get(team, 0) == self.final[team] for team in TEAMS):
            self.contests[-1] = self._with_rest(self.contests[-1])
            return self.contests
        result = self.play.result(Ruleset(), {sides[team]: float(self.final[team]) for team in TEAMS}, at)
        return [] if result is None else [self._without_guests(result)]

    def _with_rest(self, last: Contest) -> Contest:
        """Add what was done in rounds after the last one that counts: its people did it."""
        rest = [self.play.since(each.player, self._before) for each in last.statistics]
        statistics = [
            Statistics(
                one.player, (one.kills or 0) + (more.kills or 0), (one.deaths or 0) + (more.deaths or 0)
            )
            for one, more in zip(last.statistics, rest, strict=True)
        ]
        return replace(last, statistics=tuple(statistics))

    def _without_guests(self, result: Contest) -> Contest:
        """Leave out who hardly played, unless nobody is left."""
        people = self.play.people
        teams = tuple(
            tuple(
                (one, share)
                for one, share in team
                if share >= HARDLY and (people[one].kills or people[one].deaths)
            )
            for team in result.teams
        )
        if not all(teams):
            return result
        kept = {one for team in teams for one, _ in team}
        statistics: Any = [each for each in result.statistics if each.player in kept]
        return replace(result, teams=teams, statistics=statistics)
