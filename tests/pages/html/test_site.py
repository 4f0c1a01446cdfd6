"""Pages of an archive: what they show, that every link leads somewhere, and names that mean harm."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html import unescape
from posixpath import join, normpath

import numpy as np
import pytest
from tests.pages.html.hostile import HOSTILE

from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.pages.html.one_page_report import report_html
from equipoise.pages.html.site import KINDS, NOT_FOUND, Site, date, kind, slug
from equipoise.pages.html.small_pictures import whole
from equipoise.pages.text.point_changes import ordinal
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.model import RatingModel
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.point_changes import point_changes, points
from equipoise.ratings.timeline import COLUMNS, Chronicle, chronicle_of

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
    return chronicle_of(Mixture(), night())


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
        if not path.endswith(".html"):
            continue
        for link in re.findall(r'(?:href|src|action)="([^"]*)"', page):
            if link.startswith("data:"):
                continue
            target = normpath(join("player/x" if path == NOT_FOUND else path, "..", unescape(link)))
            assert target in pages or target == "board.html", (path, link)
        assert re.search(r"\w://", page) is None
        assert "<script" not in page or path == "search/index.html"
        assert " style=" not in page


def text_of(page: str) -> str:
    """Return a page as it is read: without tags, and with single spaces."""
    return " ".join(
        unescape(re.sub(r"<(style|svg|head).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)).split()
    )


def test_a_player_has_points_curve_games_and_company(reported: Chronicle) -> None:
    """The page says what was expected and what happened, with whom and where, and what each game changed."""
    page = Site(reported).page(f"player/{slug('Ann')}.html") or ""
    assert "<polyline" in page
    assert 'class="area"' in page
    for part in ("60 games since 1970-01-02", "Better together", "Face to face", "map 1", "Settled", "of 60"):
        assert part in text_of(page), part
    row = reported.table(DUEL)[rank_of(reported, "Ann")]
    assert f'<span class="large">{points(row.weight)}</span>' in page


def test_cards_have_both_teams_the_score_and_what_changed(reported: Chronicle) -> None:
    """Every game of a player names all who played, and its change is what the curve moves by."""
    page = Site(reported).page(f"player/{slug('Ann')}.html") or ""
    found = re.findall(r'<li class="game">.*?</li>', page, flags=re.DOTALL)
    course = [points(each.weight) for each in reported.points("Ann", DUEL)]
    assert len(found) == 50
    for back, card in enumerate(found):
        (match,) = reported.matches([59 - back])
        assert all(f">{who}<" in card for who in ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"])
        assert "{:g}\u00a0:\u00a0{:g}".format(*match.contests[0].scores) in card
        change = course[59 - back] - course[58 - back]
        assert (f"+{change}" if change > 0 else f"\u2212{-change}" if change else "±0") in text_of(card)


@pytest.mark.parametrize("place", [59, 3, 0, 31])
def test_a_match_says_what_places_it_changed(reported: Chronicle, place: int) -> None:
    """Places are by points among all who had played by then, whatever order the pages are asked for in."""
    (match,) = reported.matches([place])
    played = {who for contest in match.contests for team in contest.teams for who, _ in team}
    before, after = dict[str, float](), dict[str, float]()
    for who in reported.players:
        points_of = reported.points(who, DUEL)
        if upto := [each for each in points_of if each.match <= place]:
            earlier = [each.weight for each in upto if each.match < place]
            before[who], after[who] = (earlier or [upto[0].before])[-1], upto[-1].weight
    wanted = {each.id: each for each in point_changes(played, before, after)}
    assert reported.places(place) == {who: (each.place, each.up) for who, each in wanted.items()}
    page = text_of(Site(reported).page(f"match/{slug(match.id)}.html") or "")
    for who, each in wanted.items():
        moved = f", {'up' if each.up > 0 else 'down'} {abs(each.up)}" if each.up else ""
        assert re.search(f"{who} [^A-Z]*{ordinal(each.place)}{moved} [±+\u2212]", page), who


def test_what_moved_points_adds_up(reported: Chronicle) -> None:
    """Each channel's part is there, and together they are what the points moved since the game before."""
    course = reported.points("Ann", DUEL)
    rows = reported.rows_of("Ann")
    for n in range(1, 60):
        parts = reported.why(int(rows[n]))
        assert set(parts) >= {"time", "result", "score"}
        assert sum(parts.values()) == pytest.approx(course[n].weight - course[n - 1].weight, abs=0.011)
    page = text_of(Site(reported).page(f"match/{slug('m59')}.html") or "")
    words = re.search(r"Ann ?: ((?:\w+ [+-]\d+\.\d,? ?)+)", page)
    assert words is not None
    total = sum(float(each) for each in re.findall(r"[+-]\d+\.\d", words[1]))
    assert total == pytest.approx(10.0 * (course[59].weight - course[58].weight), abs=0.5)


def test_what_follows_is_learnt_from_alone(reported: Chronicle) -> None:
    """A chronicle that grows by one match after the other is the one that is made at once."""
    grown = chronicle_of(Mixture(), night()[:40])
    for match in night()[40:]:
        grown = grown.after([match])
    assert grown.texts == reported.texts
    assert grown.learning.state == reported.learning.state
    for name in COLUMNS:
        assert np.array_equal(grown.columns[name], reported.columns[name], equal_nan=True), name


@pytest.mark.parametrize("model", [Mixture(), Elo()])
def test_ratings_are_those_of_the_model_at_the_time(model: RatingModel) -> None:
    """A match reads and writes what is known of its players alone, and nothing else comes of it."""
    matches, state = night(30, tuple("ABCDEFGHIJ")), model.initial()
    known = chronicle_of(model, matches)
    for place, match in enumerate(matches):
        state, chances = model.run(state, match.contests)
        assert known.chances(place) == [tuple(each) for each in chances]
        scale = scale_of(model, state, DUEL)
        for row in known.rows_in(place):
            mu = model.rating(state, known.players[known.columns["player"][row]], DUEL).mu
            assert float(known.columns["weight"][row]) == pytest.approx(scale.shown(mu), abs=1e-5)


def rank_of(reported: Chronicle, player: str) -> int:
    """Return the place of a player in the table."""
    return next(n for n, row in enumerate(reported.table(DUEL)) if row.id == player)


def test_newcomers_stand_apart_and_have_no_rank() -> None:
    """Whoever has played fewer than ten games comes after all others, marked, with the same columns."""
    late = [replace(match, id=f"late {n}", ended=90 * 86400.0 + n) for n, match in
            enumerate(night(3, ("Ann", "Bob", "Cid", "Dan", "Eve", "New")))]  # fmt: skip
    known = chronicle_of(Elo(), [*night(12), *late])
    rows = known.table(DUEL)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 6, 0]
    assert [row.weight for row in rows[:6]] == sorted((row.weight for row in rows[:6]), reverse=True)
    assert (rows[6].id, rows[6].games, rows[6].risen) == ("New", 3, None)
    page = Site(known).page(f"leaderboard/{slug('game/duel')}.html") or ""
    ranked, _, apart = page.partition("Finding their level")
    assert "New" in apart
    assert f"~{points(rows[6].weight)}" in apart
    assert ">New<" not in ranked


def test_movement_is_by_the_ranks_of_the_week_before() -> None:
    """Within a week it is measured from one place, so that who did not play keeps it."""
    matches = night(80)
    known = chronicle_of(Elo(), matches)
    monday = next(
        n for n, match in enumerate(matches) if n > 72 and (match.contests[0].at / 86400 - 4) % 7 == 0
    )
    before = [row.id for row in chronicle_of(Elo(), matches[:monday]).table(DUEL)]
    for row in known.table(DUEL):
        assert row.risen == before.index(row.id) + 1 - row.rank


def test_a_match_says_what_was_predicted_and_who_came_and_left(reported: Chronicle) -> None:
    """Chances are those before the match, shares and who left are there, and who only watched."""
    page = Site(reported).page(f"match/{slug('m7')}.html") or ""
    first, second = whole(reported.chances(7)[0])
    assert f"{first}\u00a0:\u00a0{second}" in page
    assert f"{first} in 100" in text_of(page)
    for part in (
        "40 % of it",
        "left early",
        "Gus",
        "won" if len(set(night()[7].contests[0].ranks)) > 1 else "draw",
    ):
        assert part in page


def test_a_match_has_kills_and_deaths_with_the_best_marked() -> None:
    """Of several contests of the same people they are added up; what a log does not have has no column."""
    (match,) = night(1)
    figures = (Statistics("Ann", kills=7.0, deaths=2.0), Statistics("Bob", kills=9.0, deaths=20.0))
    twice = replace(match, contests=(replace(match.contests[0], statistics=figures),) * 2)
    page = Site(chronicle_of(Elo(), [twice])).page(f"match/{slug('m0')}.html") or ""
    assert re.findall(r"<mark>(\d+)", page) == ["18"]
    assert "Deaths" in text_of(page)
    assert ">Score<" not in page
    row = re.search(r"<tr>(?:(?!</tr>).)*>Ann<.*?</tr>", page, flags=re.DOTALL)
    assert row is not None
    assert text_of(row[0]).split()[-3:-1] == ["14", "4"]


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
    site = Site(chronicle_of(Elo(), matches))
    page = site.page("servers/index.html") or ""
    shown = re.findall(r"<h2><bdi>(\w+)</bdi>( \(server not known\))?</h2>", page)
    assert shown == [("one", ""), ("two", ""), ("game", " (server not known)")]
    assert re.findall(r"<dt>Matches</dt><dd>(\d+)", page) == ["4", "3", "3"]
    assert "<bdi>two</bdi>" in (site.page(f"match/{slug('m1')}.html") or "")


def test_a_leaderboard_is_searched_and_filtered(reported: Chronicle) -> None:
    """Ranks stay those of the whole table."""
    path = f"leaderboard/{slug('game/duel')}.html"
    page = Site(reported, live=True).page(path, {"q": "cid"}) or ""
    assert re.findall(r'<td class="rank">(\d+)', page) == [str(rank_of(reported, "Cid") + 1)]
    assert '<td class="rank">' not in (Site(reported, live=True).page(path, {"games": "61"}) or "")


def test_search_finds_parts_of_names(reported: Chronicle) -> None:
    """A service looks itself; a folder of files has everybody in a script."""
    live, files = Site(reported, live=True), Site(reported)
    page = live.page("search/index.html", {"q": " cI"}) or ""
    assert re.findall(r'href="\.\./player/(\w+)', page) == ["cid"]
    assert "Nobody has a name" in (live.page("search/index.html", {"q": "xyz"}) or "")
    people = json.loads((files.page("search/people.js") or "").removeprefix("self.people=").rstrip(";\n"))
    assert [[name, where] for name, where, *_ in people] == [[who, slug(who)] for who in reported.players]
    assert {games for _, _, games, _ in people} == {60}
    assert live.page("search/people.js") is None


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
    site = Site(chronicle_of(Elo(), []))
    assert all("</html>" in page for path, page in pages_of(site).items() if path.endswith(".html"))
    assert "There are no games yet" in report_html(site)


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
    pages = pages_of(Site(chronicle_of(Elo(), matches)))
    for path, page in pages.items():
        assert re.fullmatch(r"[a-z0-9_/.-]+", path), path
        if path.endswith(".js"):
            assert "</" not in page or path == "search/search.js"
            continue
        if path.endswith(".csv"):
            rows = list(csv.reader(io.StringIO(page)))
            assert not any(cell.startswith(("=", "+", "@", "\t")) for row in rows for cell in row)
            assert len(rows) == len(names) + 1
            continue
        assert "<script" not in page.replace('<script src="', "")
        assert "<img" not in page
        assert "\u202e" not in page
        assert "javascript:" not in "".join(re.findall(r'href="([^"]*)"', page))
        assert len(page.encode()) < 200_000
    report = report_html(Site(chronicle_of(Elo(), matches)))
    assert "<script" not in report
    assert "<img" not in report


@pytest.mark.slow
def test_pages_of_many_games_stay_small() -> None:
    """A player of thousands of games, and a match of a hundred people, are shown in part."""
    crowd = [f"p{n}" for n in range(150)]
    large = Contest(DUEL, (crowd[:75], crowd[75:]), (1, 2), at=1e9, scores=(3, 1))
    many = [*night(3000), Match((large,) * 30, id="large", names=[(who, who * 30) for who in crowd])]
    site = Site(chronicle_of(Elo(), many))
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
    site = Site(chronicle_of(Elo(), matches))
    pages = {path: page for path, page in pages_of(site).items() if path.endswith(".html")}
    assert not [path for path, page in pages.items() if re.search(r">\s*/\s*<", page)]
    player = next(page for path, page in pages.items() if path.startswith("player/"))
    assert "general" not in player
    assert any(re.search(r">\s*general\s*<", page) for path, page in pages.items() if "leaderboard" in path)
    assert ">Maps</h2>" not in player
