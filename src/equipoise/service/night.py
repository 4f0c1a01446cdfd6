"""A night at a terminal: names are people of the archive, and every step is one event of the evening."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from equipoise.core.clock import deadline
from equipoise.core.plain_data import printable
from equipoise.core.stopping import Stop
from equipoise.errors import ALIKE, InputError, again, nearest

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.core.player import Player
    from equipoise.files.pasted_names import Entry, PastedEntries
    from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
    from equipoise.play.evening_events import Event, Proposal, Setup
    from equipoise.play.evening_state import EveningGame, Room
    from equipoise.play.proposals import Arranged
    from equipoise.play.round_plan import Plan
    from equipoise.service.kept_evening import KeptEvening, StepTaken

#: From a name, the spelling of somebody nearly called so and their id to who is meant.
Ask = Callable[[str, str, str], "str | None"]

#: From a name that several have to who is meant.
Which = Callable[["AmbiguousNameError"], str]


def ignore(text: str) -> None:
    """Say nothing: for those who have nobody to tell."""


def nobody_to_ask(name: str, near: str, _: str) -> str | None:
    """Refuse a name that is nearly that of somebody."""
    msg = f"players: there is no {name!r}; did you mean {near!r}?"
    raise InputError(msg)


#: Seconds since 1970 of a year in which nobody reported a game: such a number is something else.
FIRST_YEAR = 366 * 86400.0

#: Seconds for a search; up to some 20 players it is proven best long before.
SECONDS = 10.0


@dataclass(slots=True)
class Night:
    """The lobby of a night, with its archive."""

    archive: Archive
    kept: KeptEvening
    lobby: str
    warn: Callable[[str], None] = ignore
    ask: Ask = nobody_to_ask
    which: Which | None = None

    def take(self, event: Event, at: float | None = None) -> StepTaken:
        """Take a step: it is kept before it is answered.

        Raises
        ------
        InputError
            If it makes no sense now, or no teams keep all the rules; then nothing has changed.
        """
        self.kept.arranged = None
        return self.kept.take(event, at, strictly=True)

    @property
    def room(self) -> Room:
        """Who is here, and what holds."""
        return self.kept.evening.rooms[self.lobby]

    @property
    def setup(self) -> Setup:
        """Who is here, and the rules."""
        return self.room.setup

    @property
    def spelled(self) -> Mapping[str, str]:
        """The last spelling of everyone who has come so far, by id."""
        return self.room.spelled

    @property
    def game(self) -> EveningGame | None:
        """The current teams, or those of the last game."""
        return self.kept.evening.current(self.lobby)

    @property
    def proposal(self) -> Proposal | None:
        """The current teams, once everyone is in one."""
        game = self.game
        return game.proposal if game is not None and game.is_whole else None

    @property
    def results(self) -> list[EveningGame]:
        """The games with a result that counts, in the order these were reported."""
        return self.kept.evening.ended(self.lobby)

    @property
    def arranged(self) -> Arranged | None:
        """The teams that the last step found, with what is proven of them."""
        return self.kept.arranged

    def id_of(self, name: str) -> str | None:
        """Return the id of somebody who has come, by id or last spelling, None for anyone else."""
        from equipoise.identity.roster_lookup import RosterLookup

        one = self.kept.evening.one
        both = [each for player, name in self.spelled.items() for each in ((player, player), (player, name))]
        return RosterLookup((one(player), each, 0.0) for player, each in both).id_of(one(name))

    def planned(self, rounds: int, vary: float) -> Plan:
        """Take the step to the first of several games that are divided at once."""
        from equipoise.play.evening_events import Gather
        from equipoise.play.round_plan import plan

        evening = self.kept.evening
        rules, lobby = evening.rules(self.lobby), evening.rooms[self.lobby].lobby
        if rules.fixed:
            names = ", ".join(self.spelled.get(player, player) for player, _ in rules.fixed)
            msg = f"a plan of several games keeps nobody in one team: unlock {names} first (night lock --off)"
            raise InputError(msg)
        found = plan(
            evening.played(self.lobby), rules, self.kept.rating(lobby), rounds,
            seen=evening.seen(self.lobby, time.time()), vary=vary, stop=self.kept.limited(SECONDS),
        )  # fmt: skip
        self.take(Gather(self.lobby, self.setup, fresh=False, ask=False, rounds=tuple(found.rounds)))
        first = self.proposal
        return replace(found, rounds=(found.rounds[0] if first is None else first, *self.room.plan))

    def present(self, name: str) -> str:
        """Return the id of somebody who is here.

        Raises
        ------
        InputError
            If there is none of that name.
        """
        from equipoise.identity.names import folded
        from equipoise.identity.roster_lookup import SHORTEST
        from equipoise.identity.short_ids import meant_by

        ids = [each for each in self.setup.here if self.spelled.get(each, each) != each]
        begun = [each for each in ids if each.startswith(name)] if len(name) >= SHORTEST else []
        player = self.id_of(name) or meant_by(name, begun)
        if player in self.setup.here:
            return player
        here = {
            folded(spelled): spelled for spelled in (self.spelled.get(each, each) for each in self.setup.here)
        }
        near = nearest(folded(name), here)
        hint = f"; did you mean {here[near]!r}?" if near is not None else ""
        msg = f"{name!r} is not here{hint}"
        raise InputError(msg)

    def arrivals(self, names: Sequence[str], new: Sequence[str]) -> dict[str, str]:
        """Return the ids of those who come.

        Raises
        ------
        InputError
            If one of them is here already.
        """
        ids = self.resolved(names, new)
        for name, each in ids.items():
            if each in self.setup.here:
                msg = f"players: {name!r} is here already"
                raise InputError(msg)
        return ids

    def people(self) -> RosterLookup:
        """Return what finds people by name among those who have come and those of the archive."""
        from equipoise.archive.rated_players import people_of

        return people_of(
            self.archive.standing(), self.archive.merged(), time.time(), self.spelled, self.which
        )

    def resolved(self, names: Sequence[str], new: Sequence[str]) -> dict[str, str]:
        """Return the id of each name, as :func:`resolved` does."""
        return resolved(self.people(), names, new, self.ask)

    def spellings(self, ids: Mapping[str, str]) -> dict[str, str]:
        """Return how everyone is written from now on: as typed, unless that was a slip for somebody known."""
        known = self.people()
        return {
            each: known.written(name, each)
            if each == name or known.id_of(name) == each
            else known.shown(each)
            for name, each in ids.items()
        }

    def weighing(self, entries: Sequence[Entry], ids: Mapping[str, str]) -> dict[str, float]:
        """Return the starting weights that are new, of those who have none from elsewhere."""
        from equipoise.archive.chosen_model import starting_of

        model: Any = self.archive.chosen_model
        weights = {ids[entry.name]: entry.weight for entry in entries if entry.weight is not None}
        if weights and not hasattr(model, "starting"):
            self.warn("note: the model of this archive takes no starting weights; they are left out")
            return {}
        elsewhere = {guess[0] for guess in starting_of(model)} - self.kept.evening.ever_weighed
        return {
            player: weight
            for player, weight in weights.items()
            if player not in elsewhere and self.room.weights.get(player) != weight
        }

    def note_weights(self, weights: Mapping[str, float]) -> None:
        """Say which of these starting weights change nothing."""
        from equipoise.archive.chosen_model import starting_of
        from equipoise.ratings.starting_weights import FEWEST, absurd, placed

        if not weights:
            return
        wild = set(absurd(starting_of(self.archive.model))) & weights.keys()
        for player in sorted(wild):
            self.warn(
                f"note: the weight {weights[player]:g} of {self.spelled[player]} is far from all others; "
                "it is left out"
            )
        if not placed(starting_of(self.archive.model)):
            self.warn(
                f"note: starting weights change nothing before {FEWEST} players have one, not all alike"
            )

    def time(self, when: str | None) -> float:
        """Return when a game ended: after those before it, and not in the future.

        Raises
        ------
        InputError
            If it is no time, one ahead of this machine's clock, or in the first year of all: a year alone.
        """
        from equipoise.core.dates import unlikely
        from equipoise.core.match_records import time_from

        now = time.time()
        if when is None:
            return self.archive.time_of_result(now)
        moment = time_from(when, "--at")
        if wrong := unlikely(moment, now):
            msg = f"--at: {when} is {wrong}"
            raise InputError(msg)
        if moment < FIRST_YEAR:
            msg = f"--at must be a date as 2026-01-31T20:15 or seconds since 1970, got {when!r:.40}"
            raise InputError(msg)
        return moment

    def shown(self, player: str) -> str:
        """Return how somebody is written."""
        return printable(self.spelled.get(player, player))

    def rows(self) -> list[dict[str, Any]]:
        """Return everyone's row of the table, the strongest first."""
        from equipoise.play.ledger import PlayerAccount, accounts, met
        from equipoise.ratings.display_scale import scale_of

        standing = self.archive.standing()
        scale = scale_of(standing.model, standing.state, None)
        games = self.kept.evening.played(self.lobby)
        known, merged = accounts(games), self.archive.merged()
        together, against = met(games)
        rows = []
        for player, name in self.spelled.items():
            if self.kept.evening.one(player) != player:
                continue  # another id of somebody in the table
            account = known.get(player, PlayerAccount())
            rating = standing.model.rating(standing.state, merged.get(player, player), None)
            weight = scale.shown(rating.mu) if standing.games else None
            rows.append(
                {"id": player, "name": name, "here": player in self.setup.here, "weight": weight,
                 "mu": rating.mu, "sigma": rating.sigma, "starting": self.room.weights.get(player),
                 "played": account.played, "won": account.won, "drawn": account.drawn,
                 "lost": account.lost, "out": account.out, "weak": account.weak, "moved": account.moved,
                 "unmet": account.unmet, "with": self._often(together, player),
                 "against": self._often(against, player)}
            )  # fmt: skip
        return sorted(rows, key=lambda row: (-row["mu"], row["name"]))

    def _often(self, counts: Mapping[frozenset[str], int], player: str) -> dict[str, int]:
        """Return how often somebody met whom, by name, the most frequent first."""
        found = {other: n for pair, n in counts.items() if player in pair for other in pair - {player}}
        named = {self.spelled.get(other, other): n for other, n in found.items()}
        return dict(sorted(named.items(), key=lambda item: (-item[1], item[0])))


@contextmanager
def opened(
    url: str,
    limited: Callable[[float], Stop] = deadline,
    warn: Callable[[str], None] = ignore,
    ask: Ask = nobody_to_ask,
    which: Which | None = None,
) -> Iterator[Night]:
    """Open the archive of a night, or make it, and finish what a step that was cut off has left.

    Parameters
    ----------
    url : str
        The address of the archive.
    limited : callable
        What ends a search after some seconds, or before.
    warn : callable
        Called with what a person should hear.
    ask : callable
        From a name, the spelling of somebody nearly called so and their id to who is meant,
        None for somebody new.
    which : callable, optional
        From a name that several have to who is meant; without it such a name is refused.
    """
    from equipoise.archive.archive import filled
    from equipoise.play.evening_events import night_lobby
    from equipoise.play.evening_records import NIGHT
    from equipoise.service.exported_site import finish
    from equipoise.service.kept_evening import KeptEvening

    with filled(url, warn) as archive:
        finish(archive, warn, missing=False)
        kept = KeptEvening(archive, [night_lobby(NIGHT)], limited=limited, seconds=SECONDS)
        kept.settle()
        kept.start(time.time())
        yield Night(archive, kept, NIGHT, warn, ask, which)


def players_of(entries: Sequence[Entry]) -> list[Player]:
    """Return the players that entries of names stand for."""
    from equipoise.core.player import Player, Rating

    return [Player(entry.name, None if entry.weight is None else Rating(entry.weight), party=entry.party)
            for entry in entries]  # fmt: skip


def heard_of(entries: PastedEntries) -> list[str]:
    r"""Return what was read of names that are typed, line by line; nothing where that is their names alone.

    Examples
    --------
    >>> from equipoise.files.pasted_names import parse_paste
    >>> heard_of(parse_paste("Ann\nBob out", "here")), heard_of(parse_paste("Ann, Bob", "here"))
    (['1 player, 1 not coming.'], [])
    """
    heard = entries.heard
    more = heard.out or heard.late or heard.unread or heard.notes
    return heard.lines(players_of(entries)) if more else []


def resolved(known: RosterLookup, names: Sequence[str], new: Sequence[str], ask: Ask) -> dict[str, str]:
    """Return the id of each name: that of a known person, or the name of a new one.

    A name that is nearly that of somebody who is not here is asked about, and never added without an answer.

    Raises
    ------
    InputError
        If two names are one person; what ``ask`` raises where there is nobody to ask.
    """
    from equipoise.identity.names import folded

    declared = {folded(name) for name in new}
    ids = {name: known.id_of(name) for name in names}
    here = {each for each in ids.values() if each is not None}
    everyone = {name: player for name, player in known.names().items() if player not in here}
    if len(ids) < len(names):
        msg = f"players: {names[again(names)]!r} is there twice; write everyone once"
        raise InputError(msg)
    found: dict[str, str] = {}
    for name, player in ids.items():
        each = player
        if each is None and folded(name) not in declared:
            near = nearest(folded(name), everyone, ALIKE)
            each = None if near is None else ask(name, known.shown(everyone[near]), everyone[near])
        each = name if each is None else each
        other = next((one for one in found if found[one] == each or folded(one) == folded(name)), None)
        if other is not None:
            msg = f"players: {name!r} and {other!r} are one player; write everyone once"
            raise InputError(msg)
        found[name] = each
    return found
