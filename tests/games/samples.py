"""Logs for the tests: real ones from ``data``, and hand-written ones in the forms that cannot be copied."""

from __future__ import annotations

import gzip
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

#: A log of each game that may be appended to.
SAMPLES = {
    "quake3": [real("x_elim")[:30000], real("x_ctfelim"), real(TDM)[:40000]],
    "xonotic": [(XONOTIC + XONOTIC.replace("1482099669", "1482100669")).encode()],
    "nexuiz": [real("nexuiz_tdm_console_eventlog"), real("nexuiz00000002") + real("nexuiz00000004")],
    "ut2004": [
        (UT2004_CTF * 2).replace("20:04", "20:05", 1).encode(coding)
        for coding in ("cp1252", "utf-16", "utf-16-be")
    ],
    "plain": [PLAIN.encode()],
}
