"""What sides are worth is kept with the ratings, learnt again by whoever upgrades, and used by who asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from equipoise import Contest, Match, Player, Ruleset, balance
from equipoise.archive.archive import open_archive
from equipoise.archive.rated_players import rated
from equipoise.games.laws import parsed
from equipoise.games.quake3.reader import GAME
from equipoise.ratings.lab.evaluation import evaluate

CTF = Ruleset("ut2004", "ctf")


def history(contests: int, red: float) -> list[Match]:
    """Return games of people who are alike, of which red wins a part."""
    rng = np.random.default_rng(7)
    matches = []
    for n in range(contests):
        names = [f"p{k}" for k in rng.permutation(12)[:6]]
        ranks = (1, 2) if rng.random() < red else (2, 1)
        contest = Contest(CTF, (names[:3], names[3:]), ranks, at=3600.0 * n)
        matches.append(Match((contest,), ended=3600.0 * n, id=str(n), map=f"m{n % 2}"))
    return matches


def test_they_are_those_of_an_evaluation_however_they_were_learnt(tmp_path: Path) -> None:
    """At once, little by little, and where a match comes late."""
    matches = history(160, 0.7)
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        for part in (matches[:100], [*matches[100:120], *matches[121:]], matches[120:121]):
            archive.record(part)
            archive.update_ratings()
        standing = archive.standing()
        sides = evaluate(standing.model, matches).sides
        assert sides is not None
        assert dict(standing.known.sides) == sides.rows
        assert standing.side_chance() == standing.side_chance(CTF) == sides.chance(CTF) > 0.6
        assert standing.side_chance(Ruleset("other")) == 0.5
        archive.rebuild()
        assert dict(archive.standing().known.sides) == sides.rows


def test_who_is_here_is_divided_by_them(tmp_path: Path) -> None:
    """Equal teams are uneven with their sides: so are the sums, the other way round."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        archive.record(history(200, 0.75))
        archive.update_ratings()
        here = rated(archive.standing(), [Player(f"p{n}") for n in range(8)], CTF, {}, 0.0)
    best = balance(here.players, objective="win", **here.units).best
    assert best.imbalance < 0.1 < here.side_chance - 0.5
    assert best.totals[0] < best.totals[1]


def test_an_archive_of_before_learns_again_once(tmp_path: Path) -> None:
    """The step to this schema leaves the matches, and nothing that is derived."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with open_archive(url, create=True) as archive:
        archive.record(history(60, 0.8))
        archive.update_ratings()
        before = archive.standing()
        with archive._database.writing() as connection:
            connection.execute(sa.text("DELETE FROM derived WHERE part = 'known.sides'"))
            connection.execute(sa.text("DROP TABLE queue_person"))  # of a later step
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '11'"))
    with open_archive(url) as archive:
        assert archive.is_behind()
        assert archive.update_ratings().matches == 60
        after = archive.standing()
    assert after.known == before.known
    assert after.known.sides
    assert after.state == before.state


@pytest.mark.slow
def test_on_real_logs_no_side_is_made_up() -> None:
    """Bots were put into teams at random there: no side is told of."""
    logs = Path(__file__).parents[3] / "shared" / "data" / "openarena"
    if not logs.exists():
        pytest.skip("the logs are not beside this tree")
    for log in sorted(logs.glob("tdm*4v4*.log")):
        matches = [each for each in parsed(GAME, log.read_bytes()) if isinstance(each, Match)]
        sides = evaluate("default", matches).sides
        assert sides is not None
        assert not any(side.reported for _, _, side in sides.known())
