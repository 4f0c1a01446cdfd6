"""UT2004's rulesets: classes of game types and of mutators, and which of these change play."""

from __future__ import annotations

from equipoise.core.rulesets import GameRules

#: Classes of game types and the names that logs give them, in lower case.
GAME_TYPES = {
    "xgame.xdeathmatch": "ffa", "unrealgame.deathmatch": "ffa", "deathmatch": "ffa", "dm": "ffa",
    "xgame.xteamgame": "tdm", "unrealgame.teamgame": "tdm", "team deathmatch": "tdm",
    "xgame.xctfgame": "ctf", "unrealgame.ctfgame": "ctf", "xgame.instagibctf": "ctf",
    "capture the flag": "ctf",
    "xgame.xvehiclectfgame": "vctf", "vehicle ctf": "vctf",
    "xgame.xbombingrun": "bombing-run", "bombing run": "bombing-run",
    "xgame.xdoubledom": "dd", "double domination": "dd",
    "onslaught.onsonslaughtgame": "onslaught",
    "ut2k4assault.asgameinfo": "assault",
    "bonuspack.xlastmanstandinggame": "lms", "last man standing": "lms",
    "bonuspack.xmutantgame": "mutant",
    "skaarjpack.invasion": "invasion",
}  # fmt: skip

#: Game types in which sides play; the log says who is on which.
TEAM_TYPES = frozenset(("tdm", "ctf", "vctf", "bombing-run", "dd", "onslaught", "assault"))

#: Game types in which everyone plays for themselves.
LONE_TYPES = frozenset(("ffa", "lms", "mutant"))

#: Game types whose class is a mutator too.
CLASS_MUTATORS = {"xgame.instagibctf": "instagib"}

_KEPT = (
    "instagib", "zoominstagib", "lowgrav", "quadjump", "vampire", "regen", "slomodeath", "bighead",
    "noadrenaline",
    "nosuperweapon", "arena", "berserk", "speciesstats", "vehiclearena", "vehiclepickups", "bigwheels",
    "onslaughtweapons", "utclassic", "weaponstay", "lightningarena", "shieldarena", "flakarena",
    "rocketarena",
    "sniperarena", "shockarena", "crateractive", "stuntjump", "movementspeed", "floorislava", "doubledamage",
    "heavygrav", "dodgejump", "superberserk", "stopcamping", "freezetag", "uscript",
)  # fmt: skip

RULES = GameRules(
    "ut2004",
    GAME_TYPES,
    cosmetic=frozenset((
        # What the game itself lists for its game types.
        "dmmutator", "xmutator", "mutdefaultweapons",
        # Loggers of statistics.
        "mutolgamestats", "olgamestats", "mutlocalstats", "localstats", "mutstatslog",
        "mutgamestats", "utstatsdb",
        "mutbaltimorestats", "mutstatsbeacon", "mutchatlog", "chatlog", "mutdemorec", "mutautodemorec",
        # Against cheats.
        "mutantitcc", "antitcc", "mututsecure", "utsecure", "mutsafegame", "safegame", "anticheat",
        "mutcheatcheck",
        "utsclassic", "mutwormbo", "tccstop", "mututanscript", "mutantispam", "mutantilag",
        # Administration, voting, bots and teams.
        "mutserverext", "serverext", "mutserverads", "serveradsse", "mutadminplus", "adminplus", "mutmapvote",
        "mutvotelinksetup", "mutinstantvote", "mutteambalance", "evenmatch", "mutevenmatch",
        "idealbotcounter", "equipoisemutator", "equipoiserules",
        "mutpickupannouncer", "mutipcheck", "mutpasswd", "mutkickidle", "mutidlekicker", "mutmotd",
        "mutwebadmin",
        "mutplayerjoinsound", "mutmessages", "mutunlagged",
        # Looks and sounds.
        "mututcomp", "hitsound", "muthitsounds", "mutbrightskins", "mutspawngrenades",
        "mutforcemodel", "mutskins",
        "mutcrosshair", "mutnametags", "mutspectatoroutline", "muthud", "mutemoticons", "mutsounds",
        "mutgore",
    )),
    gameplay=frozenset(_KEPT),
    aliases={f"mut{name}": name for name in _KEPT},
    implied=CLASS_MUTATORS,
)  # fmt: skip
