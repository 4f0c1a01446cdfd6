"""The zone of this machine, by its name where there is one."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import TZPATH, available_timezones

from equipoise.core.dates import POSIX, UTC_ZONE, Zone, zone_named
from equipoise.errors import InputError

#: Where a machine keeps its zone: its name, or a link to (or a copy of) the zone's file.
NAME, FILE = Path("/etc/timezone"), Path("/etc/localtime")


def machine_zone() -> Zone:
    """Return the zone that local times of this machine are in.

    The variable ``TZ`` comes first, as for every other program; then what the machine is set to.  A zone
    that has no name is taken by its rule for daylight saving, and UTC where nothing is known.
    """
    variable = os.environ.get("TZ")
    if variable is not None:
        return _of_variable(variable.removeprefix(":")) or UTC_ZONE
    return next((zone for zone in (_linked(), _written(), _copied()) if zone is not None), UTC_ZONE)


def _known(name: str) -> Zone | None:
    try:
        return zone_named(name)
    except InputError:
        return None


def _of_variable(text: str) -> Zone | None:
    if text.startswith("/"):
        return _at(Path(text))
    if text in available_timezones():
        return _known(text)
    return _known(POSIX + text)


def _linked() -> Zone | None:
    """Return the zone to whose file there is a link."""
    return _at(FILE) if FILE.is_symlink() else None


def _at(file: Path) -> Zone | None:
    """Return the zone of a file in a folder of the zone database."""
    parts = file.resolve().parts
    names = ("/".join(parts[n:]) for n in range(1, len(parts)))
    known = available_timezones()
    return next((_known(name) for name in names if name in known), None)


def _written() -> Zone | None:
    try:
        return _known(NAME.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None


def _copied() -> Zone | None:
    """Return the zone of which there is a copy, or else what its rule says."""
    try:
        content = FILE.read_bytes()
    except OSError:
        return None
    for name in sorted(available_timezones()):
        for folder in TZPATH:
            try:
                if (Path(folder) / name).read_bytes() == content:
                    return _known(name)
            except OSError:
                continue
    rule = content.rstrip(b"\n").rpartition(b"\n")[2]
    return _known(POSIX + rule.decode("ascii", "replace")) if rule else None
