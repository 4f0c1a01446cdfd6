"""Players, lobbies and premade parties from CSV files; plans to CSV and Parquet.

Every mistake in a file becomes an :class:`~equipoise.errors.InputError` that begins with the file and the
line and says what is allowed.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from equipoise.core.packages import needs
from equipoise.core.plain_data import fail, number_of, short, text_of
from equipoise.core.player import Player, Rating, players_named
from equipoise.errors import InputError
from equipoise.files.file_kinds import check
from equipoise.files.read_roster import content_of, decoded
from equipoise.lobbies.plan import Lobby, LobbyPlan

#: What the columns may be called, the first name being the documented one.
SKILL = ("skill", "weight", "rating", "kd", "k/d", "elo", "mmr", "mu", "score")
PLAYER_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "player", "name", "playerid", "player_id"),
    "sigma": ("sigma", "deviation", "rd"),
    "party": ("party", "premade", "group"),
    "barred": ("barred",),
}
LOBBY_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "lobby", "id"),
    "target": ("target",),
    "min_teams": ("min_teams", "min", "minimum"),
    "max_teams": ("max_teams", "max", "maximum"),
}

#: What separates the lobbies' names in the column ``barred``.
SEPARATOR = ";"

#: The columns of a plan.
PLAN_COLUMNS = ("lobby", "target", "team", "total", "player", "skill", "sigma", "party", "barred")

#: What a spreadsheet takes for the begin of a formula, and what is put before such a text.
FORMULA, QUOTE = ("=", "+", "-", "@"), "'"

#: Columns of numbers, and how a number looks that has a comma for its point.
NUMBERS = ("skill", "sigma", "target")
COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")

#: A line that is not blank.
FILLED = re.compile(r".*\S.*")

#: Where a line is, its number, and its cells that are not empty by column.
Row = tuple[str, int, dict[str, str]]


def read_players(
    source: str, skill: str | None = None, *, unrated: bool = False
) -> tuple[list[Player], dict[str, list[str]]]:
    """Read players from a CSV file with columns ``id`` and ``skill``, or standard input for ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.
    skill : str, optional
        The name of the column with the skill; by default the first of :data:`SKILL` there is.
    unrated : bool
        Whether the column may be missing.

    Returns
    -------
    players : list of Player
        With rating and party; an empty skill is unknown.
    barred : dict from str to list of str
        The lobbies that players may not be in, from the column ``barred``, separated by semicolons.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    columns = {**PLAYER_COLUMNS, "skill": SKILL if skill is None else (skill.strip().lower(),)}
    ratings, parties, barred = dict[str, Rating | float | None](), dict[str, str](), dict[str, list[str]]()
    lines = array("q")
    for at, line, row in _rows(source, columns, ("id",) if unrated else ("id", "skill")):
        who = _name(row.get("id", ""), "id", at)
        if who in ratings:
            first = f"line {lines[list(ratings).index(who)]}"
            fail(at, f"{short(who)} appears twice, first in {first}; every id must differ")
        lines.append(line)
        # A plain number, where that is all, takes a third of the memory.
        rating = number_of(row["skill"], skill or "skill", at) if "skill" in row else None
        sigma = _sigma(row["sigma"], at) if "sigma" in row else 0.0
        ratings[who] = rating if rating is None or not sigma else Rating(rating, sigma)
        if "party" in row:
            parties[who] = text_of(row["party"], "party", at)
        if "barred" in row:
            barred[who] = [name.strip() for name in row["barred"].split(SEPARATOR) if name.strip()]
    if not ratings:
        fail(source, "it has no players; write a line for each player")
    if not parties:
        return players_named(ratings), barred
    return [Player(who, rating, party=parties.get(who)) for who, rating in ratings.items()], barred


def read_lobbies(source: str) -> list[Lobby]:
    """Read lobbies from a CSV file with columns ``name``, ``target``, ``min_teams`` and ``max_teams``.

    All but the name may be left out or empty.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    lobbies, seen = [], dict[str, int]()
    for at, line, row in _rows(source, LOBBY_COLUMNS, ("name",)):
        name = _name(row.get("name", ""), "name", at)
        if name in seen:
            fail(at, f"{short(name)} appears twice, first in line {seen[name]}; every name must differ")
        seen[name] = line
        target = number_of(row["target"], "target", at) if "target" in row else None
        least = _whole(row["min_teams"], "min_teams", at) if "min_teams" in row else 0
        most = _whole(row["max_teams"], "max_teams", at) if "max_teams" in row else None
        try:
            lobbies.append(Lobby(name, target, least, most))
        except InputError as error:
            fail(at, str(error))
    if not lobbies:
        fail(source, "it has no lobbies; write a line for each lobby")
    return lobbies


def read_premades(source: str) -> list[list[str]]:
    """Read premade parties from a CSV file: a line a party, its name first, then its players' ids.

    The header is ``team,player1,player2,...``; lines may have fewer or more players than it.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    parties, seen = [], dict[str, str]()
    for number, (line, cells, _) in enumerate(_cells(source)):
        if number == 0:
            if len(cells) < 2 or cells[0].lower() not in ("team", "teamid", "party", "premade", "id"):
                fail(f"{source}, line {line}", "the header is not 'team,player1,player2,...'")
            continue
        at = f"{source}, line {line}"
        members = [text_of(cell, "player", at) for cell in cells[1:] if cell]
        if len(members) < 2:
            fail(
                at,
                f"the party {short(cells[0])} has fewer than two players; a line is 'team,player1,player2'",
            )
        for who in members:
            if who in seen:
                fail(at, f"{short(who)} is in a party already, in {seen[who]}; a player is in one")
            seen[who] = f"line {line}"
        parties.append(members)
    return parties


def plan_rows(plan: LobbyPlan, *, escape: bool = False) -> Iterator[tuple[Any, ...]]:
    """Return a row a player, by :data:`PLAN_COLUMNS`; teams are counted from 1, and those who wait have none.

    The rows can be read again by :func:`read_players`, with the same parties and bars.

    Parameters
    ----------
    plan : LobbyPlan
        Feasible.
    escape : bool
        Whether texts that a spreadsheet would take for a formula get a quote in front.
    """
    shown = _escaped if escape else str
    party: dict[str, str] = {}
    for number, members in enumerate(plan.parties, start=1):
        party.update(dict.fromkeys(members, str(number)))
    barred = {who: shown(SEPARATOR.join(names)) for who, names in plan.barred.items() if names}

    def columns(player: Player) -> tuple[Any, ...]:
        who, rating = player.id, player.rating
        mu, sigma = (rating.mu, rating.sigma) if isinstance(rating, Rating) else (None, None)
        return shown(who), mu, sigma, party.get(who), barred.get(who)

    number = 0
    for lobby in plan.lobbies:
        name = shown(lobby.name)
        for team, total in zip(lobby.teams, lobby.totals, strict=True):
            number += 1
            place = (name, lobby.target, number, total)
            for player in team:
                yield place + columns(player)
    for player in plan.waiting:
        yield (None,) * 4 + columns(player)


def write_csv(plan: LobbyPlan, out: IO[str], *, escape: bool = True) -> None:
    """Write :func:`plan_rows` as CSV, line by line: of a million players that is a file of some size.

    Parameters
    ----------
    plan : LobbyPlan
        Feasible.
    out : text file
        Where it goes.
    escape : bool
        Whether texts that a spreadsheet would take for a formula get a quote in front, which
        :func:`read_players` takes off again.
    """
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(PLAN_COLUMNS)
    writer.writerows(plan_rows(plan, escape=escape))


def _escaped(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return QUOTE + text if text.lstrip(QUOTE).startswith(FORMULA) else text


def _plain(cell: str) -> str:
    """Return a cell that begins with a quote without that of :func:`_escaped`."""
    return cell[1:] if cell.lstrip(QUOTE).startswith(FORMULA) else cell


def write_plan(plan: LobbyPlan, path: str, *, escape: bool = True) -> None:
    """Write :func:`plan_rows` to a file: Parquet where the name ends so, else CSV.

    Parameters
    ----------
    plan : LobbyPlan
        Feasible.
    path : str
        The file's name.
    escape : bool
        As in :func:`write_csv`.

    Raises
    ------
    InputError
        If the file cannot be written, or Parquet is asked for and polars is not installed.
    """
    parquet = Path(path).suffix.lower() in (".parquet", ".pq")
    try:
        if not parquet:
            with Path(path).open("w", encoding="utf-8", newline="") as out:
                write_csv(plan, out, escape=escape)
            return
        try:
            import polars as pl
        except ImportError:
            msg = f"--out: {path} {needs('polars')}; a name that ends in .csv does without"
            raise InputError(msg) from None
        columns = zip(*plan_rows(plan), strict=True)
        pl.DataFrame(dict(zip(PLAN_COLUMNS, columns, strict=True))).write_parquet(path)
    except OSError as error:
        msg = f"--out: {path} cannot be written: {error.strerror or error}"
        raise InputError(msg) from error


def _cells(source: str) -> Iterable[tuple[int, list[str], str]]:
    """Return line number and cells of each line that has any, and what separates them."""
    where, content = content_of(source)
    check(content, where, "plan")
    text = decoded(content, where)
    header = FILLED.search(text)
    if header is None:
        fail(where, "it is empty; write a header and a line for each entry")
    delimiter = max(",;\t", key=header.group().count)
    # Read through bytes: an io.StringIO has four for each letter.
    content = text.encode()
    del text, header
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="\n")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                yield (
                    reader.line_num,
                    [_plain(cell) if cell[:1] == QUOTE else cell for cell in stripped],
                    delimiter,
                )
    except csv.Error as error:
        fail(f"{where}, line {reader.line_num}", f"it is not CSV: {error}")


def _rows(source: str, columns: Mapping[str, tuple[str, ...]], needed: tuple[str, ...]) -> Iterable[Row]:
    """Return place and cells by column of each line below the header.

    Where cells are separated by something else, a comma in a number is a decimal one.
    """
    where = "standard input" if source == "-" else source
    header: list[str] | None = None
    for line, cells, delimiter in _cells(source):
        at = f"{where}, line {line}"
        if header is None:
            header = _header(cells, columns, needed, at)
            continue
        if len(cells) > len(header):
            fail(at, f"it has {len(cells)} cells, but the header has {len(header)} columns")
        row = {name: cell for name, cell in zip(header, cells, strict=False) if name and cell}
        if delimiter != ",":
            for name in NUMBERS:
                if COMMA.fullmatch(row.get(name, "")):
                    row[name] = row[name].replace(",", ".")
        yield at, line, row


def _header(
    cells: list[str], columns: Mapping[str, tuple[str, ...]], needed: tuple[str, ...], at: str
) -> list[str]:
    lowered = [cell.lower() for cell in cells]
    header = [""] * len(cells)
    for column, names in columns.items():
        found = [name for name in names if name in lowered and not header[lowered.index(name)]]
        if found:
            if lowered.count(found[0]) > 1:
                fail(at, f"the header has the column {short(found[0])} more than once")
            header[lowered.index(found[0])] = column
    for column in needed:
        if column not in header:
            there = ", ".join(map(short, cells))
            fail(at, f"the header has no column {' or '.join(map(repr, columns[column]))}; it has {there}")
    return header


def _name(name: str, field: str, at: str) -> str:
    """Return a name that is there."""
    name = text_of(name, field, at)
    if not name:
        fail(at, f"the {field} is empty; fill it in on every line")
    return name


def _sigma(cell: str, at: str) -> float:
    sigma = number_of(cell, "sigma", at)
    if sigma < 0:
        fail(at, f"sigma must be at least 0, got {sigma:g}")
    return sigma


def _whole(cell: str, field: str, at: str) -> int:
    number = number_of(cell, field, at)
    if number < 0 or number != int(number):
        fail(at, f"{field} must be a whole number of at least 0, got {short(cell)}")
    return int(number)
