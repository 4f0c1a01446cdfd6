r"""``xonotic``: event logs of Xonotic servers, of the family of Nexuiz.

How they are read is in :mod:`equipoise.games.nexuiz.event_log`.  The id of a match has three parts, of
which the
second is when it began, in seconds since 1970: that tells its log from one of Nexuiz, and dates games on the
console too.
"""

from __future__ import annotations

import re

from equipoise.core.rulesets import GameRules
from equipoise.games.nexuiz.event_log import EventReader

#: The beginning of a game, with the whole id of the match.
START = re.compile(rb"(?:^|\n):gamestart:[a-z]+_[^:\n]*:\d{1,9}\.\d{9,11}\.\d+")

_TYPES = {
    "dm": "ffa", "duel": "duel", "tdm": "tdm", "ctf": "ctf", "dom": "domination", "ca": "elimination",
    "lms": "lms", "ft": "freezetag", "kh": "keyhunt", "as": "assault", "ons": "onslaught", "nb": "nexball",
    "rc": "race", "cts": "cts", "ka": "keepaway", "tka": "team-keepaway", "inv": "invasion",
    "mayhem": "mayhem", "tmayhem": "team-mayhem", "surv": "survival",
}  # fmt: skip

RULES = GameRules(
    "xonotic",
    _TYPES,
    cosmetic=frozenset((
        "damagetext", "superspec", "campcheck", "spawn_near_teammate", "physical_items", "sandbox",
        "waypointsprites", "kick_teamkiller", "autodemo", "item_respawn_countdown",
    )),
    gameplay=frozenset((
        "instagib", "rocketarena", "nix", "vampire", "vampirehook", "norecoil", "midair",
        "hook", "overkill", "melee_only", "dodging", "bloodloss", "touchexplode",
        "multijump", "doublejump", "walljump", "bugrigs", "invincible_proj",
        "new_toys", "weapon_stay", "low_gravity", "cloaked", "jetpack", "running_guns", "pinata", "nades",
        "buffs", "powerups", "stale_move_negation", "breakablehook", "random_gravity", "random_items",
        "weaponarena", "weaponarena_random", "no_start_weapons", "offhand_blaster", "globalforces",
    )),
    aliases={"grappling_hook": "hook", "minstagib": "instagib", "invincible_projectiles": "invincible_proj"},
)  # fmt: skip


class Xonotic:
    """Xonotic, see :class:`equipoise.games.log_reader.Game`."""

    name = "xonotic"
    server = "a Xonotic server"

    def recognise(self, head: bytes) -> str:
        """Tell by the beginning of a game."""
        return "a line ':gamestart:type_map:n.seconds.n'" if START.search(head) else ""

    def reader(self, source: str, first_line: int = 1) -> EventReader:
        """Return a reader for a log."""
        return EventReader(RULES, source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of Xonotic."""
        return (RULES,)


#: The game.
GAME = Xonotic()
