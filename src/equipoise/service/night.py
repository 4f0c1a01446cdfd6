"""What the steps of ``equipoise night`` share: the archive, the names, and the teams that are proposed."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from equipoise.core.clock import deadline
from equipoise.core.plain_data import printable
from equipoise.core.stopping import Stop
from equipoise.errors import ALIKE, InputError, again, nearest

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.play.night import Night

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.core.player import Player
    from equipoise.files.pasted_names import Entry
    from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
    from equipoise.play.night import Event, Night, Proposal, Setup
    from equipoise.play.proposals import Arranged
    from equipoise.play.round_plan import Plan

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


#: Seconds for a search; up to some 20 players it is proven best long before.
SECONDS = 10.0


def new_match() -> str:
    """Return an id that no other match has."""
    return f"night-{time.strftime('%Y-%m-%d', time.gmtime())}-{secrets.token_hex(6)}"


@dataclass(slots=True)
class Evening:
    """The archive of a night, and the night as it is after every step."""

    archive: Archive
    events: list[Event]
    night: Night
    limited: Callable[[float], Stop] = deadline
    warn: Callable[[str], None] = ignore
    ask: Ask = nobody_to_ask
    which: Which | None = None

    def add(self, event: Event, match: Any = None, undone: str | None = None) -> None:
        """Take a step: keep it first, then answer."""
        from equipoise.play.night import night_of

        self.archive.add_night_event(event, len(self.events), match, undone)
        self.events.append(event)
        self.night = night_of(self.events)
        self.settle()

    def settle(self) -> None:
        """Let the ratings begin at the starting weights of the steps that count, and learn what is new."""
        model: Any = self.archive.chosen_model
        wanted = self.starting(model)
        if wanted is not None and wanted != tuple(model.starting):
            self.archive.rebuild(replace(model, starting=wanted), of_night=True)
        elif self.archive.is_behind():
            self.archive.update_ratings()

    def starting(self, model: Any) -> Any:
        """Return the guesses of a model with those of the night, None where it takes none."""
        from equipoise.ratings.starting_weights import given_from

        if not hasattr(model, "starting"):
            return None
        others = [guess for guess in model.starting if guess[0] not in self.night.ever_weighed]
        return given_from([*others, *self.night.weights.items()])

    def rated(self, players: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
        """Return players with their ratings under the ids and names of the night, and the units of these."""
        from equipoise.archive.rated_players import rated

        here = rated(self.archive.standing(), players, None, self.archive.merged())
        named = [
            replace(player, id=each, name=self.night.spelled.get(each, each), bot=False)
            for each, player in zip(players, here.players, strict=True)
        ]
        return named, here.units

    def arrange(
        self, setup: Setup, *, now: Mapping[str, int] | None = None, still: bool = False,
        vary: float | None = None, match: str = "",
    ) -> Arranged:  # fmt: skip
        """Return teams of those who are here, with a new id unless one is given."""
        from equipoise.play.proposals import MEETING, arrange

        return arrange(
            self.night.games, setup, self.rated, match or new_match(),
            seen=self.night.seen(time.time()), now=now, still=still,
            vary=MEETING if vary is None else vary, stop=self.limited(SECONDS),
        )  # fmt: skip

    def propose(
        self, setup: Setup, proposal: Proposal | None, spelled: Mapping[str, str], *, fresh: bool = False,
        step: str = "", plan: Sequence[Proposal] = (),
    ) -> None:  # fmt: skip
        """Take the step to teams, with the rounds that follow."""
        from equipoise.play.night import teams_event

        self.add(teams_event(setup, proposal, spelled, step or secrets.token_hex(6), fresh=fresh, plan=plan))

    def planned(self, rounds: int, vary: float) -> Plan:
        """Take the step to the first of several rounds that are divided at once."""
        from equipoise.play.round_plan import plan

        stop = self.limited(SECONDS)
        seen = self.night.seen(time.time())
        found = plan(self.night.games, self.night.setup, self.rated, rounds, seen=seen, vary=vary, stop=stop)
        first, *later = [replace(each, id=new_match()) for each in found.rounds]
        self.propose(self.night.setup, first, {}, plan=later)
        return replace(found, rounds=(first, *later))

    def next_planned(self) -> Arranged:
        """Take the step to the next round of the plan, with the chances of now."""
        setup, (following, *later) = self.night.setup, self.night.plan
        now = {player: n for n, team in enumerate(following.teams) for player in team}
        arranged = self.arrange(setup, now=now, still=True, match=following.id)
        self.propose(setup, arranged.proposal, {}, plan=later)
        return arranged

    def change(
        self, setup: Setup, ids: Mapping[str, str], instead: Mapping[str, str] | None = None, *,
        step: str = "",
    ) -> Arranged | None:  # fmt: skip
        """Take the step to other people; teams not played yet change with them as little as possible."""
        night = self.night
        spelled = self.spellings(ids)
        self.night = replace(night, spelled={**night.spelled, **spelled})
        proposal, arranged = night.proposal, None
        if proposal is not None and night.result_of(proposal.id) is None:
            if len(setup.here) < setup.teams:
                proposal = None
            else:
                swapped = instead or {}
                now = {swapped.get(player, player): n for player, n in self.teams_now().items()}
                now = {player: n for player, n in now.items() if player in setup.here}
                arranged = self.arrange(setup, now=now, still=bool(swapped))
                proposal = arranged.proposal
        self.propose(setup, proposal, spelled, step=step)
        return arranged

    def teams_now(self) -> dict[str, int]:
        """Return the team of everyone who is in one."""
        proposal = self.night.proposal
        return {} if proposal is None else {p: n for n, team in enumerate(proposal.teams) for p in team}

    def present(self, name: str) -> str:
        """Return the id of somebody who is here.

        Raises
        ------
        click.UsageError
            If there is none of that name.
        """
        from equipoise.identity.names import folded

        player = self.night.id_of(name)
        if player in self.night.setup.here:
            return str(player)
        here = {
            folded(spelled): spelled
            for spelled in (self.night.spelled.get(each, each) for each in self.night.setup.here)
        }
        near = nearest(folded(name), here)
        hint = f"; did you mean {here[near]!r}?" if near is not None else ""
        msg = f"{name!r} is not here{hint}"
        raise click.UsageError(msg)

    def people(self) -> RosterLookup:
        """Return what finds people by name among those who have come and those of the archive."""
        from equipoise.archive.rated_players import people_of

        return people_of(
            self.archive.standing(), self.archive.merged(), time.time(), self.night.spelled, self.which
        )

    def arrivals(self, names: Sequence[str], new: Sequence[str]) -> dict[str, str]:
        """Return the ids of those who come.

        Raises
        ------
        InputError
            If one of them is here already.
        """
        ids = resolved(self.people(), names, new, self.ask)
        for name, each in ids.items():
            if each in self.night.setup.here:
                msg = f"players: {name!r} is here already"
                raise InputError(msg)
        return ids

    def spellings(self, ids: Mapping[str, str]) -> dict[str, str]:
        """Return how everyone is written from now on: as typed, unless that was a slip for somebody known."""
        known = self.people()
        return {
            each: name if each == name or known.id_of(name) == each else known.shown(each)
            for name, each in ids.items()
        }

    def weigh(self, entries: Sequence[Entry], ids: Mapping[str, str], step: str) -> None:
        """Keep starting weights that are new, of those who have none from elsewhere."""
        from equipoise.archive.chosen_model import starting_of
        from equipoise.play.night import WEIGHTS
        from equipoise.ratings.starting_weights import FEWEST, absurd, placed

        model: Any = self.archive.chosen_model
        weights = {ids[entry.name]: entry.weight for entry in entries if entry.weight is not None}
        if weights and not hasattr(model, "starting"):
            self.warn("note: the model of this archive takes no starting weights; they are left out")
            return
        elsewhere = {guess[0] for guess in starting_of(model)} - self.night.ever_weighed
        changed = {
            player: weight
            for player, weight in weights.items()
            if player not in elsewhere and self.night.weights.get(player) != weight
        }
        if changed:
            shown = self.spellings(ids)
            spelled = {player: shown[player] for player in changed}
            self.add({"kind": WEIGHTS, "step": step, "weights": changed, "spelled": spelled})
            wild = set(absurd(starting_of(self.archive.model))) & changed.keys()
            for player in sorted(wild):
                self.warn(
                    f"note: the weight {changed[player]:g} of {spelled[player]} is far from all others; "
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
            If it is no time, or one ahead of this machine's clock.
        """
        from equipoise.core.dates import ahead
        from equipoise.core.match_records import time_from

        now = time.time()
        if when is None:
            return max(now, self.archive.last_ended())
        moment = time_from(when, "--at")
        if wrong := ahead(moment, now):
            msg = f"--at: {when} is {wrong}"
            raise InputError(msg)
        return moment

    def weights(self) -> dict[str, float]:
        """Return what everyone who has come weighs, 0 to 100."""
        from equipoise.archive.rated_players import weights_of

        return weights_of(self.archive.standing(), self.night.spelled, None, self.archive.merged())

    def shown(self, player: str) -> str:
        """Return how somebody is written."""
        return printable(self.night.spelled.get(player, player))

    def rows(self) -> list[dict[str, Any]]:
        """Return everyone's row of the table, the strongest first."""
        from equipoise.core.match import Ruleset
        from equipoise.play.ledger import PlayerAccount, accounts, met
        from equipoise.ratings.display_scale import scale_of

        night, standing = self.night, self.archive.standing()
        scale = scale_of(standing.model, standing.state, Ruleset())
        known, merged = accounts(night.games), self.archive.merged()
        together, against = met(night.games)
        rows = []
        for player, name in night.spelled.items():
            account = known.get(player, PlayerAccount())
            rating = standing.model.rating(standing.state, merged.get(player, player), None)
            weight = scale.shown(rating.mu) if standing.games else None
            rows.append(
                {"id": player, "name": name, "here": player in night.setup.here, "weight": weight,
                 "mu": rating.mu, "sigma": rating.sigma, "starting": night.weights.get(player),
                 "played": account.played, "won": account.won, "drawn": account.drawn,
                 "lost": account.lost, "out": account.out, "weak": account.weak, "moved": account.moved,
                 "unmet": account.unmet, "with": self._often(together, player),
                 "against": self._often(against, player)}
            )  # fmt: skip
        return sorted(rows, key=lambda row: (-row["mu"], row["name"]))

    def _often(self, counts: Mapping[frozenset[str], int], player: str) -> dict[str, int]:
        """Return how often somebody met whom, by name, the most frequent first."""
        found = {other: n for pair, n in counts.items() if player in pair for other in pair - {player}}
        named = {self.night.spelled.get(other, other): n for other, n in found.items()}
        return dict(sorted(named.items(), key=lambda item: (-item[1], item[0])))


@contextmanager
def opened(
    url: str,
    limited: Callable[[float], Stop] = deadline,
    warn: Callable[[str], None] = ignore,
    ask: Ask = nobody_to_ask,
    which: Which | None = None,
) -> Iterator[Evening]:
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
    from equipoise.play.night import night_of

    with filled(url, warn) as archive:
        events: list[Event] = list(archive.night_events())
        evening = Evening(archive, events, night_of(events), limited, warn, ask, which)
        evening.settle()
        yield evening


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
