"""Logs for the tests: real ones from ``data``, and hand-written ones in the forms that cannot be copied."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

DATA = Path(__file__).parent / "data"


def real(name: str) -> bytes:
    """Return a log of ``data``."""
    return gzip.decompress((DATA / f"{name}.log.gz").read_bytes())


TDM = "tdm_oa_dm5_4v4_16bots_ts25"
CTF = "ctf_mlctf1beta_4v4_16bots_ts25"

ANN, BOB, CID = ("0123456789abcdef0123456789abcde" + digit for digit in "123")


def ut2004(
    *lines: str, mutators: str = "XGame.MutInstaGib|UnrealGame.DMMutator", kind: str = "XGame.xCTFGame"
) -> str:
    """Return a log with its first lines and the given ones, of which spaces part the fields."""
    head = [
        f"0\tNG\t2004-5-1 20:04:07\t0\tCTF-Citadel\tCitadel\tSomeone\t{kind}\tgame\tMutators={mutators}",
        "0\tSI\tServer\t0\tadmin\tmail\t\\ServerMode\\dedicated",
    ]
    return "\n".join([*head, *("\t".join(line.split(" ")) for line in lines)]) + "\n"


UT2004_CTF = ut2004(
    f"1 C 0 {ANN} ann pw", f"1 C 1 {BOB} bob pw", "1 G NameChange 0 Ann", "1 G NameChange 1 Bob",
    "1 G TeamChange 0 0", "1 G TeamChange 1 1", "2 K 0 DamType 1 Rifle", "2 S 0 1.00 frag",
    "5 SG", "9 K 0 DamType 1 Rifle", "9 S 0 1.00 frag", "9 P 0 first_blood", "12 G flag_taken 0 1",
    "20 G flag_captured 0 1", "20 S 0 5 flag_cap_final", "20 T 0 1.00 flag_cap",
    f"25 C 2 {CID} cid pw", "25 G NameChange 2 Cïd", "25 G TeamChange 2 1", "30 TK 2 DamType 1 Rifle",
    "40 K -1 Fell 0 None", "45 T 0 1.00 flag_cap", "45 EG timelimit 0 1 2", "46 PP 0 30",
)  # fmt: skip

PLAIN = "".join(
    f'{{"ended": {n}, "game": "g", "game_type": "duel", "teams": [["ann"], ["bob"]], "scores": [{n}, 1]}}\n'
    for n in range(4)
)

XONOTIC = """:gamestart:ctf_stormkeep:0.1482099669.871995
:gameinfo:mutators:LIST:instagib:damagetext
:gameinfo:end
:join:1:1:127.0.0.1:^1Ann
:join:2:2:[::1]:Bob
:join:3:3:bot:[BOT]Eureka
:join:4:4:bot:[BOT]Hellfire
:team:1:5:1
:team:2:14:1
:team:3:5:4
:team:4:14:4
:kill:frag:1:2:type=7:items=V:victimitems=B
:ctf:capture:14:1
:kill:frag:4:3:type=7:items=V:victimitems=B
:scores:ctf_stormkeep:612
:labels:player:score!!,caps,kills,deaths<
:player:see-labels:12,1,1,0:600:5:1:^1Ann
:player:see-labels:1,0,0,1:600:14:2:Bob
:labels:teamscores:score,caps!!
:teamscores:see-labels:12,1:5
:teamscores:see-labels:2,0:14
:end
:gameover
"""

STEAM = ("STEAM_0:1:11", "STEAM_0:0:12", "STEAM_0:1:13", "BOT")


def counter_strike(
    *lines: str, ids: tuple[str, ...] = STEAM, mark: str = "", day: int = 1, name: str = "de_dust2"
) -> str:
    """Return a log of four people on a map; ``WIN team ct t`` stands for a round that was won."""
    people = [f"P{n}<{n + 20}><{reported}>" for n, reported in enumerate(ids)]
    head = [f'Loading map "{name}"', 'Server cvar "sv_gravity" = "800"', f'Started map "{name}" (CRC "1")']
    for n, person in enumerate(people):
        team = ("CT", "TERRORIST")[n % 2]
        head += [f'"{person}<>" entered the game', f'"{person}<>" joined team "{team}"']
    whole = [f'"{person}<{("CT", "TERRORIST")[n % 2]}>"' for n, person in enumerate(people)]
    wins = {"CT": "CTs_Win", "TERRORIST": "Terrorists_Win"}
    out = []
    for line in (*head, *lines, "Log file closed"):
        if line.startswith("WIN "):
            _, team, ct, t = line.split()
            out.append(f'Team "{team}" triggered "{mark}{wins[team]}" (CT "{ct}") (T "{t}")')
            out.append('World triggered "Round_End"')
        else:
            out.append(re.sub("<([0-3])>", lambda n: whole[int(n[1])], line))
    return "".join(
        f"L 01/{day:02}/2026 - 20:{n // 60:02}:{n % 60:02}: {line}\n" for n, line in enumerate(out)
    )


CS = counter_strike(
    '<0> killed <1> with "ak47"', "WIN CT 1 0", 'World triggered "Restart_Round_(1_second)"',
    'World triggered "Round_Start"', '<0> killed <1> with "ak47"', '<2> killed <3> with "m4a1" (headshot)',
    "WIN CT 1 0", 'World triggered "Round_Start"', '<1> killed <0> with "awp"', "WIN TERRORIST 1 1",
)  # fmt: skip


FORTRESS_TEAMS = ("Red", "Red", "Blue", "Blue")


def fortress_person(n: int, team: str | None = None) -> str:
    """Return one of four people as a log of Team Fortress 2 has them."""
    return f'"P{n}<{n + 2}><[U:1:{n + 31}]><{team or FORTRESS_TEAMS[n]}>"'


def _scores(kind: str, numbers: list[str]) -> list[str]:
    red, blue = numbers
    return [f'Team "{t}" {kind} score "{n}" with "2" players' for t, n in (("Red", red), ("Blue", blue))]


def team_fortress(*lines: str, day: int = 1) -> str:
    """Return a log of Team Fortress 2, ten seconds a line.

    ``KILL a b`` stands for a kill, ``WIN team red blue`` for a round that was won and the score after it,
    ``OVER red blue`` for the end of the game.
    """
    out: list[list[str]] = []
    for line in lines:
        word, *rest = line.split()
        if word == "KILL":
            killer, victim = (fortress_person(int(n)) for n in rest)
            out.append([f'{killer} killed {victim} with "scattergun" (attacker_position "0 0 0")'])
        elif word == "WIN":
            out.append([f'World triggered "Round_Win" (winner "{rest[0]}")', *_scores("current", rest[1:])])
        elif word == "OVER":
            out.append(['World triggered "Game_Over" reason "Reached Time Limit"', *_scores("final", rest)])
        elif word == "START":
            out.append(['World triggered "Round_Start"'] * 2)
        else:
            out.append([line])
    return "".join(
        f"L 09/{day:02}/2021 - 21:{n // 6:02}:{n % 6}0: {line}\n"
        for n, some in enumerate(out)
        for line in some
    )


#: Two counted rounds of three: the last was won after the time had run out.
FORTRESS = team_fortress(
    "START", "KILL 0 2", "KILL 3 1", "WIN Red 1 0", "KILL 0 3", "START", "KILL 2 0", "KILL 1 3",
    "WIN Blue 1 1", "START", "KILL 2 1", "WIN Red 1 1", "OVER 1 1",
)  # fmt: skip


def urban_terror() -> bytes:
    """Return a log of two people and two bots: two rounds of team survivor, then a game with flags."""
    out, now = [], 0
    for kind in (4, 7):
        lines = [
            rf"InitGame: \g_gametype\{kind}\mapname\ut4_abbey\gamename\q3urt42\g_walljumps\3", "Warmup:",
        ]  # fmt: skip
        for slot in range(4):
            who = rf"\cl_guid\{slot:032X}" if slot < 2 else r"\skill\4\characterfile\bots/x.c"
            lines += [rf"ClientUserinfo: {slot} \name\P{slot}{who}",
                      rf"ClientUserinfoChanged: {slot} n\P{slot}\t\{1 + slot % 2}\r\1\tl\0",
                      f"ClientBegin: {slot}"]  # fmt: skip
        if kind == 4:
            for winner in ("Red", "Blue"):
                lines += [r"InitRound: \g_gametype\4", "Kill: 0 1 19: P0 killed P1 by UT_MOD_LR300",
                          f"SurvivorWinner: {winner}"]  # fmt: skip
        else:
            lines += ["Flag: 0 2: team_CTF_blueflag", "Kill: 1 1 10: P1 killed P1 by MOD_CHANGE_TEAM"]
        for line in (*lines, "Exit: Timelimit hit.", "red:2  blue:1", "ShutdownGame:"):
            now += 3
            out.append(f"{now // 60:3}:{now % 60:02} {line}\n")
    return "".join(out).encode()


def stopwatch_round(
    number: int,
    winner: int,
    time: str,
    *players: tuple[str, int, int, int, float],
    limit: str = "10:00",
    name: str = "supply",
    defender: int = 1,
) -> str:
    """Return a file of a round of ET: Legacy; of each player the id, team, kills, deaths and minutes."""
    lines = [rf"^1A ^7server\{name}\legacy3\{number}\{defender}\{winner}\{limit}\{time}"]
    for guid, team, kills, deaths, minutes in players:
        figures = "\t".join(["100"] * 22 + [str(minutes), "0.0"])
        lines.append(rf"{guid}\^2P{guid[0]}\0\{team}\6 9 30 {kills} 0 1 2 8 0 {deaths} 0 " + "\t" + figures)
    return "\n".join(lines) + "\n"


def stopwatch_match(times: tuple[str, str] = ("4:00", "3:00"), winners: tuple[int, int] = (2, 2)) -> str:
    """Return both files of a match of two against two, A and B attacking first; figures count both rounds."""
    first = (("A0000001", 2, 3, 1, 4.0), ("B0000002", 2, 1, 2, 4.0), ("C0000003", 1, 2, 2, 4.0),
             ("D0000004", 1, 1, 2, 4.0))  # fmt: skip
    second = (("A0000001", 1, 4, 3, 7.0), ("B0000002", 1, 2, 4, 7.0), ("C0000003", 2, 5, 4, 7.0),
              ("D0000004", 2, 4, 4, 7.0))  # fmt: skip
    limit = times[0] if winners[0] == 2 else "10:00"
    return stopwatch_round(1, winners[0], times[0], *first) + stopwatch_round(
        2, winners[1], times[1], *second, limit=limit
    )


def teeworlds(*games: tuple[str, ...], new: bool = True, start: int = 0) -> str:
    """Return a log of Teeworlds: A and C against B and D; ``KILL a b``, ``CAP a``, ``LEAVE a``, or a line."""
    out = ["[server]: starting...", "[datafile]: loading. filename='maps/ctf5.map'"]
    for slot, name in enumerate("ABCD"):
        out.append(f"[game]: team_join player='{slot}:{name}' team={slot % 2}")
    for kind, *events in games:
        word = "match" if new else "round"
        out.append(f"[game]: start {word} type='{kind}' teamplay='{int(kind != 'DM')}'")
        for event in events:
            what, *who = event.split(" ") if event[:1] != "[" else ("",)
            whole = [
                f"{one}:{int(one) % 2}:{'ABCD'[int(one)]}" if new else f"{one}:{'ABCD'[int(one)]}"
                for one in who
            ]
            if what == "KILL":
                out.append(f"[game]: kill killer='{whole[0]}' victim='{whole[1]}' weapon=3 special=0")
            elif what == "CAP":
                out.append(
                    f"[game]: flag_capture player='{who[0]}:{'ABCD'[int(who[0])]}'" + " team=0 time=9" * new
                )
            elif what == "LEAVE":
                out += [f"[game]: kill killer='{whole[0]}' victim='{whole[0]}' weapon=-3 special=0",
                        f"[game]: leave player='{who[0]}:{'ABCD'[int(who[0])]}'"]  # fmt: skip
            else:
                out.append(event)
    times = [
        f"[2026-01-{1 + start:02} 20:{n // 6:02}:{n % 6}0]"
        if new
        else f"[{1700000000 + 86400 * start + 10 * n:08x}]"
        for n in range(len(out))
    ]
    return "".join(f"{time}{line}\n" for time, line in zip(times, out, strict=True))


def quake_live_events() -> list[dict[str, object]]:
    """Return the events of a game of Clan Arena in which somebody comes in after the first round."""
    ann, bob, cid = (str(76561197960265728 + n) for n in (23, 24, 25))

    def event(kind: str, **data: object) -> dict[str, object]:
        return {"DATA": {"MATCH_GUID": "a-b-c", **data}, "TYPE": kind}

    players = [{"STEAM_ID": ann, "TEAM": 1, "NAME": "^1Ann^7"}, {"STEAM_ID": bob, "TEAM": 2, "NAME": "Bob"}]
    later = {"STEAM_ID": cid, "OLD_TEAM": "SPECTATOR", "TEAM": "RED", "NAME": "Cid"}
    return [
        event("PLAYER_SWITCHTEAM", TIME=1, WARMUP=True, KILLER=later),
        event("MATCH_STARTED", GAME_TYPE="CA", MAP="campgrounds", INSTAGIB=0, PLAYERS=players),
        event("ROUND_OVER", ROUND=1, TEAM_WON="RED", TIME=30, WARMUP=False),
        event("PLAYER_SWITCHTEAM", TIME=31, WARMUP=False, KILLER=later),
        event("ROUND_OVER", ROUND=2, TEAM_WON="BLUE", TIME=60, WARMUP=False),
        event("ROUND_OVER", ROUND=3, TEAM_WON="RED", TIME=90, WARMUP=False),
        event("MATCH_REPORT", GAME_TYPE="CA", MAP="campgrounds", GAME_LENGTH=91, TSCORE0=2, TSCORE1=1,
              ABORTED=False),
    ]  # fmt: skip


#: A report of a feeder: a capture game in which somebody left after a quarter of it.
QUAKE_LIVE_REPORT = """0 127.0.0.1
1 1600000400
S A server
I d-e-f
G ctf
M courtyard
O ictf
D 400
Q team#1
e scoreboard-score 3
P 76561197960265751
n ^1Ann^7
t 1
e matches 1
e alivetime 400
e rank 1
e scoreboard-score 30
e scoreboard-kills 9
e scoreboard-deaths 4
e medal-revenge 0
Q team#2
e scoreboard-score 1
P 76561197960265752
n Bob
t 2
e matches 1
e alivetime 400
e rank 2
e scoreboard-score 12
e scoreboard-kills 4
e scoreboard-deaths 9
e medal-revenge 0
P 76561197960265753
n Cid
t 2
e matches 1
e alivetime 100
e rank -1
e scoreboard-score 2
e scoreboard-kills 1
e scoreboard-deaths 1
e medal-revenge 0
"""

QUAKE_LIVE = "".join(json.dumps(event) + "\n" for event in quake_live_events())

#: A log of each game that may be appended to.
SAMPLES = {
    "urbanterror": [urban_terror()],
    "quake3": [real("x_elim")[:30000], real("x_ctfelim"), real(TDM)[:40000]],
    "xonotic": [(XONOTIC + XONOTIC.replace("1482099669", "1482100669")).encode()],
    "nexuiz": [real("nexuiz_tdm_console_eventlog"), real("nexuiz00000002") + real("nexuiz00000004")],
    "ut2004": [
        (UT2004_CTF * 2).replace("20:04", "20:05", 1).encode(coding)
        for coding in ("cp1252", "utf-16", "utf-16-be")
    ],
    "halflife": [
        (CS + CS.replace("01/01/2026", "01/02/2026")).encode(),
        (FORTRESS + FORTRESS.replace("09/01/2021", "09/02/2021")).encode(),
    ],
    "quakelive": [(QUAKE_LIVE + QUAKE_LIVE.replace("a-b-c", "b-c-d")).encode()],
    "etlegacy": [(stopwatch_match() + stopwatch_match(("5:00", "4:00"))).encode()],
    "teeworlds": [
        teeworlds(
            ("TDM", "KILL 0 1", "KILL 3 2", "KILL 0 3"),
            ("CTF", "CAP 1"),
            ("DM", "KILL 1 0"),
            ("TDM",),
            new=new,
        ).encode()
        for new in (True, False)
    ],
    "plain": [PLAIN.encode()],
}
