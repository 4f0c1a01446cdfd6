"""Rows of a table, a player each, straight into the columns of a history, some thousand at a time.

Here are only tables that are as most are: the rows of a match one after the other, and nothing wrong with
them.  Others are left to :func:`equipoise.games.plain.from_rows`, which says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.arrays import Floats, Ints
from equipoise.errors import InputError
from equipoise.fields import has_value
from equipoise.files.match_cells import CellColumn, Cells, Unusual, mixed
from equipoise.files.match_lines import Decoded, LineDecoder, center, wrong_of
from equipoise.games.plain import SEPARATOR
from equipoise.logs.play import ranks_of
from equipoise.logs.records import SECONDS, cell_text, is_text, number_from, text_from, time_from
from equipoise.matches import check_scores, in_range
from equipoise.members import LEAST_SHARE
from equipoise.ratings.models.gaussian_filter.packing import figure

#: What is the same in all rows of a match.
OF_MATCH = ("ended", "began", "game", "game_type", "mutators", "weight")

#: What is known of a player in a match, and what is checked record by record instead.
OF_PLAYER, RARE = ("kills", "deaths", "score", "share"), ("party", "left")


class _Known(dict[Any, Any]):
    """What cells mean, found out once for each that differs."""

    def __init__(self, meaning: Callable[[Any], Any]) -> None:
        self._meaning = meaning

    def __missing__(self, cell: Any) -> Any:
        found = self[cell] = self._meaning(cell)
        return found


class _Names(dict[Any, int]):
    """Cells as codes, in the order in which they were met; blanks around a text are nothing."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        #: What somebody else calls each code.
        self.numbers: Ints = np.zeros(0, dtype=np.int64)
        self._codes: dict[str, int] = {}
        self._places: Ints = np.zeros(0, dtype=np.int64)

    def __missing__(self, cell: Any) -> int:
        if not has_value(cell):
            raise Unusual
        text = cell_text(cell, "").strip()
        code = self[cell] = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code

    def of(self, column: CellColumn) -> Ints:
        """Return the codes of a column."""
        codes, cells = column.coded()
        return np.array([self[cell] for cell in cells], dtype=np.int64)[codes]

    def places(self) -> Ints:
        """Return the place of each code among the sorted texts."""
        if len(self._places) < len(self.texts):
            order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
            self._places = np.empty(len(order), dtype=np.int64)
            self._places[order] = np.arange(len(order))
        return self._places


def _number(cell: Any) -> float:
    """Return a number, nan where the cell is empty."""
    if not has_value(cell):
        return math.nan
    return number_from(cell.strip() if isinstance(cell, str) else cell, "")


def _figure(kills: float, deaths: float, score: float, share: float) -> float:
    """Return what statistics say; nan is unknown."""
    known = [None if number != number else number for number in (kills, deaths, score)]
    if not in_range(known[0], known[1], known[2]):
        raise Unusual
    return figure(known[0], known[1], known[2], share)


class RowDecoder:
    """Puts the rows of tables into columns; a line decoder numbers players and rulesets."""

    def __init__(self, lines: LineDecoder) -> None:
        self._lines = lines
        self._teams, self._players = _Names(), _Names()
        self._texts = _Known(self._text)
        self._numbers = _Known(_number)
        self._figures = _Known(lambda key: _figure(*key))

    def decode(self, parts: Iterator[Cells]) -> Iterator[Decoded]:
        """Go through tables that follow one another, and give the matches that are whole.

        The last match of lists moves to the next: they are changed.  Other columns end with a match.

        Raises
        ------
        Unusual
            If they are not as most are.
        """
        seen: set[str] = set()
        rest: Cells = {}
        for part in filter(None, parts):
            cells = part
            if isinstance(cells["match"], CellColumn):
                if not rest:
                    yield self._decoded(cells, seen)
                    continue
                cells = {name: column.cells() for name, column in cells.items()}
            for name, column in rest.items():
                cells[name][:0] = column
            last = self._last_match(cells["match"])
            rest = {name: column[last:] for name, column in cells.items()}
            for column in cells.values():
                del column[last:]
            if last:
                yield self._decoded(_listed(cells), seen)
        if rest:
            yield self._decoded(_listed(rest), seen)

    @staticmethod
    def _last_match(names: Sequence[Any]) -> int:
        """Return where the last match begins."""
        place = len(names) - 1
        while place and names[place - 1] == names[place]:
            place -= 1
        return place

    def _decoded(self, cells: Mapping[str, CellColumn], seen: set[str]) -> Decoded:
        try:
            return self._columns(cells, seen)
        except (InputError, TypeError, KeyError) as error:
            raise Unusual from error

    def _columns(self, cells: Mapping[str, CellColumn], seen: set[str]) -> Decoded:
        """Return the matches of whole rows, each once."""
        if any(any(map(has_value, cells[name].coded()[1])) for name in RARE if name in cells):
            raise Unusual
        changes = cells["match"].changes()
        firsts, match = np.flatnonzero(changes), np.cumsum(changes) - 1
        ids = _ids(cells["match"].at(firsts))
        if not all(ids) or len(set(ids)) < len(firsts) or not seen.isdisjoint(ids):
            raise Unusual
        seen.update(ids)
        heads = self._heads(cells, changes)
        player = self._players.of(cells["player"])
        order, starts, sizes, counts = self._order(cells, match, player, len(firsts))
        columns: dict[str, Any] = {
            **heads, "at": heads["ended"], "size": sizes, "teams": counts,
            "player": self._numbered(player[order]),
            "contests": np.ones(len(firsts), dtype=np.int64),
            "reported": np.zeros(len(firsts), dtype=np.int64),
        }  # fmt: skip
        self._results(columns, cells, order, starts)
        self._seat(columns, cells, order)
        if wrong_of(columns):
            raise Unusual
        return Decoded(list(range(len(ids))), ids, columns, {})

    def _heads(self, cells: Mapping[str, CellColumn], changes: Any) -> dict[str, Any]:
        """Return what is the same in all rows of a match."""
        firsts, first = np.flatnonzero(changes), dict[str, list[Any]]()
        for name in OF_MATCH:
            if name in cells:
                other = cells[name].changes()
                if (other & ~changes).any():
                    raise Unusual
                differ = cells[name].at(np.flatnonzero(other))
                first[name] = [differ[n] for n in (np.cumsum(other) - 1)[firsts].tolist()]
        for cell in first.get("began", ()):
            if has_value(cell):
                time_from(cell, "began")
        empty = [""] * len(firsts)
        rules = zip(*(first.get(name, empty) for name in ("game", "game_type", "mutators")), strict=True)
        weight = [1.0] * len(firsts)
        if "weight" in first:
            weight = [self._numbers[cell] if has_value(cell) else 1.0 for cell in first["weight"]]
        return {
            "ended": np.array(_times(first["ended"])), "weight": np.array(weight),
            "which": np.array([self._texts[rule] for rule in rules], dtype=np.int64),
        }  # fmt: skip

    def _order(
        self, cells: Mapping[str, CellColumn], match: Ints, player: Ints, many: int
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the order of the rows (teams by name, players by id), and where in it each team begins.

        Then the players of each team, and the teams of each match.
        """
        teams, players = self._teams.of(cells["team"]), self._players
        team = self._teams.places()[teams]
        key = (match * (len(self._teams.texts) + 1) + team) * (len(players.texts) + 1) + players.places()[
            player
        ]
        order = np.argsort(key, kind="stable")
        match, team = match[order], team[order]
        begins = np.append(True, (match[1:] != match[:-1]) | (team[1:] != team[:-1]))
        starts = np.flatnonzero(begins)
        counts = np.bincount(match[starts], minlength=many)
        if counts.min() < 2:
            raise Unusual
        return order, starts, np.diff(np.append(starts, len(match))), counts

    def _results(
        self, columns: dict[str, Any], cells: Mapping[str, CellColumn], order: Ints, starts: Ints
    ) -> None:
        """Add ranks and scores, which all rows of a team have alike, and all teams of a match or none."""
        counts = columns["teams"]
        ends = np.cumsum(counts)
        of_row = np.repeat(np.arange(len(starts)), columns["size"])
        found: dict[str, Floats] = {}
        stated: dict[str, Any] = {}
        for name in ("rank", "team_score"):
            column = np.full(len(order), math.nan)
            if name in cells:
                codes, numbers = self._coded(cells[name])
                column = numbers[codes[order]]
            team = found[name] = column[starts]
            same = column == team[of_row]
            known = np.add.reduceat(team == team, ends - counts)
            if (
                not (same | (np.isnan(column) & np.isnan(team)[of_row])).all()
                or ((known > 0) & (known < counts)).any()
            ):
                raise Unusual
            stated[name] = known > 0
        rank, score = found["rank"], found["team_score"]
        if not (stated["rank"] | stated["team_score"]).all():
            raise Unusual
        for n in np.flatnonzero(stated["team_score"] & (stated["rank"] | (counts != 2))).tolist():
            part = slice(int(ends[n] - counts[n]), int(ends[n]))
            if stated["rank"][n]:
                check_scores(rank[part].tolist(), score[part].tolist())
            else:
                rank[part] = ranks_of(tuple(score[part].tolist()))
        pairs = np.flatnonzero(~stated["rank"] & (counts == 2))
        one, other = ends[pairs] - 2, ends[pairs] - 1
        rank[one], rank[other] = score[one] < score[other], score[other] < score[one]
        columns["rank"], columns["score"] = rank, score

    def _seat(self, columns: dict[str, Any], cells: Mapping[str, CellColumn], order: Ints) -> None:
        """Add shares and figures."""
        many = len(order)
        nothing = np.zeros(many, dtype=np.int64), np.array([math.nan])
        known = [self._coded(cells[name]) if name in cells else nothing for name in OF_PLAYER]
        codes, shares = known[-1]
        shares = np.where(np.isnan(shares), 1.0, shares)
        known[-1] = codes, shares
        if not ((shares >= LEAST_SHARE) & (shares <= 1.0)).all():
            raise Unusual
        columns["share"] = shares[codes[order]]
        columns["figure"] = np.full(many, math.nan)
        if any(name in cells for name in OF_PLAYER[:-1]):
            together = np.zeros(many, dtype=np.int64)
            for codes, numbers in known:
                if len(numbers) > 1:
                    together = np.unique(together * len(numbers) + codes, return_inverse=True)[1]
            _, first = np.unique(together, return_index=True)
            keys = zip(*(numbers[codes[first]].tolist() for codes, numbers in known), strict=True)
            columns["figure"] = np.array([self._figures[key] for key in keys])[together[order]]
            center(columns)

    def _coded(self, column: CellColumn) -> tuple[Ints, Floats]:
        """Return a code for each cell, and the numbers that they mean."""
        codes, cells = column.coded()
        return codes, np.array([self._numbers[cell] for cell in cells])

    def _numbered(self, player: Ints) -> Ints:
        """Return the numbers of players in the columns, in the order of first appearance."""
        known = self._players
        many = len(known.numbers)
        new = dict.fromkeys(player[player >= many].tolist())
        if new:
            known.numbers = np.append(known.numbers, np.zeros(len(known.texts) - many, dtype=np.int64))
            for code in new:
                known.numbers[code] = self._lines.number(known.texts[code])
        return known.numbers[player]

    def _text(self, rule: tuple[Any, Any, Any]) -> int:
        """Return the number of the ruleset of three cells."""
        game, kind, mutators = (cell_text(cell, "") if has_value(cell) else "" for cell in rule)
        return self._lines.ruleset(game, kind, tuple(filter(None, map(str.strip, mutators.split(SEPARATOR)))))


def _listed(cells: Cells) -> dict[str, CellColumn]:
    return {name: CellColumn(column) for name, column in cells.items()}


def _times(cells: Sequence[Any]) -> list[float]:
    """Return times as seconds since 1970."""
    kinds = set(map(type, cells))
    if kinds == {str} and set(map(len, cells)) == {SECONDS} and "".join(cells).isdecimal():
        return list(map(float, cells))
    if kinds <= {int, float}:  # whether they are times is looked at with all other numbers
        return list(map(float, cells))
    return [time_from(cell.strip() if isinstance(cell, str) else cell, "") for cell in cells]


def _ids(cells: Sequence[Any]) -> list[str]:
    """Return the ids of matches; raise where one is no text."""
    if set(map(type, cells)) == {str}:
        together = "".join(cells)
        if all(cells) and is_text(together) and len(together.split()) == 1 and together == together.strip():
            return list(cells)
    return [text_from(cell_text(cell, "id"), "id") for cell in cells if has_value(cell)]


def hashes_of(columns: dict[str, Any]) -> list[int]:
    """Return a hash of what the columns of a match say, for each."""
    counts, sizes = columns["teams"], columns["size"]
    teams = np.cumsum(counts) - counts
    seats = np.add.reduceat(sizes, teams)
    total = mixed(columns["ended"], columns["which"], columns["weight"], counts)
    for names, firsts, lengths in (
        (("rank", "score", "size"), teams, counts),
        (("player", "share", "figure"), np.cumsum(seats) - seats, seats),
    ):
        place = np.arange(lengths.sum()) - np.repeat(firsts, lengths)
        total = mixed(total, np.add.reduceat(mixed(place, *(columns[name] for name in names)), firsts))
    found: list[int] = total.view(np.int64).tolist()
    return found
