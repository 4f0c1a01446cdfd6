"""Columns of arrays say what the same matches say, and the closed form is the same plain and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise import (
    BradleyTerry,
    Columns,
    Contest,
    Elo,
    InputError,
    Ladder,
    Match,
    Mixture,
    PlackettLuce,
    Ruleset,
    Statistics,
    evaluate,
    replay,
)
from equipoise.ratings.model import RatingModel
from equipoise.ratings.models.weng_lin import WengLin

CTF = Ruleset("", "ctf")


def arrays(teams: int = 2, many: int = 60) -> dict[str, Any]:
    """Return arrays of random contests, ties and contradicting scores among them."""
    rng = np.random.default_rng(teams)
    players = rng.permuted(np.tile(np.arange(20), (many, 1)), axis=1)[:, : teams * 3].reshape(many, teams, 3)
    return {
        "players": players,
        "ranks": rng.integers(1, teams + 1, (many, teams)).astype(float),
        "scores": rng.integers(0, 9, (many, teams)).astype(float),
        "shares": rng.uniform(0.2, 1.0, players.shape),
        "weights": rng.choice([0.4, 1.0, 2.5], many),
        "at": np.sort(rng.uniform(0.0, 1e6, many)),
    }


def matches(given: dict[str, Any], ruleset: Ruleset = CTF) -> list[Match]:
    """Return the same as matches."""
    made = []
    for n, players in enumerate(given["players"].tolist()):
        teams = [
            [(str(player), share) for player, share in zip(team, shares, strict=True)]
            for team, shares in zip(players, given["shares"][n].tolist(), strict=True)
        ]
        contest = Contest(
            ruleset, teams, given["ranks"][n], float(given["weights"][n]), float(given["at"][n]),
            given["scores"][n],
        )  # fmt: skip
        made.append(Match((contest,)))
    return made


@pytest.mark.parametrize("teams", [2, 3])
@pytest.mark.parametrize("model", [BradleyTerry(), PlackettLuce(), Mixture()], ids=lambda m: type(m).__name__)
def test_columns_give_the_state_and_the_figures_of_the_same_matches(model: RatingModel, teams: int) -> None:
    """Bit for bit, with shares, weights, ties and scores that contradict ranks."""
    given = arrays(teams)
    columns, same = Columns.of(**given, ruleset=CTF), matches(given)
    assert replay(model, columns) == replay(model, same)
    assert repr(evaluate(model, columns)) == repr(evaluate(model, same))


def test_figures_are_those_of_statistics_with_kills_and_deaths() -> None:
    """The logarithm of kills and deaths is what statistics are turned into."""
    kills = np.random.default_rng(0).integers(0, 20, (30, 2, 2)).astype(float)
    players = np.tile(np.arange(4).reshape(1, 2, 2), (30, 1, 1))
    columns = Columns.of(players, np.tile([1, 2], (30, 1)), figures=np.log((kills + 1.0) / 3.0))
    made = []
    for n, of_teams in enumerate(kills.tolist()):
        reports = [Statistics(str(2 * t + p), of_teams[t][p], 2.0) for t in range(2) for p in range(2)]
        contest = Contest(Ruleset(), (["0", "1"], ["2", "3"]), (1, 2), at=float(n), statistics=tuple(reports))
        made.append(Match((contest,)))
    model = Mixture()
    known, same = replay(model, columns), replay(model, made)
    for player in "0123":
        assert model.rating(known, player).mu == pytest.approx(model.rating(same, player).mu, abs=1e-12)


@pytest.mark.parametrize("model", [BradleyTerry(), PlackettLuce()])
def test_the_closed_form_is_the_same_plain_and_compiled(
    model: WengLin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From matches and from columns."""
    for teams in (2, 3):
        given = arrays(teams)
        plain = replay(model, matches(given))
        monkeypatch.setattr(WengLin, "fast", lambda _model, _contests: True)
        assert replay(model, matches(given)) == replay(model, Columns.of(**given)) == plain
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": [[[0], [0]]]}, "players: somebody appears twice in contest 0"),
        ({"players": [[0, 1]]}, "players must be whole numbers"),
        ({"players": [[[0], [-1]]]}, "players must be places from 0"),
        ({"ranks": [[1, np.nan]]}, "ranks must be from -1e.15 to 1e.15, got nan"),
        ({"ranks": [[1, 2, 3]]}, r"ranks must be of the shape \(1, 2\)"),
        ({"shares": [[[0.0], [1.0]]]}, "shares must be from 1e-06 to 1, got 0.0"),
        ({"weights": [0.0]}, "weights must be from"),
        ({"ids": ["ann"]}, "players: there is a place 1 and only 1 ids"),
        ({"ids": ["ann", "ann"]}, "ids must be different texts"),
    ],
)
def test_arrays_that_are_at_fault_are_refused(change: dict[str, Any], message: str) -> None:
    """The message begins with the argument."""
    given: dict[str, Any] = {"players": [[[0], [1]]], "ranks": [[1, 2]], **change}
    with pytest.raises(InputError, match=message):
        Columns.of(**given)


def test_contests_that_go_back_in_time_are_refused() -> None:
    """They are learnt from in the order in which they stand."""
    with pytest.raises(InputError, match="at must not descend"):
        Columns.of([[[0], [1]]] * 2, [[1, 2]] * 2, at=[2.0, 1.0])


def test_models_that_learn_from_matches_alone_and_options_without_meaning_say_so() -> None:
    """Nothing is left out in silence."""
    columns = Columns.of([[[0], [1]]], [[1, 2]])
    with pytest.raises(InputError, match="model: Elo learns from matches alone"):
        replay(Elo(), columns)
    with pytest.raises(InputError, match="window cannot be used with columns"):
        replay(Mixture(), columns, window=3)


def test_models_may_be_named_to_evaluate() -> None:
    """The name is that of the registry."""
    same = matches(arrays())
    assert repr(evaluate("elo", same)) == repr(evaluate(Elo(), same))


def test_where_one_ruleset_was_played_answers_without_one_are_of_it() -> None:
    """Trust, draws and margins are learnt there; with several they are what these have in common."""
    model, given = Mixture(), arrays()
    state, teams = replay(model, matches(given)), (["1", "2"], ["3", "4"])
    assert model.rating(state, "1") == model.rating(state, "1", CTF) != model.rating(state, "1", Ruleset())
    assert model.win_probability(state, teams) == model.win_probability(state, teams, CTF)
    ladder = Ladder()
    for match in matches(given):
        ladder.record(match)
    assert ladder.leaderboard() == ladder.leaderboard(CTF)
    assert ladder.predict(teams) == model.win_probability(state, teams, CTF)
    several = replay(model, [*matches(given), *matches(given, Ruleset("", "tdm"))])
    assert model.rating(several, "1").mu == pytest.approx(model.rating(state, "1").mu, abs=0.2)
    assert model.rating(several, "1") != model.rating(several, "1", Ruleset())


def test_a_ladder_that_runs_compiled_predicts_what_the_model_does_and_learns_nothing_by_it() -> None:
    """Asked of a later time too, which widens what is known for the answer alone."""
    ladder, given = Ladder(), arrays()
    for match in matches(given):
        ladder.record(match)
    state, teams = ladder.state, (["1", "2"], [("3", 0.5), "4"])
    ladder._resident._learnt.compile()  # type: ignore[union-attr]  # as after some thousand contests
    for at in (None, 2e6, 9e6):
        assert ladder.predict(teams, at=at) == ladder.model.win_probability(state, teams, at=at)
    assert ladder.state == state
