"""Ids that several people share: ``python -m benchmarks shared_ids`` reads own archives in which some do.

Each archive is a season of a server as logs of Quake 3: people with ids of their own, and 2 to 20 on a LAN
with one id.  Names vary from game to game (case, accents, clan tags, colour codes, signs at the ends), people
come and go within games, and connections time out while their owners are back already.  An appearance is a
person in a game; it is wrong where it counts for another id than most of that person's do, or for one that
is mostly somebody else's.  Every archive is filled three times in other orders and must end the same.

It writes ``shared_ids.json`` and ``SHARED_IDS.md``; ``--archives N`` makes N of them, ``--report`` writes the
page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Match
from equipoise.games.quake3.reader import Quake3
from equipoise.identity.names import bare

#: Archives, and the orders in which each is filled.
ARCHIVES, ORDERS = 200, 3

#: Seconds of a game, and of a connection that times out at most.
LENGTH, TIMEOUT = 600.0, 240.0

NICKS = (
    "Amber", "Birch", "Cedar", "Dahlia", "Elm17", "Fir", "Gordon", "Hazel", "Iris", "Juniper", "Kestrel",
    "Linden", "Maple", "Nettle", "Olive", "Poppy", "Quince", "Rowan", "Sorrel", "Tansy", "Ulmus", "Violet",
    "Willow", "Xeno", "Yarrow", "Zinnia", "José", "Zoë", "Max", "Tim", "Kai", "Lea", "Player1", "Player2",
    "Player3", "m4verick", "n00dle", "Dr. Fish", "xX_Sn1per_Xx", "the_dude", "Anna", "Anne",
)  # fmt: skip

PAGE = """# Ids that several people share

{archives} own archives with {games} games: on each server 2 to 20 people had one id, beside people with ids
of their own (`python -m benchmarks shared_ids`).
Names vary, people come and go, and connections time out while their owners are back already.

| | appearances | on the wrong person |
|---|---|---|
| people with a shared id | {shared} | {shared_wrong} ({shared_part:.2f} %) |
| people with an id of their own | {own} | {own_wrong} |

In {apart} of {archives} archives the shared id was found; in {falsely} an id of one person was called shared.
The worst archive had {worst:.1f} % of the appearances of its LAN on the wrong person.
Filled in {orders} orders, {different} archives ended with another digest, other people or other ratings.
"""


def varied(rng: random.Random, name: str) -> str:
    """Return a name as somebody writes it today."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        change = rng.randrange(6)
        if change == 0:
            name = name.upper() if rng.random() < 0.5 else name.lower()
        elif change == 1:
            name = f"[{rng.choice(('UT', 'xo', 'KSK'))}]{name}"
        elif change == 2:
            name = f"^{rng.randrange(8)}{name}"
        elif change == 3:
            name = f"{name}{rng.choice(('_', '-', '!', '~'))}"
        elif change == 4:
            name = name.replace("e", "é", 1)
        else:
            name = f"{name[:2]}^{rng.randrange(8)}{name[2:]}"
    return name


class Server:
    """A season on one server: its people, and logs of games with who was really there."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        names = rng.sample(NICKS, min(rng.randint(2, 20) + 6, len(NICKS)))
        self.lan, self.own = names[6:], names[:6]
        self.ids = dict.fromkeys(self.lan, f"{seed:08X}{'F' * 24}")
        self.ids |= {name: f"{seed:016X}{n:016X}" for n, name in enumerate(self.own)}
        #: From the id of a match and a name there to who it was.
        self.logs: list[bytes] = []
        self.truth: list[dict[str, str]] = []
        for number in range(rng.randint(8, 24)):
            self._game(number)

    def _game(self, number: int) -> None:
        rng, teams = self.rng, self.rng.random() < 0.5
        there = [one for one in self.lan if rng.random() < 0.75] + [n for n in self.own if rng.random() < 0.6]
        events: list[tuple[float, str]] = []
        truth: dict[str, str] = {}
        slots = iter(range(64))
        playing: list[tuple[int, float, float]] = []
        for one in there:
            name, side = varied(rng, one), rng.choice((1, 2)) if teams else 0
            begin = rng.random() * 30.0 if rng.random() < 0.8 else rng.random() * 300.0
            stays = [(begin, LENGTH, LENGTH)]
            if rng.random() < 0.15:  # leaves for good, or comes again
                left = rng.uniform(begin + 60.0, LENGTH - 100.0)
                stays = [(begin, left, left)]
                if rng.random() < 0.5:
                    stays.append((left + 20.0, LENGTH, LENGTH))
            elif rng.random() < 0.15:  # the connection is lost; the server notices late
                lost = rng.uniform(begin + 60.0, LENGTH - 150.0)
                again = lost + rng.uniform(5.0, 60.0)
                stays = [(begin, lost, min(again + rng.random() * TIMEOUT, LENGTH)), (again, LENGTH, LENGTH)]
            for first, active, gone in stays:
                slot = next(slots)
                truth[bare(name)] = one
                info = f"ClientUserinfoChanged: {slot} n\\{name}\\t\\{side}\\id\\{self.ids[one]}"
                events += [(first, info), (first, f"ClientConnect: {slot}"), (first, f"ClientBegin: {slot}")]
                if gone < LENGTH:
                    events.append((gone, f"ClientDisconnect: {slot}"))
                playing.append((slot, first, active))
        for slot, first, active in playing:
            at = first + rng.expovariate(1 / 30.0)
            while at < active:
                others = [each for each, a, b in playing if each != slot and a < at < b]
                if others:
                    events.append((at, f"Kill: {slot} {rng.choice(others)} 4: a killed b by MOD_ROCKET"))
                at += rng.expovariate(1 / 30.0)
        events.sort(key=lambda each: each[0])
        date = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(1_700_000_000 + 3600 * number))
        kind = 3 if teams else 0
        lines = [
            (
                0.0,
                f"InitGame: \\gamename\\baseoa\\g_gametype\\{kind}\\mapname\\dm{number}\\g_timestamp\\{date}",
            )
        ]
        lines += events
        lines += [(LENGTH, "Exit: Timelimit hit.")]
        if teams:
            lines.append((LENGTH, f"red:{rng.randint(20, 60)}  blue:{rng.randint(20, 60)}"))
        there_now = [slot for slot, _, active in playing if active == LENGTH]
        lines += [(LENGTH, f"score: {rng.randint(0, 40)}  ping: 50  client: {slot} x") for slot in there_now]
        lines.append((LENGTH + 1, "ShutdownGame:"))
        text = "".join(f"{int(at) // 60:3d}:{int(at) % 60:02d} {line}\n" for at, line in lines)
        self.logs.append(text.encode())
        self.truth.append(truth)


def filled(archive: Archive, matches: list[Match]) -> tuple[str, Any, Any]:
    """Fill an archive a few matches at a time; return all that follows."""
    for n in range(0, len(matches), 10):
        archive.record(matches[n : n + 10])
        archive.update_ratings()
    return archive.digest(), archive.identities(), archive.standing().state


def judged(seed: int) -> dict[str, Any]:
    """Return what became of one server."""
    server = Server(seed)
    matches: list[Match] = []
    truth: dict[str, dict[str, str]] = {}
    for log, names in zip(server.logs, server.truth, strict=True):
        reader = Quake3().reader("log")
        found = [one for one in (*reader.read(log), *reader.finish()) if isinstance(one, Match)]
        matches += found
        truth |= {one.id: names for one in found}
    with tempfile.TemporaryDirectory() as folder:
        ends, archives = [], []
        for order in range(ORDERS):
            mixed = list(matches)
            random.Random(order).shuffle(mixed)
            archives.append(open_archive(f"sqlite:///{folder}/{order}.db"))
            ends.append(filled(archives[-1], mixed))
        counted = list(archives[0].matches())
        doubtful = {one.id for one in archives[0].doubtful()}
        for archive in archives:
            archive.close()
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for match in counted:
        for player, name in match.names:
            seen[match.id, truth[match.id][bare(name)]].add(player)
    whose: dict[str, Counter[str]] = defaultdict(Counter)
    ids: dict[str, Counter[str]] = defaultdict(Counter)
    for (_, person), players in seen.items():
        for player in players:
            whose[player][person] += 1
            ids[person][player] += 1
    main = {person: counts.most_common(1)[0][0] for person, counts in ids.items()}
    wrong = {
        key for key, players in seen.items()
        if players != {main[key[1]]} or whose[main[key[1]]].most_common(1)[0][0] != key[1]
    }  # fmt: skip
    there = [
        (match.id, person)
        for match in matches
        for person in {truth[match.id][bare(n)] for _, n in match.names}
    ]
    wrong |= {key for key in there if key not in seen}
    lan = set(server.lan)
    return {
        "games": len(matches), "people": len(lan),
        "shared": sum(person in lan for _, person in there), "shared_wrong": sum(p in lan for _, p in wrong),
        "own": sum(person not in lan for _, person in there),
        "own_wrong": sum(person not in lan for _, person in wrong),
        "found": any(id_.endswith("F" * 24) for id_ in doubtful),
        "falsely": any(not id_.endswith("F" * 24) for id_ in doubtful),
        "different": any(end != ends[0] for end in ends),
    }  # fmt: skip


def measure(archives: int) -> list[dict[str, Any]]:
    """Judge so many servers."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(judged, range(archives)))


def page(rows: list[dict[str, Any]]) -> str:
    """Return the page of raw results."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update({key: int(value) for key, value in row.items()})
    return PAGE.format(
        archives=len(rows), games=total["games"], shared=total["shared"], shared_wrong=total["shared_wrong"],
        shared_part=100.0 * total["shared_wrong"] / total["shared"], own=total["own"], orders=ORDERS,
        own_wrong=total["own_wrong"], apart=total["found"], falsely=total["falsely"],
        worst=max(100.0 * row["shared_wrong"] / max(row["shared"], 1) for row in rows),
        different=total["different"],
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    return reporting.run_many(
        __doc__, RAW / "shared_ids.json", PAGES / "SHARED_IDS.md", measure, page, archives=ARCHIVES
    )
