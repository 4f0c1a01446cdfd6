"""The Quake 3 family's rulesets: settings of a server, what they change, and the names of game types."""

from __future__ import annotations

from typing import NamedTuple

from equipoise.logs.play import text_from
from equipoise.logs.rules import Rules
from equipoise.matches import Ruleset


class Setup(NamedTuple):
    """What is played, and where."""

    ruleset: Ruleset
    map: str


#: What a setting has where it changes nothing; a mutator is one that has anything else.
DEFAULTS = {
    "g_instantgib": "0", "g_rockets": "0", "g_vampire": "0", "g_regen": "0", "g_gravity": "800",
    "g_gravitymodifier": "1", "g_damagemodifier": "0", "g_speed": "320", "g_quadfactor": "3",
    "g_catchup": "0",
    "g_knockback": "1000", "g_speedmodifier": "1", "g_runes": "0", "g_lms_mode": "0", "g_respawntime": "0",
    "elimination_selfdamage": "0", "elimination_ctf_oneway": "0",
}  # fmt: skip

#: Settings that the servers tell and that do not change what skill is, or hardly.
SETTINGS = frozenset((
    "g_gametype", "g_needpass", "g_allowvote", "g_votegametypes", "g_votemaxtimelimit", "g_votemintimelimit",
    "g_votemaxfraglimit", "g_voteminfraglimit", "g_votemaxcapturelimit", "g_votemincapturelimit",
    "g_votemaxbots", "g_voteminbots", "g_votenames", "g_votemaps", "g_obeliskrespawndelay", "g_enabledust",
    "g_enablebreath", "g_delaghitscan", "g_altexcellent", "g_timestamp", "g_dowarmup", "g_warmup",
    "g_maxgameclients", "g_teamautojoin",
    "g_teamforcebalance", "g_smoothclients", "g_weaponrespawn", "g_inactivity", "g_log", "g_logsync",
    "g_synchronousclients", "g_bottype", "g_modversion", "g_motd", "g_friendlyfire", "g_spskill",
    "elimination_roundtime", "elimination_warmup", "elimination_activewarmup",
))  # fmt: skip

#: Numbers of game types, the same in all games of the family that are listed here.
_BASE = {"0": "ffa", "1": "duel", "2": "ffa", "3": "tdm", "4": "ctf"}
_TEAM_ARENA = {**_BASE, "5": "1fctf", "6": "overload", "7": "harvester"}
_OPENARENA = {
    **_TEAM_ARENA, "8": "elimination", "9": "ctf-elimination", "10": "lms", "11": "dd", "12": "domination",
    "13": "possession",
}  # fmt: skip
_NAMES = {
    "dm": "ffa", "deathmatch": "ffa", "tournament": "duel", "tourney": "duel", "1v1": "duel", "team": "tdm",
    "oneflag": "1fctf", "obelisk": "overload", "ctfelimination": "ctf-elimination", "doubled": "dd",
    "dom": "domination",
}  # fmt: skip

RULES = (
    Rules("openarena", {**_NAMES, **_OPENARENA}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS)),
    Rules("quake3", {**_NAMES, **_TEAM_ARENA}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS)),
)

#: What ``gamename`` says, as the game's name in a ruleset; of others their own.
GAMES = {"baseoa": "openarena", "baseq3": "quake3", "missionpack": "quake3", "": "quake3"}


def ruleset_of(settings: dict[str, str]) -> Ruleset:
    """Return the ruleset of a game from the settings in its ``InitGame`` line."""
    gamename = settings.get("gamename", "").lower()
    game = GAMES.get(gamename, gamename)
    rules = next((each for each in RULES if each.game == game), None)
    if rules is None:
        rules = Rules(game, {**_NAMES, **_BASE}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS))
    return rules.ruleset(settings.get("g_gametype", "0"), mutators_of(settings))


def mutators_of(settings: dict[str, str]) -> list[str]:
    """Return those settings of a game that are not as they are by default.

    Examples
    --------
    >>> mutators_of({"g_instantgib": "1", "g_rockets": "0", "g_gravity": "800", "g_grapple": "1"})
    ['g_grapple', 'g_instantgib']
    """
    return sorted(
        name
        for name, value in settings.items()
        if name.startswith(("g_", "elimination_"))
        and name not in SETTINGS
        and value not in ("", "0", DEFAULTS.get(name))
    )


def setup_of(info: bytes) -> Setup:
    r"""Return what an ``InitGame`` line says, ``\key\value\key\value``.

    Examples
    --------
    >>> setup_of(rb" \gamename\baseoa\g_gametype\4\mapname\oa_ctf").ruleset
    Ruleset(game='openarena', game_type='ctf', mutators=())
    """
    settings = settings_of(info)
    return Setup(ruleset_of(settings), settings.get("mapname", ""))


def settings_of(info: bytes) -> dict[str, str]:
    r"""Return the settings of an ``InitGame`` line, ``\key\value\key\value``, the keys in lower case."""
    parts = text_from(info).strip(" \r").split("\\")[1:]
    return {key.lower(): value for key, value in zip(parts[::2], parts[1::2], strict=False)}
