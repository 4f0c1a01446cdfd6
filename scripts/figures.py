"""Draws the figures of docs/algorithms/ from data, for ``generated.py``.

Figures of objectives and criteria show every split of the example roster, judged by the library.
Figures of solvers show counts that follow from their definition, or what is in
``benchmarks/results/solvers.json`` and ``benchmarks/results/lobbies.json``.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev

import numpy as np

from equipoise import advantage, balance, pareto, place_late
from equipoise.core.plain_data import number
from equipoise.core.registry import OBJECTIVES, RERANKERS, resolve
from equipoise.files.read_roster import read_roster
from equipoise.pages.pictures.svg import COLOURS, PALE_INK, RULE, caption, document, element, ticks
from equipoise.teams.problem.problem import MU, Problem
from equipoise.teams.problem.two_team_components import components
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Split, weight
from equipoise.teams.solvers.fold import fold

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, LEFT, TOP, RIGHT, FOOT = 620, 330, 76, 52, 24, 62

#: Ends of the scale from the best split to the worst.
DARK, LIGHT = (0, 61, 107), (214, 226, 236)

#: A named series of points.
Series = Mapping[str, Sequence[tuple[float, float]]]


class Plane:
    """A plane with axes to draw on; the y axis may be logarithmic."""

    def __init__(self, points: Sequence[tuple[float, float]], labels: tuple[str, str], *, log: bool) -> None:
        self.log = log
        xs, ys = zip(*points, strict=True)
        self.x_range = _padded(min(xs), max(xs))
        levels = [self._level(y) for y in ys]
        self.y_range = (math.floor(min(levels)), math.ceil(max(levels))) if log else _padded(min(ys), max(ys))
        self.parts = [*self._axes(), *self._labels(*labels)]

    def _level(self, y: float) -> float:
        return math.log10(y) if self.log else y

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point in the picture."""
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        across = (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
        up = (self._level(y) - y0) / (y1 - y0) * (HEIGHT - TOP - FOOT)
        return round(LEFT + across, 1), round(HEIGHT - FOOT - up, 1)

    def _axes(self) -> list[str]:
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        parts = []
        for tick in ticks(x0, x1):
            x, bottom = self.at(tick, 10.0**y0 if self.log else y0)
            parts.append(element("line", x1=x, x2=x, y1=TOP, y2=bottom, stroke=RULE, stroke_width=0.5))
            parts.append(caption(number(tick), x, bottom + 18, PALE_INK, text_anchor="middle"))
        step = max(1, math.ceil((y1 - y0) / 8))
        marks = [10.0**n for n in range(int(y0), int(y1) + 1, step)] if self.log else ticks(y0, y1)
        for tick in marks:
            x, y = self.at(x0, tick)
            parts.append(element("line", x1=x, x2=WIDTH - RIGHT, y1=y, y2=y, stroke=RULE, stroke_width=0.5))
            parts.append(
                caption(_power(tick) if self.log else number(tick), x - 8, y + 4, PALE_INK, text_anchor="end")
            )
        return parts

    def _labels(self, x_label: str, y_label: str) -> list[str]:
        middle = (HEIGHT - FOOT + TOP) / 2
        turned = {"text_anchor": "middle", "transform": f"rotate(-90 18 {middle})"}
        return [
            caption(x_label, (WIDTH + LEFT - RIGHT) / 2, HEIGHT - 24, PALE_INK, text_anchor="middle"),
            caption(y_label, 18, middle, PALE_INK, **turned),
        ]


def _padded(low: float, high: float) -> tuple[float, float]:
    pad = (high - low) * 0.04
    return low - pad, high + pad


def _power(value: float) -> str:
    exponent = round(math.log10(value))
    return number(value) if -3 <= exponent <= 4 else f"1e{exponent}"


def scatter(title: str, points: Sequence[tuple[float, float]], ranks: Sequence[int], best: int) -> str:
    """Return a picture of points, darker the lower their rank, with rings around the best."""
    plane = Plane(points, ("difference of the totals", "difference of the standard deviations"), log=False)
    worst = max(ranks) or 1
    for place in sorted(range(len(points)), key=lambda place: -ranks[place]):
        x, y = plane.at(*points[place])
        share = ranks[place] / worst
        red, green, blue = (round(a + (b - a) * share) for a, b in zip(DARK, LIGHT, strict=True))
        dot = {"cx": x, "cy": y, "fill": f"#{red:02x}{green:02x}{blue:02x}"}
        plane.parts.append(element("circle", r=4.5, stroke="#ffffff", stroke_width=0.5, **dot))
    for place in (place for place, rank in enumerate(ranks) if rank == best):
        x, y = plane.at(*points[place])
        plane.parts.append(element("circle", cx=x, cy=y, r=8, fill="none", stroke=COLOURS[0], stroke_width=2))
    plane.parts.append(caption("dark: good, light: bad, ringed: the best", LEFT, HEIGHT - 6, PALE_INK))
    return document(title, WIDTH, HEIGHT, plane.parts, headline=14)


def lines(title: str, series: Series, labels: tuple[str, str], *, log: bool = True, bold: str = "") -> str:
    """Return a picture of lines, one of them bold, named below in their colours."""
    plane = Plane([point for points in series.values() for point in points], labels, log=log)
    start = LEFT
    for n, (name, points) in enumerate(series.items()):
        colour = COLOURS[n % len(COLOURS)]
        thick = 3 if name == bold else 1.5
        places = [plane.at(*point) for point in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        plane.parts.append(element("polyline", points=path, fill="none", stroke=colour, stroke_width=thick))
        plane.parts += [element("circle", cx=x, cy=y, r=thick + 1, fill=colour) for x, y in places]
        plane.parts.append(caption(name, start, HEIGHT - 6, colour, font_weight=600))
        start += 9 * len(name) + 20
    return document(title, WIDTH, HEIGHT, plane.parts, headline=14)


def _differences(split: Split, strongest: str) -> tuple[float, float]:
    """Return the differences of totals and of standard deviations, the strongest player's team first."""
    teams = sorted(split.teams, key=lambda team: strongest not in {player.id for player in team})
    one, other = ([weight(player) for player in team] for team in teams)
    return sum(one) - sum(other), round(pstdev(one) - pstdev(other), 9)


def every_division(name: str) -> str:
    """Return all splits of the example roster as an objective or a criterion orders them."""
    roster = read_roster(str(ROOT / "examples" / "roster.txt"))
    strongest = max(roster, key=weight).id
    objective = name if name in OBJECTIVES else "difference"
    splits = balance(roster, objective=objective, solver="enumerate", keep=1000).splits
    if name in RERANKERS:
        judge = resolve("criterion", RERANKERS, name)
        values = [judge([np.array([weight(p) for p in team]) for team in split.teams]) for split in splits]
    elif name == "spread":
        values = [float(place) for place in range(len(splits))]
    else:
        sign = -1 if name == "ratio" else 1
        values = [sign * split.value for split in splits]
    levels = sorted({round(value, 9) for value in values})
    ranks = [levels.index(round(value, 9)) for value in values]
    title = f"{name}: the {len(splits)} splits of the example roster into two fives"
    return scatter(title, [_differences(split, strongest) for split in splits], ranks, 0)


#: Sizes of rosters in the figures of exact solvers.
SIZES = range(8, 49, 4)


def problem_of(roster: dict[str, float], teams: int = 2) -> Problem:
    """Return the problem of a roster without rules."""
    problem = BalanceRequest.of(roster, teams=teams).problem
    assert problem is not None  # noqa: S101  # nobody contradicts anybody
    return problem


def looked_at(bold: str) -> str:
    """Return how much each exact solver looks at, for whole-number ratings around 1500."""
    rng = np.random.default_rng(0)
    series: dict[str, list[tuple[float, float]]] = {"enumerate": [], "mitm": [], "bitset": []}
    for n in SIZES:
        roster = {f"p{place}": float(r) for place, r in enumerate(np.round(rng.normal(1500, 300, n)))}
        parts = components(problem_of(roster))
        series["enumerate"].append((n, math.comb(n, n // 2) / 2))
        series["mitm"].append((n, float(sum(parts.halves[1]))))
        series["bitset"].append((n, float(np.abs(parts.steps[:, MU]).sum() + 1) * (n + 1) * n / 64))
    labels = ("players", "splits, part-splits, words of 64 bits")
    return lines(f"{bold}: what is looked at for a proof", series, labels, bold=bold)


def qualities(bold: Sequence[str], title: str) -> str:
    """Return the mean difference of sums that solvers reach, from the benchmark."""
    measured = json.loads((ROOT / "benchmarks" / "results" / "solvers.json").read_text(encoding="utf-8"))[
        "compare"
    ]
    names = {"equipoise": "proven optimum", **{name: name for name in bold}}
    series: dict[str, list[tuple[float, float]]] = {shown: [] for shown in names.values()}
    for entry in measured:
        if entry["kind"] == "doubles" and entry["name"] in names and entry["results"]:
            gap = fmean(result["gap"] for result in entry["results"])
            series[names[entry["name"]]].append((entry["n"], gap))
    labels = ("players", "mean difference of sums")
    return lines(title, series, labels, bold=bold[0])


def resplit_teams() -> str:
    """Return the range of totals that ``resplit`` reaches, against a snake draft of as many teams."""
    series: dict[str, list[tuple[float, float]]] = {"snake": [], "resplit": []}
    for n_teams in (3, 4, 6, 8):
        mu = np.sort(np.random.default_rng(0).normal(25, 8, 5 * n_teams))[::-1]
        roster = {f"p{place}": float(r) for place, r in enumerate(mu)}
        found = balance(roster, teams=n_teams, objective="difference", solver="resplit")
        series["resplit"].append((n_teams, found.value or 0.0))
        series["snake"].append((n_teams, _snake(mu, n_teams)))
    title = "resplit: the range of the totals of teams of five, normal(25, 8)"
    return lines(title, series, ("teams", "range of the totals"), bold="resplit")


def window_steps() -> str:
    """Return the range of the totals that ``window`` proves least, by the number of teams."""
    series: dict[str, list[tuple[float, float]]] = {"snake": [], "resplit": [], "window": []}
    for n_teams in range(3, 8):
        mu = np.sort(np.random.default_rng(1).normal(25, 8, 4 * n_teams))[::-1]
        roster = {f"p{place}": float(r) for place, r in enumerate(mu)}
        for solver in ("resplit", "window"):
            found = balance(roster, teams=n_teams, objective="difference", solver=solver)
            series[solver].append((n_teams, found.value or 0.0))
        series["snake"].append((n_teams, _snake(mu, n_teams)))
    title = "window: the proven least range of teams of four, normal(25, 8)"
    return lines(title, series, ("teams", "range of the totals"), bold="window")


def _snake(descending: np.ndarray, n_teams: int) -> float:
    """Return the range of the totals of a snake draft."""
    rounds = descending.reshape(-1, n_teams).copy()
    rounds[1::2] = rounds[1::2, ::-1]
    return float(np.ptp(rounds.sum(axis=0)))


def folded() -> str:
    """Return the range of the totals that ``fold`` reaches, by the number of players."""
    series: dict[str, list[tuple[float, float]]] = {"snake": [], "rows alone": [], "fold": []}
    for n in (30, 300, 3000, 30000):
        mu = np.sort(np.random.default_rng(n).normal(1500, 300, n))[::-1]
        at = math.log10(n)
        roster = {f"p{place}": float(r) for place, r in enumerate(mu)}
        problem = problem_of(roster, teams=3)
        rows = np.ptp(problem.totals(fold(problem)[None, :])[0, :, MU])
        found = balance(
            {f"p{p}": float(r) for p, r in enumerate(mu)}, teams=3, objective="difference", solver="fold"
        )
        series["snake"].append((at, _snake(mu, 3)))
        series["rows alone"].append((at, float(rows)))
        series["fold"].append((at, found.value or 0.0))
    title = "fold: the range of the totals of three teams, normal(1500, 300)"
    return lines(title, series, ("players, as a power of ten", "range of the totals"), bold="fold")


#: Players of the small rosters whose fronts are shown.
FRONT_SIZES = (8, 12)


def small_fronts() -> str:
    """Return the Pareto fronts of sums and standard deviations of rosters of 8 and 12."""
    series = {}
    for n in FRONT_SIZES:
        mu = np.random.default_rng(n).normal(0.0, 1.0, n)
        front = pareto({f"p{place}": float(r) for place, r in enumerate(mu)}, "difference", "spread")
        series[f"{n} players"] = list(front.points)
    title = "8 and 12 players: even sums or alike teams, not both"
    labels = ("difference of the sums", "difference of the standard deviations")
    return lines(title, series, labels, log=False)


def lobby_times() -> str:
    """Return the processor time of the lobby solvers by the number of players, from the benchmark."""
    rows = json.loads((ROOT / "benchmarks" / "results" / "lobbies.json").read_text(encoding="utf-8"))["rows"]
    times: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if row.get("team_size") == 2 and row.get("deviation") == "squared":
            times.setdefault(row["used"], {}).setdefault(row["players"], []).append(row["processor"])
    series = {
        solver: [(math.log10(n), fmean(each)) for n, each in sorted(of.items())]
        for solver, of in times.items()
    }
    labels = ("players, as a power of ten", "seconds of processor time")
    return lines("Lobbies: the time for one plan of teams of two", series, labels, bold="large")


def factors() -> str:
    """Return the advantage a team needs, by how far it is behind, for three sizes of teams."""
    series = {
        f"{size} against {size}": [(d, advantage([d, 0], [size, size], beta=10)[1]) for d in range(0, 41, 4)]
        for size in (2, 5, 12)
    }
    title = "advantage: the factor by how far a team is behind (performance noise 10)"
    return lines(title, series, ("difference of the totals", "factor"), log=False)


def placed() -> str:
    """Return how even a game is with a newcomer in either team, by the newcomer's weight."""
    series: dict[str, list[tuple[float, float]]] = {"in team 1": [], "in team 2": []}
    for who in range(0, 101, 5):
        placement = place_late(who, [210, 190], [4, 3], bot_counts=[0, 1], bot_totals=[0, 20], beta=13)
        for name, option in zip(series, placement.options, strict=True):
            series[name].append((who, 100 * option.win_probability[0]))
    title = "210 in four against 190 in three and a bot of 20: the first team's chance"
    return lines(title, series, ("weight of who joins", "win chance in per cent"), log=False)


def house() -> str:
    """Draw the folders of the package, floor by floor, as the import contracts have them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    floors = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    width, height, gap = 560, 30, 6
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {len(floors) * (height + gap)}" '
        'role="img" font-family="system-ui, sans-serif" font-size="14" text-anchor="middle">'
    )
    parts = [head, "<title>The folders of the package: each uses only what stands below it</title>"]
    for floor, names in enumerate(floors):
        rooms = [name.strip() for name in names.split("|")]
        each, y = (width - gap * (len(rooms) - 1)) / len(rooms), floor * (height + gap)
        for n, room in enumerate(rooms):
            x = n * (each + gap)
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{each:.1f}" height="{height}" rx="6" fill="#E9EFC9" '
                f'stroke="#43590F"/><text x="{x + each / 2:.1f}" y="{y + 20}" fill="#221E18">{room}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def made() -> dict[str, str]:
    """Return every figure by its path."""
    pictures = {f"objective-{name}": every_division(name) for name in OBJECTIVES}
    pictures |= {f"criterion-{name}": every_division(name) for name in RERANKERS}
    pictures |= {f"solver-{name}": looked_at(name) for name in ("enumerate", "mitm", "bitset")}
    for name in ("climb", "anneal"):
        pictures[f"solver-{name}"] = qualities([name, "greedy"], f"{name}: the difference of sums it reaches")
    drafts = ["alternate", "snake", "greedy"]
    pictures["solver-drafts"] = qualities(drafts, "drafts: the difference of sums they reach")
    pictures |= {"solver-resplit": resplit_teams(), "advantage": factors(), "late": placed()}
    pictures |= {"solver-window": window_steps(), "solver-fold": folded(), "fronts-small": small_fronts()}
    pictures |= {"lobbies-time": lobby_times(), "architecture": house()}
    return {f"docs/images/{name}.svg": picture for name, picture in pictures.items()}
