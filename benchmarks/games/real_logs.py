"""Read real logs whose games are known, whole and damaged, and compare: ``python -m benchmarks real_logs``.

The logs lie beside the project (``--data FOLDER`` says where), each with what was played in it, worked out
apart from the product; ``--data`` may name others of the same form, so that logs nobody has seen can be
judged.  Then the same logs are damaged: cut at every so many lines (``--every``), put together the wrong way
round, with names and chat that look like lines of the log, and with lines of the other games between theirs.
Nothing may crash, and no game may come out that was not played.

It writes ``REAL_LOGS.md``; ``--report`` only writes the page, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, describe, keep

from equipoise.core.match import Contest, Match, Unfinished
from equipoise.core.registry import GAMES, resolve
from equipoise.games.laws import parsed
from equipoise.games.log_reader import Game, guess_game
from equipoise.games.quakelive.reader import person_id

DATA = ROOT.parent / "shared" / "data" / "games"
RESULTS, REPORT = RAW / "real_logs.json", PAGES / "REAL_LOGS.md"

#: After how many lines logs are cut.
EVERY = 50

#: How large logs are damaged, in bytes: all.
SIZE = 10_000_000

#: How far kills and deaths of somebody may be from what is known: this part of them, or one.
NEAR = 0.01

#: In how many parts a log is put together the wrong way round.
PARTS = 20

#: How a name, and how chat, stands in logs that have any.
NAMED = {"TF2": b'"%s<', "CS": b'"%s<', "TW": b":%s'"}
SAID = {
    "TF2": b'L 01/01/2020 - 00:00:00: "x<99><[U:1:99]><Red>" say "%s"',
    "CS": b'L 01/01/2020 - 00:00:00: "x<99><[U:1:99]><CT>" say "%s"',
    "TW": b"[2020-01-01 00:00:00][chat]: 9:0:x: %s",
}

#: Games by their folders, and what they are called.
FOLDERS = {
    "TF2": "Team Fortress 2", "CS": "Counter-Strike", "QL": "Quake Live", "ET": "ET: Legacy",
    "TW": "Teeworlds",
}  # fmt: skip

#: What somebody might call themselves, or say, to be read as a line.
FORGED = (
    b'x" killed "y<1><[U:1:1]><Red>" with "bat',
    b"<2><[U:1:2]><Blue>",
    b'World triggered "Game_Over" reason "x',
    b'Team "Red" final score "9" with "1" players',
    b"[game]: flag_capture player='0:x' team=0",
    b"x' team=0->1",
    b"\\t\\1\\n\\x\\",
    b"\xe2\x80\xa8\xe2\x80\xae\xff",
)


@dataclass(frozen=True)
class KnownGame:
    """A game that was played to its end: what is known of it.

    Parameters
    ----------
    map : str or None
        Where, if that is known.
    rosters : tuple of frozenset of str
        Who played in each team, whatever sides they were on.
    score : tuple of float
        The final score of each roster; empty where there is none.
    winner : int or None
        Which roster won; None for a draw.
    rounds : tuple of (int or None)
        Who won each round that counts, where rounds are contests.
    kills, deaths : mapping from str to float
        Of those about whom it is known.
    several : frozenset of str
        Who played for both.
    """

    map: str | None
    rosters: tuple[frozenset[str], ...]
    score: tuple[float, ...]
    winner: int | None
    rounds: tuple[int | None, ...] = ()
    kills: Mapping[str, float] = field(default_factory=dict)
    deaths: Mapping[str, float] = field(default_factory=dict)
    several: frozenset[str] = frozenset()


@dataclass(frozen=True)
class KnownLog:
    """A log and the games that were played to their end in it."""

    game: str
    name: str
    content: bytes
    games: tuple[KnownGame, ...]


def unpacked(path: Path) -> bytes:
    """Return a log, that may lie there compressed."""
    packed = path.with_name(path.name + ".gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()


def known_logs(data: Path = DATA) -> Iterator[KnownLog]:
    """Go through the logs of a folder with what is known of them."""
    for path in sorted(data.glob("TF2/*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        games = tuple(
            map(_fortress, (each for each in truth["games"] if each["finished"] and each["rounds"]))
        )
        yield KnownLog("TF2", _log(path).name, unpacked(_log(path)), games)
    for path in sorted(data.glob("CS/*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        yield KnownLog("CS", _log(path).name, unpacked(_log(path)), tuple(map(_counter, truth["games"])))
    for path in sorted(data.glob("QL/*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        streams = tuple(_stream(each) for each in truth["matches"] if each["counts"])
        yield KnownLog("QL", _log(path).name, unpacked(_log(path)), streams)
    for path in sorted(data.glob("QL/feeder/*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        yield KnownLog("QL", _log(path).name, unpacked(_log(path)), (_report(truth),))
    for path in sorted(data.glob("ET/*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        day = path.name.removesuffix(".truth.json")
        content = b"".join(each.read_bytes() for each in sorted(path.parent.glob(f"{day}-*.txt")))
        yield KnownLog("ET", day, content, tuple(_stopwatch(each) for each in truth if each["finished"]))
    for path in sorted(data.glob("TW/*.log")):
        yield KnownLog("TW", path.name, path.read_bytes(), ())


def _log(truth: Path) -> Path:
    return truth.with_name(truth.name.removesuffix(".truth.json"))


def _fortress(game: Mapping[str, Any]) -> KnownGame:
    played = {one: each for one, each in game["players"].items() if each["took_part"]}
    rosters = [frozenset(game[side]) & played.keys() for side in ("roster_A_red_at_start", "roster_B")]
    colour = next((each["roster_A_is"] for each in reversed(game["rounds"]) if each["roster_A_is"]), "Red")
    other = "Blue" if colour == "Red" else "Red"
    score = (float(game["final_score"][colour]), float(game["final_score"][other]))
    return KnownGame(
        game["map"], tuple(rosters), score, _higher(score),
        kills={one: each["kills"] for one, each in played.items()},
        deaths={one: each["deaths"] for one, each in played.items()},
    )  # fmt: skip


def _counter(game: Mapping[str, Any]) -> KnownGame:
    names = list(game["final_by_team_name"])
    players = game["players"]
    score = tuple(float(game["final_by_team_name"][name]) for name in names)
    rosters = (
        frozenset(one for one, each in players.items() if name in each["rounds_for"]) for name in names
    )
    return KnownGame(
        game["map"], tuple(rosters), score, _higher(score),
        tuple(names.index(each["winner"][0]) if each["winner"] else None for each in game["rounds"]),
        {one: each["kills"] for one, each in players.items()},
        {one: each["deaths"] for one, each in players.items()},
    )  # fmt: skip


def _stream(game: Mapping[str, Any]) -> KnownGame:
    parts = {person_id(steam, each[-1]["name"]): each for steam, each in game["players"].items()}
    parts = {one: [each for each in several if each["team"] in (1, 2)] for one, several in parts.items()}
    score = (float(game["red"]), float(game["blue"]))
    sides = {"RED": 0, "BLUE": 1}
    return KnownGame(
        game["map"],
        tuple(
            frozenset(one for one, several in parts.items() if any(each["team"] == team for each in several))
            for team in (1, 2)
        ),
        score, _higher(score), tuple(sides.get(each["team_won"]) for each in game["rounds"]),
    )  # fmt: skip


def _report(game: Mapping[str, Any]) -> KnownGame:
    score = tuple(float(game["teams"][f"team#{n}"]["scoreboard-score"]) for n in (1, 2))
    played = [each for each in game["players"] if float(each["alive"] or 0) > 0]
    people = [person_id(each["steam"], each["name"]) for each in played]
    once = {one: each for one, each in zip(people, played, strict=True) if people.count(one) == 1}
    rosters = tuple(
        frozenset(one for one, each in zip(people, played, strict=True) if each["team"] == team)
        for team in "12"
    )
    return KnownGame(
        game["map"], rosters, score, _higher(score),
        kills={one: max(float(each["kills"]), 0.0) for one, each in once.items()},
        deaths={one: float(each["deaths"]) for one, each in once.items()},
        several=frozenset.intersection(*rosters),
    )  # fmt: skip


def _stopwatch(game: Mapping[str, Any]) -> KnownGame:
    winner = {"attackers of round 1": 0, "attackers of round 2": 1}.get(game["winner"])
    figures = {each["guid"]: each for half in ("r1", "r2") for each in game[half]["players"]}
    return KnownGame(
        game["map"],
        (frozenset(game["attackers_of_round_1"]), frozenset(game["others"])), (), winner,
        kills={one: each["kills"] for one, each in figures.items()},
        deaths={one: each["deaths"] for one, each in figures.items()},
    )  # fmt: skip


def _higher(score: Sequence[float]) -> int | None:
    return None if score[0] == score[1] else int(score[1] > score[0])


# What was read


def sides_of(match: Match, known: KnownGame) -> list[tuple[int, ...]]:
    """Return, for every contest, which of its teams is which known roster: by who stands in it."""
    found = []
    for contest in match.contests:
        people = [{one for one, _ in team} for team in contest.teams]
        order = max(
            itertools.permutations(range(len(people))),
            key=lambda order: sum(
                len(people[n] & roster) for n, roster in zip(order, known.rosters, strict=False)
            ),
        )
        found.append(order)
    return found


def _won(contest: Contest, order: Sequence[int]) -> int | None:
    first, second = (contest.ranks[n] for n in order[:2])
    return None if first == second else int(second < first)


def faults_of(match: Match, known: KnownGame) -> list[str]:
    """Return in what a match differs from what is known of it."""
    if any(len(contest.teams) != 2 for contest in match.contests):
        return ["teams"]
    orders = sides_of(match, known)
    rosters = [
        frozenset(
            one
            for contest, order in zip(match.contests, orders, strict=True)
            for one, _ in contest.teams[order[n]]
        )
        for n in (0, 1)
    ]
    wins = [_won(contest, order) for contest, order in zip(match.contests, orders, strict=True)]
    faults = []
    if known.several:
        apart = tuple(roster - known.several for roster in rosters)
        theirs = tuple(roster - known.several for roster in known.rosters)
        both = known.several <= frozenset.union(*rosters)
        if apart != theirs or not both:
            faults.append("rosters")
    elif tuple(rosters) != known.rosters:
        faults.append("rosters")
    last, order = match.contests[-1], orders[-1]
    score = tuple(last.scores[n] for n in order) if last.scores else (wins.count(0), wins.count(1))
    if known.score and score != known.score:
        faults.append("score")
    if (_higher(score) if len(wins) > 1 else wins[0]) != known.winner:
        faults.append("winner")
    if known.rounds and tuple(wins) != known.rounds:
        faults.append("rounds")
    if known.map is not None and match.map != known.map:
        faults.append("map")
    return faults


def figures_of(match: Match) -> tuple[Counter[str], Counter[str]]:
    """Return everyone's kills and deaths over all contests."""
    kills: Counter[str] = Counter()
    deaths: Counter[str] = Counter()
    for each in (each for contest in match.contests for each in contest.statistics):
        kills[each.player] += int(each.kills or 0)
        deaths[each.player] += int(each.deaths or 0)
    return kills, deaths


def compare(log: KnownLog) -> dict[str, Any]:
    """Read a log and return what of it is as it was played."""
    guess = guess_game(log.content)
    found = parsed(guess.game, log.content)
    matches = [each for each in found if isinstance(each, Match)]
    row: dict[str, Any] = {
        "game": log.game, "log": log.name, "guessed": guess.name, "finished": len(log.games),
        "read": len(matches), "refused": sum(isinstance(each, Unfinished) for each in found), "faults": [],
        "figures": {"people": 0, "off": 0, "known": 0.0, "sum": 0.0},
    }  # fmt: skip
    free = list(matches)
    for known in log.games:
        judged = [(faults_of(match, known), match) for match in free]
        if not judged:
            row["faults"].append(["missing"])
            continue
        faults, match = min(judged, key=lambda one: len(one[0]))
        free.remove(match)
        row["faults"].append(faults)
        for mine, theirs in zip(figures_of(match), (known.kills, known.deaths), strict=True):
            for one, number in theirs.items():
                row["figures"]["people"] += 1
                row["figures"]["off"] += abs(mine[one] - number) > max(1.0, NEAR * number)
                row["figures"]["known"] += number
                row["figures"]["sum"] += abs(mine[one] - number)
    row["invented"] = len(free)
    return row


# Damage


def played(match: Match) -> tuple[Any, ...]:
    """Return what was played in a match, apart from what it is called and when it was."""
    return tuple(
        (contest.ranks, contest.scores, tuple(frozenset(one for one, _ in team) for team in contest.teams))
        for contest in match.contests
    )


def is_of(match: Match, whole: Sequence[Match]) -> bool:
    """Tell whether a match of a damaged log is one of the whole log, or the part of it that is left.

    That is: each of its contests was won by the same people from the same people, or has the final score of
    those who played.
    """
    for other in whole:
        theirs = [*played(other), final(other)]
        same = other.ruleset.game == match.ruleset.game
        if same and all(any(_same(one, each) for each in theirs) for one in played(match)):
            return True
    return False


def final(match: Match) -> tuple[Any, ...]:
    """Return what a match of rounds came to: ranks, how many rounds each roster won, and who was in it."""
    first = match.contests[0]
    if first.scores or len(first.teams) != 2:
        return played(match)[-1]  # type: ignore[no-any-return]  # parts of what was played are of any type
    rosters = [{one for one, _ in team} for team in first.teams]
    wins = [0.0, 0.0]
    for contest in match.contests:
        people = [{one for one, _ in team} for team in contest.teams]
        turned = len(people[0] & rosters[1]) > len(people[0] & rosters[0])
        for n in (0, 1):
            rosters[n ^ turned] |= people[n]
            wins[n ^ turned] += contest.ranks[n] < contest.ranks[1 - n]
    ranks = tuple(float(one < max(wins)) for one in wins)
    return ranks, tuple(wins), tuple(map(frozenset, rosters))


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Tell whether two contests are of one result, in either order of the teams, and none is new in it."""
    return any(
        (ranks, scores, len(teams)) == (other[0], other[1], len(other[2]))
        and all(mine <= theirs for mine, theirs in zip(teams, other[2], strict=True))
        for ranks, scores, teams in ((part[::step] for part in one) for step in (1, -1))
    )


def damages(log: KnownLog, others: Sequence[bytes], every: int) -> Iterator[tuple[str, bytes]]:
    """Go through damaged forms of a log, with what was done."""
    lines = log.content.split(b"\n")
    for place in range(every, len(lines), every):
        yield "its end is missing", b"\n".join(lines[:place]) + b"\n"
        yield "its beginning is missing", b"\n".join(lines[place:])
    for part in range(1, PARTS):
        place = len(lines) * part // PARTS
        yield "the wrong way round", b"\n".join([*lines[place:], *lines[:place]])
    found = (each for each in parsed(_game(log), log.content) if isinstance(each, Match))
    names = [name.encode() for name in dict.fromkeys(name for each in found for _, name in each.names)]
    for n, forged in enumerate(FORGED):
        for name in names[n::PARTS][:1] if log.game in NAMED else ():
            yield "a forged name", log.content.replace(NAMED[log.game] % name, NAMED[log.game] % forged)
        yield "forged chat", _mixed(lines, [SAID.get(log.game, b"say: %s") % forged], 40)
    for other in others:
        for period in (1, 7, 50):
            yield "lines of another game between", _mixed(lines, other.split(b"\n"), period)


def _mixed(lines: Sequence[bytes], foreign: Sequence[bytes], period: int) -> bytes:
    """Return lines with a foreign one behind every so many, these again and again."""
    more = itertools.cycle(foreign)
    return b"\n".join(
        each for n, line in enumerate(lines) for each in ((line,) if n % period else (line, next(more)))
    )


def _game(log: KnownLog) -> Game:
    names = {"TF2": "halflife", "CS": "halflife", "QL": "quakelive", "ET": "etlegacy", "TW": "teeworlds"}
    game: Game = resolve("game", GAMES, names[log.game])
    return game


def damage(log: KnownLog, others: Sequence[bytes], every: int) -> list[dict[str, Any]]:
    """Damage a log in every way; return for each how many games came out, and which were invented."""
    game = _game(log)
    whole = [each for each in parsed(game, log.content) if isinstance(each, Match)]
    rows: dict[str, dict[str, Any]] = {}
    for what, content in damages(log, others, every):
        empty: dict[str, Any] = {"forms": 0, "read": 0, "invented": [], "crashes": []}
        row = rows.setdefault(what, {"game": log.game, "log": log.name, "what": what, **empty})
        row["forms"] += 1
        try:
            found = [each for each in parsed(game, content) if isinstance(each, Match)]
        except Exception as error:  # noqa: BLE001  # a crash is what is looked for
            row["crashes"].append(f"{type(error).__name__}: {error}"[:200])
            continue
        row["read"] += len(found)
        row["invented"] += [_words(each) for each in found if not is_of(each, whole)]
    return list(rows.values())


def _words(match: Match) -> str:
    last = match.contests[-1]
    return f"{match.ruleset.game}, {len(match.contests)} contests, {last.scores or last.ranks}"


# The page


def foreign_logs() -> list[bytes]:
    """Return logs of other games: those of the tests."""
    folder = ROOT / "tests" / "games" / "data"
    names = ("ctf_mlctf1beta_4v4_16bots_ts25", "nexuiz_tdm_console_eventlog")
    return [gzip.decompress((folder / f"{name}.log.gz").read_bytes())[:200_000] for name in names]


def measure(data: Path, every: int, size: int) -> dict[str, Any]:
    """Read all logs, whole, and damaged up to some size in bytes."""
    logs = list(known_logs(data))
    known = [compare(log) for log in logs]
    firsts = {log.game: log.content[:200_000] for log in logs}
    damaged = []
    for log in (each for each in logs if len(each.content) <= size):
        others = [content for game, content in firsts.items() if game != log.game and unlike(game, log.game)]
        damaged += damage(log, [*others, *foreign_logs()], every)
    sizes = {"every": every, "size": size}
    return {**describe(), "load": os.getloadavg()[1], **sizes, "known": known, "damaged": damaged}


def unlike(one: str, other: str) -> bool:
    """Tell whether lines of two games look unlike; those of Team Fortress 2 and Counter-Strike do not."""
    return {one, other} != {"TF2", "CS"}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Real logs, whole and damaged", "",
        "`python -m benchmarks real_logs` read them and wrote this; do not edit.",
        "The logs lie beside the project, in `../shared/data/games`, each with what was played in it, worked",
        "out apart from the product; `--data FOLDER` judges others of the same form.",
        f"Commit {results['commit']}; the load of the machine was {results['load']:.1f} on two cores.", "",
        "## As they are", "",
        "Right is a game whose map, rosters, final score, winner and, where they are contests, rounds are as",
        "they were played; refused are games that were not played to their end, each with its reason.",
        "Figures are the kills and deaths of all people: how far ours are from what is known, in total.", "",
        "| game | logs | finished games | right | invented | refused | kills and deaths | apart |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for game, name in FOLDERS.items():
        rows = [row for row in results["known"] if row["game"] == game]
        total = sum(row["figures"]["known"] for row in rows)
        apart = f"{sum(row['figures']['sum'] for row in rows) / total:.2%}" if total else ""
        right = sum(not faults for row in rows for faults in row["faults"])
        lines.append(
            f"| {name} | {len(rows)} | {sum(row['finished'] for row in rows)} | {right} "
            f"| {sum(row['invented'] for row in rows)} | {sum(row['refused'] for row in rows)} "
            f"| {total:,.0f} | {apart} |"
        )
    lines += [
        "",
        "In Counter-Strike a kill of a team mate counts for nobody here, and as a death in what is known.",
        "", "## Damaged", "",
        f"Cut behind every {results['every']}th line, either part alone; cut in two at {PARTS - 1} places,",
        "the second part put first; with a name and chat that look like lines of the log; with a line of",
        "another game behind each, each 7th and each 50th.  A game is invented where its score, or the",
        "winner of a round, is not that of a game of the whole log, or somebody is in it who was not.",
        f"Damaged were {len({row['log'] for row in results['damaged']})} of {len(results['known'])} logs:",
        f"those of up to {results['size'] / 1e3:,.0f} kB.", "",
        "| game | what was done | forms | games read | invented | crashes |",
        "|---|---|---:|---:|---:|---:|",
    ]  # fmt: skip
    for game, name in FOLDERS.items():
        rows = [row for row in results["damaged"] if row["game"] == game]
        for what in dict.fromkeys(row["what"] for row in rows):
            each = [row for row in rows if row["what"] == what]
            lines.append(
                f"| {name} | {what} | {sum(row['forms'] for row in each):,} "
                f"| {sum(row['read'] for row in each):,} | {sum(len(row['invented']) for row in each)} "
                f"| {sum(len(row['crashes']) for row in each)} |"
            )
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="where the logs are")
    parser.add_argument("--size", type=int, default=SIZE, help="how large logs are damaged, bytes")
    parser.add_argument("--every", type=int, default=EVERY, help="after how many lines logs are cut")
    add_modes(parser)
    given = parser.parse_args()
    if not (given.report or given.check) and not given.data.is_dir():
        print(f"{given.data}: there are no logs", file=sys.stderr)
        return 1
    return keep(given, RESULTS, REPORT, lambda: measure(given.data, given.every, given.size), report)
