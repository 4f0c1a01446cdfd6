"""Parts that other installed packages bring: entry points of the groups ``equipoise.solvers`` and so on.

The standard library's reader takes as long as dividing ten players does; most installations have no such
part.
So the lists that packages leave in their folders (PyPA, "Entry points specification") are read as they are,
once and only when a part is asked for that is not one of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache

#: How the groups of our parts begin.
PREFIX = "equipoise."


@cache
def installed_parts() -> Mapping[str, Mapping[str, str]]:
    """Return from each kind of part, such as ``"solvers"``, the names and places that packages registered.

    Where two packages register one name, that of the folder which comes first on Python's path counts.
    """
    found: dict[str, dict[str, str]] = {}
    for text in _lists():
        kind = ""
        for line in map(str.strip, text.splitlines()):
            if line.startswith("["):
                group = line.strip("[] ")
                kind = group.removeprefix(PREFIX) if group.startswith(PREFIX) else ""
            elif kind and "=" in line and not line.startswith("#"):
                name, _, place = line.partition("=")
                place = place.partition("[")[0].strip()  # what stands in brackets is an old form of extras
                found.setdefault(kind, {}).setdefault(name.strip(), place)
    return found


def _lists() -> Iterator[str]:
    """Return the lists of entry points of all installed packages that name a part of ours."""
    for folder in sys.path:
        try:
            names = sorted(
                name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info"))
            )
        except OSError:
            continue
        for name in names:
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), encoding="utf-8") as file:
                    text = file.read()
            except (OSError, UnicodeDecodeError):
                continue
            if f"[{PREFIX}" in text:
                yield text
