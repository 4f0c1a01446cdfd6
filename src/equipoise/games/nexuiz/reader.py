"""``nexuiz``: event logs of Nexuiz servers; :mod:`equipoise.games.nexuiz.event_log` reads them."""

from __future__ import annotations

from equipoise.core.rulesets import GameRules
from equipoise.games.nexuiz.event_log import EventReader

_TYPES = {
    "dm": "ffa", "deathmatch": "ffa", "1v1": "duel", "tdm": "tdm", "ctf": "ctf", "dom": "domination",
    "ca": "elimination", "lms": "lms", "ft": "freezetag", "kh": "keyhunt", "as": "assault",
    "ons": "onslaught",
    "rc": "race", "nb": "nexball", "rune": "runematch",
}  # fmt: skip

RULES = GameRules(
    "nexuiz",
    _TYPES,
    cosmetic=frozenset(("damagetext", "superspec", "campcheck")),
    gameplay=frozenset((
        "minstagib", "instagib", "rocketarena", "nixnex", "nix", "vampire", "laserguided_missile", "norecoil",
        "midair", "grappling_hook", "no_use_ammunition", "no_pickup_items", "overkill",
        "melee_only", "dodging",
        "bloodloss", "touchexplode", "multijump", "invincible_proj", "new_toys", "weapon_stay", "low_gravity",
        "cloaked", "hook", "jetpack", "running_guns", "pinata", "nades", "buffs",
    )),
    aliases={"nixnex": "nix", "grappling_hook": "hook"},
)  # fmt: skip


class Nexuiz:
    """Nexuiz, see :class:`equipoise.games.log_reader.Game`."""

    name = "nexuiz"
    server = "a Nexuiz server"

    def recognise(self, head: bytes) -> str:
        """Tell by the beginning of a log or of a game."""
        if head.startswith(b":logversion:"):
            return "a first line ':logversion:...'"
        return "a line ':gamestart:...'" if b"\n:gamestart:" in b"\n" + head else ""

    def reader(self, source: str, first_line: int = 1) -> EventReader:
        """Return a reader for a log."""
        return EventReader(RULES, source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of Nexuiz."""
        return (RULES,)


#: The game.
GAME = Nexuiz()
