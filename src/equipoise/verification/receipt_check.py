"""``verify``: what a receipt claims, worked out from its request alone.

Every claim is confirmed, false, or not confirmed: then it is out of reach here, or the time is over.
Nothing that found the answer is used to check it: legality and values are worked out in fractions, and the
optimum by going through all splits or, for two teams, by halves that meet.  A claim of a computer with floats
may be off by what rounding explains, stage by stage, and by no more.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from equipoise.core.stopping import Stop, never
from equipoise.core.ties import APART
from equipoise.errors import InputError, UnsupportedError
from equipoise.verification import two_team_optimum
from equipoise.verification.exact_numbers import Real, UndecidedError
from equipoise.verification.objective_values import (
    Paid,
    Team,
    bots,
    chances,
    line_up,
    moved,
    paid_for,
    rating_in,
    shown,
    teams_of,
    value,
)
from equipoise.verification.optimum import Labels, Optimum, TooMuchError, broken, optimum
from equipoise.verification.question import Question, Stage, read
from equipoise.verification.receipts import ANSWER, FIELDS, FORMAT, hash_of, installed


class Verdict(enum.StrEnum):
    """What became of a claim."""

    CONFIRMED = "confirmed"
    FALSE = "false"
    UNCONFIRMED = "not confirmed"


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim of a receipt, what became of it, and how that is known."""

    claim: str
    verdict: Verdict
    detail: str

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {"claim": self.claim, "verdict": str(self.verdict), "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of every claim of a receipt."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is false; what is not confirmed may still be."""
        return all(finding.verdict is not Verdict.FALSE for finding in self.findings)

    @property
    def confirmed(self) -> bool:
        """Whether everything is confirmed."""
        return all(finding.verdict is Verdict.CONFIRMED for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as ``equipoise verify --json`` prints it."""
        return {
            "ok": self.ok,
            "confirmed": self.confirmed,
            "findings": [finding.to_dict() for finding in self.findings],
        }


class FalseError(Exception):
    """A claim is false."""


class UnconfirmedError(Exception):
    """A claim is out of reach."""


def found(claim: str, confirm: Callable[[], str]) -> Finding:
    """Return what becomes of a claim, from what confirms it or raises one of the errors."""
    try:
        return Finding(claim, Verdict.CONFIRMED, confirm())
    except (UnconfirmedError, TooMuchError, UndecidedError) as error:
        return Finding(claim, Verdict.UNCONFIRMED, str(error))
    except FalseError as error:
        return Finding(claim, Verdict.FALSE, str(error))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        return Finding(claim, Verdict.FALSE, f"it does not have the shape of an answer: {error!r}")


def require(holds: object, otherwise: str) -> None:
    """Raise an error that says what is otherwise, unless something holds."""
    if not holds:
        raise FalseError(otherwise)


#: What rounding a number to a float changes, relative to it.
UNIT = Fraction(1, 2**53)

#: Operations on a number besides adding it up.
OPERATIONS = 8


class RoundingBound:
    """How far the costs of computed totals may be from exact ones, by J. Wilkinson's bound on sums.

    A sum of n numbers, each right to ``u = 2**-53`` of its size, is off by at most ``(n + 8) u`` times the
    sum of their sizes; what follows from that for each objective is first order in it.
    """

    def __init__(self, asked: Question) -> None:
        k = asked.n_teams
        bot = abs(asked.bot_weight or Fraction(0))
        filled = k * (max(asked.seats) + asked.n) if asked.bot_weight is not None else 0
        weights = [member.weight for member in asked.members] + [
            w for m in asked.members for w, _ in m.roles.values()
        ]
        unit = (asked.n + filled + OPERATIONS) * UNIT
        largest = max([bot, *map(abs, weights)])
        middle = sum((member.weight for member in asked.members), Fraction(0)) / max(asked.n, 1)
        apart = max([abs(bot - middle) if filled else 0, *(abs(weight - middle) for weight in weights)])
        self.total = unit * (sum(map(abs, weights)) + filled * bot)
        self.whole = sum(member.weight for member in asked.members)
        if filled:
            # Where all teams have as many seats, they are filled to one size, which holds everybody.
            even = (
                k * max(asked.seats[0], -(-asked.n // k)) if len(set(asked.seats)) == 1 else sum(asked.seats)
            )
            self.whole += max(even - asked.n, 0) * bot
        unsure = min((member.variance for member in asked.members), default=Fraction(0))
        known = [variance for member in asked.members for _, variance in member.roles.values()]
        self.noise = asked.noise * max(asked.n, 1) * 2 / k
        self.variance = unit * (apart * apart + 2 * apart * largest) + (unit * largest) ** 2
        self.variance += unit * max((member.variance for member in asked.members), default=Fraction(0))
        #: What no variance is below: bots have no uncertainty, players have some.
        self.least = asked.prior + (Fraction(0) if filled else min([unsure, *known]))
        self.unit, self.teams = unit, k
        self.known = asked.known
        # Teams whose sizes differ have the zero taken off for each player that one has more.
        self.strength = self.total + unit * (asked.n + filled) * abs(asked.zero.rounded())

    def error(self, stage: Stage) -> Fraction:
        """Return by how much a stage may be worse than the exact optimum, in its own unit."""
        return APART * sum((weight * getattr(self, name)() for name, weight in stage.terms), Fraction(0))

    def reported(self, stage: Stage, teams: Sequence[Team]) -> Fraction:
        """Return how far off a split's reported value may be: a deviation of 0 by the root of a variance."""
        root, variance = _root(self.variance), min(team.variance for team in teams)
        deviation = min(root, APART * self.variance / _root(variance)) if variance else root
        return sum(
            (
                weight * (2 * deviation if name == "spread" else APART * getattr(self, name)())
                for name, weight in stage.terms
            ),
            Fraction(0),
        )

    def difference(self) -> Fraction:
        """Return the error of a difference of totals."""
        return 2 * self.total

    def ratio(self) -> Fraction:
        """Return that of a ratio: the largest total is at least its share of the whole."""
        return 3 * self.total * self.teams / self.whole if self.whole else Fraction(0)

    def win(self) -> Fraction:
        """Return that of a chance: a softmax changes by at most half of what its exponents do."""
        return self.strength / _root(self.noise) + self.unit

    def spread(self) -> Fraction:
        """Return that of a difference of deviations: of those that are not 0, the least loses most."""
        root = _root(
            min((team.variance for team in self.known.values() if team.variance), default=Fraction(0))
        )
        return self.variance / root if root else Fraction(0)

    def indistinguishable(self) -> Fraction:
        """Return that of logarithms of variances that the prior and the uncertainty keep from 0."""
        return self.variance / self.least + 32 * self.unit

    def moves(self) -> Fraction:
        """Return that of a number of players: none."""
        return Fraction(0)

    def preferences(self) -> Fraction:
        """Return that of a sum of prices."""
        return 100 * self.unit


def _root(number: Fraction) -> Fraction:
    return Real(roots={number: Fraction(1)}).rounded() if number else Fraction(0)


class Shortfall(NamedTuple):
    """What a split costs by a stage, what is least there, and by how much it is worse than allowed."""

    stage: Stage
    cost: Real
    least: Real
    beyond: Fraction
    error: Fraction

    @property
    def explained(self) -> bool:
        """Whether rounding explains it."""
        return self.beyond <= self.error


def shortfalls(
    asked: Question,
    labels: Labels,
    best: Optimum,
    rounding: RoundingBound,
    again: Callable[[Sequence[Real]], Optimum],
) -> tuple[list[Shortfall], Optimum]:
    """Return what a split falls short by, stage by stage, and the optimum that it is measured by.

    A split may be beyond the limit of a stage by what rounding explains, such as a chance of 1e-30 instead
    of 1e-40.  The stages after it then choose from other splits than those within the limit on paper, and are
    measured by the best of all that are no further beyond it.

    Parameters
    ----------
    asked : Question
        What is asked.
    labels : Labels
        The split.
    best : Optimum
        The optimum on paper.
    rounding : RoundingBound
        What rounding explains.
    again : callable
        Finds the optimum once more, with costs of each stage that are let through.
    """
    found = _measured(asked, labels, best, rounding)
    failed = next((n for n, shortfall in enumerate(found) if not shortfall.explained), 0) > 0
    better = len(found) > 1 and -found[-1].beyond > found[-1].error  # than the best within limits on paper
    if failed or better:
        best = again([shortfall.cost for shortfall in found])
        found = _measured(asked, labels, best, rounding)
    return found, best


def _measured(asked: Question, labels: Labels, best: Optimum, rounding: RoundingBound) -> list[Shortfall]:
    found = []
    for stage, least in zip(asked.stages, best.costs, strict=False):
        cost = value(asked, stage, labels)
        beyond = (cost - least - Real(stage.tolerance)).rounded()
        found.append(Shortfall(stage, cost, least, beyond, rounding.error(stage)))
    return found


#: What is stated of a split, and of a preference.
SPLIT = ("teams", "bots", "totals", "win_probability", "value", "values", "wishes", "moved", "roles")
WISH = ("kind", "players", "price", "paid", "met")

#: Solvers that prove what they answer, unless they are stopped.
PROVING = ("auto", "enumerate", "nearby", "bitset", "window", "mitm")

#: Players up to which going through all splits is tried first.
FEW = 12

#: And beyond which it is not tried.
MOST = 200

#: What rounding may change in a number that is made of few others, relative to it.
SLIGHT = Fraction(1, 10**12)


def verify(receipt: Mapping[str, Any], *, stop: Stop = never) -> Verification:
    """Work out again what a receipt claims, from its request alone.

    Parameters
    ----------
    receipt : mapping
        As :func:`equipoise.receipt` makes it, or its JSON says.
    stop : callable
        Asked now and then; once it returns True, what is not proven by then is not confirmed.

    Returns
    -------
    Verification
        With one finding for every claim.

    Examples
    --------
    >>> from equipoise import BalanceRequest, balance, receipt
    >>> request = BalanceRequest.of({"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4})
    >>> made = receipt(request, balance(request))
    >>> verify(made).confirmed
    True
    >>> made["answer"]["value"] = 0.0
    >>> verify(made).ok
    False
    """
    findings = [found("hash", lambda: _hash(receipt))]
    try:
        asked = read(receipt["request"])
    except UnsupportedError as error:
        return Verification((*findings, Finding("request", Verdict.UNCONFIRMED, str(error))))
    except (InputError, AttributeError, KeyError, TypeError) as error:
        return Verification((*findings, Finding("request", Verdict.FALSE, str(error))))
    findings.append(Finding("request", Verdict.CONFIRMED, f"{asked.n} players into {asked.n_teams} teams"))
    check = _Check(receipt, asked, stop)
    claims: dict[str, Callable[[], str]] = {
        "version": check.version,
        "fields": check.fields,
        "units": check.units,
        "legality": check.legality,
        "numbers": check.numbers,
        "proof": check.proof,
    }
    if asked.n and receipt["request"].get("keep", 1) != 1:
        claims["ranking"] = check.ranking
    findings += [found(claim, confirm) for claim, confirm in claims.items()]
    return Verification(tuple(findings))


def _hash(receipt: Mapping[str, Any]) -> str:
    require(receipt.get("hash") == hash_of(receipt), "something was changed after the receipt was written")
    return str(receipt["hash"])


class _Check:
    """A receipt that is checked, claim by claim."""

    def __init__(self, receipt: Mapping[str, Any], asked: Question, stop: Stop) -> None:
        self.receipt, self.asked, self.stop = receipt, asked, stop
        self.answer: Mapping[str, Any] = receipt.get("answer", {})
        self.rounding = RoundingBound(asked)

    def fields(self) -> str:
        """Check that everything has its place, and what appears twice is the same."""
        answer, request = self.answer, self.receipt["request"]
        require(self.receipt.get("format") == FORMAT, f"the format is not {FORMAT!r}")
        require(
            sorted(self.receipt) == sorted(FIELDS), f"a receipt has {', '.join(FIELDS)}, and nothing else"
        )
        for part, allowed in ((answer, ANSWER), *((split, SPLIT) for split in answer["splits"])):
            for name in part:
                require(name in allowed, f"there is no field {name!r} in an answer")
        require(self.receipt["seed"] == request.get("seed", 0), "the seed is not that of the request")
        require(self.receipt["bound"] == answer["bound"], "the bound is not that of the answer")
        status, splits = answer["status"], answer["splits"]
        require(status in ("optimal", "feasible", "unknown", "infeasible"), f"there is no status {status!r}")
        require(bool(splits) == (status in ("optimal", "feasible")), f"{len(splits)} splits are not {status}")
        require(len(splits) <= request.get("keep", 1), "there are more splits than were asked for")
        name = self._name()
        require(answer["objective"] == name, f"the objective is {name!r}, not {answer['objective']!r}")
        if not splits:
            require(answer["value"] is answer["bound"] is answer["gap"] is None, "a value without a split")
            return "everything has its place"
        require(answer["value"] == splits[0]["value"], "the value is not that of the first split")
        require(answer["gap"] == abs(answer["value"] - answer["bound"]), "the gap is not value less bound")
        return "everything has its place, and what appears twice is the same"

    def version(self) -> str:
        """Check that the version that answered is the one that is installed here."""
        version = self.receipt["version"]
        require(isinstance(version, str) and version, "it is no text")
        if version != installed():
            msg = f"{version!r} is named, and this is {installed()}"
            raise UnconfirmedError(msg)
        return f"{version}, which is installed here"

    def units(self) -> str:
        """Check the numbers of the roster."""
        asked, answer = self.asked, self.answer
        beta = Real(roots={asked.noise: Fraction(1)}).rounded()
        slack = APART * self.rounding.variance / beta + SLIGHT * beta
        self._near(answer["beta"], beta, slack, "beta")
        zero = asked.zero.rounded()
        self._near(answer["zero"], zero, slack + self.rounding.total + SLIGHT * abs(zero), "the zero")
        for name, exact in (("bot_weight", asked.bot_weight), ("default_weight", asked.default)):
            if exact is None or answer[name] is None:
                solved = self.answer["splits"] or name != "bot_weight"
                require(answer[name] is None and (exact is None or not solved), f"{name} is {answer[name]!r}")
            else:
                self._near(answer[name], exact, self.rounding.total + SLIGHT * abs(exact), name)
        require(answer["unrated"] == asked.unrated, f"{asked.unrated} players have no weight")
        return "beta, the zero and the weights of bots and unrated players are right"

    def legality(self) -> str:
        """Check that every split keeps all rules, and that no two are the same."""
        seen = set()
        for number, split in enumerate(self.answer["splits"], start=1):
            labels = self._labels(split)
            rules = broken(self.asked, labels)
            require(not rules, f"split {number} breaks rules: {'; '.join(rules)}")
            if self.asked.interchangeable:
                order = list(dict.fromkeys(labels))
                labels = tuple(order.index(team) for team in labels)
            require(labels not in seen, f"split {number} comes twice")
            seen.add(labels)
        return "every split keeps every rule" if seen else "there is no split"

    def numbers(self) -> str:
        """Check every number of a split, in fractions."""
        asked, rounding = self.asked, self.rounding
        for split in self.answer["splits"]:
            labels = self._labels(split)
            teams = teams_of(asked, labels)
            require(split["bots"] == bots(asked, labels), "bots are not those that fill up the teams")
            for stated, team in _pairs(split["totals"], teams):
                self._near(stated, team.total, APART * rounding.total, "a total")
            for stated, chance in _pairs(split["win_probability"], chances(asked, teams)):
                self._near(stated, chance.rounded(), APART * rounding.win(), "a win probability")
            costs = [(stage, value(asked, stage, labels)) for stage in asked.stages]
            last = asked.stages[-1]
            self._near(split["value"], shown(*costs[-1]).rounded(), rounding.reported(last, teams), "a value")
            several = len(asked.stages) > 1 and not isinstance(self._objective, str)
            require(("values" in split) == several, "several objectives have a value each, one has none")
            if several:
                for stated, (stage, cost) in _pairs(split["values"], costs):
                    self._near(
                        stated, shown(stage, cost).rounded(), rounding.reported(stage, teams), "a value"
                    )
            self._preferences(split, labels)
            require(("moved" in split) == bool(asked.now), "who moved is listed where somebody could")
            gone = sorted(self.asked.names[i] for i in moved(self.asked, labels))
            require(sorted(split.get("moved", [])) == gone, "other players change team than is stated")
            self._roles(split, labels)
        return "totals, bots, win probabilities and values are right to rounding"

    def proof(self) -> str:
        """Check the status and the bound."""
        status = self.answer["status"]
        proves = self.receipt["request"].get("solver", "auto") in PROVING
        if status == "unknown" and not proves:
            return "nothing is claimed"
        best, how = self._optimum()
        if status == "unknown":
            msg = (
                f"nothing is claimed, but {'there are splits' if best.costs else 'no split keeps every rule'}"
            )
            raise UnconfirmedError(msg)
        if status == "infeasible":
            require(not best.costs, "there are legal splits")
            return f"no split keeps every rule: {how}"
        require(best.costs, "no split keeps every rule")
        labels = self._labels(self.answer["splits"][0])
        found, measure = self._shortfalls(labels, best)
        worse = not all(shortfall.explained for shortfall in found)
        stage = self.asked.stages[-1]
        exact = shown(stage, (best if worse else measure).costs[-1]).rounded()
        beyond = Fraction(self.answer["bound"]) - exact
        beyond = -beyond if stage.name == "ratio" else beyond
        slack = self.rounding.error(stage) + self.rounding.reported(stage, teams_of(self.asked, labels))
        require(beyond <= slack, f"{float(exact)!r} is there, beyond the bound")
        if status == "feasible":
            if (proves or self.answer["gap"] == 0.0) and not worse:
                msg = "the first split is the best, which is more than is claimed of it"
                raise UnconfirmedError(msg)
            return f"the bound is true: {how}"
        for shortfall in found:
            stage, cost, least, *_ = shortfall
            words = f"{stage.name or 'the sum'} is {float(shown(stage, cost))!r}"
            require(shortfall.explained, f"{words}, and {float(shown(stage, least))!r} is the best")
        self._near(self.answer["bound"], exact, slack, "the bound")
        near = [
            f"{float(shortfall.beyond):.1g} of {shortfall.stage.name or 'the sum'}"
            for shortfall in found
            if shortfall.beyond > 0
        ]
        within = f", within {' and '.join(near)}, which rounding explains" if near else ""
        return f"the first split is the best{within}: {how}"

    def ranking(self) -> str:
        """Check that no splits were left out that are better than those after the first."""
        request, splits = self.receipt["request"], self.answer["splits"]
        if self.answer["status"] != "optimal":
            return "nothing is claimed"
        if self.asked.n > FEW or request.get("rerank") is not None or request.get("spacing", 1) > 1:
            msg = "the splits after the first are not compared with all others"
            raise UnconfirmedError(msg)
        stage = self.asked.stages[-1]
        best = optimum(self.asked, stop=self.stop, last=False)
        error = self.rounding.error(stage)
        better = self._costs(stage, best.left)
        # Those within the limits come first; where they are fewer than wanted, others follow.
        every = optimum(replace(self.asked, stages=self.asked.stages[:1]), stop=self.stop, last=False).left
        could = max(len(better), *(len(self._costs(one, every)) for one in self.asked.stages))
        require(len(splits) >= min(could, request["keep"]), "there are fewer splits than there could be")

        def again(let: Sequence[Real]) -> Optimum:
            return optimum(self.asked, stop=self.stop, last=False, let=let)

        for place, split in enumerate(splits):
            labels = self._labels(split)
            cost = value(self.asked, stage, labels).rounded() - error
            found, _ = shortfalls(self.asked, labels, best, self.rounding, again)
            within = all(shortfall.explained for shortfall in found)
            before = sum(other < cost for other in better) if within else len(better)
            if within and before > place:  # the last stage chose from all that are equal within rounding
                left = again([shortfall.cost for shortfall in found]).left
                before = sum(other < cost for other in self._costs(stage, left))
            require(before <= place, f"{before} splits are better than number {place + 1}")
        return "no split is better than one that is listed and not listed"

    def _costs(self, stage: Stage, splits: Iterable[Labels]) -> list[Fraction]:
        """Return the costs there are, least first, those once that rounding does not tell apart.

        Splits that differ only in who of two alike is where count once, so costs are counted.
        """
        error, costs = self.rounding.error(stage), list[Fraction]()
        for cost in sorted(value(self.asked, stage, labels).rounded() for labels in splits):
            if not costs or cost > costs[-1] + error:
                costs.append(cost)
        return costs

    def _shortfalls(self, labels: Labels, best: Optimum) -> tuple[list[Shortfall], Optimum]:
        """Return by how much a split is worse than each stage allows, and the optimum it is measured by."""
        return shortfalls(self.asked, labels, best, self.rounding, lambda let: self._optimum(let)[0])

    def _name(self) -> str:
        """Return what the objective of the request is called."""
        asked = self._objective
        names = [
            " + ".join(name if weight == 1 else f"{float(weight):g} {name}" for name, weight in entry.items())
            if isinstance(entry, Mapping)
            else str(entry)
            for entry in (asked if isinstance(asked, list) else [asked])
        ]
        alone = len(self.asked.stages) == 1 and len(self.asked.stages[0].terms) > len(names)
        counted = alone and asked == "win" and self.answer["splits"]
        return ", ".join(names) + (" + preferences" if counted else "")

    @property
    def _objective(self) -> Any:
        return self.receipt["request"].get("objective", "spread")

    def _optimum(self, let: Sequence[Real] = ()) -> tuple[Optimum, str]:
        through = "all splits were gone through in fractions"
        if self.asked.n > FEW and two_team_optimum.suits(self.asked):
            return two_team_optimum.meeting(self.asked, self.stop, let), "halves that meet, in whole numbers"
        if self.asked.n > MOST:
            msg = f"more than {MOST} players are too many to go through all splits"
            raise UnconfirmedError(msg)
        return optimum(self.asked, stop=self.stop, let=let), through

    def _labels(self, split: Mapping[str, Any]) -> Labels:
        team_of = [(who, team) for team, ids in enumerate(split["teams"]) for who in ids]
        everyone = sorted(who for who, _ in team_of) == sorted(self.asked.ids)
        require(everyone, "the players of a split are not those of the request")
        require(len(split["teams"]) == self.asked.n_teams, "a split has another number of teams")
        teams = dict(team_of)
        return tuple(teams[who] for who in self.asked.ids)

    def _near(self, stated: Any, exact: Fraction, slack: Fraction, what: str) -> None:
        number = isinstance(stated, int | float) and not isinstance(stated, bool)
        require(number and abs(stated) < float("inf"), f"{what} is {stated!r}, which is not a number")
        require(
            abs(Fraction(stated) - exact) <= slack, f"{what} is given as {stated!r}, but is {float(exact)!r}"
        )

    def _preferences(self, split: Mapping[str, Any], labels: Labels) -> None:
        def who(preference: Paid) -> list[str]:
            return [self.asked.names[i] for i in preference.members]

        # Sides may come in any order.
        expected = sorted(
            paid_for(self.asked, labels), key=lambda preference: (preference.kind, who(preference))
        )
        listed = sorted(split.get("wishes", []), key=lambda stated: (stated["kind"], stated["players"]))
        for stated, preference in _pairs(listed, expected):
            require(sorted(stated) == sorted(WISH), f"a preference has {', '.join(WISH)}, and nothing else")
            require(stated["kind"] == preference.kind, "a preference is of another kind")
            require(stated["players"] == who(preference), "a preference is of others")
            self._near(stated["price"], preference.price, SLIGHT, "a price")
            self._near(stated["paid"], preference.paid, SLIGHT, "what is paid")
            require(stated["met"] is (stated["paid"] == 0.0), "a preference is not met as stated")

    def _roles(self, split: Mapping[str, Any], labels: Labels) -> None:
        if not self.asked.needed:
            require("roles" not in split, "there are roles that nobody asked for")
            return
        for team, (ids, roles) in enumerate(_pairs(split["teams"], split["roles"])):
            index = {who: i for i, who in enumerate(self.asked.ids)}
            best = line_up(self.asked, tuple(i for i in range(self.asked.n) if labels[i] == team))
            lack = sum(max(0, most - roles.count(role)) for role, most in self.asked.needed)
            require(lack == best.lack, f"team {team + 1} could fill more roles")
            total = Fraction(0)
            for who, role in _pairs(ids, roles):
                require(isinstance(role, str), f"{role!r} is no role")
                listed = self.asked.members[index[who]].roles
                require(not role or not listed or role in listed, f"{who!r} does not play {role!r}")
                total += rating_in(self.asked, index[who], role)[0]
            require(abs(total - best.total) <= APART * self.rounding.total, "a line-up could be stronger")
            allowed = dict(self.asked.needed)
            over = any(role and roles.count(role) > allowed.get(role, 0) for role in roles)
            require(not over, f"team {team + 1} has more of a role than it needs")


def _pairs(one: Sequence[Any], other: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    require(len(one) == len(other), "a list has another length")
    return zip(one, other, strict=True)
