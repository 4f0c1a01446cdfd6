"""Half-Life's rulesets: which game a log is of, what is played on a map, and which settings change play."""

from __future__ import annotations

from equipoise.core.rulesets import GameRules

#: What a setting of a server has where it changes nothing.
DEFAULTS = {
    "sv_gravity": "800", "mp_damage_headshot_only": "0", "mp_teammates_are_enemies": "0",
    "mp_free_armor": "0", "mp_buy_anywhere": "0", "sv_infinite_ammo": "0", "mp_weapons_allow_map_placed": "1",
    "mp_respawn_on_death_ct": "0", "mp_respawn_on_death_t": "0", "sv_autobunnyhopping": "0",
    "mp_items_prohibited": "", "mp_weapons_max_gun_purchases_per_weapon_per_match": "-1",
}  # fmt: skip

#: Beginnings of the names of maps, and what is played there.
MAPS = {
    "de_": "bomb", "cs_": "hostage", "as_": "vip", "es_": "escape",
    "cp_": "capture", "koth_": "capture", "tc_": "capture", "ultiduo_": "capture",
    "pl_": "payload", "plr_": "payload", "ctf_": "ctf", "arena_": "elimination",
}  # fmt: skip

#: Games of the family, by how their logs look: 1.6, Condition Zero and Source have triggers without a mark.
OLD, GO, CS2, TF2, OTHER = "cstrike", "csgo", "cs2", "tf2", "halflife"

_TYPES = {name: name for name in (*MAPS.values(), "elimination", "tdm", "ffa")}

RULES = tuple(GameRules(game, _TYPES, gameplay=frozenset(DEFAULTS)) for game in (OLD, GO, CS2, TF2, OTHER))


def rules_of(game: str) -> GameRules:
    """Return the table of a game."""
    return next(each for each in RULES if each.game == game)


def changes_play(name: str, value: str) -> bool:
    """Tell whether a setting changes play.

    Examples
    --------
    >>> changes_play("sv_gravity", "800"), changes_play("sv_gravity", "200.0")
    (False, True)
    """
    usual = DEFAULTS.get(name)
    if usual is None or value == usual:
        return False
    try:
        return float(value) != float(usual)
    except ValueError:
        return True
