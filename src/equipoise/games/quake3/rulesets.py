"""The Quake 3 family's rulesets: settings of a server, what they change, and the names of game types."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import NamedTuple

from equipoise.core.match import Ruleset
from equipoise.core.rulesets import GameRules
from equipoise.games.match_in_progress import text_from

#: Minutes of a round of Urban Terror where no setting says it, and how a setting does.
ROUND_TIME = 3.0
#: Colours in names.
COLOUR = re.compile(r"\^[0-9a-zA-Z]")

MINUTES = re.compile(r"\d{1,4}(?:\.\d{1,4})?")


class ServerSetup(NamedTuple):
    """What is played, and where; whether sides swap at half-time, the minutes of a round, and the server."""

    ruleset: Ruleset
    map: str
    swaps: bool = False
    round_time: float = ROUND_TIME
    server: str = ""


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

#: Numbers of Urban Terror's game types, from the table of its manual and the parsers of its servers' tools.
_URBAN_TERROR = {
    "0": "ffa", "1": "lms", "3": "tdm", "4": "team-survivor", "5": "follow-the-leader",
    "6": "capture-and-hold", "7": "ctf", "8": "bomb", "9": "jump", "10": "freezetag", "11": "gungame",
}  # fmt: skip

#: What Urban Terror's settings are that change play, by default.
URBAN_DEFAULTS = {
    "g_gear": "0", "g_gravity": "800", "g_speed": "280", "g_knockback": "1000", "g_instagib": "0",
    "g_nodamage": "0", "g_hotpotato": "2", "g_funstuff": "1",
}  # fmt: skip

#: Settings that Urban Terror's servers tell and that do not change what skill is: the order of respawns,
#: looks, stamina and walljumps as people like them, rounds, votes and administration.
URBAN_SETTINGS = SETTINGS | frozenset((
    "g_bluewave", "g_redwave", "g_waverespawns", "g_respawndelay", "g_respawnprotection", "g_skins",
    "g_armbands", "g_walljumps", "g_stamina", "g_regainstamina", "g_deadchat", "g_antiwarp", "g_antiwarptol",
    "g_matchmode", "g_survivor", "g_survivorrule", "g_survivorrules", "g_suddendeath", "g_swaproles",
    "g_maxrounds", "g_roundtime", "g_timeouts", "g_timeoutlength", "g_pauselength", "g_followstrict",
    "g_followenemy", "g_followforced", "g_refclient", "g_refnoban", "g_refnoexec", "g_refpass", "g_allowchat",
    "g_allowposition", "g_allowgoto", "g_randomorder", "g_nextmap", "g_nextcyclemap", "g_mapcycle",
    "g_cahtime", "g_bombexplodetime", "g_bombdefusetime", "g_bombplanttime", "g_capturescoretime",
    "g_flagreturntime", "g_ctfunsubwait", "g_strattime", "g_loghits", "g_logroll", "g_initialwait",
    "g_thawtime", "g_meltdowntime", "g_maxteamkills", "g_teamkillsforgettime", "g_faillimit", "g_failtime",
    "g_warmupphase", "g_gamename", "g_modversion", "g_teamnamered", "g_teamnameblue", "g_precipamount",
    "g_enableprecip", "g_spawnprotect", "g_shuffleorder", "g_persistentpositions", "g_jumpruns",
    "g_noviprotect", "g_nameconvert", "g_rejoindelay", "g_clantag", "g_tournament",
))  # fmt: skip

#: The name of Urban Terror in a ruleset, and what says that it is played.
URBAN_TERROR = "urbanterror"
_URBAN_SIGNS = ("q3ut", "q3urt", "urbanterror", "ioq3-urt", "ioq3 urt", "urt 4", "urt-4")

RULES = (
    GameRules("openarena", {**_NAMES, **_OPENARENA}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS)),
    GameRules(
        URBAN_TERROR,
        {**_NAMES, **_URBAN_TERROR},
        cosmetic=URBAN_SETTINGS,
        gameplay=frozenset(URBAN_DEFAULTS),
    ),
    GameRules("quake3", {**_NAMES, **_TEAM_ARENA}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS)),
)

#: What ``gamename`` says, as the game's name in a ruleset; of others their own.
GAMES = {"baseoa": "openarena", "baseq3": "quake3", "missionpack": "quake3", "": "quake3"}


def game_of(settings: dict[str, str]) -> str:
    """Return the game's name from the settings in an ``InitGame`` line.

    Examples
    --------
    >>> game_of({"gamename": "q3urt42", "version": "ioq3 1.35 urt 4.2"}), game_of({"gamename": "CPMA"})
    ('urbanterror', 'cpma')
    """
    names = [settings.get(name, "").lower() for name in ("gamename", "g_gamename", "version", "fs_game")]
    if any(sign in text for text in names for sign in _URBAN_SIGNS):
        return URBAN_TERROR
    return GAMES.get(names[0], names[0])


def ruleset_of(settings: dict[str, str], custom: Mapping[str, frozenset[str]] | None = None) -> Ruleset:
    """Return the ruleset of a game from the settings in its ``InitGame`` line.

    Parameters
    ----------
    settings : dict
        Keys in lower case.
    custom : mapping, optional
        From a game to settings that count as changing play there, whatever the tables say.
    """
    game = game_of(settings)
    rules = next((each for each in RULES if each.game == game), None)
    if rules is None:
        rules = GameRules(game, {**_NAMES, **_BASE}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS))
    counted = (custom or {}).get(game, frozenset())
    if counted:
        rules = replace(rules, cosmetic=rules.cosmetic - counted)
    defaults = URBAN_DEFAULTS if game == URBAN_TERROR else DEFAULTS
    names = mutators_of(settings, rules.cosmetic, defaults, counted)
    return rules.ruleset(settings.get("g_gametype", "0"), names)


def mutators_of(
    settings: dict[str, str],
    cosmetic: Container[str] = SETTINGS,
    defaults: Mapping[str, str] = DEFAULTS,
    counted: Container[str] = (),
) -> list[str]:
    """Return those settings of a game that are not as they are by default.

    Examples
    --------
    >>> mutators_of({"g_instantgib": "1", "g_rockets": "0", "g_gravity": "800", "g_grapple": "1"})
    ['g_grapple', 'g_instantgib']
    """
    return sorted(
        name
        for name, value in settings.items()
        if (name.startswith(("g_", "elimination_")) or name in counted)
        and name not in cosmetic
        and value not in ("", "0", defaults.get(name))
    )


def setup_of(info: bytes, custom: Mapping[str, frozenset[str]] | None = None) -> ServerSetup:
    r"""Return what an ``InitGame`` line says, ``\key\value\key\value``.

    Examples
    --------
    >>> setup_of(rb" \gamename\baseoa\g_gametype\4\mapname\oa_ctf").ruleset
    Ruleset(game='openarena', game_type='ctf', mutators=())
    """
    settings = settings_of(info)
    swaps = settings.get("g_swaproles", "0") not in ("", "0")
    round_time = settings.get("g_roundtime", "")
    minutes = float(round_time) if MINUTES.fullmatch(round_time) else ROUND_TIME
    server = COLOUR.sub("", settings.get("sv_hostname", ""))
    return ServerSetup(ruleset_of(settings, custom), settings.get("mapname", ""), swaps, minutes, server)


def settings_of(info: bytes) -> dict[str, str]:
    r"""Return the settings of an ``InitGame`` line, ``\key\value\key\value``, the keys in lower case.

    What admins write too much, as in ``set g_gametype = 0``, is left out.
    """
    parts = text_from(info).strip(" \r").split("\\")[1:]
    return {
        key.strip().lower(): value.strip().removeprefix("=").strip()
        for key, value in zip(parts[::2], parts[1::2], strict=False)
    }
