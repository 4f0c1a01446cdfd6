"""Tables go in and out of data frames and notebooks."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from equipoise import BalanceRequest, Bots, Contest, InputError, Ladder, Ruleset, Table, balance, read_results
from equipoise.core.data_frames import rows_of
from equipoise.files.read_roster import read_roster
from equipoise.ratings.starting_weights import given_from
from equipoise.teams.solution import draw_chance

PEOPLE = [{"name": "Ann <b>", "weight": 3.0}, {"name": "Bob", "weight": 2.0}, {"name": "Cid", "weight": None}]


class Pandas:
    """What a frame of pandas looks like from here: records of it have nan where nothing is known."""

    columns = ("name", "weight")

    def to_dict(self, kind: str) -> list[dict[str, object]]:
        """Return the rows."""
        assert kind == "records"
        return [{**row, "weight": row["weight"] or float("nan")} for row in PEOPLE]


def test_a_frame_is_a_roster() -> None:
    """Frames of polars and pandas are balanced as the same rows of a file; missing weights are missing."""
    for frame in (pl.DataFrame(PEOPLE), Pandas()):
        solution = balance(frame)
        assert solution.unrated == 1
        assert {player.label for team in solution.best.teams for player in team} == {"Ann <b>", "Bob", "Cid"}
    assert rows_of(PEOPLE) is None


@pytest.mark.parametrize("keywords", [{}, {"beta": 2.0}, {"zero": 1.0}, {"body": 0.5}, {"beta": None}])
def test_a_frame_asks_what_its_file_asks(keywords: dict[str, float], tmp_path: Path) -> None:
    """Beta and zero of a roster are those of the question, whatever holds it, where no keyword says more."""
    rows = [{"name": name, "weight": 9.0 - n, "Beta ": 3.0, "zero": 0.5} for n, name in enumerate("abcdefg")]
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "roster.csv")
    scale = {"beta": 3.0} | ({} if "body" in keywords else {"zero": 0.5})
    asked = BalanceRequest.of(
        {row["name"]: row["weight"] for row in rows},
        **(scale | {name: value for name, value in keywords.items() if value is not None}),
    )
    for roster in (frame, Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows))):
        assert BalanceRequest.of(roster, **keywords).asked[1] == asked.asked[1]
    assert BalanceRequest.of(read_roster(str(tmp_path / "roster.csv")), **keywords).asked[1] == asked.asked[1]
    wrong = frame.with_columns(pl.lit(-1.0).alias("zero"), pl.Series("Beta ", [*[1.0] * 6, 2.0]))
    with pytest.raises(InputError, match="players, entry 7: beta is 2 here and 1 before"):
        balance(wrong)


def test_empty_cells_of_a_frame_are_nobody_and_columns_differ() -> None:
    """A name that is nan is none, so that the row is refused; of two columns called the same one is lost."""
    frame = Table(("name", "id", "party"), ((float("nan"), "Ann", float("nan")), ("Bob", None, "x")))
    assert [(player.label, player.party) for player in BalanceRequest.of(frame).players] == [
        ("Ann", None), ("Bob", "x"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="players, entry 1: it has neither a name nor an id"):
        balance(Table(("name", "weight"), ((float("nan"), 1.0),)))
    for take, where in ((balance, "players"), (given_from, "starting")):
        with pytest.raises(InputError, match=f"{where}: the column 'name' appears twice"):
            take(Table(("name", "Name ", "weight"), (("Ann", "Bob", 1.0),)))


def test_solutions_and_leaderboards_are_shown_and_made_frames() -> None:
    """A notebook shows them, names escaped; polars takes them; without pandas the rows are there."""
    solution = balance({"Ann <b>": 3.0, "Bob": 2.0})
    assert "Ann &lt;b&gt;" in solution._repr_html_()
    assert "optimal" in solution._repr_html_()
    assert solution.table().to_polars().height == 2
    ladder = Ladder()
    ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    assert ladder.table().records()[0]["player"] == "ann"
    assert Table((), ())._repr_html_().startswith("<table>")
    assert "infeasible" in balance({"a": 1, "b": 2}, parties=[("a", "b")], apart=[("a", "b")])._repr_html_()
    with pytest.raises(InputError, match="needs no-such-library, which is not installed: pip install"):
        _without_it()


def test_a_table_of_teams_has_their_bots() -> None:
    """As the command's tables have them: a team is what is in its rows."""
    solution = balance({"Ann": 3.0, "Bob": 2.0, "Cid": 1.0}, bots=Bots(weight=1.5, target=6))
    rows = solution.table().records()
    assert [row["weight"] for row in rows if row["player"] == "bot"] == [1.5] * 3
    for n, total in enumerate(solution.best.totals, start=1):
        assert sum(row["weight"] for row in rows if row["team"] == n) == pytest.approx(total)
    assert solution._repr_html_().count("<td>bot</td>") == 3


def _without_it() -> None:
    """Ask for a library that nobody has."""
    from equipoise.core.data_frames import _frames

    _frames("no_such_library")


def test_frames_of_pandas_go_in_and_out() -> None:
    """The package itself, where it is installed."""
    pd = pytest.importorskip(
        "pandas", reason="pandas is not installed; what its frames look like stands above"
    )
    frame = pd.DataFrame({"id": ["ann", "bob", "cid", "dee"], "mu": [3.0, 2.0, 1.5, None]})
    solution = balance(frame)
    rows = solution.table().to_pandas()
    assert sum(len(team) for team in solution.best.teams) == 4
    assert len(rows) == len(solution.table().records())
    matches = pd.DataFrame(
        {"date": ["2026-01-31"], "red1": ["ann"], "blue1": ["bob"], "score_red": [3], "score_blue": [1]}
    )
    (match,) = read_results(matches)
    assert match.contests[0].ranks == (0.0, 1.0)


def test_a_frame_with_draws_shows_their_chance() -> None:
    """The column of a roster is asked with, by the library as by the command."""
    table = Table(
        ("name", "mu", "sigma", "beta", "zero", "draws"),
        tuple((name, mu, 0.3, 1.0, -2.0, 0.2) for name, mu in zip("ABCD", (1.0, 2.0, 1.5, 1.2), strict=True)),
    )
    solution = balance(table)
    (shown,) = solution.as_dict()["splits"]
    assert solution.draws == 0.2
    assert shown["draw"] == draw_chance(solution.best, 0.2)
    assert "draw" not in balance({"A": 1.0, "B": 2.0}).as_dict()["splits"][0]
