"""Pages of an archive: what they show, that every link leads somewhere, and names that mean harm."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html import unescape
from posixpath import join, normpath

import numpy as np
import pytest
from tests.pages.html.hostile import HOSTILE

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.pages.html.one_page_report import report_html
from equipoise.pages.html.site import KINDS, Site, date, kind, slug
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.timeline import Chronicle, chronicle_of

DUEL = Ruleset("game", "duel")


def night(
    count: int = 60, names: tuple[str, ...] = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay")
) -> list[Match]:
    """Return matches of three against three, with late joiners and people who left."""
    rng = np.random.default_rng(1)
    matches = []
    for n in range(count):
        order = [names[k] for k in rng.permutation(len(names))]
        scores = (float(rng.integers(0, 20)), float(rng.integers(0, 20)))
        ranks = tuple(1.0 + (score < max(scores)) for score in scores)
        teams = [[(who, 1.0 if k else 0.4) for k, who in enumerate(order[i::2])] for i in range(2)]
        contest = Contest(DUEL, teams, ranks, at=86400.0 * (n + 1), scores=scores, left=(order[0],))
        shown = [(who, who) for who in order]
        matches.append(Match((contest,), id=f"m{n}", names=shown, map=f"map {n % 3}", roster=(*order, "Gus")))
    return matches


@pytest.fixture(scope="module")
def reported() -> Chronicle:
    """Return a chronicle of a small club."""
    return chronicle_of(Mixture(), night(), {})


def pages_of(site: Site) -> dict[str, str]:
    """Return every page by its path."""
    pages = {path: site.page(path) for path in site.paths()}
    assert all(page is not None for page in pages.values())
    return {path: page or "" for path, page in pages.items()}


@pytest.mark.slow
def test_every_link_leads_to_a_page(reported: Chronicle) -> None:
    """Whatever a page refers to is there, and nothing names a host outside."""
    pages = pages_of(Site(reported))
    assert {f"{name}/index.html" for name in KINDS if name != "player"} < set(pages)
    for path, page in pages.items():
        if path.endswith(".csv"):
            continue
        for link in re.findall(r'(?:href|src)="([^"]*)"', page):
            if link.startswith("data:"):
                continue
            target = normpath(join(path, "..", unescape(link)))
            assert target in pages or target == "board.html", (path, link)
        assert re.search(r"\w://", page) is None
        assert "<script" not in page
        assert " style=" not in page


def test_a_player_has_curve_results_company_and_maps(reported: Chronicle) -> None:
    """The page says what was expected and what happened, with whom and where, and why the weight moved."""
    page = Site(reported).page(f"player/{slug('Ann')}.html") or ""
    for part in (
        "<polyline",
        'class="band"',
        "Last ten",
        "Played with",
        "Played against",
        "map 1",
        "won with",
    ):
        assert part in page, part
    shown = re.search(r"<dd>(\d+\.\d) \(", page)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(reported.tables[DUEL][rank_of(reported, "Ann")].weight, abs=0.05)


def test_what_moved_a_weight_adds_up(reported: Chronicle) -> None:
    """Each channel's part is there, and together they are what the weight moved since the game before."""
    page = Site(reported).page(f"player/{slug('Ann')}.html") or ""
    whys = re.findall(r"(?:won|lost|drew) with \d+ %: ([+-]\d+\.\d\d) \(([^)]*)\)", page)
    assert len(whys) == 50
    assert {name for _, parts in whys for name in re.findall("[a-z]+", parts)} >= {"result", "score"}
    for change, parts in whys:
        assert sum(map(float, re.findall(r"[+-][0-9.]+", parts))) == pytest.approx(float(change), abs=1e-9)
    points = reported.points("Ann", DUEL)
    assert float(whys[0][0]) == pytest.approx(points[-1].weight - points[-2].weight, abs=0.011)


def rank_of(reported: Chronicle, player: str) -> int:
    """Return the place of a player in the table."""
    return next(n for n, row in enumerate(reported.tables[DUEL]) if row.id == player)


def test_a_match_says_what_was_predicted_and_who_came_and_left(reported: Chronicle) -> None:
    """Chances are those before the match, shares and who left are there, and who only watched."""
    page = Site(reported).page(f"match/{slug('m7')}.html") or ""
    chance = f"{100 * reported.chances[7][0][0]:.0f} %"
    assert chance in page
    assert "40 %" in page
    assert "left early" in page
    assert "Gus" in page


def test_fairness_compares_before_and_after_a_date(reported: Chronicle) -> None:
    """Both parts together have as many games as all of them."""
    site = Site(reported, live=True)
    both = site.page("fairness/index.html", {"date": "1970-01-31"}) or ""
    whole = site.page("fairness/index.html", {"date": "no date"}) or ""
    counts = [int(count) for count in re.findall(r"Contests</dt><dd>(\d+)", both)]
    assert (len(counts), sum(counts)) == (2, 60)
    assert re.findall(r"Contests</dt><dd>(\d+)", whole) == ["60"]


def test_servers_are_told_apart() -> None:
    """Matches are shown by server where it is known, else by game; the match says where it was."""
    matches = [replace(match, server=("one", "two", "")[n % 3]) for n, match in enumerate(night(10))]
    site = Site(chronicle_of(Elo(), matches, {}))
    page = site.page("servers/index.html") or ""
    shown = re.findall(r"<h2><bdi>(\w+)</bdi>( \(server not known\))?</h2>", page)
    assert shown == [("one", ""), ("two", ""), ("game", " (server not known)")]
    assert re.findall(r"<dt>Matches</dt><dd>(\d+)", page) == ["4", "3", "3"]
    assert "<dt>Server</dt><dd><bdi>two</bdi>" in (site.page(f"match/{slug('m1')}.html") or "")


def test_a_leaderboard_is_searched_and_filtered(reported: Chronicle) -> None:
    """Ranks stay those of the whole table."""
    path = f"leaderboard/{slug('game/duel')}.html"
    page = Site(reported, live=True).page(path, {"q": "cid"}) or ""
    assert page.count('class="name"') == 1
    assert f'<td class="number">{rank_of(reported, "Cid") + 1}</td>' in page
    assert (Site(reported, live=True).page(path, {"games": "61"}) or "").count('class="name"') == 0


@pytest.mark.parametrize(
    "path",
    [
        "x",
        "player/x.html",
        "match/../index",
        "leaderboard/x_2.html",
        "match/index_0.html",
        "match/index_²",
        "../a",
        "player/",
    ],
)
def test_there_is_nothing_at_other_paths(reported: Chronicle, path: str) -> None:
    """Paths that nobody links to are no pages."""
    assert Site(reported).page(path) is None


def test_an_empty_archive_has_its_pages() -> None:
    """Nobody has played yet, and that is said."""
    site = Site(chronicle_of(Elo(), [], {}))
    assert all("</html>" in page for page in pages_of(site).values())
    assert "There are no matches yet" in report_html(site)


def test_names_that_mean_harm_are_text_everywhere() -> None:
    """Ids, names, maps and rulesets with markup, bidirectional signs or formulas change no page."""
    names = tuple(f"{name}{n}" for n, name in enumerate(HOSTILE))
    ruleset = Ruleset("<script>alert(1)</script>", "\"'><img src=x>", ("\u202ex",))
    matches = []
    for n, match in enumerate(night(20, names)):
        contest = Contest(ruleset, match.contests[0].teams, match.contests[0].ranks, at=float(n))
        matches.append(
            Match(
                (contest,),
                id=f"{HOSTILE[n % len(HOSTILE)]}{n}",
                names=match.names,
                map=HOSTILE[n % 7],
                server=HOSTILE[n % 5],
            )
        )
    pages = pages_of(Site(chronicle_of(Elo(), matches, {who: who for who in names})))
    for path, page in pages.items():
        assert re.fullmatch(r"[a-z0-9_/.-]+", path), path
        if path.endswith(".csv"):
            rows = list(csv.reader(io.StringIO(page)))
            assert not any(cell.startswith(("=", "+", "@", "\t")) for row in rows for cell in row)
            assert len(rows) == len(names) + 1
            continue
        assert "<script" not in page
        assert "<img" not in page
        assert "\u202e" not in page
        assert "javascript:" not in "".join(re.findall(r'href="([^"]*)"', page))
        assert len(page.encode()) < 200_000
    report = report_html(Site(chronicle_of(Elo(), matches, {})))
    assert "<script" not in report
    assert "<img" not in report


@pytest.mark.slow
def test_pages_of_many_games_stay_small() -> None:
    """A player of thousands of games, and a match of a hundred people, are shown in part."""
    crowd = [f"p{n}" for n in range(150)]
    large = Contest(DUEL, (crowd[:75], crowd[75:]), (1, 2), at=1e9, scores=(3, 1))
    many = [*night(3000), Match((large,) * 30, id="large", names=[(who, who * 30) for who in crowd])]
    site = Site(chronicle_of(Elo(), many, {}))
    for path in (f"player/{slug('Ann')}.html", f"match/{slug('large')}.html", "match/index.html"):
        page = site.page(path) or ""
        assert 1000 < len(page.encode()) < 200_000, path


def test_times_that_are_none_are_not_shown_as_dates() -> None:
    """Neither a time beyond the calendar nor none is an error."""
    assert (date(None), date(1e15), date(0.0, dated=False)) == ("?", "?", "~ 1970-01-01 00:00")


def test_every_kind_has_its_text(reported: Chronicle) -> None:
    """A new kind of page is a file and a line, and needs a heading in the catalogue."""
    for name in KINDS:
        assert kind(name).name == name
        assert Site(reported).t[name]


def test_games_of_which_nobody_said_what_was_played_have_words_for_it() -> None:
    """A weekly night has no ruleset and no maps: no page shows a bare slash or an empty table."""
    matches = [
        replace(match, contests=tuple(replace(each, ruleset=Ruleset()) for each in match.contests), map="")
        for match in night(10)
    ]
    site = Site(chronicle_of(Elo(), matches, {}))
    pages = {path: page for path, page in pages_of(site).items() if path.endswith(".html")}
    assert not [path for path, page in pages.items() if re.search(r">\s*/\s*<", page)]
    player = next(page for path, page in pages.items() if path.startswith("player/"))
    assert re.search(r">\s*general\s*<", player)
    assert ">Maps</h2>" not in player
