"""``equipoise explain``, its ``--why`` and ``--edit``: what is asked, and the answers put together."""

from __future__ import annotations

import csv
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.core.player import Rating
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.core.player import Player
    from equipoise.core.stopping import Stop
    from equipoise.teams.explain.edits import Move, Swap
    from equipoise.teams.explain.valuation import Valuation
    from equipoise.teams.request import BalanceRequest
    from equipoise.teams.solution import Solution, Split


#: Seconds for the prices, and for each question, where no ``--time-limit`` is given.
EXPLAINED_WITHIN = 5.0


class ExplainAnswers:
    """What ``equipoise explain`` has to say, as text and as JSON.

    Parameters
    ----------
    options : dict
        The command's options.
    request : BalanceRequest
        What ``balance`` was asked.
    solution : Solution
        What it returned.
    split : Split or None
        The split shown, None where there is none.
    names : sequence of str
        What the teams are called.
    limited : callable
        What ends a search after some seconds, or before.
    """

    def __init__(
        self,
        options: dict[str, Any],
        request: BalanceRequest,
        solution: Solution,
        split: Split | None,
        names: Sequence[str],
        limited: Callable[[float], Stop],
    ) -> None:
        self.lines: list[str] = []
        self.plain: dict[str, Any] = {}
        self._valued: Valuation | None = None
        self.split = split
        # What balance() stopped by is over; every answer has its own time.
        self._limit = EXPLAINED_WITHIN if options["time_limit"] is None else options["time_limit"]
        self._limited = limited
        self._request, self._solution = request, solution
        self._names, self._objective = names, solution.objective
        self._points = options["points"]
        self._everything = options["everything"]
        if self.split is not None and options["edit"]:
            self._edit(options["edit"])
        if self.split is not None:
            for question in options["why"]:
                try:
                    self._why(self.split, question)
                except InputError as error:  # a pair is answered by an edit
                    raise error.named("--why") if error.argument == "edit" else error from None
        if options["everything"] or not (options["why"] or options["edit"]):
            self._explain()

    def _edit(self, preferences: Sequence[str]) -> None:
        """Change the teams, and refuse what breaks a rule, with the price it would have."""
        from equipoise.pages.text.explanation import change_lines
        from equipoise.pages.text.wording import constraint_words, cost_words
        from equipoise.teams.explain.edits import edit

        players, n_teams = self._request.players, self._request.teams
        steps = [step_of(preference, players, self._names, n_teams) for preference in preferences]
        change = edit(self._request, steps, solution=self._solution, split=self.split)
        if change.broken:
            rules = "; ".join(constraint_words(rule, self._names) for rule in change.broken)
            price = cost_words(self._shown(change.cost), self._objective)
            msg = f"--edit: the result breaks a rule: {rules}; it is refused (the change {price})"
            raise InputError(msg)
        self.split = change.split
        self.lines += ["", *change_lines(self._shown(change), self._objective, self._names)]
        self.plain["edit"] = change.as_dict()
        self._valued = change.after

    def _why(self, split: Split, question: str) -> None:
        """Answer one ``--why``: a pair in two teams is a swap, in one team a preference to be apart."""
        from equipoise.pages.text.explanation import change_lines, place_lines, together_lines
        from equipoise.teams.explain.edits import Change, Place, why

        people = names_of("--why", question, self._request.players)
        stop = self._limited(self._limit)
        answer = why(self._request, *people, solution=self._solution, split=split, stop=stop)
        shown = self._shown(answer)
        if isinstance(answer, Place):
            lines = place_lines(shown, self._objective, self._names)
        elif isinstance(answer, Change):
            lines = change_lines(shown, self._objective, self._names)
        else:
            lines = together_lines(shown, self._objective, self._names)
        self.lines += ["", *lines]
        self.plain.setdefault("why", []).append(answer.as_dict())

    def _explain(self) -> None:
        from equipoise.core.clock import shares
        from equipoise.pages.text.explanation import explanation_lines, summary_lines
        from equipoise.teams.explain.explanation import explain

        share = shares(self._limit)

        def part(left: int) -> Stop:
            return self._limited(share(left).left())

        explanation = explain(self._request, solution=self._solution, split=self.split, share=part)
        shown, whole = self._shown(explanation), self._points is not None
        lines = (
            explanation_lines(shown, self._names)
            if self._everything
            else summary_lines(shown, self._names, whole=whole)
        )
        self.lines += ["", *lines]
        self.plain["explanation"] = explanation.as_dict()
        self._valued = explanation.split

    def _shown(self, answer: Any) -> Any:
        """Return an answer as people read it: in points where ratings are those of an archive."""
        if self._points is None:
            return answer
        solution = self._solution
        default = solution.default_weight or 0.0
        players = self._request.players
        labels = Counter(player.label for player in players)
        ratings = {
            player.label: rating.mu if isinstance(rating := player.rating, Rating) else default
            for player in players
            if labels[player.label] == 1
        }
        return self._points.explained(answer, self._objective, ratings, solution.bot_weight)

    def table(self, form: str) -> list[str]:
        """Return the teams side by side in a form that an option has chosen; nothing where there are none."""
        from equipoise.pages.text.explanation import table_of
        from equipoise.pages.text.tables import FORMS

        if self._valued is None:
            return []
        valued = self._shown(self._valued) if form == "markdown" else self._valued
        return FORMS[form](table_of(valued, self._names))


def names_of(option: str, text: str, players: Sequence[Player]) -> list[str]:
    """Return the one or two names of ``A`` or ``A,B``, quoted as in CSV where a name has a comma.

    Raises
    ------
    InputError
        If there are more, or an empty one.
    """
    clean = " ".join(text.split())  # a name has no line breaks, but a shell may pass some
    if any(clean in (player.id, player.name) for player in players):
        return [clean]
    names = [name.strip() for name in next(csv.reader([clean], skipinitialspace=True), [])]
    if len(names) not in (1, 2) or not all(names):
        msg = f"{option}: {text!r} does not name one player or two; write {option} Ann or {option} 'Ann,Bob'"
        raise InputError(msg)
    return names


def step_of(text: str, players: Sequence[Player], names: Sequence[str], n_teams: int) -> Swap | Move:
    """Return the change that ``swap A B`` or ``move A TEAM`` asks for.

    Names may be quoted; where they have blanks and are not, they are told apart by who there is.

    Raises
    ------
    InputError
        If it asks for anything else, or can be read in more than one way.
    """
    from equipoise.teams.explain.edits import Move, Swap

    verb, *words = _words(text)
    if verb.lower() not in ("swap", "move") or len(words) < 2:
        msg = f"--edit: {text!r} is neither 'swap A B' nor 'move A TEAM'; names with blanks may be quoted"
        raise InputError(msg)
    known = {name for player in players for name in (player.id, player.name) if name}
    cuts = [(" ".join(words[:cut]).rstrip(","), " ".join(words[cut:])) for cut in range(1, len(words))]
    if verb.lower() == "swap":
        pairs = [pair for pair in cuts if known.issuperset(pair)]
        one, other = _only(text, pairs, words, known)
        return Swap(one, other)
    teams = [(who, _team(team, names, n_teams)) for who, team in cuts]
    placed = [(who, team) for who, team in teams if who in known and team is not None]
    if len(placed) == 1:
        return Move(*placed[0])
    if not any(team is not None for _, team in teams):
        called = ", ".join([*names, *(str(n + 1) for n in range(len(names), n_teams))][:n_teams])
        msg = f"--edit: {text!r} must end in a team: {called}"
        raise InputError(msg)
    who, _ = _only(text, [(who, str(team)) for who, team in placed], words[:-1], known)
    return Move(who, next(team for name, team in placed if name == who))


def _words(text: str) -> list[str]:
    """Return the words of a command, quoted ones as one; an apostrophe in a name is no quote."""
    try:
        return shlex.split(text) or [""]
    except ValueError:
        return text.split() or [""]


def _only(
    text: str, readings: Sequence[tuple[str, str]], words: Sequence[str], known: set[str]
) -> tuple[str, str]:
    """Return the only reading of a command, or say what is wrong with it."""
    if len(readings) == 1:
        return readings[0]
    if readings:
        msg = f"--edit: {text!r} can be read in {len(readings)} ways; quote the names"
        raise InputError(msg)
    unknown = next((word for word in words if word not in known), words[0])
    shown = ", ".join(sorted(known)[:10])
    msg = f"--edit: {text!r} names nobody by {unknown!r}; the roster has {shown}{', ...' * (len(known) > 10)}"
    raise InputError(msg)


def _team(text: str, names: Sequence[str], n_teams: int) -> int | None:
    """Return the team, from 0, of a name, a number from 1, or ``Team`` and a number; None if none."""
    called = [name.strip().lower() for name in names][:n_teams]
    wanted = text.strip().lower()
    if wanted in called:
        return called.index(wanted)
    digits = wanted.removeprefix("team").strip()
    return int(digits) - 1 if digits.isdecimal() and 1 <= int(digits) <= n_teams else None
